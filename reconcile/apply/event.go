package apply

import (
	"context"
	"sync"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/wire"
	"adsync/state"
)

// EventKind says what an event of a run is about.
type EventKind string

// The events, in the order a run can have them.
const (
	RunStarted  EventKind = "run"      // recorded, and nothing sent yet
	RunCounted  EventKind = "counted"  // how many operations there are to settle
	WaveStarted EventKind = "wave"     // the waves before it are confirmed
	StepMoved   EventKind = "step"     // a request reached a point of its life, and the journal says so
	OpSettled   EventKind = "outcome"  // what became of an operation
	WaveChecked EventKind = "verified" // what was touched so far was read back
)

// Event is something that happened in a run. Events come one at a time, each as
// soon as the journal holds what it tells.
type Event struct {
	Kind EventKind
	Run  string
	Wave string

	Plan       *plan.Plan // of RunStarted
	PlanHash   string     // of RunStarted
	Operations int        // of RunCounted: all; of StepMoved: those of the step
	Step       state.Step // of StepMoved, without its body and operations
	Outcome    Outcome    // of OpSettled
	Verified   int        // of WaveChecked: of Touched, so far
	Touched    int
}

// eventSink reports the events of one run.
type eventSink struct {
	mu    sync.Mutex
	run   *run
	watch func(Event)
	wave  string
	steps map[string]state.Step
	sizes map[string]int
	told  map[settlement]state.Outcome
}

// settlement is an operation as a run settles it: at most one of an address in a
// wave.
type settlement struct {
	wave    string
	address resource.Address
}

// watchEvents has a run tell what happens in it.
func (r *run) watchEvents() {
	if r.Watch == nil {
		return
	}
	r.events = &eventSink{
		run: r, watch: r.Watch, steps: map[string]state.Step{},
		sizes: map[string]int{}, told: map[settlement]state.Outcome{},
	}
	r.Store = &eventStore{r.Store, r.events}
}

func (t *eventSink) emit(e Event) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.emitLocked(e)
}

func (t *eventSink) emitLocked(e Event) {
	e.Run, e.Wave = t.run.id, t.wave
	t.watch(e)
}

// enter begins a wave.
func (t *eventSink) enter(wave string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wave = wave
	t.emitLocked(Event{Kind: WaveStarted})
}

// begun reports a step as it is journalled.
func (t *eventSink) begun(step state.Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sizes[step.ID] = len(step.Operations)
	step.Body, step.Operations, step.Point = nil, nil, state.Intent
	t.steps[step.ID] = step
	t.emitLocked(Event{Kind: StepMoved, Step: step, Operations: t.sizes[step.ID]})
}

// moved reports that a step reached a point, and which outcomes came with it.
func (t *eventSink) moved(id string, to state.Point, u state.Update) {
	t.mu.Lock()
	defer t.mu.Unlock()
	step, known := t.steps[id]
	if !known || to == state.Closed || to == state.Verified { // the end of the run is told as a whole
		return
	}
	step.Point = to
	if u.JobID != "" {
		step.JobID = u.JobID
	}
	if u.Note != "" {
		step.Note = u.Note
	}
	t.steps[id] = step
	t.emitLocked(Event{Kind: StepMoved, Step: step, Operations: t.sizes[id]})
	for _, o := range u.Outcomes {
		if c := t.run.byAddr[o.Address]; c != nil {
			t.settleLocked(wire.Part{Change: c, Fields: c.Fields}, o)
		}
	}
}

// settled reports the outcome of an operation, once.
func (t *eventSink) settled(p wire.Part, o state.OperationOutcome) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settleLocked(p, o)
}

func (t *eventSink) settleLocked(p wire.Part, o state.OperationOutcome) {
	at := settlement{t.wave, p.Change.Address}
	if before, told := t.told[at]; told && before == o.Outcome {
		return
	}
	t.told[at] = o.Outcome
	c := p.Change
	outcome := Outcome{
		Address: c.Address, Action: c.Action, Name: c.Name, ID: o.ResourceID,
		Outcome: o.Outcome, Code: o.Code, Message: o.Message, Position: c.Position, Cell: c.Position,
	}
	if o.Outcome != state.OutcomeApplied {
		outcome.Cell = t.run.blame(p, o.Code, o.Message)
	}
	t.emitLocked(Event{Kind: OpSettled, Outcome: outcome})
}

// eventStore reports steps once the journal holds what it tells.
type eventStore struct {
	state.Store
	teller *eventSink
}

// Begin journals steps and tells of them.
func (s *eventStore) Begin(ctx context.Context, steps ...state.Step) error {
	if err := s.Store.Begin(ctx, steps...); err != nil {
		return err
	}
	for _, step := range steps {
		s.teller.begun(step)
	}
	return nil
}

// Move journals a point and tells of it.
func (s *eventStore) Move(ctx context.Context, stepID string, to state.Point, u state.Update) error {
	if err := s.Store.Move(ctx, stepID, to, u); err != nil {
		return err
	}
	s.teller.moved(stepID, to, u)
	return nil
}

// Finish journals the outcomes of a step and tells of them.
func (s *eventStore) Finish(ctx context.Context,
	stepID string, applied []state.Applied, outcomes []state.OperationOutcome) error {
	if err := s.Store.Finish(ctx, stepID, applied, outcomes); err != nil {
		return err
	}
	s.teller.moved(stepID, state.Bound, state.Update{Outcomes: outcomes})
	return nil
}

// pendingParts counts the operations that are not settled.
func (r *run) pendingParts() int {
	n := 0
	for _, s := range r.progressOf {
		n += max(s.pending, 0)
	}
	return n
}

// emitChecked says how much of what was touched so far reads back as sent.
func (r *run) emitChecked() {
	if r.events == nil {
		return
	}
	e := Event{Kind: WaveChecked}
	for _, s := range r.progressOf {
		if len(s.expect) > 0 {
			e.Touched++
		}
		if s.verified {
			e.Verified++
		}
	}
	if e.Touched > 0 {
		r.events.emit(e)
	}
}
