package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// readback compares what was applied with what the service holds.
type readback struct {
	*env.Env
	*run
	*parts
	*reporting
	*live.Lists
}

// readBack compares what was applied with what the service now holds, and
// records the normal form it gave. It waits for what may only lag; what reads
// back as something else again is told, and not waited for.
func (r *readback) readBack(ctx context.Context) error { return r.readBackOf(ctx, r.unverified()) }

func (r *readback) readBackOf(ctx context.Context, waiting []*changeProgress) error {
	defer r.emitChecked()
	for try, wait := 0, time.Duration(0); len(waiting) > 0; try, wait = try+1, max(env.FirstReadWait, 2*wait) {
		if wait > 0 {
			if err := r.Sleep(ctx, wait); err != nil {
				return err
			}
		}
		if err := r.world.compareAll(ctx, waiting); err != nil {
			return err
		}
		waiting = slices.DeleteFunc(waiting, func(s *changeProgress) bool { return !s.lags })
		if try == env.ReadAgain {
			break
		}
	}
	for _, s := range waiting {
		s.noteNotAwaited(s.differs)
	}
	return nil
}

// noteNotAwaited remembers what reads back otherwise and is not waited for again.
func (s *changeProgress) noteNotAwaited(differs []live.Difference) {
	for _, d := range differs {
		if s.notAwaited == nil {
			s.notAwaited = map[string]bool{}
		}
		s.notAwaited[d.Attribute] = true
	}
}

// unverified returns what was applied, wholly or in part, and not yet seen at the
// service, in the order of the plan.
func (r *readback) unverified() []*changeProgress {
	var waiting []*changeProgress
	for _, c := range r.changes {
		s := r.progressOf[c.Address]
		if s.outcome != state.OutcomeUnknown && len(s.expect) > 0 && !s.verified {
			waiting = append(waiting, s)
		}
	}
	return waiting
}

func (r *readback) expectations(waiting []*changeProgress) []live.Expectation {
	expected := make([]live.Expectation, len(waiting))
	for i, s := range waiting {
		address := s.change.Address
		expected[i] = live.Expectation{
			Address: address, ID: r.ids[address], ParentID: r.ids[r.Schemas.Parent(address)],
			Sent: s.expect, Created: wire.IsNew(s.change),
		}
	}
	return expected
}

// compareAll reads what was applied, and notes what of it shows otherwise.
func (r *carryOut) compareAll(ctx context.Context, waiting []*changeProgress) error {
	seen, err := r.Observe(ctx, r.expectations(waiting))
	if err != nil {
		return err
	}
	for i, s := range waiting {
		if seen[i].Hidden { // nothing to hold it against
			s.expect, s.differs = nil, nil
			continue
		}
		s.differs, s.verified = seen[i].Differs, len(seen[i].Differs) == 0
		late, err := r.mayLag(s, seen[i])
		if err != nil {
			return err
		}
		s.lags = len(late) > 0
		s.noteNotAwaited(slices.DeleteFunc(slices.Clone(s.differs), func(d live.Difference) bool {
			return slices.Contains(late, d)
		}))
		if seen[i].Record.ID != "" {
			r.seen(seen[i].Record)
		}
	}
	return r.releaseElsewhere(ctx, waiting, seen)
}

// A create that stands elsewhere goes under another key by itself as long as its address has had fewer lives.
const livesByItself = 3

// releaseElsewhere lets go of what a job says it created and what stands beneath another parent: the service knew the
// key of what was made beneath an earlier one, which the state had lost. The next run makes it.
func (r *carryOut) releaseElsewhere(ctx context.Context, waiting []*changeProgress, seen []live.Observation) error {
	records := make(map[string]adsapi.Record, len(seen))
	for i := range seen {
		records[seen[i].Record.ID] = seen[i].Record
	}
	var released []resource.Address
	for i, s := range waiting {
		address := s.change.Address
		parent := r.ids[r.Schemas.Parent(address)]
		if !wire.IsNew(s.change) || !seen[i].Elsewhere(records[parent]) {
			continue
		}
		lives, err := r.Store.Generation(ctx, address)
		if err != nil {
			return fmt.Errorf("generation of %s: %w", address, err)
		}
		s.verified, s.lags, s.differs = false, false, []live.Difference{{
			Words: fmt.Sprintf("%s stands beneath another than %s", r.ids[address], parent)}}
		if lives >= livesByItself {
			continue
		}
		s.outcome, s.code, s.message = state.OutcomeFailed, string(diag.KeyConflict), fmt.Sprintf(
			"the service answers its key with %s, which stands beneath another than %s; the next run creates it anew",
			r.ids[address], parent)
		released = append(released, address)
	}
	return r.endLife(ctx, released)
}

