package reconcile_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A delete whose answer was lost is done where the list shows it no more. A list that is not
// there says nothing of what was in it.
func TestADeleteIsDoneByAListWithoutIt(t *testing.T) {
	for _, row := range []struct {
		name             string
		arrives, unlists bool
		want             int // steps that end as done
	}{
		{"it came", true, false, 1},
		{"it did not come", false, false, 0},
		{"it did not come, and there is no list", false, true, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			december := map[string]any{"amount": 5_000_000_000, "start": w.day(3), "end": w.day(30)}
			w.write("spend_limit_window/december", december)
			w.clean()
			december["status"] = "archived"
			w.permitAll("raises-spend", "archives")
			w.write("spend_limit_window/december", december)
			w.loses(row.arrives)
			if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
				t.Fatal(err)
			}
			if row.unlists {
				w.agent = w.through(refusing{"/spend_limit_windows"}, w.store)
			} else {
				w.agent = w.through(http.DefaultTransport, w.store)
			}
			recovered, err := w.agent.Recover(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if recovered.Finished != row.want || len(recovered.Undecided) > 0 {
				t.Errorf("%d done, %d open; want %d done", recovered.Finished, len(recovered.Undecided), row.want)
			}
			w.agent = w.through(http.DefaultTransport, w.store)
			w.clean()
			if got := w.limits(); strings.Contains(got, "window_id") {
				t.Errorf("limits are %s; want none", got)
			}
		})
	}
}
