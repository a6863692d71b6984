package reconcile

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// Recovered is what became of the steps an earlier run left open.
type Recovered struct {
	Finished  int      // carried to their end
	Abandoned int      // certain to have had no effect
	Undecided []string // for a person: nothing is sent until they are
}

// Recover brings every open step to an end before anything new is planned. The
// rule for each point is that of design.md section 7: bytes that may have been
// sent go again, the same ones under the same key, while the key is trusted;
// later only reading back decides, and what it leaves open stops the run.
func (a *Agent) Recover(ctx context.Context) (Recovered, error) {
	if err := a.checkAccount(ctx); err != nil {
		return Recovered{}, err
	}
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return Recovered{}, fmt.Errorf("read the journal: %w", err)
	}
	var recovered Recovered
	for _, step := range steps {
		if err := a.recoverStep(ctx, step, &recovered); err != nil {
			return recovered, fmt.Errorf("recover step %s: %w", step.ID, err)
		}
	}
	return recovered, a.closeRecovered(ctx)
}

// closeRecovered reads back what the bound steps touched, so that the normal
// form the service gave is not taken for drift, and ends them.
func (a *Agent) closeRecovered(ctx context.Context) error {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	var expected []expectation
	index := map[resource.Address]int{}
	for _, step := range steps {
		for _, o := range step.Operations {
			bound := last.Get(o.Address)
			if step.Point != state.Bound || bound == nil {
				continue
			}
			i, known := index[o.Address]
			if !known {
				i = len(expected)
				index[o.Address] = i
				expected = append(expected, expectation{o.Address, bound.ID, bound.ParentID, bound.Attributes, false})
			}
			expected[i].created = expected[i].created || o.Complete
		}
	}
	if _, err := a.observe(ctx, expected); err != nil {
		return err
	}
	for _, step := range steps {
		if step.Point != state.Bound && step.Point != state.Verified {
			continue
		}
		if err := a.Store.Move(ctx, step.ID, state.Closed, state.Update{Note: "closed by recovery"}); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) recoverStep(ctx context.Context, step state.Step, recovered *Recovered) error {
	switch step.Point {
	case state.Intent: // the journal says sent before the first byte leaves
		return a.abandon(ctx, step, "never sent", recovered)
	case state.Sent, state.Unknown:
		return a.recoverSent(ctx, step, recovered)
	case state.Accepted, state.Terminal, state.ResultsRead:
		return a.recoverJob(ctx, step, adsapi.Job{ID: step.JobID, Status: jobStatus(step)}, recovered)
	case state.Bound, state.Verified:
		recovered.Finished++
		return nil
	}
	recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", step.ID, step.Note))
	return nil
}

// jobStatus is what the journal knows of a job: ended, or still to be asked for.
func jobStatus(step state.Step) string {
	if step.Point == state.Accepted {
		return "in_progress"
	}
	return "completed"
}

func (a *Agent) abandon(ctx context.Context, step state.Step, note string, recovered *Recovered) error {
	recovered.Abandoned++
	return a.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: note})
}

// recoverSent handles a step whose request may have reached the service.
func (a *Agent) recoverSent(ctx context.Context, step state.Step, recovered *Recovered) error {
	if step.Route == state.Upload {
		return a.abandon(ctx, step, "an upload has no key; at worst a file is left that nobody uses", recovered)
	}
	if a.Now().Sub(step.SentAt) >= TrustWindow {
		return a.readBackStep(ctx, step, recovered)
	}
	if step.Route == state.Bulk {
		return a.resubmit(ctx, step, recovered)
	}
	return a.resend(ctx, step, recovered)
}

// resend repeats a single request, byte for byte.
func (a *Agent) resend(ctx context.Context, step state.Step, recovered *Recovered) error {
	record, failure := a.Service.Mutate(ctx, adsapi.Mutation{Path: step.Path, Key: step.Key, Body: step.Body, ContentType: step.ContentType})
	o, err := a.singleDone(ctx, step, record.ID, failure)
	if err != nil {
		return err
	}
	if o.Outcome == state.OutcomeUnknown {
		return failure
	}
	recovered.Finished++
	return nil
}

// resubmit repeats a job submission, byte for byte, under the same key: the
// service answers with the job it has, or takes it now.
func (a *Agent) resubmit(ctx context.Context, step state.Step, recovered *Recovered) error {
	job, err := a.Service.SubmitJob(ctx, step.Key, step.Body)
	if err != nil && adsapi.AppliedOf(err) == adsapi.Never && !stops(err) && !errors.Is(err, adsapi.ErrConflict) {
		return a.abandon(ctx, step, err.Error(), recovered)
	}
	if err != nil {
		return err
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return err
	}
	step.Point, step.JobID = state.Accepted, job.ID
	return a.recoverJob(ctx, step, job, recovered)
}

