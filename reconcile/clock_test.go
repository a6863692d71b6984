package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"adsync/reconcile/env"
)

// puts back the clock of the agent; hours have passed at the service meanwhile.
func (w *world) putBack(by time.Duration) {
	w.t.Helper()
	if err := w.sleep(w.t.Context(), 2*env.TrustWindow); err != nil {
		w.t.Fatal(err)
	}
	w.clock.Lock()
	defer w.clock.Unlock()
	w.slept -= 2*env.TrustWindow + by
}

// N20, B22: a clock that was put back after people were sent does not make the key
// young again.
func TestAClockThatWasPutBackMakesNoKeyYoung(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, 48 * time.Hour} {
		w := newWorld(t)
		w.audience("customers", 0, 100)
		w.clean()
		w.audience("customers", 100, 150, "members.do", "add")
		if _, err := w.through(&lost{suffix: "/add"}, w.store).Apply(t.Context(), w.plan()); err != nil {
			t.Fatal(err)
		}
		w.putBack(by)
		sent := 0
		agent := w.through(line(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost {
				sent++
			}
			return send(r)
		}), w.store)
		recovered, err := agent.Recover(t.Context())
		if err != nil || recovered.Abandoned != 1 || sent != 0 {
			t.Errorf("put back by %s: Recover = %+v, "+
				"%v, and %d requests that change something; want it for a person, and none", by, recovered, err, sent)
		}
	}
}
