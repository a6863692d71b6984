package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"

	"golang.org/x/sync/errgroup"
)

// maxSingles is how many single requests are under way at once.
const maxSingles = 8

// singleRequests sends the parts of a run as single requests.
type singleRequests struct {
	*Env
	*run
	*parts
	*singles
	*lists
}

// runSingles sends one request a part: side by side, and then, one by one, those
// that name a revision.
func (r *singleRequests) runSingles(ctx context.Context, wave string, parts []part) error {
	plain, revised := r.splitRevised(parts)
	if err := r.sendSingles(ctx, wave, plain); err != nil {
		return err
	}
	return r.runRevised(ctx, wave, revised)
}

func (r *singleRequests) sendSingles(ctx context.Context, wave string, parts []part) error {
	steps, sent, err := r.singleSteps(ctx, wave, r.withoutSuperseded(parts))
	if err != nil || len(steps) == 0 {
		return err
	}
	if r.forecast != nil {
		r.predictSteps(wave, steps, sent)
		return nil
	}
	if err := r.Store.Begin(ctx, steps...); err != nil {
		return fmt.Errorf("journal wave %s: %w", wave, err)
	}
	outcomes := make([]opOutcome, len(steps))
	var g errgroup.Group // one that fails does not cut the others off, but nothing is sent after it
	var stopped atomic.Bool
	g.SetLimit(maxSingles)
	for i := range steps {
		g.Go(func() (err error) {
			defer r.crash()
			if stopped.Load() || ctx.Err() != nil || r.Breaks.broke() != nil {
				return ctx.Err() // it stays at intent: never sent
			}
			outcomes[i], err = r.runSingle(ctx, steps[i])
			if err != nil {
				stopped.Store(true)
			}
			return err
		})
	}
	err = g.Wait()
	r.waited()
	for i, o := range outcomes {
		if o.Outcome != "" {
			r.setOutcome(sent[i], o)
		}
	}
	return err
}

