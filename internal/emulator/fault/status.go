package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readStatus: {"code": 503, "body": …, "retry_after": 30, "commit": false}. The
// answer has that status, without the request being carried out unless commit is
// true. body is any JSON, or a text that is sent as it is; left out, it is an
// error in the published shape. retry_after is in seconds.
func readStatus(o *wire.Object) action {
	o.Require("code")
	code := int(o.Int("code", 200, 599).V)
	o.AllowNull("body")
	body := o.Raw("body")
	after := o.Int("retry_after", 0, 1<<31)
	commit := o.Bool("commit").V
	return action{request: func(x *exchange) service.Response {
		if commit {
			x.next()
		}
		resp := service.Response{Status: code, Header: http.Header{"Content-Type": {"application/json"}}}
		if after.Given() {
			resp.Header.Set("Retry-After", strconv.FormatInt(after.V, 10))
		}
		resp.Body = statusBody(resp.Header, code, body)
		return resp
	}}
}

func statusBody(header http.Header, code int, body wire.Opt[json.RawMessage]) []byte {
	var text string
	switch {
	case !body.Set:
		e := wire.Refusef(code, "injected_fault", "", "%s", http.StatusText(code))
		encoded, err := json.Marshal(e.Body())
		if err != nil {
			panic(fmt.Sprintf("encode error: %v", err))
		}
		return append(encoded, '\n')
	case json.Unmarshal(body.V, &text) == nil && !body.Null:
		header.Set("Content-Type", "text/plain; charset=utf-8")
		return []byte(text)
	}
	return body.V
}
