package emulatortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/openapi"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
)

// judgeOf fails the test when an answer, or a body that was taken, is not as the
// OpenAPI document says.
func judgeOf(t testing.TB, routes []*service.Route) func(*service.Call, service.Response) {
	j := newJudge(routes)
	return func(c *service.Call, answer service.Response) {
		problems := j.exchange(c, answer)
		if len(problems) == 0 {
			return
		}
		t.Errorf("%s %s = %d %.500s\nrequest %.500s\nis not as docs/develop/openapi.json says:\n  %s",
			c.Request.Method, c.Request.URL.RequestURI(),
			answer.Status, answer.Body, c.Body, strings.Join(problems[:min(len(problems), 10)], "\n  "))
	}
}

// judge holds what passes through a server to its document. It may be used by
// many requests at once.
type judge struct {
	document *openapi.Document
}

// newJudge judges by the document of these routes.
func newJudge(routes []*service.Route) *judge {
	d, _ := openapi.New(routes)
	return &judge{document: d}
}

// exchange returns what is wrong with an answer of the service, and with the
// document where the service took a body that the document does not allow. It
// allows what open points change. An empty result is a good one.
func (j *judge) exchange(c *service.Call, answer service.Response) []string {
	op := j.document.Paths[c.Route.Pattern][strings.ToLower(c.Route.Method)]
	if op == nil {
		return nil // openapi.New has named it
	}
	problems := j.answer(op, c.Points, answer)
	if answer.Status < 300 && c.Request.Method == http.MethodGet {
		problems = append(problems, j.query(op, c.Request.URL.Query())...)
	}
	if answer.Status < 300 && op.RequestBody != nil && !op.JudgedLater {
		problems = append(problems, j.request(op, c)...)
	}
	return problems
}

func (j *judge) answer(op *openapi.Operation, points *openpoint.Settings, answer service.Response) []string {
	said, ok := op.Responses[strconv.Itoa(answer.Status)]
	if !ok {
		return []string{fmt.Sprintf("status %d is not in the document", answer.Status)}
	}
	if name, isRef := strings.CutPrefix(said.Ref, "#/components/responses/"); isRef {
		said = j.document.Components.Responses[name]
		if !points.Is(openpoint.ErrorBody, "nested") {
			return nil // the document has the published shape of errors only
		}
	}
	return j.body("answer", said.Content, points, answer.Header.Get("Content-Type"), answer.Body)
}

// query checks the parameters of a read that was answered. Ones that the document
// does not have are ignored, as the service ignores them.
func (j *judge) query(op *openapi.Operation, given url.Values) []string {
	c := checker{schemas: j.document.Components.Schemas}
	for _, p := range op.Parameters {
		bare := strings.TrimSuffix(p.Name, "[]")
		values := append(given[bare], given[bare+"[]"]...)
		switch {
		case p.In != "query":
		case p.Required && len(values) == 0:
			c.failf("query", "lacks %q", p.Name)
		case len(values) > 0:
			c.check("query "+p.Name, p.Schema, parameterValue(p.Schema, values))
		}
	}
	return c.problems
}

// parameterValue is what a parameter says, as JSON would say it.
func parameterValue(s *openapi.Schema, values []string) any {
	if s.Items != nil {
		all := make([]any, len(values))
		for i, v := range values {
			all[i] = v
		}
		return all
	}
	if slices.Equal(s.Type, openapi.Types{"integer"}) {
		return json.Number(values[0])
	}
	return values[0]
}

// request checks a body that was taken. Forms are not read.
func (j *judge) request(op *openapi.Operation, c *service.Call) []string {
	kind, _, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		if _, ok := op.RequestBody.Content[kind]; !ok {
			return []string{"a form was taken; the document has none"}
		}
		return nil
	}
	return j.body("request", op.RequestBody.Content, c.Points, "application/json", c.Body)
}

func (j *judge) body(what string, content map[string]openapi.Media,
	points *openpoint.Settings, contentType string, body []byte) []string {
	media, ok := content[contentType]
	if !ok {
		return []string{fmt.Sprintf("%s: content type is %q; the document does not have it", what, contentType)}
	}
	value, err := decode(body)
	if err != nil {
		return []string{fmt.Sprintf("%s: the body is not one JSON value: %v", what, err)}
	}
	c := checker{schemas: j.document.Components.Schemas, openEnums: points.Is(openpoint.UnknownEnums, "yes")}
	if points.Is(openpoint.ExtraFields, "yes") {
		c.extra = "x_experimental"
	}
	if points.Is(openpoint.EmptyLists, "dropped") {
		c.dropped = append(c.dropped, "conversion_event_setting_ids")
		for _, a := range ads.AdGroupAttributes {
			if a.JSON == "strings" {
				c.dropped = append(c.dropped, a.Name)
			}
		}
	}
	if points.Is(openpoint.DefaultStrategy, "left_out") {
		c.dropped = append(c.dropped, "strategy")
	}
	c.check(what, media.Schema, value)
	return c.problems
}

func decode(body []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("it goes on after offset %d", d.InputOffset())
	}
	return value, nil
}
