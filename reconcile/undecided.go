package reconcile

import (
	"context"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// Undecided is an operation of an earlier run of which nobody knows whether the
// service has done it.
type Undecided struct {
	Step      state.Step
	Operation state.Operation
}

// Message says what is unknown, and how to decide it.
func (u Undecided) Message() string {
	said := u.Operation.Message
	if said == "" {
		said = u.Step.Note
	}
	if said != "" {
		said = ": " + said
	}
	return fmt.Sprintf("what became of its %s of %s is unknown%s", u.Operation.Action, u.Step.SentAt.UTC().Format("2006-01-02 15:04 MST"), said)
}

// Undecided gives what recovery has left open, oldest first.
func (a *Agent) Undecided(ctx context.Context) ([]Undecided, error) {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return UndecidedOf(steps), nil
}

// UndecidedOf gives the operations of open steps that may have had an effect,
// and whose outcome the journal does not hold.
func UndecidedOf(steps []state.Step) []Undecided {
	var undecided []Undecided
	for _, step := range steps {
		switch step.Point {
		case state.Intent, state.Bound, state.Verified:
			continue
		}
		if step.Route == state.Upload {
			continue
		}
		for _, o := range step.Operations {
			if !decided(o) && o.Action != actionRepeat {
				undecided = append(undecided, Undecided{step, o})
			}
		}
	}
	return undecided
}

// holdUndecided marks what has an unknown outcome: nothing newer is sent to it
// (design.md section 5).
func (r *run) holdUndecided(ctx context.Context) error {
	undecided, err := r.Undecided(ctx)
	if err != nil {
		return err
	}
	r.undecided = undecided
	for _, u := range undecided {
		if s := r.standings[u.Operation.Address]; s != nil {
			s.started, s.outcome, s.code, s.message = true, state.OutcomeUnknown, string(diag.NeedsDecision), u.Message()
		}
	}
	return nil
}

// undecidedBeneath gives a create of unknown outcome at or beneath an address:
// the tree is not whole, and is not activated.
func (r *run) undecidedBeneath(root resource.Address) resource.Address {
	for _, u := range r.undecided {
		address := u.Operation.Address
		if u.Operation.ResourceID == "" && r.Schemas.Ancestor(address, root.Kind) == root {
			return address
		}
	}
	return resource.Address{}
}

// undecidedLower gives a decrease or a pause of unknown outcome: what it was to
// free may not be free.
func (r *run) undecidedLower() resource.Address {
	for _, u := range r.undecided {
		if wave := waveOf(u.Step); wave == "lower" || wave == "cap" {
			return u.Operation.Address
		}
	}
	return resource.Address{}
}

// waveOf is the wave a step belongs to: the middle of run/wave/index.
func waveOf(step state.Step) string {
	_, rest, _ := strings.Cut(step.ID, "/")
	wave, _, _ := strings.Cut(rest, "/")
	return wave
}

// ofWholeTrees drops activations of what has a create of unknown outcome beneath it.
func (r *run) ofWholeTrees(parts []part) []part {
	var ready []part
	for _, p := range parts {
		if open := r.undecidedBeneath(p.change.Address); !open.IsZero() {
			r.skip(p.change.Address, fmt.Sprintf("waits: whether %s was created is unknown", open))
			continue
		}
		ready = append(ready, p)
	}
	return ready
}