// recoverJob follows a job to its end and binds its results.
func (a *Agent) recoverJob(ctx context.Context, step state.Step, job adsapi.Job, recovered *Recovered) error {
	page, err := a.followJob(ctx, step, job)
	if err != nil {
		return err
	}
	outcomes, again, _ := outcomesOf(step, page)
	if err := a.finish(ctx, step, outcomes, again); err != nil {
		return err
	}
	recovered.Finished++
	return nil
}

// readBackStep decides by what the service shows, once the key is too old to be
// trusted: a create is there under its parent by name, once, or it is not.
// Updates need no decision: the next comparison sees what is there.
func (a *Agent) readBackStep(ctx context.Context, step state.Step, recovered *Recovered) error {
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	ids := map[resource.Address]string{}
	for bound := range last.All() {
		ids[bound.Address] = bound.ID
	}
	outcomes := make([]settled, len(step.Operations))
	for i, operation := range step.Operations {
		if outcomes[i], err = a.findCreated(ctx, operation, ids); err != nil {
			return err
		}
		if outcomes[i].Outcome == state.OutcomeUnknown {
			recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", operation.Address, outcomes[i].Message))
			continue
		}
		if outcomes[i].ResourceID != "" {
			ids[operation.Address] = outcomes[i].ResourceID
		}
	}
	if len(recovered.Undecided) > 0 {
		return nil
	}
	return a.bindFound(ctx, step, outcomes, recovered)
}

// bindFound records what reading back decided and ends the step.
func (a *Agent) bindFound(ctx context.Context, step state.Step, outcomes []settled, recovered *Recovered) error {
	found := false
	for _, o := range outcomes {
		found = found || o.Outcome == state.OutcomeApplied && o.ResourceID != ""
	}
	if !found {
		return a.abandon(ctx, step, "reading back shows nothing of it", recovered)
	}
	if err := a.finish(ctx, step, outcomes, nil); err != nil {
		return err
	}
	recovered.Finished++
	return nil
}

// findCreated looks for the resource of a create by its name under its parent.
func (a *Agent) findCreated(ctx context.Context, operation state.Operation, ids map[resource.Address]string) (settled, error) {
	o := settled{Address: operation.Address, ResourceID: operation.ResourceID, Outcome: state.OutcomeSkipped, Message: "reading back shows nothing of it"}
	if operation.ResourceID != "" || ids[operation.Address] != "" {
		o.ResourceID = ""
		return o, nil
	}
	schema := a.Schemas.Of(operation.Address.Kind)
	parent := a.Schemas.Parent(operation.Address)
	if !parent.IsZero() && ids[parent] == "" {
		return o, nil
	}
	found, err := a.withName(ctx, schema, operation, ids[parent])
	switch {
	case err != nil:
		return o, err
	case len(found) == 1:
		o.Outcome, o.ResourceID, o.Message = state.OutcomeApplied, found[0], ""
	case len(found) > 1:
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
		o.Message = fmt.Sprintf("its create may have happened, and several have its name: %s; give the right one as id: in the files, or archive the others", strings.Join(found, ", "))
	}
	return o, nil
}

// withName gives the ids of the resources under a parent that carry the name of
// a create and are not removed.
func (a *Agent) withName(ctx context.Context, schema *resource.Schema, operation state.Operation, parentID string) ([]string, error) {
	query := url.Values{}
	if schema.ParentWire != "" {
		query.Set(schema.ParentWire, parentID)
	}
	var found []string
	d := decoder{zone: a.Zone}
	for record, err := range a.Service.List(ctx, schema.Collection, query) {
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", operation.Address, err)
		}
		live, err := d.decode(schema, record)
		if err != nil {
			return nil, err
		}
		elsewhere := live.ParentID != "" && parentID != "" && live.ParentID != parentID
		if elsewhere || live.Value("status").Text() == schema.Removal || !sameName(schema, operation.Set, live) {
			continue
		}
		found = append(found, record.ID)
	}
	return found, nil
}

// sameName compares by every naming attribute the create gave.
func sameName(schema *resource.Schema, sent resource.Attributes, live *resource.Resource) bool {
	for _, name := range schema.NameFrom {
		if want := sent.Value(name); want.IsSet() && looseText(want.Text()) != looseText(live.Value(name).Text()) {
			return false
		}
	}
	return true
}
