package emulatortest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
)

const noPixels = `{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}`

const file = `{"file_id":"file_1"}`

// TestJudgeFindsDrift: every way in which an answer or a taken body can differ
// from the document is found, and nothing else is.
func TestJudgeFindsDrift(t *testing.T) {
	for _, row := range []struct {
		name, route, contentType, request, answer, points string
		status                                            int
		want                                              string // part of the first problem; "" is none
	}{
		{name: "as it should be", answer: file},
		{name: "a field nobody described", answer: `{"file_id":"f","size":1}`, want: `answer has the field "size"`},
		{name: "a field that is gone", answer: `{}`, want: `answer lacks the field "file_id"`},
		{name: "another type", answer: `{"file_id":7}`, want: "answer.file_id is integer 7; want string"},
		{name: "null where there is no null", answer: `{"file_id":null}`,
			want: "answer.file_id is null null; want string"},
		{name: "no object", answer: `[]`, want: "answer is array []; want object"},
		{name: "no JSON", answer: `{"file_id":`, want: "not one JSON value"},
		{name: "two values", answer: file + file, want: "it goes on after"},
		{name: "another media type", contentType: "text/plain", answer: file, want: `content type is "text/plain"`},
		{name: "a status nobody described", status: 418, answer: file, want: "status 418 is not in the document"},
		{name: "202 where there is 200", status: 202, answer: file, want: "status 202 is not in the document"},
		{name: "a refusal", status: 400, answer: `{"error":{"message":"m","type":"t","param":null,"code":"c"}}`},
		{name: "a refusal of another shape", status: 400, answer: `{"message":"m"}`, want: `lacks the field "error"`},
		{name: "a refusal of another shape, as an open point says",
			points: "error_body=flat", status: 400, answer: `{"message":"m"}`},
		{name: "an extra field, as an open point says",
			points: "extra_response_fields=yes", answer: `{"file_id":"f","x_experimental":{"cohort":"b"}}`},
		{name: "an extra field without the open point",
			answer: `{"file_id":"f","x_experimental":{"cohort":"b"}}`, want: `"x_experimental"`},
		{name: "a taken body with a field nobody described",
			request: `{"image_url":"https://a.example/b.png","alt":"x"}`,
			answer:  file, want: `request has the field "alt"`},
		{name: "a taken body without a field that must be there",
			request: `{}`, answer: file, want: `request lacks the field "image_url"`},
		{name: "a refused body may be anything", status: 400,
			request: `{"alt":7}`, answer: `{"error":{"message":"m","type":"t","param":null,"code":null}}`},
		{name: "an enum", route: "GET /bulk_mutation_jobs/{job_id}",
			answer: job("done", "1", "null"), want: `answer.status is "done"; want one of pending`},
		{name: "an enum, as an open point says", points: "unknown_enum_values=yes",
			route: "GET /bulk_mutation_jobs/{job_id}", answer: job("done", "1", "null")},
		{name: "a bound", route: "GET /bulk_mutation_jobs/{job_id}",
			answer: job("pending", "1001", "null"), want: "answer.operation_count is 1001; want at most 1000"},
		{name: "an integer with a fraction", route: "GET /bulk_mutation_jobs/{job_id}",
			answer: job("pending", "1", "1.5"), want: "answer.completed_at is number 1.5; want integer or null"},
		{name: "a job as it should be", route: "GET /bulk_mutation_jobs/{job_id}", answer: job("pending", "1", "null")},
		{name: "a row of a list", route: "GET /conversions/pixels", answer: `{"object":"list","data":[{"id":"a","client_type":"app","name":"n","pixel_id":"p"}],"first_id":null,"last_id":null,"has_more":false}`,
			want: `answer.data[0].client_type is "app"`},
		{name: "a parameter nobody reads", route: "GET /me?limit=7", answer: `{"id":"user-1"}`},
		{name: "a parameter out of its bounds", route: "GET /conversions/pixels?limit=501",
			answer: noPixels, want: "query limit is 501; want at most 500"},
		{name: "a parameter at its bound", route: "GET /conversions/pixels?limit=500&order=asc", answer: noPixels},
		{name: "a parameter with another value", route: "GET /conversions/pixels?order=up",
			answer: noPixels, want: `query order is "up"; want one of asc, desc`},
		{name: "a parameter that must be there", route: "GET /conversions/events",
			answer: `{"object":"list","data":[]}`, want: `query lacks "pid"`},
		{name: "a user", route: "GET /me", answer: `{"id":"user-1"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, answer := exchange(t, row.route, row.request, row.answer, row.points)
			if row.status != 0 {
				answer.Status = row.status
			}
			if row.contentType != "" {
				answer.Header.Set("Content-Type", row.contentType)
			}
			problems := newJudge([]*service.Route{c.Route}).exchange(c, answer)
			got := strings.Join(problems, "\n")
			if (row.want == "") != (got == "") || !strings.Contains(got, row.want) {
				t.Errorf("exchange = %q, want %q", got, row.want)
			}
		})
	}
}

func job(status, operations, completed string) string {
	return `{"id":"j","status":"` + status + `","operation_count":` +
		operations + `,"created_at":1,"completed_at":` + completed + `}`
}

// exchange is a good upload unless the row says otherwise.
func exchange(t *testing.T, route, request, answer, points string) (*service.Call, service.Response) {
	t.Helper()
	if route == "" {
		route = "POST /upload"
	}
	if request == "" {
		request = `{"image_url":"https://images.example.com/a.png"}`
	}
	settings, err := openpoint.Parse(points)
	if err != nil {
		t.Fatal(err)
	}
	method, address, _ := strings.Cut(route, " ")
	pattern, _, _ := strings.Cut(address, "?")
	c := &service.Call{
		Request: httptest.NewRequest(method, "/v1"+address, nil), Body: []byte(request), Points: settings,
		Route: &service.Route{Method: method, Pattern: pattern, Auth: service.Write},
	}
	c.Request.Header.Set("Content-Type", "application/json")
	return c, service.Response{
		Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(answer),
	}
}

// complaints takes what a judge says instead of failing the test.
type complaints struct {
	testing.TB
	said []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(format, args...))
}

// TestEveryStartedServerIsJudged: a server that a test starts is held to the
// document, and what a fault makes of an answer is not.
func TestEveryStartedServerIsJudged(t *testing.T) {
	took := &complaints{TB: t}
	s := Start(took)
	ask := func(hook func(c *service.Call, next func() service.Response) service.Response) {
		s.SetHooks(&service.Hooks{Request: hook})
		s.Send(t, "GET", "/campaigns", nil)
	}
	ask(func(_ *service.Call, next func() service.Response) service.Response {
		next()
		return service.Response{Status: 502, Body: []byte("<html>")}
	})
	if len(took.said) > 0 {
		t.Errorf("a good answer that a fault spoilt: %q, want no complaint", took.said)
	}
	ask(func(c *service.Call, next func() service.Response) service.Response {
		other := *c.Route // the list of campaigns passes for the answer of GET /me
		other.Pattern = "/me"
		c.Route = &other
		return next()
	})
	if len(took.said) != 1 || !strings.Contains(took.said[0], `answer lacks the field "id"`) {
		t.Errorf("a wrong answer: complaints %q, want one of the missing id", took.said)
	}
}
