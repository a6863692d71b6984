package reconcile

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

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
	switch {
	case step.Route == state.Upload:
		return a.abandon(ctx, step, "an upload has no key; at worst a file is left that nobody uses", recovered)
	case a.Now().Sub(step.SentAt) >= TrustWindow, step.Key == "":
		return a.readBackStep(ctx, step, recovered)
	}
	if step.Point == state.Unknown { // the same bytes go again; SentAt stays that of the first
		if err := a.Store.Move(ctx, step.ID, state.Sent, state.Update{}); err != nil {
			return err
		}
	}
	if step.Route == state.Bulk {
		return a.resubmit(ctx, step, recovered)
	}
	return a.resend(ctx, step, recovered)
}

// resend repeats a create, byte for byte. A refusal of the repetition says
// nothing of the request before it: that is read back.
func (a *Agent) resend(ctx context.Context, step state.Step, recovered *Recovered) error {
	record, failure := a.Service.Mutate(ctx, adsapi.Mutation{Path: step.Path, Key: step.Key, Body: step.Body, ContentType: step.ContentType})
	if failure != nil {
		return a.repeatedInVain(ctx, step, failure, recovered)
	}
	recovered.Finished++
	o := step.Operations[0]
	return a.finish(ctx, step, []settled{{Address: o.Address, ResourceID: record.ID, Outcome: state.OutcomeApplied}})
}

func (a *Agent) repeatedInVain(ctx context.Context, step state.Step, failure error, recovered *Recovered) error {
	if stops(failure) || adsapi.AppliedOf(failure) == adsapi.Unknown || errors.Is(failure, adsapi.ErrConflict) {
		return failure
	}
	return a.readBackStep(ctx, step, recovered)
}

// resubmit repeats a job submission, byte for byte, under the same key: the
// service answers with the job it has, or takes it now.
func (a *Agent) resubmit(ctx context.Context, step state.Step, recovered *Recovered) error {
	job, err := a.Service.SubmitJob(ctx, step.Key, step.Body)
	if err != nil {
		return a.repeatedInVain(ctx, step, err, recovered)
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return err
	}
	step.Point, step.JobID = state.Accepted, job.ID
	return a.recoverJob(ctx, step, job, recovered)
}

// recoverJob follows a job to its end and binds its results. What it gave no
// result for goes again once, as the same body under a new job key, and is then
// looked for.
func (a *Agent) recoverJob(ctx context.Context, step state.Step, job adsapi.Job, recovered *Recovered) error {
	page, err := a.followJob(ctx, step, job)
	if err != nil {
		return err
	}
	outcomes, wait := outcomesOf(step, page)
	if anyUnknown(outcomes) && a.Now().Sub(step.SentAt) < TrustWindow {
		if outcomes, err = a.repeatJob(ctx, step, outcomes, wait); err != nil {
			return err
		}
	}
	if anyUnknown(outcomes) {
		return a.decide(ctx, step, outcomes, recovered)
	}
	recovered.Finished++
	return a.finish(ctx, step, outcomes)
}

// repeatJob runs the body of a job whose results are not whole once more.
func (a *Agent) repeatJob(ctx context.Context, step state.Step, outcomes []settled, wait time.Duration) ([]settled, error) {
	if err := a.Sleep(ctx, wait); err != nil {
		return outcomes, err
	}
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return outcomes, err
	}
	again, err := a.repetition(ctx, step, int(sequence))
	if err != nil {
		return outcomes, err
	}
	sent, err := a.sendJob(ctx, again)
	if sent.refusal != nil {
		return outcomes, a.repetitionRefused(ctx, again, sent.refusal)
	}
	if err != nil {
		return outcomes, err
	}
	return better(outcomes, sent.outcomes), nil
}

// readBackStep decides by what the service shows, where no key can be trusted:
// a create is there under its parent by name, once, or it is not. An update is
// there when its values are; otherwise the next comparison plans it anew.
func (a *Agent) readBackStep(ctx context.Context, step state.Step, recovered *Recovered) error {
	outcomes := make([]settled, len(step.Operations))
	for i, o := range step.Operations {
		outcomes[i] = settled{Address: o.Address, ResourceID: o.ResourceID, Outcome: state.OutcomeUnknown}
	}
	return a.decide(ctx, step, outcomes, recovered)
}

