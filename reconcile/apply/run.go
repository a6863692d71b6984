package apply

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Options are how an apply goes.
type Options struct {
	Bulk  Bulk
	Image func(source string) (name string, content []byte, err error) // the file behind a "sha256:…" value
	Watch func(Event)                                                  // is told what happens; nil where nobody looks

	// Superseded says why a change that is not sent yet is left out, "" where it goes: files
	// that came while an apply goes on say otherwise of it. It is asked before each is
	// journalled, by several goroutines; nil: nobody looks.
	Superseded func(resource.Address) string
}

// Bulk is how bulk jobs are used. The zero Bulk is what adsync.yaml means by
// auto.
type Bulk struct {
	NeverRepeat bool      // bulk.repeat_parent: never
	Preflight   Preflight // bulk.rehearse
	Most        int       // operations in a job; 0 is as many as the service takes
}

// Preflight says which creates are sent as validate_only jobs before the first
// mutation of an apply.
type Preflight string

// The preflights. What is left out is found out at apply: an operation that is
// refused then fails alone, and its tree stays paused.
const (
	PreflightAuto   Preflight = ""       // one job: all creates where it holds them, else one tree of every shape
	PreflightAlways Preflight = "always" // every create
	PreflightNever  Preflight = "never"
)

// run is one apply: the changes it carries out and what became of each so far.
type run struct {
	*env.Env
	Options
	*live.Memory
	id         string
	started    time.Time
	view       *View
	hash       string // of the plan; "" where nothing is recorded
	changes    []*plan.Change
	byAddr     map[resource.Address]*plan.Change
	progressOf map[resource.Address]*changeProgress
	ids        map[resource.Address]string // what every address is bound to, by now
	files      map[string]string           // image source → file id
	people     map[string]wire.Uploaded    // digest of a list of people → the file this run uploaded
	caps       map[resource.Capability]bool
	reread     map[string]bool // ids of what this run has read again
	steps      int
	asks       asker
	world      world // nil where a run only asks
	events     *eventSink

	refusedWhole atomic.Int32 // jobs
}

// changeProgress is what became of one change: its parts still to come, and the worst
// outcome of those that are done.
type changeProgress struct {
	change     *plan.Change
	started    bool
	pending    int // parts that are not done
	outcome    state.Outcome
	code       string
	message    string
	cell       diag.Position // the value the service named, else the row
	final      bool          // it failed, and trying again cannot cure it
	expect     resource.Attributes
	written    resource.Attributes // what was applied of it
	verified   bool
	differs    []live.Difference // what reading back showed instead
	lags       bool              // some of which may be what was there before
	notAwaited map[string]bool   // attributes of which it is not waited for any more
}

// newRun takes the applicable changes of the plan and what is known of every
// address.
func newRun(env *env.Env, options Options, known *live.Memory, id string, view *View) *run {
	n := len(view.Plan.Changes)
	r := &run{
		Env: env, Options: options, Memory: known, id: id, view: view,
		byAddr: make(map[resource.Address]*plan.Change, n), progressOf: make(map[resource.Address]*changeProgress, n),
		ids: map[resource.Address]string{}, people: map[string]wire.Uploaded{}, reread: map[string]bool{},
	}
	for change := range view.Plan.EachApplicable() {
		r.changes = append(r.changes, &change)
		r.byAddr[change.Address] = &change
		r.progressOf[change.Address] = &changeProgress{change: &change}
	}
	r.bindKnown()
	return r
}

func (r *run) bindKnown() {
	for last := range r.view.Last.All() {
		r.ids[last.Address] = last.ID
	}
	for live := range r.view.Live.Snapshot.All() {
		r.ids[live.Address] = live.ID
	}
}

// encoder sees values as the files want them, else as the account has them.
func (r *run) encoder() wire.Encoder {
	return wire.Encoder{
		Schemas: r.Schemas, Zone: r.Zone,
		Files: func(source string) string { return r.files[source] }, People: r.people,
		Value: r.valueOf,
	}
}

