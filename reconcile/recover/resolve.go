package recover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Evidence is what is known of an operation of unknown outcome.
type Evidence struct {
	send.Undecided
	Listed bool          // the service shows resources of the kind
	Live   []string      // ids of what may be what the create made: beneath its parent, of its name
	Log    []LoggedTo    // creates of its kind and name in the audit log since it was sent
	Proves state.Outcome // applied; skipped, as nothing happened; "" where it decides nothing
	ID     string        // of what was created, where that is proved
}

// LoggedTo is an entry of the audit log that may be of the operation.
type LoggedTo struct {
	ID    string
	Actor string
	At    time.Time
}

// Decision is what a person says became of an operation.
type Decision struct {
	As       state.Outcome // applied; skipped: it had no effect; "" with Retry
	Retry    bool          // send the same bytes again under the same key
	ID       string        // of what was created
	Unproven bool          // said to be right although nothing at the service shows it
	By       string        // who says so
}

// ErrUnproven means that nothing at the service shows what a person decides.
var ErrUnproven = errors.New("nothing at the service shows it")

// ErrOtherID means that the id a person gives is of something else, or of nothing.
var ErrOtherID = errors.New("it cannot be that id")

// resolver carries out what a person decides of an undecided operation.
type resolver struct {
	*env.Env
	*live.Lists
	*live.Log
	*recovery
	*recovering
	*send.OpenSteps
	*send.Finisher
	*deciding
}

// Evidence looks for what an operation of unknown outcome did. It changes
// nothing. There is none for an address with no such operation.
func (a *resolver) Evidence(ctx context.Context, address resource.Address) (*Evidence, error) {
	if err := a.CheckAccount(ctx); err != nil {
		return nil, err
	}
	all, err := a.Undecided(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(u send.Undecided) bool { return u.Operation.Address == address })
	if at < 0 {
		return nil, nil
	}
	e := &Evidence{Undecided: all[at]}
	if e.Operation.ResourceID != "" {
		found, err := a.findUpdated(ctx, e.Operation)
		if live.LacksFeature(a.Schemas.Of(address.Kind), err) {
			return e, nil
		}
		e.Listed, e.Proves, e.ID = true, found.Outcome, e.Operation.ResourceID
		return e, err
	}
	return e, a.evidenceOfCreate(ctx, e, all)
}

// evidenceOfCreate looks beneath the parent of a create. One whose parent was not made
// was not made either; while that of the parent is undecided, nothing is known of where
// it would stand.
func (a *resolver) evidenceOfCreate(ctx context.Context, e *Evidence, undecided []send.Undecided) error {
	ids, err := a.BoundIDs(ctx)
	if err != nil {
		return err
	}
	var shown live.Named
	schema := a.Schemas.Of(e.Operation.Address.Kind)
	parent := a.Schemas.Parent(e.Operation.Address)
	nowhere := !parent.IsZero() && ids[parent] == ""
	if !nowhere {
		shown, err = a.WithName(ctx, schema, e.Operation, ids)
		if e.Listed = !errors.Is(err, live.ErrUnlisted) && !live.LacksFeature(schema, err); err != nil && e.Listed {
			return err
		}
	}
	log, err := a.InAuditLog(ctx, e.Step, e.Operation, ids)
	if err != nil {
		return err
	}
	for _, entry := range log.Entries {
		e.Log = append(e.Log, LoggedTo{entry.ObjectID,
			strings.TrimSpace(entry.ActorType + " " + entry.ActorID), time.Unix(entry.At, 0).UTC()})
	}
	e.Live = shown.IDs
	candidates := slices.Clone(e.Live)
	for _, id := range slices.Concat(log.There, log.Ended, log.Earlier) {
		if !slices.Contains(candidates, id) {
			candidates = append(candidates, id)
		}
	}
	old := a.Now().Sub(e.Step.SentAt) >= env.TrustWindow
	switch {
	case nowhere && slices.ContainsFunc(undecided, func(u send.Undecided) bool {
		return u.Operation.Address == parent
	}):
	case nowhere:
		e.Proves = state.OutcomeSkipped
	case len(candidates) == 1 && !log.Unclear():
		e.Proves, e.ID = state.OutcomeApplied, candidates[0]
	case len(candidates) == 0 && e.Listed && old &&
		!send.InConflict(e.Operation.Code) && (log.Whole || !wire.Keyed(e.Operation) || !shown.MayHide()):
		e.Proves = state.OutcomeSkipped
	}
	return nil
}

// Resolve ends an operation as a person decides it, and writes down who did. What
// nothing shows is ErrUnproven, unless it is said to be right all the same; an id that
// it cannot be is ErrOtherID.
func (a *resolver) Resolve(ctx context.Context, e *Evidence, d Decision) error {
	if e.Step.Route == state.Membership {
		return fmt.Errorf("%s: an operation on people "+
			"is decided by what the service says of it; run adsync resume when none is under way", e.Operation.Address)
	}
	if d.Retry {
		return a.retry(ctx, e, d)
	}
	id, err := a.proved(ctx, e, d)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("decided as %s by %s, %s", d.words(), d.By, a.Now().UTC().Format(time.RFC3339))
	if err := a.settleDecided(ctx,
		e, state.OperationOutcome{Address: e.Operation.Address,
			ResourceID: id, Outcome: d.As, Message: said}); err != nil {
		return err
	}
	if err := a.noteDecision(ctx, e, said); err != nil {
		return err
	}
	return a.closeRecovered(ctx)
}

