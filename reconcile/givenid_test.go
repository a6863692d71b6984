package reconcile_test

import (
	"net/http"
	"testing"

	"adsync/internal/resource"
	"adsync/plan"
)

// TestAnIDThatNoListShowsIsAskedFor: whether the service has what a row names by its id is
// asked of the service itself, where no list shows it.
func TestAnIDThatNoListShowsIsAskedFor(t *testing.T) {
	for _, row := range []struct {
		name   string
		shelf  func(*shelf)
		give   string // the id of the row
		want   string // problems
		asked  int    // requests for one ad by its id
		action plan.Action
	}{
		{name: "it is listed", give: "a1", action: plan.Adopt},
		{name: "ads are not listed at all", shelf: func(s *shelf) { s.unlisted["ads"] = true },
			give: "a1", asked: 1, action: plan.Adopt},
		{name: "the list leaves it out", shelf: func(s *shelf) { s.hidden["a1"] = true },
			give: "a1", asked: 1, action: plan.Adopt},
		{name: "nobody has it", give: "a9", asked: 1,
			want: `id is "a9", and the service has no such ad; want the id of a live one, or none (ADS1011)`},
		{name: "nobody has it, and ads are not listed", shelf: func(s *shelf) { s.unlisted["ads"] = true },
			give: "a9", asked: 1,
			want: `id is "a9", and the service has no such ad; want the id of a live one, or none (ADS1011)`},
		{name: "the service says that it is no id", shelf: func(s *shelf) {
			s.change = func(path string, _ map[string]any) int {
				return map[string]int{"ads/1.6": http.StatusUnprocessableEntity}[path]
			}
		}, give: "1.6", asked: 1,
			want: `id is "1.6", and the service has no such ad; want the id of a live one, or none (ADS1011)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShelf(2)
			store, desired := s.bound(t)
			if err := store.Forget(t.Context(), []resource.Address{address("ad/k1/k1/k1")}); err != nil {
				t.Fatal(err)
			}
			desired.Get(address("ad/k1/k1/k1")).ID = row.give
			if row.shelf != nil {
				row.shelf(s)
			}
			s.asked = map[string]int{}
			before := s.asked["/ads/{id}"]
			view := s.planned(t, s.agent(t, store, s), desired)
			got := ""
			for _, p := range view.Plan.Problems {
				if p.Address == "ad/k1/k1/k1" {
					got = p.String()
				}
			}
			if got != row.want {
				t.Errorf("problem is %q; want %q", got, row.want)
			}
			unlisted := 0
			if s.unlisted["ads"] {
				unlisted = 1 // the ad that is bound
			}
			if n := s.asked["/ads/{id}"] - before - unlisted; n != row.asked {
				t.Errorf("asked for %d ads by their ids; want %d", n, row.asked)
			}
			if row.action != "" && (len(view.Plan.Changes) != 1 ||
				view.Plan.Changes[0].Action != row.action && view.Plan.Changes[0].Action != plan.Record) {
				t.Errorf("plans %v; want %s", view.Plan.Changes, row.action)
			}
		})
	}
}
