package adsapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestReadOnlyClient(t *testing.T) {
	job := answer{status: 202, body: `{"id":"j","status":"pending"}`}
	mutate := func(path, body string) func(*Client) error {
		return func(c *Client) error {
			_, err := c.Mutate(context.Background(), Mutation{Path: path, Key: "k", Body: []byte(body)})
			return err
		}
	}
	submit := func(body string) func(*Client) error {
		return func(c *Client) error { _, err := c.SubmitJob(context.Background(), "k", []byte(body)); return err }
	}
	get := func(path string) func(*Client) error {
		return func(c *Client) error { _, err := c.Get(context.Background(), path, nil); return err }
	}
	for _, tc := range []struct {
		name   string
		call   func(*Client) error
		passes bool
	}{
		{name: "reading campaigns", call: get("/campaigns"), passes: true},
		{name: "reading a job", call: get("/bulk_mutation_jobs/j"), passes: true},
		{name: "reading the account", call: get("/ad_account"), passes: true},
		{name: "reading what is not known", call: get("/feeds")},
		{name: "creating", call: mutate("/campaigns", `{}`)},
		{name: "updating", call: mutate("/campaigns/c", `{}`)},
		{name: "pausing", call: mutate("/campaigns/c/pause", ``)},
		{name: "another address of conversions", call: mutate("/conversions/api_keys", `{}`)},
		{name: "an address beneath conversion insights", call: mutate("/conversions/insights/x", `{}`)},
		{name: "figures of conversions", call: func(c *Client) error {
			_, err := ConversionFigures(context.Background(), c, []byte(`{}`))
			return err
		}, passes: true},
		{name: "a preview with a body", call: mutate("/ads/a/preview", `{}`)},
		{name: "a preview of something else", call: mutate("/campaigns/a/preview", ``)},
		{name: "an action beneath a preview", call: mutate("/ads/a/preview/pause", ``)},
		{name: "a creation that says validate_only", call: mutate("/campaigns", `{"validate_only":true}`)},
		{name: "uploading", call: func(c *Client) error {
			_, err := c.Upload(context.Background(), "a", []byte("x"), "")
			return err
		}},
		{name: "a validating job",
			call: submit(`{"operations":[{"input":{"validate_only":false}}],"validate_only":true}`), passes: true},
		{name: "a validating job as a mutation", call: mutate("/bulk_mutation_jobs", `{"validate_only": true }`),
			passes: true},
		{name: "a job", call: submit(`{"operations":[]}`)},
		{name: "a job that says false", call: submit(`{"validate_only":false}`)},
		{name: "a job that says it in an operation only", call: submit(`{"operations":[{"validate_only":true}]}`)},
		{name: "a job that says both", call: submit(`{"validate_only":true,"validate_only":false}`)},
		{name: "a job that says it twice", call: submit(`{"validate_only":true,"validate_only":true}`)},
		{name: "a job that says both in other letters", call: submit(`{"validate_only":true,"Validate_Only":false}`)},
		{name: "a job that says it in other letters", call: submit(`{"VALIDATE_ONLY":true}`)},
		{name: "a job that says both, one escaped", call: submit(`{"validate_only":true,"validate\u005fonly":false}`)},
		{name: "a job that says a text", call: submit(`{"validate_only":"true"}`)},
		{name: "a job that says a number", call: submit(`{"validate_only":1}`)},
		{name: "an array", call: submit(`[{"validate_only":true}]`)},
		{name: "two values", call: submit(`{"validate_only":true}{"validate_only":false}`)},
		{name: "cut off", call: submit(`{"validate_only":true`)},
		{name: "no body", call: submit(``)},
	} {
		t.Run(tc.name+", by a Reader", func(t *testing.T) {
			w := &wire{answers: []answer{job}}
			c := clientOf(t, w, func(cfg *Config) {
				cfg.Halt = func() error { return errors.New("a stop that nobody who reads meets") }
			})
			left, _ := c.Left()
			err := tc.call(c.Reader())
			after, _ := c.Left()
			if tc.passes && (err != nil || left-after != 1) ||
				!tc.passes && (!errors.Is(err, ErrReadOnly) || len(w.requests()) != 0) {
				t.Fatalf("call = %v, %d requests, %d counted by the client it reads for; want it to pass: %t",
					err, len(w.requests()), left-after, tc.passes)
			}
			if c.ReadOnly() || !c.Reader().ReadOnly() {
				t.Error("the Reader changed the client, or may write")
			}
		})
		t.Run(tc.name, func(t *testing.T) {
			w := &wire{answers: []answer{job}}
			err := tc.call(clientOf(t, w, func(cfg *Config) { cfg.ReadOnly = true }))
			if tc.passes {
				if err != nil || len(w.requests()) != 1 {
					t.Fatalf("call = %v, %d requests; want one", err, len(w.requests()))
				}
				return
			}
			if !errors.Is(err, ErrReadOnly) || errors.Is(err, errInvalidRequest) ||
				errors.Is(err, ErrUnavailable) || AppliedOf(err) != Never || len(w.requests()) != 0 {
				t.Fatalf("call = %v, applied %s, %d requests; want read-only, never, none",
					err, AppliedOf(err), len(w.requests()))
			}
		})
	}
}

// The guard is a transport: what reaches it is refused whoever built it.
func TestGuardRefusesByDefault(t *testing.T) {
	base, _ := url.Parse("https://ads.example/v1")
	w := &wire{answers: []answer{okRecord}}
	for _, tc := range []struct{ method, address, body string }{
		{"PUT", "https://ads.example/v1/campaigns", ""},
		{"DELETE", "https://ads.example/v1/campaigns", ""},
		{"get", "https://ads.example/v1/campaigns", ""},
		{"GET", "https://ads.example/v1/campaigns", "{}"},
		{"GET", "https://ads.example/v2/campaigns", ""},
		{"GET", "https://other.example/v1/campaigns", ""},
		{"GET", "http://ads.example/v1/campaigns", ""},
		{"POST", "https://ads.example/v1/bulk_mutation_jobs/", `{"validate_only":true}`},
		{"POST", "https://ads.example/v1/bulk_mutation_jobs", ""},
	} {
		req, err := http.NewRequest(tc.method, tc.address, nil)
		if tc.body != "" {
			req, err = http.NewRequest(tc.method, tc.address, strings.NewReader(tc.body))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (guard{base: base, next: w}).RoundTrip(req); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s %s = %v; want ErrReadOnly", tc.method, tc.address, err)
		}
	}
	if len(w.requests()) != 0 {
		t.Fatalf("%d requests were sent", len(w.requests()))
	}
}

func TestGuardSendsTheBytesItChecked(t *testing.T) {
	body := `{"validate_only":true,"operations":[]}`
	w := &wire{answers: []answer{{status: 202, body: `{"id":"j"}`}}}
	if _, err := clientOf(t, w, func(cfg *Config) { cfg.ReadOnly = true }).SubmitJob(t.Context(),
		"k", []byte(body)); err != nil {
		t.Fatal(err)
	}
	if got := w.requests()[0]; got.body != body || got.key != "k" {
		t.Fatalf("sent body %q, key %q; want what was given", got.body, got.key)
	}
}
