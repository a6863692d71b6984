// Package emulatortest starts an emulator for a test: in memory, on a loopback
// address, with one account that has every feature. It is closed when the test
// ends. It refuses nothing the emulator does not refuse.
package emulatortest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
)

// The account of Start.
const (
	AccountID = "adacct_test"
	Key       = "sk-test-key"
)

// Service is a running emulator.
type Service struct {
	*emulator.Server
	BaseURL string // ends with /v1
	Key     string // API key of the account
	Client  *http.Client
	root    string // address without /v1
}

// Start runs an emulator with the account, no rate limits, and what the options
// change. Every answer it gives, and every body it takes, is held to the OpenAPI
// document, below the faults.
func Start(t testing.TB, change ...func(*emulator.Options)) *Service {
	t.Helper()
	o := emulator.Options{
		Seed:     1,
		Accounts: []emulator.Account{Account(AccountID, Key)},
		Limits:   emulator.RateLimits{EndpointPerMinute: -1, OverallPerMinute: -1, BulkPer10Seconds: -1},
	}
	for _, each := range change {
		each(&o)
	}
	var judge func(*service.Call, service.Response)
	opened := make(chan struct{})
	o.Observe = func(c *service.Call, answer service.Response) {
		<-opened
		judge(c, answer)
	}
	s, err := emulator.Open(o)
	if err != nil {
		t.Fatalf("open emulator: %v", err)
	}
	judge = judgeOf(t, s.Routes())
	close(opened)
	line := httptest.NewServer(s)
	t.Cleanup(func() {
		line.Close()
		if err := s.Close(); err != nil {
			t.Errorf("close emulator: %v", err)
		}
	})
	return &Service{Server: s, BaseURL: line.URL + "/v1", Key: Key, Client: line.Client(), root: line.URL}
}

// Account has every feature, dollars, and the time of New York.
func Account(id, key string) emulator.Account {
	features := emulator.AllFeatures()
	features.ProductFeeds = []string{"fd_test"}
	return emulator.Account{
		ID: id, Name: "Test account", Currency: "USD", TimeZone: "America/New_York", Key: key, Features: features,
	}
}

// WithPoints sets open points, such as "key_ttl=30m" or "random:7".
func WithPoints(t testing.TB, text string) func(*emulator.Options) {
	t.Helper()
	points, err := openpoint.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *emulator.Options) { o.OpenPoints = points }
}

// Reply is an answer read whole.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Map is the body as an object; numbers are json.Number.
func (r Reply) Map(t testing.TB) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatalf("body %q is no object: %v", r.Body, err)
	}
	return m
}

// ID is the id in the body; the test ends without one.
func (r Reply) ID(t testing.TB) string {
	t.Helper()
	id, _ := r.Map(t)["id"].(string)
	if r.Status >= 300 || id == "" {
		t.Fatalf("status %d, body %s; want an object with an id", r.Status, r.Body)
	}
	return id
}

// Do sends a request below /v1, or to /_emulator, with the account's key. body
// is nil, text (string or []byte), or something to write as JSON. headers are
// names and values in turn; an empty value takes the header away.
func (s *Service) Do(t testing.TB, method, path string, body any, headers ...string) Reply {
	t.Helper()
	r, err := s.Send(t, method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// Send is Do for requests that may get no answer.
func (s *Service) Send(t testing.TB, method, path string, body any, headers ...string) (Reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.at(path), bodyOf(t, body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return Reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return Reply{resp.StatusCode, resp.Header, text}, err
}

// Must is Do for requests that have to succeed.
func (s *Service) Must(t testing.TB, method, path string, body any, headers ...string) Reply {
	t.Helper()
	r := s.Do(t, method, path, body, headers...)
	if r.Status >= 300 {
		t.Fatalf("%s %s = %d %s, want success", method, path, r.Status, r.Body)
	}
	return r
}

func (s *Service) at(path string) string {
	if len(path) >= 11 && path[:11] == "/_emulator/" {
		return s.root + path
	}
	return s.BaseURL + path
}

func bodyOf(t testing.TB, body any) io.Reader {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return bytes.NewReader([]byte(b))
	case []byte:
		return bytes.NewReader(b)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatalf("write body: %v", err)
	}
	return bytes.NewReader(text)
}

// Advance moves the emulator's clock.
func (s *Service) Advance(t testing.TB, seconds float64) {
	t.Helper()
	s.Must(t, "POST", "/_emulator/clock", map[string]float64{"advance_seconds": seconds})
}
