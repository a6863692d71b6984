package adsapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func of[T any](v T) *T { return &v }

func TestSubmitJob(t *testing.T) {
	w := &wire{
		answers: []answer{{status: 202, body: `{"id":"blkmtnjob_1","status":"pending","operation_count":3,"created_at":1767225600,"completed_at":null}`}},
	}
	job, err := clientOf(t, w).SubmitJob(t.Context(), "job-key", []byte(`{"operations":[]}`))
	want := Job{ID: "blkmtnjob_1", Status: "pending", OperationCount: 3, CreatedAt: 1767225600}
	if diff := cmp.Diff(want, job); err != nil || diff != "" {
		t.Fatalf("SubmitJob: %v (-want +got):\n%s", err, diff)
	}
	s := w.requests()[0]
	if s.method != "POST" || s.url != "https://ads.example/v1/bulk_mutation_jobs" ||
		s.key != "job-key" || s.body != `{"operations":[]}` {
		t.Fatalf("sent %s %s, key %q, body %q", s.method, s.url, s.key, s.body)
	}
}

// N6: an accepted job without an id is not a job with the id "".
func TestSubmittedJobThatCannotBeRead(t *testing.T) {
	for _, body := range []string{`{}`, `{"id":""}`, `{"id":null}`, `{"id":{}}`, `[]`, `null`, ``, `"x"`, `{"id":"j"`} {
		synctest.Test(t, func(t *testing.T) {
			job, err := clientOf(t, &wire{answers: []answer{{status: 202, body: body}}}).SubmitJob(t.Context(),
				"k", []byte(`{}`))
			if !errors.Is(err, ErrUnreadable) || AppliedOf(err) != Unknown || job != (Job{}) {
				t.Errorf("SubmitJob answered %q = %+v, %v; want unreadable, unknown", body, job, err)
			}
		})
	}
}

// A job that only validates changes nothing, whatever became of it.
func TestSubmittedDryRunThatWasCutOff(t *testing.T) {
	for body, want := range map[string]string{
		`{"validate_only":true,"operations":[]}`: "POST /bulk_mutation_jobs: " +
			"connection broke: no whole answer within 1m0s (no request id, 6 attempts, a dry run: it changes nothing)",
		`{"validate_only":false,"operations":[]}`: "POST /bulk_mutation_jobs: " +
			"connection broke: no whole answer within 1m0s (no request id, it may have been applied)",
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := clientOf(t, &wire{answers: []answer{silent}}).SubmitJob(t.Context(), "", []byte(body))
			if err == nil || err.Error() != want {
				t.Errorf("error\n got %v\nwant %s", err, want)
			}
		})
	}
}

func TestSubmitJobTooLarge(t *testing.T) {
	w := &wire{}
	_, err := clientOf(t, w).SubmitJob(t.Context(), "k", make([]byte, 16<<20+1))
	if !errors.Is(err, errInvalidRequest) || len(w.requests()) != 0 {
		t.Fatalf("SubmitJob of 16 MiB and a byte = %v; want a refusal here", err)
	}
}

func TestJobIsReadTolerantly(t *testing.T) {
	for _, tc := range []struct {
		body     string
		want     Job
		terminal bool
	}{
		{`{"id":"j","status":"completed","operation_count":"3","created_at":1.0,"completed_at":"2","extra":[1]}`,
			Job{ID: "j", Status: "completed", OperationCount: 3, CreatedAt: 1, CompletedAt: of(int64(2))}, true},
		{`{"id":"j","status":"partially_failed","operation_count":null}`,
			Job{ID: "j", Status: "partially_failed"}, true},
		{`{"id":"j","status":"failed","completed_at":{}}`, Job{ID: "j", Status: "failed"}, true},
		{`{"id":"j","status":"in_progress"}`, Job{ID: "j", Status: "in_progress"}, false},
		{`{"id":"j","status":"hibernating"}`, Job{ID: "j", Status: "hibernating"}, false},
		{`{"id":"j"}`, Job{ID: "j"}, false},
	} {
		job, err := clientOf(t, &wire{answers: []answer{{status: 200, body: tc.body}}}).Job(t.Context(), "j")
		if diff := cmp.Diff(tc.want, job); err != nil || diff != "" || job.Terminal() != tc.terminal {
			t.Errorf("Job from %s: %v, terminal %v (-want +got):\n%s", tc.body, err, job.Terminal(), diff)
		}
	}
}

