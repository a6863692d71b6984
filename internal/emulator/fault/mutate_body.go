package fault

import (
	"bytes"
	"encoding/json"
	"net/http"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readMutate: {"how": "truncate" | "html" | "empty" | "drop_field" |
// "unknown_enum", "field": NAME, "value": TEXT}. The request is carried out and
// its answer distorted; the status stays. drop_field takes a field away from the
// answer and from the rows of its data, unknown_enum writes a value into it that
// no document names; field is "status" when left out.
func readMutate(o *wire.Object) action {
	o.Require("how")
	how := o.Choice("how", "truncate", "html", "empty", "drop_field", "unknown_enum").V
	field := o.Name("field", 1, 255).Or("status")
	value := o.Text("value", 0, 255).Or("unknown_v2")
	change := map[string]func([]byte) []byte{
		"truncate": func(body []byte) []byte { return body[:len(body)/2] },
		"empty":    func([]byte) []byte { return nil },
		"html": func([]byte) []byte {
			return []byte("<!doctype html><html><head><title>One moment</title></head><body><h1>Checking " +
				"your connection</h1></body></html>\n")
		},
		"drop_field": func(body []byte) []byte {
			return eachRecord(body, func(record map[string]any) { delete(record, field) })
		},
		"unknown_enum": func(body []byte) []byte {
			return eachRecord(body, func(record map[string]any) {
				if _, there := record[field]; there {
					record[field] = value
				}
			})
		},
	}[how]
	return action{request: func(x *exchange) service.Response {
		resp := x.next()
		resp.Body = change(resp.Body)
		if how == "html" {
			resp.Header = http.Header{"Content-Type": {"text/html; charset=utf-8"}}
		}
		return resp
	}}
}

// eachRecord changes the object that a body is, and the rows of its data. A body
// that is no object stays as it is.
func eachRecord(body []byte, change func(map[string]any)) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var top map[string]any
	if d.Decode(&top) != nil {
		return body
	}
	change(top)
	rows, _ := top["data"].([]any)
	for _, row := range rows {
		if record, ok := row.(map[string]any); ok {
			change(record)
		}
	}
	return encode(top)
}

func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return b.Bytes()
}
