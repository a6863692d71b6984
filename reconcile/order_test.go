package reconcile_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
	"adsync/state"
)

// Design section 5: while a decrease or a pause is refused or unknown, nothing
// is raised or activated; what does not move money goes on.
func TestUnconfirmedDecreaseHoldsRaises(t *testing.T) {
	for _, row := range []struct {
		name string
		trip line
	}{
		{"refused", func(r *http.Request) (*http.Response, error) { return answer(r, 422, refusal) }},
		{"its request lost", func(*http.Request) (*http.Response, error) { return nil, errors.New("cut off") }},
		{"its answer lost", func(r *http.Request) (*http.Response, error) {
			if response, err := send(r); err == nil {
				_ = response.Body.Close()
			}
			return nil, errors.New("cut off")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.before()
			w.clean()
			w.after()
			view := w.plan()
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPost {
					if content := peek(r); strings.Contains(string(content), "60000000") {
						return row.trip(r)
					}
				}
				return send(r)
			}), w.store)
			report, err := agent.Apply(t.Context(), view)
			if err != nil {
				t.Fatal(err)
			}
			got := outcomes(report)
			for _, held := range []string{"campaign/high", "campaign/sleeping", "campaign/spring"} {
				if got[held] != state.OutcomeSkipped {
					t.Errorf("%s is %s; want it to wait for the decrease", held, got[held])
				}
			}
			if got["ad_group/low/g"] != state.OutcomeApplied || got["ad/spring/g/a"] != state.OutcomeApplied {
				t.Errorf("outcomes are %v; want what does not move money applied", got)
			}
			w.agent = w.newAgent()
			w.converge()
		})
	}
}

// N23, invariant 36: what shows late, and keys that are known late, change
// nothing: an apply that dies and its successors make one of everything.
func TestCrashWhereReadsLag(t *testing.T) {
	for at := 2; at < 90; at += 5 * *stride {
		for _, points := range []string{"list_visibility_lag=60s",
			"list_visibility_lag=2s,key_visibility_lag=5s", "bulk_complete_lag=30s"} {
			t.Run(fmt.Sprintf("effect %d, %s", at, points), func(t *testing.T) {
				w := newWorld(t, emulatortest.WithPoints(t, points))
				w.before()
				w.converge()
				w.after()
				w.stopped(at)
				w.agent = w.newAgent()
				w.converge()
				for name, n := range w.creates(w.mutations()) {
					if n != 1 && !strings.HasPrefix(name, "ad ") {
						t.Errorf("%s was created %d times; want once", name, n)
					}
				}
			})
		}
	}
}