func TestJobOfAnotherIDIsNoAnswer(t *testing.T) {
	_, err := clientOf(t,
		&wire{answers: []answer{{status: 200, body: `{"id":"other","status":"completed"}`}}}).Job(t.Context(), "j")
	if !errors.Is(err, ErrUnreadable) {
		t.Fatalf("Job = %v; want unreadable", err)
	}
}

// N13: a 404 tells that bulk jobs are not enabled.
func TestBulkNotEnabled(t *testing.T) {
	_, err := clientOf(t, &wire{answers: []answer{status(404)}}).SubmitJob(t.Context(), "k", []byte(`{}`))
	if !errors.Is(err, ErrNotFound) || AppliedOf(err) != Never {
		t.Fatalf("SubmitJob = %v; want not found, never applied", err)
	}
}

func TestOperationResults(t *testing.T) {
	body := `{"object":"list","has_more":false,"complete":true,"error":"job: late","data":[
		{"operation_id":"1","type":"ad.create","status":"created","resource_id":"ad_501","submitted_version_id":"adver_501","error_code":null,"error":null,"retryable":null,"retry_after_seconds":null},
		{"operation_id":"2","type":"ad.update","status":"failed","error_code":"busy","error":"try later","retryable":"true","retry_after_seconds":2.5},
		{"operation_id":3,"status":"evaporated","resource_id":"","retryable":"perhaps","retry_after_seconds":"1e30"}]}`
	page, err := clientOf(t, &wire{answers: []answer{{status: 200, body: body}}}).Operations(t.Context(), "j", "")
	want := OperationPage{Complete: true, Error: of("job: late"), Results: []OperationResult{
		{OperationID: "1", Type: "ad.create", Status: "created",
			ResourceID: of("ad_501"), SubmittedVersionID: of("adver_501")},
		{OperationID: "2", Type: "ad.update", Status: "failed",
			ErrorCode: of("busy"), Error: of("try later"), Retryable: of(true), RetryAfterSeconds: of(int64(3))},
		{OperationID: "3", Status: "evaporated", RetryAfterSeconds: of(int64(1<<63 - 1))},
	}}
	if diff := cmp.Diff(want, page); err != nil || diff != "" {
		t.Fatalf("Operations: %v (-want +got):\n%s", err, diff)
	}
}

func results(from, to int) string {
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, fmt.Sprintf(`{"operation_id":"o%d","type":"ad.create","status":"created"}`, i))
	}
	return strings.Join(rows, ",")
}

