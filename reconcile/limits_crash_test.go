package reconcile_test

import (
	"fmt"
	"testing"

	"adsync/reconcile"

	"github.com/google/go-cmp/cmp"
)

// limitsAfter is what the files ask for: creates that take no key, an edit that
// names a revision, a removal, and the account's own calls.
func (w *world) limitsAfter() {
	w.write("daily_spend_limit/winter", map[string]any{"amount": 200_000_000, "start": w.day(1), "end": w.day(9)})
	w.write("daily_spend_limit/spring", map[string]any{"amount": 150_000_000, "start": w.day(10)})
	w.write("spend_limit_window/gone", map[string]any{"amount": 500_000_000, "start": w.day(2), "end": w.day(3), "status": "archived"})
	w.write("spend_limit_window/new", map[string]any{"amount": 600_000_000, "start": w.day(5), "end": w.day(6)})
	w.write("pixel/shop", map[string]any{"name": "Web shop"})
	w.write("account/account", map[string]any{"brand_name": "Trail", "status": "paused"})
	w.permitAll("raises-spend")
}

// S1 to S8 for what takes no key: only reading back tells whether a create
// happened, and nothing is made twice.
func TestCrashAtEveryEffectWithLimits(t *testing.T) {
	start := func(t *testing.T) *world {
		w := newWorld(t)
		w.write("daily_spend_limit/winter", map[string]any{"amount": 300_000_000, "start": w.day(1), "end": w.day(9)})
		w.write("spend_limit_window/gone", map[string]any{"amount": 500_000_000, "start": w.day(2), "end": w.day(3)})
		w.clean()
		w.limitsAfter()
		return w
	}
	whole := start(t)
	effects := whole.stopped(0)
	want, born := whole.picture(), whole.creates(whole.mutations())
	t.Logf("%d effects", effects)
	for at := 1; at <= effects; at++ {
		t.Run(fmt.Sprintf("effect %d", at), func(t *testing.T) {
			t.Parallel()
			w := start(t)
			w.stopped(at)
			w.agent = w.newAgent()
			for range 2 {
				recovered, err := w.agent.Recover(t.Context())
				if err != nil {
					t.Fatalf("recover: %v", err)
				}
				if len(recovered.Undecided) == 0 {
					break
				}
				if err := w.sleep(t.Context(), reconcile.TrustWindow); err != nil {
					t.Fatal(err)
				}
			}
			w.clean()
			if got := w.picture(); got != want {
				t.Errorf("account is\n%s\nwant\n%s", got, want)
			}
			if open, err := w.store.Open(t.Context()); err != nil || len(open) != 0 {
				t.Errorf("%d steps are open at the end, %v; want none", len(open), err)
			}
			if diff := cmp.Diff(born, w.creates(w.mutations())); diff != "" {
				t.Errorf("creates (-run that was never stopped +this one):\n%s", diff)
			}
		})
	}
}
