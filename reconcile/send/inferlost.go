package send

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// inferLostCreates finds creates of a job that has ended, whose results were lost, by
// what is known of those above and beneath them. A create stands beneath what the
// same job created (interface, part 4, bulk rule 2): a known child tells its
// parent's id, and beneath a known parent the name tells a child. To ask the
// service by their keys could make the tree a second time where it does not know
// them yet, and bind a parent of one tree and a child of the other.
func (a *Retries) inferLostCreates(ctx context.Context, step state.Step,
	outcomes []state.OperationOutcome, g RetrySet) ([]state.OperationOutcome, RetrySet, error) {
	if !slices.ContainsFunc(step.Operations, wire.Keyed) || !AnyUnknown(outcomes) {
		return outcomes, g, nil
	}
	ids, err := a.BoundIDs(ctx)
	if err != nil {
		return outcomes, g, err
	}
	k := createInference{
		Retries: a, step: step, outcomes: slices.Clone(outcomes), ids: ids, at: map[resource.Address]int{},
	}
	for i, o := range step.Operations {
		k.at[o.Address] = i
		if k.outcomes[i].Outcome == state.OutcomeApplied || o.Action == wire.ActionRepeat {
			k.ids[o.Address] = k.outcomes[i].ResourceID
		}
	}
	if err := errors.Join(k.inferParents(ctx), k.inferChildren(ctx)); err != nil {
		return outcomes, g, fmt.Errorf("look for what a job made: %w", err)
	}
	for _, address := range k.found {
		delete(g.unknown, address)
	}
	return k.outcomes, g, nil
}

// createInference is the search among the operations of one job.
type createInference struct {
	*Retries
	step     state.Step
	outcomes []state.OperationOutcome
	ids      map[resource.Address]string // of what is recorded, and of what the job is known to have made
	at       map[resource.Address]int    // where the operation on an address stands
	found    []resource.Address
}

// lost reports whether the result of a create is missing, that it met no conflict, and
// that no other attempt is recorded.
func (k *createInference) lost(i int) bool {
	o := k.step.Operations[i]
	return wire.Keyed(o) && k.ids[o.Address] == "" && k.outcomes[i].Outcome == state.OutcomeUnknown &&
		!InConflict(o.Code) && !InConflict(k.outcomes[i].Code)
}

func (k *createInference) bind(i int, id string) {
	o := k.step.Operations[i]
	if live.BoundElsewhere(k.ids, o.Address, id) {
		return
	}
	k.outcomes[i] = state.OperationOutcome{Address: o.Address, ResourceID: id, Outcome: state.OutcomeApplied}
	k.ids[o.Address] = id
	k.found = append(k.found, o.Address)
}

// inferParents gives lost parents the id their children name, from the lowest up.
func (k *createInference) inferParents(ctx context.Context) error {
	for i := len(k.step.Operations) - 1; i >= 0; i-- { // parents stand before their children
		child := k.step.Operations[i]
		parent, there := k.at[k.Schemas.Parent(child.Address)]
		if !there || !k.lost(parent) || child.ResourceID != "" || k.outcomes[i].Outcome != state.OutcomeApplied {
			continue
		}
		schema := k.Schemas.Of(child.Address.Kind)
		record, err := k.Reader().One(ctx, schema, k.outcomes[i].ResourceID, nil)
		if err != nil {
			if env.Stops(err) {
				return err
			}
			continue // it does not show
		}
		shown, err := wire.Decoder{Zone: k.Zone}.Decode(schema, record)
		if err != nil {
			return err
		}
		if !live.SameName(schema, child.Set, shown) {
			continue
		}
		id := shown.ParentID
		if id == "" { // not every service says it (service facts, ad group)
			if id, err = k.holds(ctx, k.step.Operations[parent], schema, shown.ID); err != nil {
				return err
			}
		}
		if id != "" {
			k.bind(parent, id)
		}
	}
	return nil
}