func TestAllOperations(t *testing.T) {
	for _, tc := range []struct {
		name     string
		pages    []string
		results  int
		complete bool
		hasMore  bool
		problem  string
	}{
		{name: "three pages", pages: []string{
			`{"data":[` + results(0, 100) + `],"has_more":true,"complete":true}`,
			`{"data":[` + results(100, 200) + `],"has_more":true,"complete":true}`,
			`{"data":[` + results(200, 205) + `],"has_more":false,"complete":true}`,
		}, results: 205, complete: true},
		{name: "no results", pages: []string{`{"data":[],"has_more":false,"complete":true}`}, complete: true},
		{name: "a snapshot of a running job",
			pages: []string{`{"data":[` + results(0, 5) + `],"has_more":false,"complete":false}`}, results: 5},
		{name: "a snapshot with more, which has no cursor", pages: []string{`{"data":[` +
			results(0, 5) + `],"has_more":true,"complete":false}`}, results: 5, hasMore: true},
		{name: "an empty snapshot with more", pages: []string{`{"data":[],"has_more":true,"complete":false}`},
			hasMore: true},
		{name: "does not say complete", pages: []string{`{"data":[` + results(0, 5) + `],"has_more":false}`},
			results: 5},
		{name: "complete is not a boolean", pages: []string{`{"data":[],"has_more":false,"complete":"surely"}`}},
		{name: "a later page is not complete", pages: []string{
			`{"data":[` + results(0, 100) + `],"has_more":true,"complete":true}`,
			`{"data":[` + results(100, 105) + `],"has_more":false,"complete":false}`,
		}, results: 105},
		{name: "an operation twice on a page", pages: []string{`{"data":[` +
			results(0, 2) + `,` + results(1, 2) + `],"has_more":false,"complete":true}`}, results: 2, complete: true},
		{name: "an operation twice on two pages", pages: []string{
			`{"data":[` + results(0, 100) + `],"has_more":true,"complete":true}`,
			`{"data":[` + results(99, 105) + `],"has_more":false,"complete":true}`,
		}, results: 105, complete: true},
		{name: "an operation twice, and not alike", pages: []string{`{"data":[` + results(0, 1) +
			`,{"operation_id":"o0","status":"failed"}],"has_more":false,"complete":true}`}, results: 2, complete: true},
		{name: "a page of which only the last is new", pages: []string{
			`{"data":[` + results(0, 100) + `],"has_more":true,"complete":true}`,
			`{"data":[` + results(1, 101) + `],"has_more":true,"complete":true}`,
			`{"data":[` + results(101, 102) + `],"has_more":false,"complete":true}`,
		}, results: 102, complete: true},
		{name: "the same page for ever", pages: []string{`{"data":[` +
			results(0, 100) + `],"has_more":true,"complete":true}`}, problem: `the page after "o99" came before`},
		{name: "more on an empty page", pages: []string{`{"data":[],"has_more":true,"complete":true}`},
			problem: "empty page"},
		{name: "a full page that does not say", pages: []string{`{"data":[` + results(0, 100) + `],"complete":true}`},
			problem: "full page without has_more"},
		{name: "a result without an id", pages: []string{
			`{"data":[{"status":"created"}],"has_more":false,"complete":true}`}, problem: "no operation_id"},
		{name: "no data", pages: []string{`{"has_more":false,"complete":true}`}, problem: "no data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &wire{}
			for _, page := range tc.pages {
				w.answers = append(w.answers, answer{status: 200, body: page})
			}
			all, err := clientOf(t, w).AllOperations(t.Context(), "j")
			if tc.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tc.problem) || len(all.Results) != 0 {
					t.Fatalf("AllOperations = %d results, %v; want an error about %q",
						len(all.Results), err, tc.problem)
				}
				return
			}
			if err != nil || len(all.Results) != tc.results ||
				all.Complete != tc.complete || all.HasMore != tc.hasMore {
				t.Fatalf("AllOperations = %d results, complete %v, more %v, %v; want %d, %v, %v",
					len(all.Results), all.Complete, all.HasMore, err, tc.results, tc.complete, tc.hasMore)
			}
		})
	}
}

func TestOperationsSendsTheLastOperationID(t *testing.T) {
	var queries []string
	c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.Path+"?"+r.URL.RawQuery)
		if r.URL.Query().Get("after") == "" {
			respond(w, 200, `{"data":[`+results(0, 100)+`],"has_more":true,"complete":true,"error":"first"}`)
			return
		}
		respond(w, 200, `{"data":[`+results(100, 101)+`],"has_more":false,"complete":true,"error":null}`)
	})
	all, err := c.AllOperations(t.Context(), "j")
	want := []string{"/v1/bulk_mutation_jobs/j/operations?limit=100",
		"/v1/bulk_mutation_jobs/j/operations?after=o99&limit=100"}
	if diff := cmp.Diff(want, queries); err != nil || diff != "" || all.Error == nil || *all.Error != "first" {
		t.Fatalf("AllOperations: %v, job error %v (-want +got):\n%s", err, all.Error, diff)
	}
}
