package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// creation is how the creates of a run reach the service.
type creation struct {
	jobs     []wire.Batch
	tails    []wire.Batch // what of the largest trees repeats its parents, after the jobs
	singles  []wire.Part
	waiting  []resource.Address        // what an earlier step on it keeps from being created
	followUp map[*plan.Change][]string // fields the create could not say
	keys     map[resource.Address]string
	unmade   map[resource.Address]state.NotCreated
}

// creating decides how the creates of a run reach the service.
type creating struct {
	*env.Env
	*run
	*parts
}

// planCreation decides the routes of all creates: whole new trees go into jobs,
// whatever bulk cannot say and everything below it through single requests.
func (r *creating) planCreation(ctx context.Context) (creation, error) {
	parts := r.creates()
	keys, err := r.createKeys(ctx, parts)
	if err != nil {
		return creation{}, err
	}
	unmade, err := r.Store.NotCreated(ctx)
	if err != nil {
		return creation{}, err
	}
	c := creation{followUp: map[*plan.Change][]string{}, keys: keys, unmade: unmade}
	inBulk, lives := map[resource.Address]bool{}, map[resource.Address]int{}
	bulk := make([]wire.Packed, 0, len(parts))
	e := r.encoder()
	for _, p := range parts {
		if !r.fine(p.Change.Address) {
			c.waiting = append(c.waiting, p.Change.Address)
			continue
		}
		followUp, ok := r.bulkPart(e, p, inBulk)
		if ok {
			if ok, err = r.asOldAsItsParent(ctx, p.Change.Address, lives); err != nil {
				return creation{}, err
			}
		}
		var one wire.Packed
		if ok {
			one, err = r.packUnder(ctx, e, p.Postpone(followUp), fmt.Sprintf("c%d", len(bulk)+1), c)
		}
		switch {
		case err != nil && !errors.Is(err, wire.ErrTooLarge):
			return creation{}, err
		case !ok || err != nil:
			err = nil
			c.alone(r.parts, p.Change)
			continue
		}
		inBulk[p.Change.Address] = true
		c.followUp[p.Change] = followUp
		bulk = append(bulk, one)
	}
	r.packTrees(&c, r.trees(bulk))
	return c, nil
}

// asOldAsItsParent reports whether an address has had as many lives as its parent. One that has had fewer may have
// been made beneath an earlier one, under the key of now: its answer is looked at (send.Requests), and a
// job gives none. lives are those of parents.
func (r *creating) asOldAsItsParent(ctx context.Context, address resource.Address,
	lives map[resource.Address]int) (bool, error) {
	parent := r.Schemas.Parent(address)
	if parent.IsZero() {
		return true, nil
	}
	if _, known := lives[parent]; !known {
		generation, err := r.Store.Generation(ctx, parent)
		if err != nil {
			return false, fmt.Errorf("generation of %s: %w", parent, err)
		}
		lives[parent] = generation
	}
	if lives[parent] <= 1 {
		return true, nil
	}
	own, err := r.Store.Generation(ctx, address)
	return own >= lives[parent], err
}

// packTrees fills jobs with whole trees and with the first pieces of those that
// no job holds. Their other pieces follow in jobs of their own where parents
// may be repeated, else as single requests.
func (r *creating) packTrees(c *creation, trees []wire.Batch) {
	var first []wire.Batch
	for _, tree := range trees {
		if len(tree) <= r.jobRoom().Operations && tree.Bytes() <= r.jobRoom().Bytes {
			first = append(first, tree)
			continue
		}
		pieces, left := wire.Split(tree, r.Schemas.Parent, r.jobRoom())
		first = append(first, pieces[0])
		if r.mayRepeat() {
			c.tails = append(c.tails, pieces[1:]...)
			pieces = pieces[:1]
		}
		for _, p := range slices.Concat(append(pieces[1:], left)...) {
			if !p.Repeat {
				c.alone(r.parts, p.Part.Change)
			}
		}
	}
	c.jobs = wire.Pack(first, r.jobRoom())
}

// alone sends a create as a single request.
func (c *creation) alone(r *parts, change *plan.Change) {
	whole := r.whole(change)
	c.singles = append(c.singles, whole)
	c.followUp[change] = wire.BeyondSingle(r.Schemas, whole)
}

