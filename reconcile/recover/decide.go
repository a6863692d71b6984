package recover

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
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// deciding reads back what a step of unknown outcome did.
type deciding struct {
	*env.Env
	*live.Lists
	*live.Log
	*send.Finisher
	*send.Keyring
	*recovering
}

// readBackStep decides by what the service shows, where no key can be trusted:
// a create is there under its parent by name, once, or it is not. An update is
// there when its values are; otherwise the next comparison plans it anew.
func (a *deciding) readBackStep(ctx context.Context, step state.Step, recovered *Recovered) error {
	outcomes := make([]state.OperationOutcome, len(step.Operations))
	for i, o := range step.Operations {
		outcomes[i] = state.OperationOutcome{
			Address: o.Address, ResourceID: o.ResourceID, Outcome: state.OutcomeUnknown, Code: o.Code,
		}
	}
	return a.decide(ctx, step, outcomes, recovered)
}

// decide reads back what is unknown of a step and records what is known by then.
// The step ends when nothing of it is left undecided.
func (a *deciding) decide(ctx context.Context, step state.Step,
	outcomes []state.OperationOutcome, recovered *Recovered) error {
	keepKnown(step, outcomes)
	ids, err := a.BoundIDs(ctx)
	if err != nil {
		return err
	}
	undecided, open := len(recovered.Undecided), map[resource.Address]bool{}
	for i, operation := range step.Operations {
		parent := a.Schemas.Parent(operation.Address)
		switch {
		case outcomes[i].Outcome != state.OutcomeUnknown:
		case open[parent] && operation.ResourceID == "":
			open[operation.Address] = true
			outcomes[i].Code, outcomes[i].Message = string(diag.NeedsDecision),
				fmt.Sprintf("it is decided with %s", parent)
			continue
		case send.IsContested(operation.Code) || send.IsContested(outcomes[i].Code):
			if outcomes[i], err = a.contested(ctx, operation, ids); err != nil {
				return err
			}
		default:
			conflict := send.InConflict(operation.Code) || send.InConflict(outcomes[i].Code)
			outcomes[i], err = a.findTwice(ctx, step, operation, ids, conflict, recovered)
			if live.LacksFeature(a.Schemas.Of(operation.Address.Kind), err) { // it waits alone
				outcomes[i], err = live.NotShown(operation, err), nil
			}
			if err != nil {
				return err
			}
		}
		if outcomes[i].Outcome == state.OutcomeUnknown {
			open[operation.Address] = true
			recovered.undecided(operation.Address, outcomes[i].Message)
		}
		if outcomes[i].ResourceID != "" {
			ids[operation.Address] = outcomes[i].ResourceID
		}
	}
	if len(recovered.Undecided) > undecided {
		return a.Finish(ctx, step, outcomes) // what is known is; the step stays, unknown
	}
	return a.bindFound(ctx, step, outcomes, recovered)
}

// keepKnown puts what is recorded of the operations of a step in the place of
// what is found now: others may have built on it.
func keepKnown(step state.Step, outcomes []state.OperationOutcome) {
	for i, o := range step.Operations {
		if wire.Decided(o) {
			outcomes[i] = state.OperationOutcome{
				Address: o.Address, ResourceID: o.ResourceID, Outcome: o.Outcome, Code: o.Code, Message: o.Message,
			}
		}
	}
}

// findTwice looks for the effect of one operation. Where nothing of it shows, and it may
// only show late, it is looked for again when the service has had time to show it: what
// two readings further apart than the lag do not show did not happen.
func (a *deciding) findTwice(ctx context.Context, step state.Step,
	operation state.Operation, ids map[resource.Address]string,
	conflict bool, recovered *Recovered) (state.OperationOutcome, error) {
	o, err := a.find(ctx, step, operation, ids, conflict)
	if err != nil || o.Outcome != state.OutcomeSkipped || !a.mayShowLate(step, operation, ids) {
		return o, err
	}
	why := "what became of " + operation.Address.String() +
		" does not show; reading again in %s, as the service may show late what it did"
	if waited, err := a.waitLag(ctx, recovered, why); err != nil || !waited {
		return o, err
	}
	return a.find(ctx, step, operation, ids, conflict)
}

