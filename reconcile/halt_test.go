package reconcile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"adsync/internal/adsapi"

	"github.com/google/go-cmp/cmp"
)

var errOrder = errors.New("the file STOP is there")

// stopper gives the order to stop once so many mutating requests were sent, and
// notes each that goes out without having asked for orders just before.
type stopper struct {
	mu      sync.Mutex
	at      int // -1: never
	sent    int
	stands  bool
	passed  map[string]bool // goroutines that asked and may send one request
	unasked []string
}

func (s *stopper) halt() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stands = s.stands || s.at >= 0 && s.sent >= s.at; s.stands {
		return errOrder
	}
	s.passed[goroutine()] = true
	return nil
}

func (s *stopper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !validates(r) {
		s.mu.Lock()
		if g := goroutine(); !s.passed[g] {
			s.unasked = append(s.unasked, r.Method+" "+r.URL.Path)
		} else {
			delete(s.passed, g)
		}
		s.sent++
		s.mu.Unlock()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// goroutine names the goroutine that runs: asking and sending are one call apart.
func goroutine() string {
	var head [64]byte
	text, _, _ := bytes.Cut(head[:runtime.Stack(head[:], false)], []byte("["))
	return string(text)
}

// halted runs a process that an order stops.
func (w *world) halted(s *stopper, process func(*world) error) error {
	w.t.Helper()
	s.passed = map[string]bool{}
	survivor := w.agent
	defer func() { w.agent, w.ctx = survivor, w.t.Context() }()
	client, err := adsapi.New(adsapi.Config{
		BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key), UserAgent: "test", Transport: s, Halt: s.halt,
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6}, Now: w.now, Sleep: w.sleep,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.agent, w.ctx = w.newAgent(), context.WithoutCancel(w.t.Context())
	w.agent.Service = client
	return process(w)
}

// The order to stop, given at every mutating request of every scenario: each
// request asks for it just before it is sent, so none goes out after it; the
// process says so, and once it is lifted the next one ends where the first would
// have.
func TestAnOrderStopsAtEveryRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			whole := s.Start(t)
			all := &stopper{at: -1}
			if err := whole.halted(all, s.runs); err != nil {
				t.Fatalf("a process that nothing stopped: %v", err)
			}
			if len(all.unasked) > 0 {
				t.Fatalf("sent without asking for orders: %s", strings.Join(all.unasked, ", "))
			}
			whole.clean()
			want := whole.ending()
			for at := 0; at < all.sent; at += 1 + max(s.sparse, all.sent/6) {
				t.Run(fmt.Sprintf("after %d of %d", at, all.sent), func(t *testing.T) {
					t.Parallel()
					w := s.Start(t)
					stop := &stopper{at: at}
					err := w.halted(stop, s.runs)
					if !errors.Is(err, adsapi.ErrHalted) || !errors.Is(err, errOrder) {
						t.Errorf("the process ends with %v; want the order", err)
					}
					if len(stop.unasked) > 0 {
						t.Errorf("sent without asking for orders: %s", strings.Join(stop.unasked, ", "))
					}
					w.restarted()
					if s.again != nil {
						s.again(w)
					}
					if s.process != nil {
						if err := s.process(w); err != nil {
							t.Fatalf("the process once more: %v", err)
						}
					}
					w.clean()
					if diff := cmp.Diff(want, w.ending()); diff != "" {
						t.Errorf("the end (-of the run that was never stopped +of this one):\n%s", diff)
					}
				})
			}
		})
	}
}
