package send

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// RetrySet is which operations of a job may go once more, and after what wait: those
// the service calls retryable, at most maxReruns times; and, once, those of which
// it does not say so or gave no result.
type RetrySet struct {
	retryable map[resource.Address]bool
	unknown   map[resource.Address]bool
	wait      time.Duration
}

func (g RetrySet) None() bool { return len(g.retryable)+len(g.unknown) == 0 }

func (g *RetrySet) Add(address resource.Address, unclear bool, wait time.Duration) {
	g.wait = max(g.wait, wait)
	which := &g.retryable
	if unclear {
		which = &g.unknown
	}
	if *which == nil {
		*which = map[resource.Address]bool{}
	}
	(*which)[address] = true
}

// Retries decides which operations of a job go once more.
type Retries struct {
	*env.Env
	*live.Lists
	*Keyring
	*Finisher
}

// WaitBeforeRetry is the wait before a job goes again: what it created, or may have, must
// be known by its key by then, or it is made a second time. A create that surely
// failed has no key to be known.
func (a *Retries) WaitBeforeRetry(step state.Step, outcomes []state.OperationOutcome, g RetrySet) time.Duration {
	for i, o := range outcomesIn(step, outcomes) {
		operation := step.Operations[i]
		madeNothing := o.Outcome == state.OutcomeFailed || o.Outcome == state.OutcomeSkipped
		if operation.Action == wire.ActionRepeat || wire.Keyed(operation) && (!madeNothing || g.unknown[o.Address]) {
			return max(g.wait, a.Service.KeyLag())
		}
	}
	return g.wait
}

// WithoutRetried leaves out what stays unclear after it has gone again.
func (g RetrySet) WithoutRetried(before RetrySet) RetrySet {
	left := RetrySet{retryable: g.retryable, wait: g.wait}
	for address := range g.unknown {
		if !before.unknown[address] {
			left.Add(address, true, g.wait)
		}
	}
	return left
}

// LookForLost reads back what of a job's lost results can be found out without
// sending anything again.
func (a *Retries) LookForLost(ctx context.Context, step state.Step,
	outcomes []state.OperationOutcome, g RetrySet) ([]state.OperationOutcome, RetrySet, error) {
	outcomes, g, err := a.lookForUpdates(ctx, step, outcomes, g)
	if err != nil {
		return outcomes, g, err
	}
	return a.inferLostCreates(ctx, step, outcomes, g)
}

// lookForUpdates reads back the updates of which nothing is known: they carry no
// key, and going again could undo what somebody did since. A create carries its
// key, which asks for itself.
func (a *Retries) lookForUpdates(ctx context.Context,
	step state.Step, outcomes []state.OperationOutcome, g RetrySet) ([]state.OperationOutcome, RetrySet, error) {
	var asked []int
	var expected []live.Expectation
	for i, o := range outcomes {
		if !g.unknown[o.Address] {
			continue
		}
		if operation := operationAt(step, o.Address); operation.Key == "" {
			asked = append(asked, i)
			expected = append(expected, live.Expectation{
				Address: o.Address, ID: operation.ResourceID, Sent: operation.Set,
			})
		}
	}
	if len(asked) == 0 {
		return outcomes, g, nil
	}
	there, err := a.shown(ctx, expected)
	if err != nil {
		return outcomes, g, fmt.Errorf("look for what a job did: %w", err)
	}
	outcomes = slices.Clone(outcomes)
	for n, i := range asked {
		o := &outcomes[i]
		if lost := o.Outcome == state.OutcomeUnknown; there[n] || lost {
			delete(g.unknown, o.Address)
		}
		switch {
		case there[n]:
			o.Outcome, o.Code, o.Message, o.Final = state.OutcomeApplied, "", "", false
		case o.Outcome == state.OutcomeUnknown:
			o.Outcome, o.Message = state.OutcomeFailed, o.Message+", and reading back shows nothing of it"
		}
	}
	return outcomes, g, nil
}

// shown says of each update whether the service shows it.
func (a *Retries) shown(ctx context.Context, expected []live.Expectation) ([]bool, error) {
	records, _, err := a.ReadAll(ctx, expected)
	if err != nil {
		return nil, err
	}
	d, err := a.Decoder(ctx)
	if err != nil {
		return nil, err
	}
	there := make([]bool, len(expected))
	for i, e := range expected {
		record, found := records[e.ID]
		if !found {
			continue
		}
		schema := a.Schemas.Of(e.Address.Kind)
		shown, err := d.Decode(schema, record)
		if err != nil {
			return nil, err
		}
		_, differs := live.Compare(schema, e, shown)
		there[i] = len(differs) == 0 && !live.Hides(schema, e.Sent)
	}
	return there, nil
}