// decide reads back what is unknown of a step and ends the step when nothing of
// it is left undecided.
func (a *Agent) decide(ctx context.Context, step state.Step, outcomes []settled, recovered *Recovered) error {
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	ids := map[resource.Address]string{}
	for bound := range last.All() {
		ids[bound.Address] = bound.ID
	}
	undecided := len(recovered.Undecided)
	for i, operation := range step.Operations {
		if outcomes[i].Outcome == state.OutcomeUnknown {
			if outcomes[i], err = a.find(ctx, step, operation, ids); err != nil {
				return err
			}
		}
		if outcomes[i].Outcome == state.OutcomeUnknown {
			recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", operation.Address, outcomes[i].Message))
		}
		if outcomes[i].ResourceID != "" {
			ids[operation.Address] = outcomes[i].ResourceID
		}
	}
	if len(recovered.Undecided) > undecided {
		return nil
	}
	return a.bindFound(ctx, step, outcomes, recovered)
}

// find looks for the effect of one operation. A create that does not show yet,
// while its key is young, may still do so.
func (a *Agent) find(ctx context.Context, step state.Step, operation state.Operation, ids map[resource.Address]string) (settled, error) {
	if operation.ResourceID != "" {
		return a.findUpdated(ctx, operation)
	}
	o, err := a.findCreated(ctx, operation, ids)
	if err == nil && o.Outcome == state.OutcomeSkipped && ids[operation.Address] == "" && a.Now().Sub(step.SentAt) < TrustWindow {
		o.Outcome, o.Code = state.OutcomeUnknown, string(diag.NeedsDecision)
		o.Message = fmt.Sprintf("its create may have happened and does not show; apply again after %s", step.SentAt.Add(TrustWindow).Format(time.RFC3339))
	}
	return o, err
}

// findUpdated says whether an update is there. It is never sent again: what
// someone did since would be undone.
func (a *Agent) findUpdated(ctx context.Context, operation state.Operation) (settled, error) {
	o := settled{Address: operation.Address, ResourceID: operation.ResourceID, Outcome: state.OutcomeSkipped, Message: "reading back shows nothing of it"}
	sent := expectation{address: operation.Address, id: operation.ResourceID, sent: operation.Set}
	records, err := a.readAll(ctx, []expectation{sent})
	if err != nil {
		return o, err
	}
	files, err := a.sourcesByFile(ctx)
	record, there := records[operation.ResourceID]
	if err != nil || !there {
		return o, err
	}
	schema := a.Schemas.Of(operation.Address.Kind)
	live, err := decoder{a.Zone, files}.decode(schema, record)
	if err != nil {
		return o, err
	}
	if _, mismatch := compare(schema, sent, live); mismatch == "" {
		o.Outcome, o.Message = state.OutcomeApplied, ""
	}
	return o, nil
}

// bindFound records what reading back decided and ends the step.
func (a *Agent) bindFound(ctx context.Context, step state.Step, outcomes []settled, recovered *Recovered) error {
	found := false
	for _, o := range outcomes {
		found = found || o.Outcome == state.OutcomeApplied && o.ResourceID != ""
	}
	if !found && step.Point != state.Terminal && step.Point != state.ResultsRead && step.JobID == "" {
		if err := a.advanceCreates(ctx, step.Operations); err != nil {
			return err
		}
		return a.abandon(ctx, step, "reading back shows nothing of it", recovered)
	}
	recovered.Finished++
	return a.finish(ctx, step, outcomes)
}

// findCreated looks for the resource of a create by its name under its parent.
func (a *Agent) findCreated(ctx context.Context, operation state.Operation, ids map[resource.Address]string) (settled, error) {
	o := settled{Address: operation.Address, ResourceID: operation.ResourceID, Outcome: state.OutcomeSkipped, Message: "reading back shows nothing of it"}
	if ids[operation.Address] != "" {
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
	case slices.Contains(found, a.Given[operation.Address]):
		o.Outcome, o.ResourceID, o.Message = state.OutcomeApplied, a.Given[operation.Address], ""
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