// mayShowLate reports whether one reading that does not show an operation decides
// nothing. A pause need not wait: it goes again at once.
func (a *deciding) mayShowLate(step state.Step, operation state.Operation, ids map[resource.Address]string) bool {
	if operation.ResourceID != "" {
		return a.Now().Sub(step.SentAt) < env.TrustWindow && !a.stops(operation)
	}
	parent := a.Schemas.Parent(operation.Address)
	return ids[operation.Address] == "" && (parent.IsZero() || ids[parent] != "")
}

// find looks for the effect of one operation once. A create with a key that does not show
// yet, while it is young, may still do so, and an update of a job that may still run; one
// that met a conflict, for ever.
func (a *deciding) find(ctx context.Context, step state.Step,
	operation state.Operation, ids map[resource.Address]string, conflict bool) (state.OperationOutcome, error) {
	if operation.ResourceID != "" {
		o, err := a.findUpdated(ctx, operation)
		if err == nil && o.Outcome == state.OutcomeSkipped && a.mayRun(step) && !a.stops(operation) {
			o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
			o.Message = fmt.Sprintf("its job may still run, and the service does not say; apply again after %s",
				step.SentAt.Add(env.TrustWindow).Format(time.RFC3339))
		}
		return o, err
	}
	o, err := a.findCreated(ctx, step, operation, ids)
	if err == nil && conflict {
		return a.stillInConflict(operation, o, ids), nil
	}
	if err == nil && o.Outcome == state.OutcomeSkipped && o.Code == "" && ids[operation.Address] == "" &&
		wire.Keyed(operation) && a.Now().Sub(step.SentAt) < env.TrustWindow {
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
		o.Message = fmt.Sprintf("its create may have happened and does not show; apply again after %s",
			step.SentAt.Add(env.TrustWindow).Format(time.RFC3339))
	}
	return o, err
}

// mayRun reports whether the service has taken a job lately and does not say that it ended.
func (a *deciding) mayRun(step state.Step) bool {
	return step.Route == state.Bulk && step.Point == state.Accepted && a.Now().Sub(step.SentAt) < env.TrustWindow
}

// stops reports whether an update ends delivery: it goes again at once, and to come twice does
// nothing more.
func (a *deciding) stops(operation state.Operation) bool {
	status := operation.Set.Value(a.Schemas.Of(operation.Address.Kind).Delivery())
	return status.IsSet() && status.Text() != wire.WordActive
}

// findUpdated reports whether an update is there. It is never sent again: what
// someone did since would be undone. Only one that the service shows nothing of counts as
// not there, so that the next plan has it again.
func (a *deciding) findUpdated(ctx context.Context, operation state.Operation) (state.OperationOutcome, error) {
	o := state.OperationOutcome{
		Address: operation.Address, ResourceID: operation.ResourceID,
		Outcome: state.OutcomeSkipped, Message: "reading back shows nothing of it",
	}
	sent := live.Expectation{Address: operation.Address, ID: operation.ResourceID, Sent: operation.Set}
	schema := a.Schemas.Of(operation.Address.Kind)
	deletes := sent.Deleted(schema)
	if !deletes && live.Hides(schema, operation.Set) {
		o.Message = "the service does not show it; it goes again"
		return o, nil
	}
	record, err := a.Reader().One(ctx, schema, operation.ResourceID, nil)
	there, gone := err == nil, errors.Is(err, adsapi.ErrNotFound)
	if err != nil && !gone && !errors.Is(err, live.ErrUnlisted) {
		return o, fmt.Errorf("read back %s: %w", operation.Address, err)
	}
	d, err := a.Decoder(ctx)
	if err == nil && gone && deletes {
		o.Outcome, o.Message = state.OutcomeApplied, ""
	}
	if err != nil || !there || deletes {
		return o, err
	}
	shown, err := d.Decode(schema, record)
	if err != nil {
		return o, err
	}
	if _, differs := live.Compare(schema, sent, shown); len(differs) == 0 {
		o.Outcome, o.Message = state.OutcomeApplied, ""
	}
	return o, nil
}

