package reconcile_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"adsync/state"
)

// beforeFollowUps is a state whose process dies before the first follow-up.
type beforeFollowUps struct{ state.Store }

func (s beforeFollowUps) Begin(ctx context.Context, steps ...state.Step) error {
	for _, step := range steps {
		if strings.Contains(step.ID, "/follow-up/") {
			return errCrash
		}
	}
	return s.Store.Begin(ctx, steps...)
}

// A run dies between the job that made an ad and the request that names it. What
// somebody calls the ad in the meantime is a conflict, and is not overwritten; of
// an ad nobody touched the name follows.
func TestRenameBeforeAFollowUpIsNotOverwritten(t *testing.T) {
	for _, renamed := range []bool{false, true} {
		w := newWorld(t)
		w.tree("spring", "active")
		store := w.store
		w.store = beforeFollowUps{store}
		if _, err := w.newAgent().Apply(t.Context(), w.plan()); err == nil {
			t.Fatal("the run did not die")
		}
		w.store = store
		w.agent = w.newAgent()
		ad := w.last("ad/spring/g/a").ID
		if renamed {
			w.service.Must(t, http.MethodPost, "/ads/"+ad, map[string]any{"name": "By hand"})
		}
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !renamed {
			w.clean()
			continue
		}
		view := w.plan()
		if c := view.Plan.Changes; !strings.Contains(describe(view.Plan), "held: conflict") {
			t.Errorf("plan is %s of %d; want the name held as a conflict", describe(view.Plan), len(c))
		}
		w.apply()
		if name := w.live("ad/spring/g/a", "name"); name != `"By hand"` {
			t.Errorf("the ad is called %s; want what somebody wrote", name)
		}
	}
}