// holds finds the resource of a lost create by a child that is known: it has the
// name, and the child is listed beneath it.
func (k *createInference) holds(ctx context.Context,
	lost state.Operation, of *resource.Schema, child string) (string, error) {
	candidates, err := k.candidates(ctx, lost)
	if err != nil {
		return "", err
	}
	for _, c := range candidates {
		children, err := k.children(ctx, of, c.ID)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(children, func(r *resource.Resource) bool { return r.ID == child }) {
			return c.ID, nil
		}
	}
	return "", nil
}

// candidates are the resources that a lost create may have made: they have its name,
// and stand beneath its parent, or where that is lost too beneath one that may be it,
// as a service may list a kind beneath one parent at a time.
func (k *createInference) candidates(ctx context.Context, lost state.Operation) ([]*resource.Resource, error) {
	schema := k.Schemas.Of(lost.Address.Kind)
	listed, err := k.listAround(ctx, schema, lost)
	return slices.DeleteFunc(listed, func(r *resource.Resource) bool {
		return !live.SameName(schema, lost.Set, r) || live.BoundElsewhere(k.ids, lost.Address, r.ID)
	}), err
}

// listAround lists where a lost create may have made something.
func (k *createInference) listAround(ctx context.Context,
	schema *resource.Schema, lost state.Operation) ([]*resource.Resource, error) {
	parent := k.Schemas.Parent(lost.Address)
	if id := k.ids[parent]; id != "" {
		return k.children(ctx, schema, id)
	}
	listed, err := k.listed(ctx, schema, url.Values{})
	at, there := k.at[parent]
	if err != nil || len(listed) > 0 || !there {
		return listed, err
	}
	above, err := k.candidates(ctx, k.step.Operations[at])
	if err != nil {
		return nil, err
	}
	for _, r := range above {
		children, err := k.children(ctx, schema, r.ID)
		if err != nil {
			return nil, err
		}
		listed = append(listed, children...)
	}
	return listed, nil
}

// inferChildren finds lost creates by their names, one list for all of a parent.
func (k *createInference) inferChildren(ctx context.Context) error {
	listed := map[resource.Address][]*resource.Resource{}
	for i, o := range k.step.Operations {
		parent := k.Schemas.Parent(o.Address)
		if _, there := k.at[parent]; !there || !k.lost(i) || k.ids[parent] == "" {
			continue
		}
		schema := k.Schemas.Of(o.Address.Kind)
		children, known := listed[parent]
		if !known {
			var err error
			if children, err = k.children(ctx, schema, k.ids[parent]); err != nil {
				return err
			}
			listed[parent] = children
		}
		named := slices.DeleteFunc(slices.Clone(children), func(r *resource.Resource) bool {
			return !live.SameName(schema, o.Set, r) || live.BoundElsewhere(k.ids, o.Address, r.ID)
		})
		if len(named) == 1 {
			k.bind(i, named[0].ID)
		}
	}
	return nil
}

// children are the resources of a kind that stand beneath an id.
func (k *createInference) children(ctx context.Context,
	schema *resource.Schema, parentID string) ([]*resource.Resource, error) {
	children, err := k.listed(ctx, schema, url.Values{schema.ParentWire: {parentID}})
	return slices.DeleteFunc(children, func(r *resource.Resource) bool {
		return r.ParentID != "" && r.ParentID != parentID
	}), err
}

// listed are the resources of a list that are not removed, none where the service
// does not list them.
func (k *createInference) listed(ctx context.Context,
	schema *resource.Schema, query url.Values) ([]*resource.Resource, error) {
	var listed []*resource.Resource
	for record, err := range k.Reader().List(ctx, schema, query) {
		if err != nil && !env.Stops(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		live, err := wire.Decoder{Zone: k.Zone}.Decode(schema, record)
		if err != nil {
			return nil, err
		}
		if !schema.Removed(live) {
			listed = append(listed, live)
		}
	}
	return listed, nil
}
