package reconcile

import (
	"context"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// callOf is the request a part is: a create, the call of its own that sets its
// one field, or an update of its fields.
func callOf(schemas resource.Schemas, p part) resource.Call {
	schema := schemas.Of(p.change.Address.Kind)
	if p.create {
		return schema.CreateCall()
	}
	if len(p.fields) == 1 {
		if own := schema.CallOf(p.fields[0].Name, p.fields[0].Desired); own != nil {
			return *own
		}
	}
	return schema.UpdateCall()
}

// ownCalls parts what one update cannot say: a field whose value has a call of
// its own goes alone.
func (r *singleRequests) ownCalls(parts []part) []part {
	var split []part
	for _, p := range parts {
		schema := r.Schemas.Of(p.change.Address.Kind)
		rest := p
		rest.fields = nil
		for _, f := range p.fields {
			if p.create || schema.CallOf(f.Name, f.Desired) == nil {
				rest.fields = append(rest.fields, f)
				continue
			}
			alone := p
			alone.fields = []plan.Field{f}
			split = append(split, alone)
		}
		if len(rest.fields) > 0 || len(p.fields) == 0 {
			split = append(split, rest)
		}
	}
	return split
}

// splitRevised returns the writes that name a revision from the others: each of
// them makes the revision of the next one stale.
func (r *singleRequests) splitRevised(parts []part) (plain, revised []part) {
	for _, p := range parts {
		if callOf(r.Schemas, p).Revision != "" {
			revised = append(revised, p)
			continue
		}
		plain = append(plain, p)
	}
	return plain, revised
}

// runRevised sends writes that name a revision one after the other (interface,
// part 4, spend limit rule 8). Revision and live values come from one answer,
// right before the write: what moved since the plan is not overwritten, and a
// write that comes too late is refused, never repeated.
func (r *singleRequests) runRevised(ctx context.Context, wave string, parts []part) error {
	for _, p := range parts {
		if r.forecast != nil {
			r.predictReads(wave, []expectation{{address: p.change.Address}})
			if err := r.sendSingles(ctx, wave, []part{p}); err != nil {
				return err
			}
			continue
		}
		reader := r.reader()
		revision, err := reader.revision(ctx, r.Schemas.Of(p.change.Address.Kind))
		if err != nil {
			return fmt.Errorf("read the revision for %s: %w", p.change.Address, err)
		}
		p.revision = revision
		if fresh, err := r.stillAsPlanned(ctx, reader, p); err != nil || !fresh {
			if err != nil {
				return err
			}
			continue
		}
		if err := r.sendSingles(ctx, wave, []part{p}); err != nil {
			return err
		}
		if err := r.blameRevision(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// blameRevision looks why a write was refused for good: a refusal need not say in words
// that the revision it names is stale (interface, part 7: neither the status of a
// conflict nor the shape of an error is shown). Where somebody has moved it, or that
// cannot be read, the same may pass at another moment.
func (r *singleRequests) blameRevision(ctx context.Context, p part) error {
	s := r.progressOf[p.change.Address]
	if !s.final {
		return nil
	}
	revision, err := r.reader().revision(ctx, r.Schemas.Of(p.change.Address.Kind))
	switch {
	case err != nil && stops(err):
		return fmt.Errorf("read the revision after %s was refused: %w", p.change.Address, err)
	case err == nil && revision == p.revision:
		return nil
	}
	s.final = false
	s.message += "; somebody else is changing the limits: plan again"
	return nil
}

// stillAsPlanned reports whether the live values of a part are those of its plan, or
// leaves the part out.
func (r *singleRequests) stillAsPlanned(ctx context.Context, reader *reader, p part) (bool, error) {
	id := r.ids[p.change.Address]
	if p.create || id == "" {
		return true, nil
	}
	schema := r.Schemas.Of(p.change.Address.Kind)
	record, err := reader.one(ctx, schema, id, nil)
	if err != nil {
		r.skip(p.change.Address, fmt.Sprintf("cannot be read right before the change: %s; plan again", err))
		return false, nil
	}
	r.view.Live.Records[id] = record
	live, err := decoder{zone: r.Zone}.decode(schema, record)
	if err != nil {
		return false, err
	}
	if f, moved := movedField(p, live); moved {
		a, _ := schema.Attribute(f.Name)
		r.skip(p.change.Address, fmt.Sprintf("somebody changed it since the plan "+
			"was made: %s is %s, and was %s; plan again", f.Name, a.Show(live.Value(f.Name)), a.Show(f.Live())))
		return false, nil
	}
	return true, nil
}

// mutation is the request of a single step, with what its answer must hold.
func (a *requests) mutation(step state.Step) adsapi.Mutation {
	m := adsapi.Mutation{Path: step.Path, Key: step.Key, Body: step.Body, ContentType: step.ContentType}
	if len(step.Operations) > 0 {
		m.IDField = a.Schemas.Of(step.Operations[0].Address.Kind).Listing.ID
	}
	return m
}

// madeWithoutID finds what a create made whose answer gives no id. What does not
// show, or not alone, is unknown.
func (a *singles) madeWithoutID(ctx context.Context, operation state.Operation) (opOutcome, error) {
	o := opOutcome{Address: operation.Address, Outcome: state.OutcomeApplied}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return o, fmt.Errorf("read the last-applied record: %w", err)
	}
	ids := map[resource.Address]string{}
	for bound := range last.All() {
		ids[bound.Address] = bound.ID
	}
	wait := firstReadWait
	for try := 0; ; try++ {
		shown, err := a.withName(ctx, a.Schemas.Of(operation.Address.Kind), operation, ids)
		if err != nil {
			return o, err
		}
		if found := shown.ids; len(found) == 1 {
			o.ResourceID = found[0]
			return o, nil
		}
		if try == readAgain {
			o.Outcome, o.Code = state.OutcomeUnknown, string(diag.OutcomeUnknown)
			o.Message = fmt.Sprintf("the service says it made it, and reading back shows %d like it", len(shown.ids))
			return o, nil
		}
		if err := a.Sleep(ctx, wait); err != nil {
			return o, err
		}
		wait *= 2
	}
}

// oneKindOnly reports whether a refusal concerns a kind the account may not use, and
// not every request.
func (a *singles) oneKindOnly(operation state.Operation, failure error) bool {
	return lacksFeature(a.Schemas.Of(operation.Address.Kind), failure)
}
