package reconcile_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"
)

// What the service never shows is no sign that an update of it happened: one whose answer
// was lost goes again, whether it came or not.
func TestAnUpdateThatNothingShowsGoesAgain(t *testing.T) {
	for _, row := range []struct {
		name, address string
		versions      []map[string]any // of the files; the answer to the last is lost
		sent, path    string
	}{
		{
			"hints to stay away from, in a job", "ad_group/spring/g",
			[]map[string]any{
				{"name": "Runners", "bid.max": 1_250_000},
				{"name": "Runners", "bid.max": 1_250_000, "exclusion_hints": []string{"football boots"}},
			},
			`"exclusion_hints":["football boots"]`, "bulk_mutation_jobs",
		},
		{
			"the icon of the brand", "account/account",
			[]map[string]any{ // an icon that was uploaded before is not uploaded again
				{"favicon": "https://images.shop.example/a.png"}, {"favicon": "https://images.shop.example/b.png"},
				{"favicon": "https://images.shop.example/a.png"},
			},
			`"favicon_file_id"`, "ad_account/brand",
		},
	} {
		for _, arrives := range []bool{false, true} {
			t.Run(row.name, func(t *testing.T) {
				w := newWorld(t)
				w.tree("spring", "paused")
				last := len(row.versions) - 1
				for _, version := range row.versions[:last] {
					w.write(row.address, version)
					w.clean()
				}
				w.write(row.address, row.versions[last])
				w.loses(arrives)
				if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
					t.Fatal(err)
				}
				again := 0
				w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
					if posts(r, row.path) && bytes.Contains(peek(r), []byte(row.sent)) {
						again++
					}
					return send(r)
				}), w.store)
				if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) > 0 {
					t.Fatalf("recover: %+v, %v; want it decided", recovered, err)
				}
				w.clean()
				if again != 1 {
					t.Errorf("it went %d times more; want once", again)
				}
			})
		}
	}
}
