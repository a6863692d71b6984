package send

import (
	"context"
	"fmt"
	"maps"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// longestWait caps what a service may ask us to wait before a rerun.
const longestWait = 10 * time.Minute

// Finisher records what became of the operations of a step.
type Finisher struct {
	*env.Env
	*Keyring
	*Duplicates
	*Payers
}

// Finish records outcomes, bindings and last-applied in one transaction.
// Creates that surely did not happen advance: their next attempt is another one,
// under another key, but for those of a job that go again as the same bytes
// (keys.go). Only what an interrupt forbids to send keeps them from being
// recorded: the step stays as it is, and recovery finds them again.
func (a *Finisher) Finish(ctx context.Context, step state.Step, outcomes []state.OperationOutcome) error {
	outcomes, err := a.archiveDuplicates(ctx, step, outcomes)
	if err != nil {
		return err
	}
	if err := a.foundPaid(ctx, step, outcomes); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	ids := map[resource.Address]string{}
	for _, o := range outcomes {
		ids[o.Address] = o.ResourceID
	}
	last, err := a.parentIDs(ctx, step, ids)
	if err != nil {
		return err
	}
	var applied []state.Applied
	var refused []resource.Address
	var spared []state.Operation
	for i, o := range outcomes {
		operation := step.Operations[i]
		switch { // outcomes stand in the order of the operations
		case operation.Action == wire.ActionRepeat: // recorded when it was created
		case wire.Aside(operation.Action): // of no wish of the files
		case wire.Decided(operation): // recorded before, and perhaps changed since
		// the attempt before is not decided
		case o.Outcome == state.OutcomeSkipped && o.Code == string(diag.NeedsDecision):
		case o.Outcome == state.OutcomeApplied:
			applied = append(applied, state.Applied{
				Address: o.Address, ID: o.ResourceID, ParentID: last[a.Schemas.Parent(o.Address)],
				Attributes: operation.Set, Replace: operation.Complete,
				First: operation.Complete && operation.ResourceID == "",
			})
		case o.Outcome != state.OutcomeUnknown && wire.KnownNotCreated(step, operation, o):
			spared = append(spared, operation)
		case o.Outcome != state.OutcomeUnknown && operation.ResourceID == "":
			refused = append(refused, o.Address)
		}
	}
	if err := a.Store.Advance(ctx, refused); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if err := a.RecordReusableKeys(ctx, step, spared); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if err := a.Store.Finish(ctx, step.ID, applied, outcomes); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

// parentIDs returns the ids of the parents of a step's creates, from the step
// itself and from what is bound.
func (a *Finisher) parentIDs(ctx context.Context, step state.Step,
	ids map[resource.Address]string) (map[resource.Address]string, error) {
	var elsewhere []resource.Address
	for _, o := range step.Operations {
		if parent := a.Schemas.Parent(o.Address); !parent.IsZero() && ids[parent] == "" {
			elsewhere = append(elsewhere, parent)
		}
	}
	bound, err := a.Store.Bindings(ctx, elsewhere)
	if err != nil {
		return nil, fmt.Errorf("read the last-applied record: %w", err)
	}
	maps.Copy(ids, bound)
	return ids, nil
}

// ResultsOf returns the outcomes of what a job was asked, and remembers what its
// results say of the account.
func (a *Finisher) ResultsOf(ctx context.Context, step state.Step,
	page adsapi.OperationPage) ([]state.OperationOutcome, RetrySet, error) {
	outcomes, g := outcomesOf(step, page)
	if id, n := strangerIn(step, page); n > 0 {
		a.Tell("bulk job %s gave %d results for operations that were not in it, the first for %q; they "+
			"were passed over, so look in the ad manager for what they made", step.JobID, n, diag.Printable(id))
	}
	return outcomes, g, a.noteRepeats(ctx, step, outcomes)
}

// strangerIn returns the first result for an operation that the step does not hold,
// and how many there are.
func strangerIn(step state.Step, page adsapi.OperationPage) (first string, n int) {
	sent := make(map[string]bool, len(step.Operations))
	for _, o := range step.Operations {
		sent[o.ID] = true
	}
	for _, result := range page.Results {
		if sent[result.OperationID] {
			continue
		}
		if n++; n == 1 {
			first = result.OperationID
		}
	}
	return first, n
}

// outcomesOf reads the results of a complete listing, in the order of the
// step's operations, and what of it may go again. A result for an operation that
// was never sent is nobody's.
func outcomesOf(step state.Step, page adsapi.OperationPage) (outcomes []state.OperationOutcome, g RetrySet) {
	results := byOperation(page)
	outcomes = make([]state.OperationOutcome, len(step.Operations))
	for i, operation := range step.Operations {
		result, ok := results[operation.ID]
		if !ok {
			outcomes[i] = state.OperationOutcome{
				Address: operation.Address, ResourceID: operation.ResourceID, Outcome: state.OutcomeUnknown,
				Code: string(diag.OutcomeUnknown), Message: "the job gave no result for it" + jobError(page),
			}
		} else {
			outcomes[i] = outcomeOf(operation, result)
		}
		if outcomes[i].Outcome == state.OutcomeSkipped && page.Error != nil {
			outcomes[i].Code, outcomes[i].Message = string(diag.ServiceUnavailable),
				"not run, as its job failed"+jobError(page)
		}
		switch o := outcomes[i]; {
		case InConflict(o.Code): // the same bytes meet the same answer
		case o.Outcome == state.OutcomeUnknown, o.Outcome == state.OutcomeFailed && result.Retryable == nil:
			g.Add(o.Address, true, RetryWait(result))
		case o.Outcome == state.OutcomeFailed && *result.Retryable:
			g.Add(o.Address, false, RetryWait(result))
		}
	}
	return outcomes, g
}

// byOperation returns the result of every operation. Two that contradict each
// other are no result.
func byOperation(page adsapi.OperationPage) map[string]adsapi.OperationResult {
	results := make(map[string]adsapi.OperationResult, len(page.Results))
	for _, result := range page.Results {
		if other, twice := results[result.OperationID]; twice &&
			(other.Status != result.Status || Text(other.ResourceID) != Text(result.ResourceID)) {
			result.Status = "given twice, and not alike"
		}
		results[result.OperationID] = result
	}
	return results
}

func jobError(page adsapi.OperationPage) string {
	if page.Error == nil {
		return ""
	}
	return ": " + diag.Printable(*page.Error)
}

func RetryWait(result adsapi.OperationResult) time.Duration {
	if result.RetryAfterSeconds == nil || *result.RetryAfterSeconds < 1 {
		return time.Second
	}
	if *result.RetryAfterSeconds > int64(longestWait/time.Second) {
		return longestWait
	}
	return time.Duration(*result.RetryAfterSeconds) * time.Second
}

func outcomeOf(operation state.Operation, result adsapi.OperationResult) state.OperationOutcome {
	o := state.OperationOutcome{Address: operation.Address, ResourceID: operation.ResourceID}
	if result.ResourceID != nil && *result.ResourceID != "" {
		o.ResourceID = *result.ResourceID
	}
	switch result.Status {
	case "created", "updated":
		o.Outcome, o.Answered = state.OutcomeApplied, true
		o.Made = result.Status == "created" && operation.Action != wire.ActionRepeat
		if o.ResourceID == "" {
			o.Outcome, o.Code, o.Message = state.OutcomeUnknown,
				string(diag.OutcomeUnknown), "the job says created and gives no id"
		}
	case "failed":
		o.Outcome, o.Code, o.Message = state.OutcomeFailed, Text(result.ErrorCode), diag.Printable(Text(result.Error))
		o.Final = result.Retryable == nil || !*result.Retryable
		if conflict := conflictIn(operation, o.Code, o.Message); conflict != "" {
			o.Outcome, o.Code, o.Final = state.OutcomeUnknown, string(conflict), false
		}
	case "skipped":
		o.Outcome, o.Code, o.Message = state.OutcomeSkipped,
			string(diag.OperationSkipped), "not run, as an operation before it failed"
	default:
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown,
			string(diag.OutcomeUnknown), fmt.Sprintf("the job's result is %q; want created, updated, failed or skipped",
				diag.Printable(result.Status))
	}
	return o
}

func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
