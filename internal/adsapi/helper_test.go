package adsapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// canary is the key of every test client: it must not be found in anything
// that is shown.
const canary = "sk-canary-7Zq9w2Xe"

// wire is a fake transport that answers each request with the next of its
// answers, the last one again and again, and remembers what was sent.
type wire struct {
	mu      sync.Mutex
	answers []answer
	sent    []sent
}

type sent struct {
	at                              time.Time
	method, url, key, body, account string
	header                          http.Header
}

// answer is what the fake service does with one request.
type answer struct {
	status int
	header map[string]string
	body   string
	err    error         // of the transport, in place of an answer
	cut    error         // of reading the body, after its text
	after  time.Duration // before answering
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		_ = req.Body.Close()
	}
	w.mu.Lock()
	w.sent = append(w.sent, sent{
		at: time.Now(), method: req.Method, url: req.URL.String(), body: string(body),
		key: req.Header.Get("Idempotency-Key"), account: req.Header.Get("OpenAI-Ad-Account"), header: req.Header,
	})
	a := w.answers[min(len(w.sent), len(w.answers))-1]
	w.mu.Unlock()
	if a.after > 0 {
		select {
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-time.After(a.after):
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.response(req), nil
}

func (a answer) response(req *http.Request) *http.Response {
	header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"req_7"}}
	for name, value := range a.header {
		header.Set(name, value)
	}
	body := io.Reader(strings.NewReader(a.body))
	if a.cut != nil {
		body = io.MultiReader(body, failing{a.cut})
	}
	return &http.Response{
		StatusCode: a.status, Header: header, Body: io.NopCloser(body), Request: req, ContentLength: -1,
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (w *wire) requests() []sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]sent(nil), w.sent...)
}

// clientOf is a client of the fake transport with half of every jitter.
func clientOf(t *testing.T, transport http.RoundTripper, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		BaseURL: "https://ads.example/v1", Key: NewSecret(canary), Transport: transport,
		Rand: func() float64 { return 0.5 },
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return c
}

// serving is a client of a real server on loopback that does not wait
// between attempts.
func serving(t *testing.T, handler http.HandlerFunc, change ...func(*Config)) (*Client, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	impatient := func(cfg *Config) {
		cfg.BaseURL = server.URL + "/v1"
		cfg.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		cfg.MaxAttempts = 3
	}
	return clientOf(t, nil, append([]func(*Config){impatient}, change...)...), server
}

func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", "req_7")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// asError is the *Error that every failure of this package must be.
func asError(t *testing.T, err error) *Error {
	t.Helper()
	e, ok := err.(*Error)
	if !ok {
		t.Fatalf("error is %T (%v); want *Error", err, err)
	}
	return e
}
