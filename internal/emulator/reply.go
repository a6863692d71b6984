package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"time"

	"adsync/internal/emulator/clock"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// replier writes answers, as the open points shape them, and keeps the request log.
type replier struct {
	clock    *clock.Clock
	points   *openpoint.Settings
	requests *requestLog
}

func (rp *replier) success(status int, value any) service.Response {
	body := toJSON(value)
	if rp.points.Is(openpoint.ExtraFields, "yes") {
		body = addFields(body)
	}
	return service.Response{Status: status, Header: jsonHeader(), Body: body}
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

func toJSON(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return b.Bytes()
}

// addFields adds a field that no document names to every record.
func addFields(body []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return body
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, each := range v {
				walk(each)
			}
		case map[string]any:
			for _, each := range v {
				walk(each)
			}
			if _, ok := v["id"]; ok {
				v["x_experimental"] = map[string]any{"cohort": "b", "weights": []int{1, 2}}
			}
		}
	}
	walk(value)
	return toJSON(value)
}

// refusal is the answer to a request that is refused. The shape of its body and
// the status of conflicts are open points.
func (rp *replier) refusal(err error) service.Response {
	e := wire.AsError(err)
	status := e.Status
	if status == http.StatusConflict {
		status = int(rp.points.Int(openpoint.ConflictStatus))
	}
	resp := service.Response{Status: status, Header: jsonHeader()}
	switch rp.points.Of(openpoint.ErrorBody) {
	case "flat":
		resp.Body = toJSON(map[string]string{"message": e.Message})
	case "text":
		resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
		resp.Body = []byte(e.Message + "\n")
	case "html":
		resp.Header.Set("Content-Type", "text/html; charset=utf-8")
		resp.Body = fmt.Appendf(nil, "<html><body><h1>%d</h1><p>%s</p></body></html>\n",
			status, html.EscapeString(e.Message))
	default:
		resp.Body = toJSON(e.Body())
	}
	if e.RetryAfter > 0 {
		resp.Header.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	if status == http.StatusUnauthorized {
		resp.Header.Set("WWW-Authenticate", "Bearer")
	}
	return resp
}

// send puts an answer on the line, or breaks the line as a fault wants it.
func (rp *replier) send(w http.ResponseWriter, r *http.Request, c *service.Call, resp service.Response) {
	rp.requests.add(rp.entry(w, r, c, resp))
	if resp.Drop {
		panic(http.ErrAbortHandler)
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(resp.Body)))
	w.WriteHeader(resp.Status)
	if resp.CutAfter > 0 && resp.CutAfter < len(resp.Body) {
		w.Write(resp.Body[:resp.CutAfter])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	if resp.BytesPerSecond > 0 {
		rp.trickle(w, r, resp)
		return
	}
	w.Write(resp.Body)
}

// trickle sends a body slowly, a tenth of a second's worth at a time.
func (rp *replier) trickle(w http.ResponseWriter, r *http.Request, resp service.Response) {
	step := max(1, resp.BytesPerSecond/10)
	pause := time.Duration(step) * time.Second / time.Duration(resp.BytesPerSecond)
	for body := resp.Body; len(body) > 0; body = body[min(step, len(body)):] {
		if _, err := w.Write(body[:min(step, len(body))]); err != nil {
			return
		}
		http.NewResponseController(w).Flush()
		if rp.clock.WaitUntil(r.Context(), rp.clock.Now().Add(pause)) != nil {
			return
		}
	}
}
