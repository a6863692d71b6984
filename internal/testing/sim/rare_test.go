package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// mostTries is how many histories are made up for a fault at the most.
const mostTries = 60

// makeUp plays further histories, from a number on, for every fault of the tree that a
// run of many drew too seldom to fire: what does not fire in them cannot. What is drawn
// of other numbers stays.
func (t *tally) makeUp(from uint64, play func(script) error) error {
	unfired := t.unfired()
	for _, name := range slices.Sorted(maps.Keys(unfired)) {
		if !slices.Contains(faults, unfired[name]) {
			continue
		}
		for n := uint64(0); n < mostTries && t.Fired[name] == 0; n++ {
			s := madeUp(from+n, unfired[name])
			t.add("made up for a fault", 1)
			if err := play(s); err != nil {
				t.add("violation", 1)
				return fmt.Errorf("history %d, made up for %s: %w\n%s", from+n, name, err, s)
			}
		}
	}
	return nil
}

// madeUp is the history of a number, at the end of which a fault meets the apply of a
// new tree.
func madeUp(number uint64, document string) script {
	s := drawScript(number)
	d := drawer{rand.New(rand.NewPCG(number, 0x72617265))}
	for what := range kindNames {
		s.Actions = append(s.Actions, action{Do: "add", What: what, Value: d.IntN(61)})
	}
	s.Actions = append(s.Actions, action{Do: "fault", Fault: document}, action{Do: "apply"})
	return s
}

// Every fault fires within the histories that are made up for it, so that no run of
// many fails by what chance left out.
func TestWhatChanceLeftOutIsMadeUpFor(t *testing.T) {
	all := newTally()
	for name := range all.unfired() {
		all.Fired[name] = 1
	}
	for _, name := range []string{"job repeat_result", "job skip", "status 422", "hold_until request"} {
		all.Fired[name] = 0
	}
	if err := all.makeUp(1, func(s script) error { return play(t, s, all) }); err != nil {
		t.Error(err)
	}
	if left := all.unfired(); len(left) > 0 {
		t.Errorf("%v never fired in %d histories made up for them", left, all.Counts["made up for a fault"])
	}
}
