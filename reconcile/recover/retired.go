package recover

import (
	"context"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// retireRecovered does for a run that ended early what its own wave would have
// done: where the archive of a replacement is in the journal, that life is over,
// and the next plan creates the next one. A record that names another id by now
// is of the next life already.
func (a *recovery) retireRecovered(ctx context.Context, steps []state.Step, last *resource.Snapshot) error {
	var retired []resource.Address
	for _, step := range steps {
		for _, o := range step.Operations {
			record := last.Get(o.Address)
			ended := step.Point == state.Bound && o.Action == string(plan.Replace) &&
				!o.Complete && o.Outcome == state.OutcomeApplied
			if !ended || record == nil || record.ID != o.ResourceID || !a.removed(record) {
				continue
			}
			for beneath := range last.All() {
				if a.Schemas.Ancestor(beneath.Address, o.Address.Kind) == o.Address {
					retired = append(retired, beneath.Address)
				}
			}
		}
	}
	if len(retired) == 0 {
		return nil
	}
	return a.Store.Forget(ctx, retired)
}

// removed reports whether a record has the status that removes its kind.
func (a *recovery) removed(record *resource.Resource) bool {
	removal := a.Schemas.Of(record.Address.Kind).Removal
	return removal != "" && record.Value("status").Text() == removal
}
