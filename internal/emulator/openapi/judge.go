package openapi

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

	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
)

// Judge holds what passes through a server to its document. It may be used by
// many requests at once.
type Judge struct {
	document *Document
}

// NewJudge judges by the document of these routes.
func NewJudge(routes []*service.Route) *Judge {
	d, _ := New(routes)
	return &Judge{document: d}
}

// Exchange returns what is wrong with an answer of the service, and with the
// document where the service took a body that the document does not allow. It
// allows what open points change. An empty result is a good one.
func (j *Judge) Exchange(c *service.Call, answer service.Response) []string {
	op := j.document.Paths[c.Route.Pattern][strings.ToLower(c.Route.Method)]
	if op == nil {
		return nil // New has named it
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

func (j *Judge) answer(op *Operation, points *openpoint.Settings, answer service.Response) []string {
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
func (j *Judge) query(op *Operation, given url.Values) []string {
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
func parameterValue(s *Schema, values []string) any {
	if s.Items != nil {
		all := make([]any, len(values))
		for i, v := range values {
			all[i] = v
		}
		return all
	}
	if slices.Equal(s.Type, Types{"integer"}) {
		return json.Number(values[0])
	}
	return values[0]
}

// request checks a body that was taken. Forms are not read.
func (j *Judge) request(op *Operation, c *service.Call) []string {
	kind, _, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		if _, ok := op.RequestBody.Content[kind]; !ok {
			return []string{"a form was taken; the document has none"}
		}
		return nil
	}
	return j.body("request", op.RequestBody.Content, c.Points, "application/json", c.Body)
}

func (j *Judge) body(what string, content map[string]Media,
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
