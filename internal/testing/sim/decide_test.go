package sim

import (
	"fmt"

	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/state"
)

// decide is a person who looks at the service for what adsync could not find out,
// and says what is there.
func (w *world) decide() error {
	p, agent := w.start(0, false, death{}, cut{})
	defer p.leave()
	undecided, err := agent.Undecided(p.ctx)
	if err != nil {
		return err
	}
	for _, u := range undecided {
		address := u.Operation.Address
		evidence, err := agent.Evidence(p.ctx, address)
		if err != nil {
			return err
		}
		if evidence == nil || evidence.Step.Route == state.Membership {
			continue // decided with what it stands beneath, or by what the service says of it
		}
		w.count("decided by a person")
		d := w.decision(evidence, address)
		err = agent.Resolve(p.ctx, evidence, d)
		if err != nil && d.ID != "" { // it does not stand beneath our parent: ours was not made
			w.history.Released[tagOf(address)] = true
			err = agent.Resolve(p.ctx, evidence, reconcile.Decision{As: state.OutcomeSkipped, By: d.By, Unproven: true})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", address, err)
		}
	}
	return nil
}

func (w *world) decision(e *reconcile.Evidence, address resource.Address) reconcile.Decision {
	d := reconcile.Decision{As: e.Proves, By: "a person", Unproven: e.Proves == ""}
	if e.Proves != "" {
		above := w.files()[address.Leaf()].Parent // what was made beneath a parent that nobody made is nobody's either
		w.history.Released[address.Leaf()] = e.Proves == state.OutcomeSkipped && w.history.Released[above]
		return d
	}
	d.As = state.OutcomeSkipped
	if e.Operation.ResourceID != "" {
		return d // an update: what is not there is planned anew
	}
	for _, id := range w.history.Standing() {
		if w.history.TagOf(id) == tagOf(address) {
			d.As, d.ID = state.OutcomeApplied, id
		}
	}
	w.history.Released[tagOf(address)] = d.As == state.OutcomeSkipped
	return d
}