// singleSteps encodes the requests. A part that cannot be said, such as an ad
// whose image was not uploaded, fails alone.
func (r *singleRequests) singleSteps(ctx context.Context,
	wave string, parts []part) (steps []state.Step, sent []part, err error) {
	keys, err := r.createKeys(ctx, parts)
	if err != nil {
		return nil, nil, err
	}
	unmade, err := r.Store.NotCreated(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range parts {
		address := p.change.Address
		step, err := r.singleStep(wave, p, keys[address])
		// it went with other bytes
		if before := unmade[address]; err == nil &&
			p.create && before.Key == keys[address] && before.Sum != singleSum(step) {
			if keys[address], err = r.nextKey(ctx, address); err != nil {
				return nil, nil, err
			}
			step, err = r.singleStep(wave, p, keys[address])
		}
		if err != nil {
			r.setOutcome(p, opOutcome{
				Address: p.change.Address, Outcome: state.OutcomeFailed,
				Code: string(diag.OperationFailed), Message: err.Error(),
			})
			continue
		}
		steps, sent = append(steps, step), append(sent, p)
	}
	return steps, sent, nil
}

func (r *singleRequests) singleStep(wave string, p part, key string) (state.Step, error) {
	schema, call := r.Schemas.Of(p.change.Address.Kind), callOf(r.Schemas, p)
	id := r.ids[p.change.Address]
	path, err := adsapi.JoinPath(call.At(id)...)
	if err != nil {
		return state.Step{}, err
	}
	if !p.create {
		if only := beyondSingle(r.Schemas, p); len(only) > 0 {
			return state.Step{}, r.onlyInJobs(only)
		}
		body, err := r.encoder().singleUpdate(p, call, id, r.recordOf(id))
		if err != nil {
			return state.Step{}, err
		}
		return r.withOperation(r.step(wave, state.Single, path, "", body), p, ""), nil
	}
	p = p.postpone(append(beyondSingle(r.Schemas, p), r.withoutInline(p)...))
	if schema.Calls.Keyless {
		key = ""
	}
	body, err := r.encoder().singleCreate(p, call, r.ids[r.Schemas.Parent(p.change.Address)])
	if err != nil {
		return state.Step{}, err
	}
	return r.withOperation(r.step(wave, state.Single, path, key, body), p, key), nil
}

// onlyInJobs says why what jobs alone can say cannot go.
func (r *singleRequests) onlyInJobs(names []string) error {
	why := "it is too large for one"
	if !r.caps[resource.BulkJobs] {
		why = "the account has none"
	}
	return fmt.Errorf("%s: only a bulk job can say it, and %s", strings.Join(names, ", "), why)
}

// recordOf is the live record of an id, an empty one where none was read.
func (r *run) recordOf(id string) json.RawMessage {
	if record, ok := r.view.Live.Records[id]; ok {
		return record.JSON
	}
	return json.RawMessage("{}")
}

func (r *run) withOperation(step state.Step, p part, key string) state.Step {
	step.Operations = []state.Operation{r.operation(p, "", key)}
	return step
}

// singles sends one request whose intent is in the journal.
type singles struct {
	*Env
	*lists
	*requests
	*finisher
	*keyring
	*members
}

// runSingle sends one request whose intent is in the journal.
func (r *singles) runSingle(ctx context.Context, step state.Step) (opOutcome, error) {
	ctx, done, err := r.beginRequest(ctx, step)
	if err != nil {
		return opOutcome{}, err
	}
	defer done()
	record, err := r.mutate(ctx, step)
	if went, failure := r.resumeStopped(ctx, step, err); failure != nil {
		err = failure
	} else if went {
		record, err = r.mutate(ctx, step)
	}
	return r.singleDone(context.WithoutCancel(ctx), step, record.ID, err)
}

// singleDone records what became of a single request.
func (r *singles) singleDone(ctx context.Context, step state.Step, id string, failure error) (opOutcome, error) {
	operation := step.Operations[0]
	o := opOutcome{Address: operation.Address, ResourceID: operation.ResourceID, Outcome: state.OutcomeApplied}
	switch {
	case failure == nil && id == "" && operation.ResourceID == "":
		found, err := r.madeWithoutID(ctx, operation)
		if err != nil || found.Outcome != state.OutcomeApplied {
			return found, errors.Join(err, r.move(ctx, step, state.Unknown, found))
		}
		o = found
	case failure == nil:
		o.ResourceID = cmp.Or(operation.ResourceID, id)
		o.Answered, o.Made = true, operation.ResourceID == ""
	case conflictOf(operation, failure) != "": // nothing goes under another key before it is known what it means
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(conflictOf(operation, failure)), failure.Error()
		return o, r.move(ctx, step, state.Unknown, o)
	case adsapi.AppliedOf(failure) == adsapi.Unknown:
		o.Outcome, o.Code, o.Message = state.OutcomeUnknown, string(diag.OutcomeUnknown), failure.Error()
		return o, r.move(ctx, step, state.Unknown, o)
	default:
		o = neverApplied(o, failure)
	}
	if o.Outcome != state.OutcomeApplied {
		return o, r.refused(ctx, step, o, failure)
	}
	return o, r.finish(ctx, step, []opOutcome{o})
}

// refused closes a request the service surely did not carry out. What went under
// its key is noted first, so that the key is never used for other bytes.
func (r *singles) refused(ctx context.Context, step state.Step, o opOutcome, failure error) error {
	if err := r.recordReusableKey(ctx, step); err != nil {
		return err
	}
	if err := r.move(ctx, step, state.Abandoned, o); err != nil {
		return err
	}
	if r.oneKindOnly(step.Operations[0], failure) {
		return nil
	}
	return stopping(failure)
}

func (r *members) move(ctx context.Context, step state.Step, to state.Point, o opOutcome) error {
	if err := r.Store.Move(ctx, step.ID, to, state.Update{Outcomes: []opOutcome{o}, Note: o.Message}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}