// valueOf is what an address has at the service, but of what this run makes, also in
// the place of another, what it is made with.
func (r *run) valueOf(address resource.Address, attribute string) resource.Value {
	c := r.byAddr[address]
	if live := r.view.Live.Snapshot.Get(address); live != nil && (c == nil || !wire.IsNew(c)) {
		if v := live.Value(attribute); v.IsSet() {
			return v
		}
	}
	if c != nil {
		for _, f := range c.Fields {
			if f.Name == attribute {
				return f.Desired
			}
		}
	}
	return resource.Value{}
}

// record is the live record a nested setting is rebuilt from.
func (r *run) record(id string) adsapi.Record { return r.view.Live.Records[id] }

// now is the moment for the journal.
func (r *run) now() time.Time { return r.Now() }

// setOutcome writes down the outcome of one part of a change. The worst counts.
func (r *run) setOutcome(p wire.Part, o state.OperationOutcome) {
	s := r.progressOf[p.Change.Address]
	s.started = true
	s.pending--
	if rank[o.Outcome] > rank[s.outcome] {
		s.outcome, s.code, s.message, s.final = o.Outcome, o.Code, o.Message, o.Final
		s.cell = r.blame(p, o.Code, o.Message)
	}
	r.events.settled(p, o)
	if o.ResourceID != "" {
		r.ids[p.Change.Address] = o.ResourceID
	}
	if p.Create && o.Outcome == state.OutcomeApplied {
		r.Census.Add(p.Change.Address.Kind)
	}
	if o.Outcome != state.OutcomeApplied {
		return
	}
	s.verified = false
	delete(s.notAwaited, "")
	set := p.Set()
	s.expect, s.written = slices.Grow(s.expect, len(set)), slices.Grow(s.written, len(set))
	for _, f := range set {
		delete(s.notAwaited, f.Name)
		s.expect.Set(f.Name, f.Value)
		s.written.Set(f.Name, f.Value)
		for _, gone := range p.Change.Displaced {
			if gone.By == f.Name {
				s.written.Set(gone.Name, resource.Null())
			}
		}
	}
}

// rank orders outcomes from good to bad.
var rank = map[state.Outcome]int{
	state.OutcomeApplied: 1, state.OutcomeSkipped: 2, state.OutcomeFailed: 3, state.OutcomeUnknown: 4,
}

// skip leaves a change's part out, with the reason.
func (r *run) skip(address resource.Address, message string) {
	s := r.progressOf[address]
	s.started = true
	s.pending--
	r.events.settled(wire.Part{Change: s.change}, state.OperationOutcome{
		Address: address, ResourceID: r.ids[address],
		Outcome: state.OutcomeSkipped, Code: string(diag.OperationSkipped), Message: message,
	})
	if rank[state.OutcomeSkipped] > rank[s.outcome] {
		s.outcome, s.code, s.message, s.cell = state.OutcomeSkipped,
			string(diag.OperationSkipped), message, s.change.Position
	}
}

// fine reports whether nothing of a change has gone wrong so far.
func (r *run) fine(address resource.Address) bool {
	s := r.progressOf[address]
	return s == nil || rank[s.outcome] <= rank[state.OutcomeApplied]
}

// createKeys returns the key of each address that a create may name.
func (r *run) createKeys(ctx context.Context, parts []wire.Part) (map[resource.Address]string, error) {
	keys := make(map[resource.Address]string, len(parts))
	for _, p := range parts {
		generation, err := r.Store.Generation(ctx, p.Change.Address)
		if err != nil {
			return nil, fmt.Errorf("generation of %s: %w", p.Change.Address, err)
		}
		keys[p.Change.Address] = wire.CreateKey(r.Account.ID, p.Change.Address, generation)
	}
	return keys, nil
}

// nextKey returns an address the key of its next attempt.
func (r *run) nextKey(ctx context.Context, address resource.Address) (string, error) {
	generation, err := r.Store.Generation(ctx, address)
	if err == nil {
		err = r.Store.Advance(ctx, []resource.Address{address})
	}
	if err != nil {
		return "", fmt.Errorf("generation of %s: %w", address, err)
	}
	return wire.CreateKey(r.Account.ID, address, generation+1), nil
}
