package apply

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// mostRefusals is how many jobs of a run may be refused whole before nobody looks
// for the operations that are to blame any more. One bad operation of a thousand
// is found with eleven.
const mostRefusals = 64

// jobRefused splits a job the service surely did not take until what it refuses
// stands alone. Its creates keep their keys for the same bytes (keys.go).
func (r *jobs) jobRefused(ctx context.Context, step state.Step,
	b wire.Batch, refusal error) ([]state.OperationOutcome, error) {
	general := env.Stops(refusal) || errors.Is(refusal, adsapi.ErrNotFound)
	if general || len(b) == 1 || r.refusedWhole.Add(1) > mostRefusals {
		return r.refusedForGood(ctx, step, b, refusal)
	}
	if err := r.recordReusableCreates(ctx, step); err != nil { // the run may end before every part has gone
		return nil, err
	}
	parted := halves(r.parts, b)
	if len(parted) == 1 {
		front, err := r.splitRefused(ctx, b)
		if err != nil {
			return nil, err
		}
		parted = front
	}
	if err := r.abandoned(ctx, step, refusal); err != nil {
		return nil, err
	}
	var outcomes []state.OperationOutcome
	for _, half := range parted {
		halfStep, err := r.splitStep(ctx, step, half)
		if err != nil {
			return outcomes, err
		}
		part, err := r.runJob(ctx, halfStep, half, send.Turn{})
		outcomes = append(outcomes, part...)
		if err != nil {
			return outcomes, err
		}
	}
	return outcomes, nil
}

// refusedForGood ends a job that is not split any further. It made nothing: its
// creates keep their keys for the same bytes (keys.go).
func (r *jobs) refusedForGood(ctx context.Context,
	step state.Step, b wire.Batch, refusal error) ([]state.OperationOutcome, error) {
	if err := r.recordReusableCreates(ctx, step); err != nil {
		return nil, err
	}
	if err := r.abandoned(ctx, step, refusal); err != nil {
		return nil, err
	}
	if errors.Is(refusal, adsapi.ErrNotFound) {
		return failAll(b, refusal), r.withoutBulk(ctx, refusal)
	}
	return failAll(b, refusal), env.Stopping(refusal)
}

// recordReusableCreates notes what went under the keys of a refused job's creates.
func (r *jobs) recordReusableCreates(ctx context.Context, step state.Step) error {
	creates := slices.DeleteFunc(slices.Clone(step.Operations), func(o state.Operation) bool { return !wire.Keyed(o) })
	if err := r.RecordReusableKeys(ctx, step, creates); err != nil {
		return fmt.Errorf("journal the refused creates: %w", err)
	}
	return nil
}

func (r *jobs) abandoned(ctx context.Context, step state.Step, refusal error) error {
	if err := r.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: refusal.Error()}); err != nil {
		return fmt.Errorf("journal %s: %w", step.ID, err)
	}
	return nil
}

// withoutBulk remembers that the account has no bulk jobs any more: the next
// apply takes single requests.
func (r *jobs) withoutBulk(ctx context.Context, refusal error) error {
	if err := r.Store.RecordCapability(ctx, resource.BulkJobs, false); err != nil {
		return err
	}
	return fmt.Errorf("bulk jobs are not there any more; the next apply takes single requests: %w", refusal)
}

func (r *jobs) splitStep(ctx context.Context, step state.Step, b wire.Batch) (state.Step, error) {
	body, err := b.Body(false)
	if err != nil {
		return state.Step{}, fmt.Errorf("encode a job: %w", err)
	}
	key, err := r.JobKey(ctx, "job")
	if err != nil {
		return state.Step{}, err
	}
	byAddress := make(map[resource.Address]state.Operation, len(step.Operations))
	for _, o := range step.Operations {
		byAddress[o.Address] = o
	}
	step.ID, step.Key, step.Body, step.Operations = step.ID+"/"+b[0].ID, key, body, nil
	for _, p := range b {
		step.Operations = append(step.Operations, byAddress[p.Part.Change.Address])
	}
	return step, nil
}

// halves cuts a batch in two without parting a tree from its root, where that
// can be.
func halves(r *parts, b wire.Batch) []wire.Batch {
	isCut := func(i int) bool { return !b[i].Part.Create || r.isRoot(b[i].Part.Change) }
	middle := len(b) / 2
	for cut := middle; cut < len(b); cut++ {
		if isCut(cut) {
			return []wire.Batch{b[:cut:cut], b[cut:]}
		}
	}
	for cut := middle; cut > 0; cut-- {
		if isCut(cut) {
			return []wire.Batch{b[:cut:cut], b[cut:]}
		}
	}
	return []wire.Batch{b}
}

