package compare

import (
	"slices"

	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/plan/spend"
)

// finish checks a plan as a whole, and makes it what is given out.
type finishing struct {
	*drafting.Draft
	broken map[brokenRule]bool
}

// finish finishes the plan: what counts need, spend, and the one order.
func (d *finishing) finish() {
	d.clearWaiting()
	d.CountBeneath()
	d.nameSides()
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		slices.Sort(c.Hazards)
		c.Hazards = slices.Compact(c.Hazards)
	}
	d.findWithout()
	spend.Count(d.Draft)
	d.Plan.Changes = byPhase(d.Plan.Changes)
	d.Plan.Problems = d.Problems.Sorted()
}

// byPhase puts changes, which are in the order of their addresses, in that of
// the phases of their first effect.
func byPhase(changes []plan.Change) []plan.Change {
	phases, counts := make([]plan.Phase, len(changes)), [plan.Activate + 1]int{}
	for i := range changes {
		changes[i].Index = 0
		phases[i] = changes[i].First()
		counts[phases[i]]++
	}
	if slices.IsSorted(phases) {
		return changes
	}
	ordered := make([]plan.Change, len(changes))
	next := [plan.Activate + 1]int{} // of each phase, where its next change goes
	for p := range plan.Activate {
		next[p+1] = next[p] + counts[p]
	}
	for i := range changes {
		ordered[next[phases[i]]] = changes[i]
		next[phases[i]]++
	}
	return ordered
}