// Repetition is a step of its own under a new job key. With creates in it the
// body is the same, so that what succeeded is reused (interface, part 4, bulk
// rule 10): of a create that is known, another one is a duplicate, and nothing
// beneath that is of the tree. Updates have no keys to be reused by: only those
// that failed go again, so that nothing somebody did since to the others is
// undone.
func (a *Retries) Repetition(ctx context.Context, step state.Step,
	n int, outcomes []state.OperationOutcome, g RetrySet) (state.Step, error) {
	key, err := a.JobKey(ctx, "job")
	if err != nil {
		return step, err
	}
	step.ID, step.Key, step.JobID, step.Point, step.SentAt = fmt.Sprintf("%s+%d", step.ID, n), key, "", "", time.Time{}
	if slices.ContainsFunc(step.Operations, func(o state.Operation) bool { return o.Key != "" }) {
		step.Operations = slices.Clone(step.Operations)
		for i, known := range outcomesIn(step, outcomes) {
			if o := &step.Operations[i]; wire.Keyed(*o) && known.Outcome == state.OutcomeApplied {
				o.Action, o.ResourceID = wire.ActionRepeat, known.ResourceID
			}
		}
		return step, nil
	}
	return only(step, func(o state.Operation) bool { return g.retryable[o.Address] || g.unknown[o.Address] })
}

// only leaves some operations in a step of updates, each byte for byte.
func only(step state.Step, goes func(state.Operation) bool) (state.Step, error) {
	var body wire.JobBody
	if err := json.Unmarshal(step.Body, &body); err != nil {
		return step, fmt.Errorf("read the body of %s: %w", step.ID, err)
	}
	if len(body.Operations) != len(step.Operations) {
		return step, fmt.Errorf("%s has %d operations and its body %d",
			step.ID, len(step.Operations), len(body.Operations))
	}
	var operations []state.Operation
	var raw []json.RawMessage
	for i, o := range step.Operations {
		if goes(o) {
			operations, raw = append(operations, o), append(raw, body.Operations[i])
		}
	}
	body.Operations, step.Operations = raw, operations
	content, err := json.Marshal(body)
	step.Body = content
	return step, err
}

// RepetitionRefused ends a repetition the service did not take.
func (a *Retries) RepetitionRefused(ctx context.Context, step state.Step, refusal error) error {
	if err := a.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: refusal.Error()}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	if env.Stops(refusal) {
		return refusal
	}
	return nil
}

// FinishEarlier ends the attempts that waited for results a later one gave.
func (a *Retries) FinishEarlier(ctx context.Context, attempts []state.Step, outcomes []state.OperationOutcome) error {
	ids := make([]string, len(attempts))
	for i, s := range attempts {
		ids[i] = s.ID
	}
	open, err := a.Store.Open(ctx, ids...)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for _, step := range open {
		if step.Point != state.Terminal && step.Point != state.Unknown {
			continue
		}
		if err := a.Finish(ctx, step, outcomesIn(step, outcomes)); err != nil {
			return err
		}
	}
	return nil
}

// outcomesIn returns the outcomes of a step in the order of its operations.
func outcomesIn(step state.Step, outcomes []state.OperationOutcome) []state.OperationOutcome {
	byAddress := make(map[resource.Address]state.OperationOutcome, len(outcomes))
	for _, o := range outcomes {
		byAddress[o.Address] = o
	}
	own := make([]state.OperationOutcome, len(step.Operations))
	for i, operation := range step.Operations {
		own[i] = byAddress[operation.Address]
	}
	return own
}

func operationAt(step state.Step, address resource.Address) state.Operation {
	i := slices.IndexFunc(step.Operations, func(o state.Operation) bool { return o.Address == address })
	return step.Operations[i]
}

// Better joins the outcomes of a job with those of its repetition, which may be
// of a part of it: what was applied stays, and what was unknown is known only by
// a result.
func Better(earlier, later []state.OperationOutcome) []state.OperationOutcome {
	repeated := make(map[resource.Address]state.OperationOutcome, len(later))
	for _, o := range later {
		repeated[o.Address] = o
	}
	joined := slices.Clone(earlier)
	for i, before := range earlier {
		after, went := repeated[before.Address]
		known := after.Outcome == state.OutcomeApplied || after.Outcome == state.OutcomeFailed
		if went && before.Outcome != state.OutcomeApplied && (known || before.Outcome != state.OutcomeUnknown) {
			joined[i] = after
		}
	}
	return joined
}

func AnyUnknown(outcomes []state.OperationOutcome) bool {
	return slices.ContainsFunc(outcomes, func(o state.OperationOutcome) bool {
		return o.Outcome == state.OutcomeUnknown
	})
}