// splitRefused parts a tree that was refused whole: the front half, in which every child
// has its parent, is a job again, and the rest is left to single requests, which
// each say what is wrong with them.
func (r *jobs) splitRefused(ctx context.Context, b wire.Batch) ([]wire.Batch, error) {
	front, rest := b[:len(b)/2:len(b)/2], b[len(b)/2:]
	if err := r.Store.Advance(ctx, r.alone(rest)); err != nil { // a single request is other bytes, under another key
		return nil, fmt.Errorf("journal the refused creates: %w", err)
	}
	if !slices.ContainsFunc(front, wire.Packed.IsNew) {
		return nil, nil
	}
	return []wire.Batch{front}, nil
}

// alone notes what of a batch is new for single requests, and gives their addresses.
func (r *jobs) alone(b wire.Batch) (addresses []resource.Address) {
	r.piecesMu.Lock()
	defer r.piecesMu.Unlock()
	for _, p := range b {
		if p.IsNew() {
			addresses, r.refusedPieces = append(addresses, p.Part.Change.Address), append(r.refusedPieces, p.Part)
		}
	}
	return addresses
}

// sendRefusedPieces leaves to single requests what of refused trees is not in a job. They go
// under other keys, so what has the name beneath the parent by now, and is not this
// run's, is another writer's under the key of before: it is not made twice.
func (r *creationWaves) sendRefusedPieces(ctx context.Context, c *creation) error {
	own := make(map[string]bool, len(r.ids))
	for _, id := range r.ids {
		own[id] = true
	}
	children := map[string][]*resource.Resource{} // by parent
	for _, p := range r.refusedPieces {
		schema, parentID := r.Schemas.Of(p.Change.Address.Kind), r.ids[r.Schemas.Parent(p.Change.Address)]
		if parentID == "" { // it is made after this, and holds nothing yet
			r.recount(c, p)
			continue
		}
		if _, listed := children[parentID]; !listed {
			shown, err := r.childrenOf(ctx, schema, parentID)
			if err != nil {
				return fmt.Errorf("look for %s: %w", p.Change.Address, err)
			}
			children[parentID] = shown
		}
		other := slices.IndexFunc(children[parentID], func(child *resource.Resource) bool {
			return !own[child.ID] && live.SameName(schema, p.Set(), child)
		})
		if other < 0 {
			r.recount(c, p)
			continue
		}
		r.skip(p.Change.Address, fmt.Sprintf("waits: another writer "+
			"made %s with this name during this apply; the next plan compares the two", children[parentID][other].ID))
	}
	r.refusedPieces = nil
	return nil
}

// childrenOf lists what stands beneath a parent and is not archived; nothing where the
// service has no such list.
func (r *creationWaves) childrenOf(ctx context.Context, schema *resource.Schema,
	parentID string) (children []*resource.Resource, err error) {
	query := url.Values{}
	if schema.ParentWire != "" {
		query.Set(schema.ParentWire, parentID)
	}
	for record, err := range r.Reader().List(ctx, schema, query) {
		switch err = live.UnlistedBeneath(schema, err); {
		case errors.Is(err, live.ErrUnlisted):
			return nil, nil
		case err != nil:
			return nil, err
		}
		child, err := wire.Decoder{Zone: r.Zone}.Decode(schema, record)
		if err != nil {
			return nil, err
		}
		if !schema.Removed(child) && (child.ParentID == "" || child.ParentID == parentID) {
			children = append(children, child)
		}
	}
	return children, nil
}

func failAll(b wire.Batch, err error) []state.OperationOutcome {
	outcomes := make([]state.OperationOutcome, len(b))
	for i, p := range b {
		outcomes[i] = env.NeverApplied(state.OperationOutcome{Address: p.Part.Change.Address}, err)
		if len(b) > 1 && outcomes[i].Outcome == state.OutcomeFailed {
			outcomes[i].Final = false // it may be another's fault
			outcomes[i].Message = fmt.Sprintf("refused in a job of %d operations: %s", len(b), outcomes[i].Message)
		}
	}
	return outcomes
}
