package reconcile_test

import (
	"context"
	"net/http"
	"testing"

	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/state"
)

// S16: a state lost a create that had just been sent, and somebody accepted that at once. Lists and keys show it a
// minute later: the next run waits for that, and makes nothing twice.
func TestNothingIsMadeTwiceWhereALossIsAcceptedAtOnce(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "key_visibility_lag=60s,list_visibility_lag=60s"))
	w.tree("spring", "paused")
	view := w.plan()
	ctx, end := context.WithCancel(t.Context())
	sent := w.through(line(func(r *http.Request) (*http.Response, error) {
		creates := posts(r, "bulk_mutation_jobs") && r.Header.Get("Idempotency-Key") != ""
		response, err := send(r)
		if creates {
			end()
		}
		return response, err
	}), w.store)
	if _, err := sent.Apply(ctx, view); err == nil {
		t.Fatal("the apply ended well; want it cut off behind its create")
	}
	store, err := state.NewMemory(state.Options{Now: w.now})
	noErr(t, err)
	now := w.now()
	noErr(t, store.RecordRun(t.Context(), state.Run{ID: state.AcceptPrefix + "000001", Started: now, Finished: now}))
	w.store = store
	w.agent = w.newAgent()
	w.allow = []plan.Allowance{{Hazard: plan.Adopts}}
	w.apply()
	for what, times := range w.creates(w.mutations()) {
		if times != 1 {
			t.Errorf("%s was created %d times; want once", what, times)
		}
	}
}