// mayLag returns the differences that may be gone when it is read once more: it does
// not show, or shows what was there before the write.
func (r *readback) mayLag(s *changeProgress, seen live.Observation) ([]live.Difference, error) {
	unseen := seen.Record.ID == ""
	before, known := r.view.Live.Records[seen.Record.ID]
	if !unseen && (!known || len(seen.Differs) == 0) {
		return nil, nil
	}
	var was, is *resource.Resource
	if !unseen {
		var failures [2]error
		schema, d := r.Schemas.Of(s.change.Address.Kind), wire.Decoder{Zone: r.Zone}
		was, failures[0] = d.Decode(schema, before)
		is, failures[1] = d.Decode(schema, seen.Record)
		if err := errors.Join(failures[:]...); err != nil {
			return nil, err
		}
	}
	var late []live.Difference
	for _, d := range seen.Differs {
		if !s.notAwaited[d.Attribute] && (unseen || was.Value(d.Attribute).Equal(is.Value(d.Attribute))) {
			late = append(late, d)
		}
	}
	return late, nil
}

// seenOtherwise reports whether reading back showed a field of a part otherwise than it
// was sent, or not at all.
func (r *readback) seenOtherwise(p wire.Part) bool {
	return slices.ContainsFunc(r.progressOf[p.Change.Address].differs, func(d live.Difference) bool {
		return d.Attribute == "" || slices.ContainsFunc(p.Fields, func(f plan.Field) bool {
			return f.Name == d.Attribute
		})
	})
}

// inWords joins differences for people.
func inWords(differs []live.Difference) string {
	all := make([]string, len(differs))
	for i, d := range differs {
		all[i] = d.Words
	}
	return strings.Join(all, "; ")
}

// closeSteps ends the steps of this run whose results are bound.
func (r *readback) closeSteps(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	heads, err := r.Store.Heads(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	settled := !r.pauses()
	for _, head := range heads {
		if head.Run != r.id || head.Point != state.Bound {
			settled = false
			continue
		}
		if err := r.closeStep(ctx, head.ID); err != nil {
			return err
		}
	}
	return r.Store.RecordRun(ctx, state.Run{
		ID: r.id, Read: r.view.looked(), Started: r.started, Finished: r.now(),
		PlanHash: r.hash, Summary: r.Report().Summary(), Settled: settled,
	})
}

// closeStep ends a step that is bound: one at a time is read, as all of them are as
// large as the account.
func (r *readback) closeStep(ctx context.Context, id string) error {
	operations, err := r.Store.Operations(ctx, id)
	if err != nil {
		return err
	}
	if r.allVerified(operations) {
		if err := r.Store.Move(ctx, id, state.Verified, state.Update{}); err != nil {
			return err
		}
	}
	return r.Store.Move(ctx, id, state.Closed, state.Update{})
}

// pauses reports whether the run was to pause something that is there.
func (r *readback) pauses() bool {
	return slices.ContainsFunc(r.updates(plan.Lower), func(p wire.Part) bool {
		delivery := r.Schemas.Of(p.Change.Address.Kind).Delivery()
		return slices.ContainsFunc(p.Fields, func(f plan.Field) bool {
			return f.Name == delivery && f.Desired.Text() == wire.WordPaused
		})
	})
}

func (r *readback) allVerified(operations []state.Operation) bool {
	return !slices.ContainsFunc(operations, func(o state.Operation) bool {
		s := r.progressOf[o.Address]
		return s == nil || !s.verified
	})
}

// notVerified names the code of an applied change that reading back did not show.
const notVerified = diag.NotVerified
