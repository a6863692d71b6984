package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"

	"golang.org/x/sync/errgroup"
)

// maxSingles is how many single requests are under way at once.
const maxSingles = 8

// singleRequests sends the parts of a run as single requests.
type singleRequests struct {
	*env.Env
	*run
	*parts
	*send.Singles
	*live.Lists
}

// runSingles sends one request a part: side by side, and then, one by one, those
// that name a revision.
func (r *singleRequests) runSingles(ctx context.Context, wave string, parts []wire.Part) error {
	plain, revised := r.splitRevised(parts)
	if err := r.sendSingles(ctx, wave, plain); err != nil {
		return err
	}
	for _, p := range revised {
		if err := r.world.sendRevised(ctx, wave, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *singleRequests) sendSingles(ctx context.Context, wave string, parts []wire.Part) error {
	steps, sent, err := r.singleSteps(ctx, wave, r.withoutSuperseded(parts))
	if err != nil || len(steps) == 0 {
		return err
	}
	return r.world.sendSteps(ctx, wave, steps, sent)
}

// sendSteps journals the requests of parts, and sends them side by side.
func (r *carryOut) sendSteps(ctx context.Context, wave string, steps []state.Step, parts []wire.Part) error {
	if err := r.Store.Begin(ctx, steps...); err != nil {
		return fmt.Errorf("journal wave %s: %w", wave, err)
	}
	outcomes := make([]state.OperationOutcome, len(steps))
	var g errgroup.Group // one that fails does not cut the others off, but nothing is sent after it
	var stopped atomic.Bool
	g.SetLimit(maxSingles)
	for i := range steps {
		g.Go(func() (err error) {
			defer r.Catch()
			if stopped.Load() || ctx.Err() != nil || r.Breaks.Broke() != nil {
				return ctx.Err() // it stays at intent: never sent
			}
			outcomes[i], err = r.RunSingle(ctx, steps[i])
			if err != nil {
				stopped.Store(true)
			}
			return err
		})
	}
	err := g.Wait()
	r.Waited()
	for i, o := range outcomes {
		if o.Outcome != "" {
			r.setOutcome(parts[i], o)
		}
	}
	return err
}

// singleSteps encodes the requests. A part that cannot be said, such as an ad
// whose image was not uploaded, fails alone.
func (r *singleRequests) singleSteps(ctx context.Context,
	wave string, parts []wire.Part) (steps []state.Step, sent []wire.Part, err error) {
	keys, err := r.createKeys(ctx, parts)
	if err != nil {
		return nil, nil, err
	}
	unmade, err := r.Store.NotCreated(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range parts {
		address := p.Change.Address
		step, err := r.singleStep(wave, p, keys[address])
		// it went with other bytes
		if before := unmade[address]; err == nil &&
			p.Create && before.Key == keys[address] && before.Sum != wire.SingleSum(step) {
			if keys[address], err = r.nextKey(ctx, address); err != nil {
				return nil, nil, err
			}
			step, err = r.singleStep(wave, p, keys[address])
		}
		if err != nil {
			r.setOutcome(p, state.OperationOutcome{
				Address: p.Change.Address, Outcome: state.OutcomeFailed,
				Code: string(diag.OperationFailed), Message: err.Error(),
			})
			continue
		}
		steps, sent = append(steps, step), append(sent, p)
	}
	return steps, sent, nil
}

func (r *singleRequests) singleStep(wave string, p wire.Part, key string) (state.Step, error) {
	schema, call := r.Schemas.Of(p.Change.Address.Kind), wire.CallOf(r.Schemas, p)
	id := r.ids[p.Change.Address]
	path, err := adsapi.JoinPath(call.At(id)...)
	if err != nil {
		return state.Step{}, err
	}
	if !p.Create {
		if only := wire.BeyondSingle(r.Schemas, p); len(only) > 0 {
			return state.Step{}, r.onlyInJobs(only)
		}
		body, err := r.encoder().SingleUpdate(p, call, id, r.recordOf(id))
		if err != nil {
			return state.Step{}, err
		}
		return r.withOperation(r.step(wave, state.Single, path, "", body), p, ""), nil
	}
	p = p.Postpone(append(wire.BeyondSingle(r.Schemas, p), r.withoutInline(p)...))
	if schema.Calls.Keyless {
		key = ""
	}
	body, err := r.encoder().SingleCreate(p, call, r.ids[r.Schemas.Parent(p.Change.Address)])
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

func (r *run) withOperation(step state.Step, p wire.Part, key string) state.Step {
	step.Operations = []state.Operation{r.operation(p, "", key)}
	return step
}

// whyAlone returns why no job carries a part.
func (r *singleRequests) whyAlone(p wire.Part) string {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	switch {
	case schema.Bulk.Create == "" && schema.Bulk.Update == "":
		return "jobs do not carry this kind"
	case !r.caps[resource.BulkJobs]:
		return "the account has no bulk jobs"
	case !p.Create:
		return unsayable(r.unsaidOnUpdate(p), "it is too large for a job")
	}
	parent := r.byAddr[r.Schemas.Parent(p.Change.Address)]
	if names := r.unsaidOnCreate(p); len(names) > 0 {
		return unsayable(names, "")
	}
	switch {
	case parent == nil || !wire.IsNew(parent):
		return "its parent is there already: a job creates a child only with its parent"
	case !r.mayRepeat():
		return "its parent is in no job with room, and is not to be repeated"
	}
	return "its parent goes alone, or it is too large for a job"
}

func (r *singleRequests) unsaidOnUpdate(p wire.Part) []string {
	e := r.encoder()
	var names []string
	for _, f := range p.Fields {
		if !e.OnUpdate(p.Change.Address, f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func (r *singleRequests) unsaidOnCreate(p wire.Part) []string {
	e := r.encoder()
	var names []string
	for _, f := range p.Fields {
		if e.OnCreate(p.Change.Address, f, r.caps) == wire.SingleOnly {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

func unsayable(names []string, otherwise string) string {
	if len(names) == 0 {
		return otherwise
	}
	return "jobs cannot say " + strings.Join(names, ", ")
}

// splitRevised returns the writes that name a revision from the others: each of
// them makes the revision of the next one stale.
func (r *singleRequests) splitRevised(parts []wire.Part) (plain, revised []wire.Part) {
	for _, p := range parts {
		if wire.CallOf(r.Schemas, p).Revision != "" {
			revised = append(revised, p)
			continue
		}
		plain = append(plain, p)
	}
	return plain, revised
}

// sendRevised sends a write that names a revision (interface, part 4, spend limit
// rule 8). Revision and live values come from one answer, right before the write:
// what moved since the plan is not overwritten, and a write that comes too late is
// refused, never repeated.
func (r *carryOut) sendRevised(ctx context.Context, wave string, p wire.Part) error {
	reader := r.Reader()
	revision, err := reader.Revision(ctx, r.Schemas.Of(p.Change.Address.Kind))
	if err != nil {
		return fmt.Errorf("read the revision for %s: %w", p.Change.Address, err)
	}
	p.Revision = revision
	if fresh, err := r.stillAsPlanned(ctx, reader, p); err != nil || !fresh {
		return err
	}
	if err := r.sendSingles(ctx, wave, []wire.Part{p}); err != nil {
		return err
	}
	return r.blameRevision(ctx, p)
}

// blameRevision looks why a write was refused for good: a refusal need not say in words
// that the revision it names is stale (interface, part 7: neither the status of a
// conflict nor the shape of an error is shown). Where somebody has moved it, or that
// cannot be read, the same may pass at another moment.
func (r *singleRequests) blameRevision(ctx context.Context, p wire.Part) error {
	s := r.progressOf[p.Change.Address]
	if !s.final {
		return nil
	}
	revision, err := r.Reader().Revision(ctx, r.Schemas.Of(p.Change.Address.Kind))
	switch {
	case err != nil && env.Stops(err):
		return fmt.Errorf("read the revision after %s was refused: %w", p.Change.Address, err)
	case err == nil && revision == p.Revision:
		return nil
	}
	s.final = false
	s.message += "; somebody else is changing the limits: plan again"
	return nil
}

// stillAsPlanned reports whether the live values of a part are those of its plan, or
// leaves the part out.
func (r *singleRequests) stillAsPlanned(ctx context.Context, reader *live.Reader, p wire.Part) (bool, error) {
	id := r.ids[p.Change.Address]
	if p.Create || id == "" {
		return true, nil
	}
	schema := r.Schemas.Of(p.Change.Address.Kind)
	record, err := reader.One(ctx, schema, id, nil)
	if err != nil {
		r.skip(p.Change.Address, fmt.Sprintf("cannot be read right before the change: %s; plan again", err))
		return false, nil
	}
	r.view.Live.Records[id] = record
	live, err := wire.Decoder{Zone: r.Zone}.Decode(schema, record)
	if err != nil {
		return false, err
	}
	if f, moved := movedField(p, live); moved {
		r.skipMoved(p, f, live)
		return false, nil
	}
	return true, nil
}

// ownCalls parts what one update cannot say: a field whose value has a call of
// its own goes alone.
func (r *singleRequests) ownCalls(parts []wire.Part) []wire.Part {
	var split []wire.Part
	for _, p := range parts {
		schema := r.Schemas.Of(p.Change.Address.Kind)
		rest := p
		rest.Fields = nil
		for _, f := range p.Fields {
			if p.Create || schema.CallOf(f.Name, f.Desired) == nil {
				rest.Fields = append(rest.Fields, f)
				continue
			}
			alone := p
			alone.Fields = []plan.Field{f}
			split = append(split, alone)
		}
		if len(rest.Fields) > 0 || len(p.Fields) == 0 {
			split = append(split, rest)
		}
	}
	return split
}