func (r *creating) packCreate(e wire.Encoder, p wire.Part,
	id string, keys map[resource.Address]string) (wire.Packed, error) {
	operation, err := e.BulkCreate(p.Change, p.Fields, id, func(a resource.Address) string { return keys[a] })
	if err != nil {
		return wire.Packed{}, err
	}
	return wire.EncodeOperation(p, operation)
}

// packUnder packs a create under the key of its address, or under the next one
// where that went with other bytes.
func (r *creating) packUnder(ctx context.Context, e wire.Encoder,
	p wire.Part, id string, c creation) (wire.Packed, error) {
	address := p.Change.Address
	one, err := r.packCreate(e, p, id, c.keys)
	if err != nil {
		return one, err
	}
	spared, err := wire.KeyReusableFor(c.unmade[address], one)
	if err != nil || spared {
		return one, err
	}
	if c.keys[address], err = r.nextKey(ctx, address); err != nil {
		return wire.Packed{}, err
	}
	return r.packCreate(e, p, id, c.keys)
}

// creationWaves runs the wave of creates and what follows it.
type creationWaves struct {
	*env.Env
	*run
	*parts
	*naming
	*creating
	*jobs
	*repeating
	*singleRequests
	*uploads
	*updating
	*live.Lists
}

// createWave creates new trees, then what bulk cannot say from the top down,
// then brings what the creates could not carry.
func (r *creationWaves) createWave(ctx context.Context) error {
	c, err := r.planCreation(ctx)
	if err != nil {
		return err
	}
	if err := r.waitAfterLoss(ctx, c); err != nil {
		return err
	}
	for _, address := range c.waiting {
		r.skip(address, "waits: an earlier step on it was not confirmed")
	}
	for change, names := range c.followUp {
		if len(names) > 0 {
			r.progressOf[change.Address].pending++
		}
	}
	if err := r.world.sendJobs(ctx, "create", c.jobs); err != nil {
		return err
	}
	if err := r.repeatWave(ctx, &c); err != nil {
		return err
	}
	if err := r.sendRefusedPieces(ctx, &c); err != nil {
		return err
	}
	if err := r.createSingles(ctx, c); err != nil {
		return err
	}
	return r.followUpWave(ctx, c)
}

// waitAfterLoss waits until the service knows and shows what was sent before somebody accepted that a state lost its
// end: what nobody remembers is found by its key, and not made again.
func (r *creationWaves) waitAfterLoss(ctx context.Context, c creation) error {
	if len(c.jobs)+len(c.singles) == 0 {
		return nil
	}
	runs, err := r.Store.Runs(ctx, latelyRuns)
	if err != nil {
		return fmt.Errorf("read the runs: %w", err)
	}
	for _, run := range runs {
		wait := run.Started.Add(r.Service.KeyLag()).Sub(r.now())
		if !strings.HasPrefix(run.ID, state.AcceptPrefix) || wait <= 0 || r.Service.KeyLag() <= 0 {
			continue
		}
		wait += env.LagMargin
		r.Tell("what was sent before the record lost its end may have come; waiting %s before anything is created",
			wait.Round(time.Second))
		return r.Sleep(ctx, wait)
	}
	return nil
}

// latelyRuns is how many runs are looked through for one of the last minute.
const latelyRuns = 20

