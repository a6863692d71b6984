package reconcile

import (
	"context"
	"fmt"
	"sync"

	"adsync/internal/resource"
	"adsync/state"
)

// Found is a step an earlier run left open, as it stands after recovery.
type Found struct {
	Step  state.Step // its operations hold the outcomes that are known by now
	Ended bool       // nothing of it is open any more
}

// Finder follows what becomes of the steps earlier runs left open.
type Finder struct {
	agent *Agent
	store state.Store // as it was
	steps []state.Step

	mu       sync.Mutex
	ended    map[string]state.Point
	outcomes map[string]map[resource.Address]state.OperationOutcome
}

// Find begins to follow the steps that are open now, until End.
func (a *Agent) Find(ctx context.Context) (*Finder, error) {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	f := &Finder{
		agent: a, store: a.Store, steps: steps, ended: map[string]state.Point{},
		outcomes: map[string]map[resource.Address]state.OperationOutcome{},
	}
	a.Store = &findingStore{a.Store, f}
	return f, nil
}

// End returns the agent its store back, and what was found, oldest first.
func (f *Finder) End() []Found {
	f.agent.Store = f.store
	found := make([]Found, len(f.steps))
	for i, step := range f.steps {
		point, ended := f.ended[step.ID]
		operations := make([]state.Operation, len(step.Operations))
		for k, o := range step.Operations {
			if known, settled := f.outcomes[step.ID][o.Address]; settled {
				o.Outcome, o.Code, o.Message = known.Outcome, known.Code, known.Message
				if known.ResourceID != "" {
					o.ResourceID = known.ResourceID
				}
			}
			operations[k] = o
		}
		step.Operations = operations
		if ended {
			step.Point = point
		}
		found[i] = Found{Step: step, Ended: ended}
	}
	return found
}

func (f *Finder) note(id string, to state.Point, outcomes []state.OperationOutcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !to.IsOpen() {
		f.ended[id] = to
	}
	for _, o := range outcomes {
		if f.outcomes[id] == nil {
			f.outcomes[id] = map[resource.Address]state.OperationOutcome{}
		}
		f.outcomes[id][o.Address] = o
	}
}

// findingStore notes what is recorded of steps, once it is.
type findingStore struct {
	state.Store
	finder *Finder
}

// Move journals a point and notes it.
func (s *findingStore) Move(ctx context.Context, stepID string, to state.Point, u state.Update) error {
	if err := s.Store.Move(ctx, stepID, to, u); err != nil {
		return err
	}
	s.finder.note(stepID, to, u.Outcomes)
	return nil
}

// Finish journals the outcomes of a step and notes them.
func (s *findingStore) Finish(ctx context.Context,
	stepID string, applied []state.Applied, outcomes []state.OperationOutcome) error {
	if err := s.Store.Finish(ctx, stepID, applied, outcomes); err != nil {
		return err
	}
	s.finder.note(stepID, state.Bound, outcomes)
	return nil
}
