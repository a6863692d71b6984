package reconcile_test

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/reconcile"
)

// Invariant 33: where this machine's clock is not the service's, nobody knows whether a
// freeze window is open: a rise waits, and a pause does not. Without windows nothing waits.
func TestAFreezeWindowMayBeOpenWhereTheClocksAreApart(t *testing.T) {
	for _, row := range []struct {
		name    string
		windows bool
		apart   time.Duration
		held    bool
	}{
		{"apart, and there are windows", true, 48*time.Hour + time.Minute, true},
		{"apart, and there are none", false, 48 * time.Hour, false},
		{"almost alike", true, 4 * time.Minute, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("autumn", "active")
			w.tree("spring", "paused")
			w.clean()
			w.also = func(d *reconcile.Desired) { d.Policy.Windows = row.windows }
			w.service.Advance(t, row.apart.Seconds()) // and this machine's clock stays as it is
			w.desired.Get(address("campaign/spring")).Set("description", resource.Text("for summer"))
			w.desired.Get(address("campaign/autumn")).Set("status", resource.Text("paused"))
			got := outcomes(w.apply())
			if got["campaign/autumn"] != "applied" {
				t.Errorf("the pause is %s; want it applied", got["campaign/autumn"])
			}
			view := w.plan()
			held := ""
			for i := range view.Plan.Changes {
				for _, h := range view.Plan.Changes[i].Holds() {
					held += h.Message
				}
			}
			if want := "the clock of this machine is 48h"; row.held != strings.Contains(held, want) ||
				row.held == (got["campaign/spring"] == "applied") {
				t.Errorf("the text is %s, and held is %q; want it held: %v", got["campaign/spring"], held, row.held)
			}
		})
	}
}