func (d Decision) words() string {
	switch {
	case d.Retry:
		return "to be sent again"
	case d.As == state.OutcomeApplied && d.ID != "":
		return "applied, as " + d.ID
	case d.As == state.OutcomeApplied:
		return "applied"
	}
	return "not applied"
}

// proved returns the id of what was done, once what is decided is what the service
// shows or is said to be right all the same.
func (a *resolver) proved(ctx context.Context, e *Evidence, d Decision) (id string, err error) {
	update := e.Operation.ResourceID != ""
	switch {
	case update || d.As != state.OutcomeApplied:
		if e.Proves != d.As && !d.Unproven {
			return "", fmt.Errorf("%w: that %s is %s", ErrUnproven, e.Operation.Address, d.words())
		}
		return e.Operation.ResourceID, nil
	case d.ID == "" && e.ID == "":
		return "", fmt.Errorf("%w: which one %s is; give its id", ErrUnproven, e.Operation.Address)
	case d.ID == "":
		return e.ID, nil
	}
	ids, err := a.BoundIDs(ctx)
	if err != nil {
		return "", err
	}
	if live.BoundElsewhere(ids, e.Operation.Address, d.ID) {
		return "", fmt.Errorf("%w: %s is recorded as another resource already; want one that is not", ErrOtherID, d.ID)
	}
	stands, err := a.ExistenceOf(ctx, e.Operation.Address, d.ID, ids)
	switch {
	case err != nil:
		return "", err
	case stands != live.StandsThere:
		return "", fmt.Errorf("%w: %s is not there beneath the parent of %s; want the id of one that is",
			ErrOtherID, d.ID, e.Operation.Address)
	case !e.Listed && d.ID != e.ID && !d.Unproven:
		return "", fmt.Errorf("%w: that %s is %s", ErrUnproven, e.Operation.Address, d.ID)
	}
	return d.ID, nil
}

// settleDecided records a decision in every step that holds the operation: a job
// and its repetition do.
func (a *resolver) settleDecided(ctx context.Context, e *Evidence, decided state.OperationOutcome) error {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for _, step := range steps {
		at := slices.IndexFunc(send.UndecidedOf(a.Schemas, []state.Step{step}), func(u send.Undecided) bool {
			return u.Operation.Address == decided.Address
		})
		if at < 0 {
			continue
		}
		outcomes := send.UnknownAll(step, errors.New(step.Note))
		keepKnown(step, outcomes)
		for i, o := range step.Operations {
			switch {
			case o.Address == decided.Address:
				outcomes[i] = decided
			case o.Outcome == state.OutcomeUnknown:
				outcomes[i].Code, outcomes[i].Message = o.Code, o.Message
			}
		}
		if err := a.toUnknown(ctx, step); err != nil {
			return err
		}
		if err := a.Finish(ctx, step, outcomes); err != nil {
			return err
		}
	}
	return nil
}

// toUnknown puts a step where a part of it can be decided.
func (a *resolver) toUnknown(ctx context.Context, step state.Step) error {
	if step.Point.CanMove(state.Unknown) {
		return a.Store.Move(ctx, step.ID, state.Unknown, state.Update{})
	}
	return nil
}

// retry sends the bytes of a step again under its key. Where the key is no longer
// trusted, or there is none, it is a second request unless nothing came of the
// first.
func (a *resolver) retry(ctx context.Context, e *Evidence, d Decision) error {
	step := e.Step
	if !a.trusts(step) && e.Proves != state.OutcomeSkipped && !d.Unproven {
		return fmt.Errorf("%w: that %s had no effect; sent again, it could be made twice",
			ErrUnproven, e.Operation.Address)
	}
	if err := a.noteDecision(ctx,
		e, fmt.Sprintf("decided as %s by %s, %s", d.words(), d.By, a.Now().UTC().Format(time.RFC3339))); err != nil {
		return err
	}
	recovered := Recovered{began: a.Now()}
	var err error
	switch {
	case step.JobID != "":
		err = a.askJob(ctx, step, &recovered)
	case step.Route == state.Bulk:
		err = a.resubmit(ctx, step, &recovered)
	default:
		err = a.resend(ctx, step, &recovered)
	}
	switch {
	case err != nil:
		return err
	case len(recovered.Undecided) > 0:
		return fmt.Errorf("%s is still unknown: %s", e.Operation.Address, recovered.Undecided[0])
	}
	return a.closeRecovered(ctx)
}

// noteDecision keeps who decided what, and when, among the runs.
func (a *resolver) noteDecision(ctx context.Context, e *Evidence, said string) error {
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return err
	}
	now := a.Now()
	return a.Store.RecordRun(ctx, state.Run{
		ID: fmt.Sprintf("%s%06d", env.Decisions, sequence), Started: now, Finished: now, PlanHash: e.Step.PlanHash,
		Summary: fmt.Sprintf("%s of %s %s", e.Operation.Action, e.Operation.Address, said),
	})
}
