package reconcile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"adsync/internal/emulator"

	"github.com/google/go-cmp/cmp"
)

// scenario is an account, what the files ask of it next, and the process that
// dies.
type scenario struct {
	name    string
	with    []func(*emulator.Options)
	before  func(*world)       // what the files say first; it is applied
	next    func(*world)       // what changes then: the files, the account, what is allowed
	process func(*world) error // nil: adsync apply
	again   func(*world)       // what a person does before the process runs again; nil: nothing
	loose   bool               // guards do not count what it comes to in all: it asks for more than they let pass
	sparse  int                // every how manieth effect is taken, of those the stride takes; 0 is every one
}

// Start brings a world to where the process begins.
func (s scenario) Start(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, s.with...)
	if s.before != nil {
		s.before(w)
		w.clean()
	}
	w.guarded = !s.loose
	s.next(w)
	return w
}

// runs is the process of a scenario.
func (s scenario) runs(w *world) error {
	if s.process == nil {
		return w.work()
	}
	return s.process(w)
}

// ending is what must not depend on where a process died: the account, who is in
// its audiences, what was created how often, and the highest possible spend that
// is allowed on the way.
type ending struct {
	Account string
	People  map[string]int
	Born    map[string]int
}

func (w *world) ending() ending {
	w.t.Helper()
	e := ending{w.picture(), map[string]int{}, w.born()}
	for r := range w.desired.All() {
		if r.Address.Kind == "audience" {
			e.People[r.Address.Key] = w.matched(r.Address.Key)
		}
	}
	return e
}

// born counts what was ever created, by the name it has now: a job names an ad
// by its title. A file that is uploaded twice costs nothing, and nobody sees it.
func (w *world) born() map[string]int {
	named := map[string]string{}
	log := w.mutations()
	for _, m := range log {
		var r struct{ Name string }
		if json.Unmarshal(m.After, &r) == nil && m.Resource != "file" && m.Resource != "audience_file" {
			named[m.ResourceID] = m.Resource + " " + r.Name
		}
	}
	born := map[string]int{}
	for _, m := range log {
		if m.Action == "create" && m.Resource != "file" && m.Resource != "audience_file" {
			born[named[m.ResourceID]]++
		}
	}
	return born
}

// S1 to S8, invariants 1, 9 and 27: wherever a process dies, the next one ends
// where the first would have, everything is made once, and possible spend never
// passes the larger of what it was and what the files ask for.
func TestCrashAtEveryEffect(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	stops := 0
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			whole := s.Start(t)
			started := len(whole.mutations())
			effects := whole.dies(&crash{}, s.runs)
			whole.clean()
			want := whole.ending()
			path := exposures(t, whole.mutations())
			ceiling := spendAt(path, started)
			if end := spendAt(path, len(path)); end > ceiling {
				ceiling = end
			}
			whole.withinCeiling(path[started:], ceiling)
			if effects == 0 {
				t.Fatal("the process has no effect; want some")
			}
			step := *stride * max(s.sparse, 1)
			if *stride == 1 {
				step = 1
			}
			for at := 1 + len(s.name)%step; at <= effects; at += step {
				stops++
				t.Run(fmt.Sprintf("effect %d of %d", at, effects), func(t *testing.T) {
					t.Parallel()
					w := s.Start(t)
					w.dies(&crash{at: at}, s.runs)
					w.restarted()
					if s.again != nil {
						s.again(w)
					}
					if s.process != nil {
						if err := s.process(w); err != nil {
							t.Fatalf("the process once more: %v", err)
						}
					}
					w.clean()
					if diff := cmp.Diff(want, w.ending()); diff != "" {
						t.Errorf("the end (-of the run that was never stopped +of this one):\n%s", diff)
					}
					w.withinCeiling(exposures(t, w.mutations())[started:], ceiling)
					if open, err := w.store.Open(t.Context()); err != nil || len(open) != 0 {
						t.Errorf("%d steps are open at the end, %v; want none", len(open), err)
					}
				})
			}
		})
	}
	t.Logf("%d scenarios, stopped %d times", len(scenarios()), stops)
}

// spendAt is possible spend after so many mutations.
func spendAt(path []int64, n int) int64 {
	if n == 0 {
		return 0
	}
	return path[n-1]
}

func TestScenariosAreTwentyAtLeast(t *testing.T) {
	names := map[string]bool{}
	for _, s := range scenarios() {
		names[s.name] = true
	}
	if len(names) < 20 || len(names) != len(scenarios()) {
		t.Errorf("%d scenarios of %d are named apart; want 20 at least: %q",
			len(names), len(scenarios()), slices.Sorted(maps.Keys(names)))
	}
}
