package reconcile_test

import (
	"bytes"
	"net/http"
	"testing"

	"adsync/internal/diag"
)

// TestCheckAsksAndChangesNothing: what the service says in validate_only jobs is
// known, and account and state are as they were.
func TestCheckAsksAndChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	view := w.plan()
	checked, err := w.agent.Check(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	if checked.Operations+checked.Beyond == 0 || len(checked.Problems) > 0 {
		t.Errorf("Check = %+v; want operations and no problem", checked)
	}
	if n := len(w.mutations()); n != 0 {
		t.Errorf("Check made %d mutations; want none", n)
	}
	if runs, err := w.store.Runs(t.Context(), 0); err != nil || len(runs) > 0 {
		t.Errorf("Runs() = %v, %v; want none", runs, err)
	}
	if known, err := w.store.Capabilities(t.Context()); err != nil || len(known) > 0 {
		t.Errorf("Capabilities() = %v, %v; want nothing remembered", known, err)
	}
}

// What the service refuses a dry run for, whole, is a problem at its row: it is
// asked about less and less, and the others are no problem.
func TestCheckFindsWhatADryRunIsRefusedWholeFor(t *testing.T) {
	for _, row := range []struct{ name, words, want string }{
		{"a campaign", `"name":"Campaign bad"`, "campaign/bad"},
		{"an ad", `"target_url":"https://shop.example/bad"`, "ad/bad/g/a"},
		{"an update", `"name":"Renamed"`, "ad_group/there/g"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("there", "paused")
			w.clean()
			w.write("ad_group/there/g", map[string]any{
				"name": "Renamed", "status": "active",
				"bid.max": 1_250_000, "context_hints": []string{"people who run", "people who hike"},
			})
			for _, key := range []string{"a", "b", "bad", "c"} {
				w.tree(key, "paused")
			}
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if posts(r, "bulk_mutation_jobs") && bytes.Contains(peek(r), []byte(row.words)) {
					return answer(r, 422, `{"error":{"message":"This is not allowed.","code":"refused"}}`)
				}
				return send(r)
			}), w.store)
			checked, err := w.agent.Check(t.Context(), w.plan())
			if err != nil || len(checked.Problems) != 1 {
				t.Fatalf("Check = %+v, %v; want one problem", checked, err)
			}
			if p := checked.Problems[0]; p.Address != row.want ||
				p.Message != "This is not allowed." || p.Code != diag.ServiceRefused {
				t.Errorf("problem %+v; want the service's words at %s", p, row.want)
			}
		})
	}
}
