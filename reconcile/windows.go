package reconcile

import (
	"fmt"
	"slices"
	"time"

	"adsync/plan"
)

// clockSlip is how far the clocks of this machine and of the service may be apart
// for a freeze window to be told open or closed.
const clockSlip = 5 * time.Minute

// withWindows returns a policy in which every freeze window is open where the clocks are
// apart: which of the two is right nobody knows (faults.md, invariant 33).
func (a *Agent) withWindows(p plan.Policy) plan.Policy {
	ahead := a.Service.Ahead().Round(time.Second)
	if !p.Windows || ahead.Abs() <= clockSlip {
		return p
	}
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	p.Frozen = append(slices.Clone(p.Frozen), plan.Freeze{Reason: fmt.Sprintf(
		"the clock of this machine is %s %s the service's, so that a freeze window may be open: set the clock",
		ahead.Abs(), way)})
	return p
}