// bindFound records what reading back decided and ends the step.
func (a *deciding) bindFound(ctx context.Context, step state.Step,
	outcomes []state.OperationOutcome, recovered *Recovered) error {
	found := false
	for _, o := range outcomes {
		found = found || o.Outcome == state.OutcomeApplied && o.ResourceID != ""
	}
	if !found && step.Point != state.Terminal && step.Point != state.ResultsRead && step.JobID == "" {
		if err := a.AdvanceCreates(ctx, step.Operations); err != nil {
			return err
		}
		return a.abandon(ctx, step, "reading back shows nothing of it", recovered)
	}
	recovered.Finished++
	return a.Finish(ctx, step, outcomes)
}

// findCreated looks for the resource of a create: by its name under its parent,
// then in the audit log, which knows it whatever it is called by now. What somebody
// has ended since is bound as well: the next plan holds it, and nothing is made twice.
func (a *deciding) findCreated(ctx context.Context, step state.Step,
	operation state.Operation, ids map[resource.Address]string) (state.OperationOutcome, error) {
	o := state.OperationOutcome{
		Address: operation.Address, ResourceID: operation.ResourceID,
		Outcome: state.OutcomeSkipped, Message: "reading back shows nothing of it",
	}
	if ids[operation.Address] != "" {
		return o, nil
	}
	schema := a.Schemas.Of(operation.Address.Kind)
	parent := a.Schemas.Parent(operation.Address)
	if !parent.IsZero() && ids[parent] == "" {
		return o, nil
	}
	named, err := a.WithName(ctx, schema, operation, ids)
	found, unlisted := named.IDs, errors.Is(err, live.ErrUnlisted)
	var log live.Logged
	if err == nil && len(found) == 0 || unlisted {
		log, err = a.InAuditLog(ctx, step, operation, ids)
		found = log.Made()
	}
	switch {
	case err != nil:
		return o, err
	case log.Unclear():
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
		o.Message = fmt.Sprintf("its create may have happened, and what it made may have been archived since: "+
			"%s; adsync resolve %s", strings.Join(slices.Concat(log.Earlier, log.Ended), ", "), operation.Address)
	case len(found) == 1:
		o.Outcome, o.ResourceID, o.Message = state.OutcomeApplied, found[0], ""
	case slices.Contains(found, a.Given[operation.Address]):
		o.Outcome, o.ResourceID, o.Message = state.OutcomeApplied, a.Given[operation.Address], ""
	case len(found) > 1:
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
		o.Message = fmt.Sprintf("its create may have happened, and several "+
			"have its name: %s; give the right one as id: in the files, or archive the others, or adsync resolve %s",
			strings.Join(found, ", "), operation.Address)
	case unlisted:
		return a.decidedByFiles(schema, operation, o), nil
	case wire.Keyed(operation) && !log.Whole && named.MayHide():
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
		o.Message = fmt.Sprintf("its create may have happened, and somebody may have archived what it made%s: "+
			"the audit log, which would tell, cannot be read; look in the ad manager: if it is there, give its "+
			"id as id: in the files; if not, adsync resolve %s --as not-applied", named.EndedWords(), operation.Address)
	}
	return o, nil
}

// decidedByFiles is what becomes of a create that nothing at the service tells
// of: the files give its id, or it stays unknown. That they no longer name it
// decides nothing: it may be there, and spend.
func (a *deciding) decidedByFiles(schema *resource.Schema,
	operation state.Operation, o state.OperationOutcome) state.OperationOutcome {
	if id := a.Given[operation.Address]; id != "" {
		o.Outcome, o.ResourceID, o.Message = state.OutcomeApplied, id, ""
		return o
	}
	o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
	o.Message = fmt.Sprintf("its create may have happened, and the service has no list of kind %s; look in "+
		"the ad manager: if it is there, give its id as id: in the files; if not, adsync resolve %s --as not-applied",
		schema.Kind, operation.Address)
	return o
}