func (r *creationWaves) createSingles(ctx context.Context, c creation) error {
	changes := make([]*plan.Change, len(c.singles))
	for i, p := range c.singles {
		changes[i] = p.Change
	}
	if err := r.uploadImages(ctx, changes, nil); err != nil { // what was to go in a job has its image at an address
		return err
	}
	for depth := range r.depths() {
		var level []wire.Part
		for _, p := range c.singles {
			if r.Schemas.Depth(p.Change.Address.Kind) == depth {
				level = append(level, p)
			}
		}
		for turn := []wire.Part(nil); len(level) > 0; {
			turn, level = r.inTurn(level)
			if err := r.runSingles(ctx, fmt.Sprintf("create-%d", depth), r.withIDs(r.withParents(turn))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) depths() int {
	deepest := 0
	for _, s := range r.Schemas {
		deepest = max(deepest, r.Schemas.Depth(s.Kind)+1)
	}
	return deepest
}

// withParents drops creates whose parent is not there.
func (r *naming) withParents(parts []wire.Part) []wire.Part {
	var ready []wire.Part
	for _, p := range parts {
		parent := r.Schemas.Parent(p.Change.Address)
		if !parent.IsZero() && (r.ids[parent] == "" || !r.fine(parent)) {
			r.skip(p.Change.Address, fmt.Sprintf("waits: its parent %s is not confirmed", parent))
			continue
		}
		ready = append(ready, p)
	}
	return ready
}

func (r *creationWaves) followUpWave(ctx context.Context, c creation) error {
	var parts []wire.Part
	for _, change := range r.changes {
		names := c.followUp[change]
		if len(names) == 0 {
			continue
		}
		if !r.fine(change.Address) || r.ids[change.Address] == "" {
			r.skip(change.Address, "waits: its create was not confirmed")
			continue
		}
		parts = append(parts, r.whole(change).Only(names).Update())
	}
	if err := r.readCreated(ctx, parts); err != nil {
		return err
	}
	return r.updateWave(ctx, "follow-up", r.withIDs(parts))
}

// readCreated fetches the records that nested settings of follow-ups start from.
func (r *creationWaves) readCreated(ctx context.Context, parts []wire.Part) error {
	e := r.encoder()
	for _, p := range parts {
		id := r.ids[p.Change.Address]
		if _, known := r.view.Live.Records[id]; known || r.caps[resource.BulkJobs] && r.sayable(e, p, nil) {
			continue
		}
		if err := r.world.readNew(ctx, p.Change.Address); err != nil {
			return err
		}
	}
	return nil
}

// readNew fetches the record of what this run has created.
func (r *carryOut) readNew(ctx context.Context, address resource.Address) error {
	id := r.ids[address]
	record, err := r.Service.Read(ctx, r.Schemas.Of(address.Kind).Collection, id, nil)
	if err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	r.view.Live.Records[id] = record
	return nil
}

// naming puts creates in the order in which they name each other.
type naming struct {
	*env.Env
	*run
}

// withIDs writes the ids of what the parts name by key, and drops those of which
// something is not confirmed.
func (r *naming) withIDs(parts []wire.Part) (ready []wire.Part) {
	for _, p := range parts {
		names := r.namedBy(p)
		missing := func(a resource.Address) bool { return r.ids[a] == "" || !r.fine(a) }
		if at := slices.IndexFunc(names, missing); at >= 0 {
			r.skip(p.Change.Address, fmt.Sprintf("waits: %s, which it names, is not confirmed", names[at]))
			continue
		}
		if len(names) > 0 {
			p = r.named(p)
		}
		ready = append(ready, p)
	}
	return ready
}

// named returns a part the ids of all it names.
func (r *naming) named(p wire.Part) wire.Part {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	p.Fields = slices.Clone(p.Fields)
	for i := range p.Fields {
		f := &p.Fields[i]
		if a, ok := schema.Attribute(f.Name); ok && a.Of != "" {
			f.Desired = a.ByIDs(f.Desired, func(a resource.Address) string { return r.ids[a] })
		}
	}
	return p
}

// namedBy returns what a part still names by its key.
func (r *naming) namedBy(p wire.Part) (addresses []resource.Address) {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	for _, f := range p.Fields {
		a, ok := schema.Attribute(f.Name)
		if !ok || a.Of == "" {
			continue
		}
		for _, said := range a.Names(f.Desired) {
			if address, byKey := resource.ParseAddress(said); byKey {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}

// inTurn takes from creates those that name none of the others, and leaves the
// rest for later. It takes something of every list that is not empty.
func (r *naming) inTurn(parts []wire.Part) (now, later []wire.Part) {
	coming := map[resource.Address]bool{}
	for _, p := range parts {
		coming[p.Change.Address] = true
	}
	for _, p := range parts {
		if slices.ContainsFunc(r.namedBy(p), func(a resource.Address) bool { return coming[a] }) {
			later = append(later, p)
			continue
		}
		now = append(now, p)
	}
	if len(now) == 0 {
		return parts, nil
	}
	return now, later
}
