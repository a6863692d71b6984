package reconcile_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
)

// A run ends between a create and its read-back, and somebody may set what the files do
// not name. When they begin to name it, nothing of that person's is overwritten unseen,
// and where nobody came nothing waits.
func TestWhatALaterRunReadsOfACreateMayBeSomebodys(t *testing.T) {
	for _, somebody := range []bool{false, true} {
		w := newWorld(t)
		w.tree("spring", "paused")
		unread := line(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/campaigns/") {
				return nil, errCrash
			}
			return send(r)
		})
		if _, err := w.through(unread, w.store).Apply(t.Context(), w.plan()); err == nil {
			t.Fatal("the campaign was read back; want the run to end before")
		}
		if err := w.sleep(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if somebody {
			w.service.Must(t, http.MethodPost, "/campaigns/"+w.Made("campaign"),
				map[string]any{"description": "for the sale"})
		}
		w.agent = w.newAgent()
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.desired.Get(address("campaign/spring")).Set("description", resource.Text("a note"))
		var held []plan.Hazard
		for _, c := range w.plan().Plan.Changes {
			for _, h := range c.Holds() {
				held = append(held, h.Hazard)
			}
		}
		if slices.Contains(held, plan.Conflicts) != somebody {
			t.Errorf("somebody wrote a description: %v; the plan holds %v", somebody, held)
		}
		w.apply()
		if got := w.live("campaign/spring", "description"); (got == `"for the sale"`) != somebody {
			t.Errorf("somebody wrote a description: %v; it is %s", somebody, got)
		}
	}
}

// The same of what a create gives by default: where the files leave the status out it is
// paused, and somebody may start it before it is read back. Files that say paused later do
// not go over that unseen.
func TestAStartOfWhatIsPausedByDefaultIsSomebodysThoughReadLate(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.desired.Get(address("campaign/spring")).Set("status", resource.Value{})
	unread := line(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/campaigns/") {
			return nil, errCrash
		}
		return send(r)
	})
	if _, err := w.through(unread, w.store).Apply(t.Context(), w.plan()); err == nil {
		t.Fatal("the campaign was read back; want the run to end before")
	}
	if err := w.sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	w.service.Must(t, http.MethodPost, "/campaigns/"+w.Made("campaign")+"/activate", nil)
	w.agent = w.newAgent()
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.last("campaign/spring").Value("status").Text(); got != "paused" {
		t.Errorf("the record says %q of the status; want paused, as it was made", got)
	}
	w.desired.Get(address("campaign/spring")).Set("status", resource.Text("paused"))
	w.apply()
	if got := w.live("campaign/spring", "status"); got != `"active"` {
		t.Errorf("what somebody started is %s; want active, until somebody decides", got)
	}
}
