package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
)

// readAgainAfter is how long a plan may wait for a yes until each update that moves
// no money is read for as well: people have had the time to edit.
const readAgainAfter = time.Minute

// freshening reads again what is about to change, where the plan is old.
type freshening struct {
	*env.Env
	*run
	*live.Lists

	aged bool // the plan waited for a yes longer than readAgainAfter
}

// freshen reads again, right before they are sent, what would overwrite unseen
// what somebody did since the plan: settings that go whole, and what raises or
// activates (invariant 14). A part whose own values have moved is left out; the
// others go on top of what is there now. Plain fields below a raise are not read
// for, unless the plan has waited: they overwrite nothing but themselves. Pauses,
// archives and decreases go in any case, but for the pause of a revert that somebody
// else has made by now. What this run has read all the same, as it read back an
// earlier write, counts for them too.
func (r *freshening) freshen(ctx context.Context, parts []wire.Part) ([]wire.Part, error) {
	var expected []live.Expectation
	for _, p := range parts {
		if id := r.ids[p.Change.Address]; r.basedOnLive(p) || r.aged && r.plain(p) || r.pausesBack(p) {
			expected = append(expected, live.Expectation{
				Address: p.Change.Address, ID: id, ParentID: r.ids[r.Schemas.Parent(p.Change.Address)],
			})
		}
	}
	if len(expected) == 0 {
		return r.unmoved(ctx, parts)
	}
	return r.world.readAgain(ctx, expected, parts)
}

// readAgain reads, and drops the parts whose live values have moved.
func (r *carryOut) readAgain(ctx context.Context,
	expected []live.Expectation, parts []wire.Part) ([]wire.Part, error) {
	records, _, err := r.ReadAll(ctx, expected)
	if err != nil {
		return nil, fmt.Errorf("read what is about to change: %w", err)
	}
	for _, e := range expected {
		if record, ok := records[e.ID]; ok {
			r.seen(record)
		}
	}
	return r.unmoved(ctx, parts)
}

// unmoved drops the parts whose live values are not those of the plan any more.
func (r *freshening) unmoved(ctx context.Context, parts []wire.Part) ([]wire.Part, error) {
	rests := func(p wire.Part) bool { return r.basedOnLive(p) || r.readSincePlan(p) || r.pausesBack(p) }
	if !slices.ContainsFunc(parts, rests) {
		return parts, nil
	}
	d, err := r.Decoder(ctx)
	if err != nil {
		return nil, err
	}
	var kept []wire.Part
	for _, p := range parts {
		if !rests(p) {
			kept = append(kept, p)
			continue
		}
		record := r.record(r.ids[p.Change.Address])
		if record.ID == "" {
			r.skip(p.Change.Address, "it does not show at the service yet; apply again")
			continue
		}
		shown, err := d.Decode(r.Schemas.Of(p.Change.Address.Kind), record)
		if err != nil {
			return nil, err
		}
		if last := r.view.Last.Get(p.Change.Address); last != nil {
			live.OwnForms(shown, last)
		}
		if r.pausesBack(p) {
			kept = append(kept, r.unlessPaused(p, shown)...)
			continue
		}
		if f, moved := movedField(p, shown); moved {
			r.skipMoved(p, f, shown)
			continue
		}
		if why := r.movedBeside(p, shown); why != "" {
			r.skip(p.Change.Address, why)
			continue
		}
		kept = append(kept, p)
	}
	return kept, nil
}

// seen takes in what the service shows of a resource by now.
func (r *run) seen(record adsapi.Record) {
	r.view.Live.Records[record.ID], r.reread[record.ID] = record, true
}

// readSincePlan reports whether this run has read the resource of an update again, of a kind
// that nothing is read right before the write of.
func (r *freshening) readSincePlan(p wire.Part) bool {
	return !wire.IsNew(p.Change) && r.reread[r.ids[p.Change.Address]] &&
		r.Schemas.Of(p.Change.Address.Kind).Listing.Revision == ""
}

// plain reports whether an update of an older resource moves no money.
func (r *freshening) plain(p wire.Part) bool {
	return !wire.IsNew(p.Change) && r.Schemas.Of(p.Change.Address.Kind).Listing.Revision == "" && len(p.Fields) > 0 &&
		!slices.ContainsFunc(p.Fields, func(f plan.Field) bool { return f.Phase != plan.Neutral })
}

// movedField returns the first field that holds neither what the plan saw nor
// what it asks for.
func movedField(p wire.Part, live *resource.Resource) (plan.Field, bool) {
	for _, f := range p.Fields {
		have := live.Value(f.Name)
		seen := have.Equal(f.Live()) || !have.IsSet() && !f.Live().IsSet()
		if !seen && !have.Equal(f.Desired) {
			return f, true
		}
	}
	return plan.Field{}, false
}

// skipMoved leaves out a part of which a field has moved since the plan.
func (r *run) skipMoved(p wire.Part, f plan.Field, live *resource.Resource) {
	a, _ := r.Schemas.Of(p.Change.Address.Kind).Attribute(f.Name)
	r.skip(p.Change.Address, fmt.Sprintf("it was changed since the plan "+
		"was made: %s is %s, and was %s; plan again", f.Name, a.Show(live.Value(f.Name)), a.Show(f.Live())))
}

// movedBeside says why a part must not go that starts a resource, or raises what caps its spend: of the two, the one
// that it does not write is neither what the plan saw nor what the plan makes it. "" where it may go (invariant 9:
// somebody has given a paused campaign another budget, or started one).
func (r *freshening) movedBeside(p wire.Part, shown *resource.Resource) string {
	schema, planned := r.Schemas.Of(p.Change.Address.Kind), r.view.Live.Snapshot.Get(p.Change.Address)
	if planned == nil {
		return ""
	}
	starts, raises := r.startsOrRaises(p)
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		have, was := shown.Value(a.Name), planned.Value(a.Name)
		matters := starts && a.Per != "" ||
			raises && a.Name == schema.Delivery() && have.Text() == wire.WordActive
		if !matters || have.Equal(was) || !have.IsSet() && !was.IsSet() ||
			slices.ContainsFunc(p.Change.Fields, func(f plan.Field) bool {
				return f.Name == a.Name && have.Equal(f.Desired)
			}) {
			continue
		}
		return fmt.Sprintf("it was changed since the plan was made: %s is %s, and was %s; plan again",
			a.Name, a.Show(have), a.Show(was))
	}
	return ""
}

// startsOrRaises reports whether a part starts a resource, and whether it raises what caps its spend.
func (r *freshening) startsOrRaises(p wire.Part) (starts, raises bool) {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	for _, f := range p.Fields {
		a, _ := schema.Attribute(f.Name)
		starts = starts || f.Name == schema.Delivery() && f.Desired.Text() == wire.WordActive
		raises = raises || a.Per != "" && !f.Lowers()
	}
	return starts, raises
}

// basedOnLive reports whether an update of an older resource rests on what was live
// when it was planned.
func (r *freshening) basedOnLive(p wire.Part) bool {
	if wire.IsNew(p.Change) {
		return false
	}
	schema := r.Schemas.Of(p.Change.Address.Kind)
	if schema.Listing.Revision != "" {
		return false // what is read with the revision decides
	}
	for _, f := range p.Fields {
		a, _ := schema.Attribute(f.Name)
		if _, whole := schema.Group(a); whole || strings.Contains(a.Bulk.Update, ".") || f.Phase >= plan.Raise {
			return true
		}
	}
	return false
}

// pausesBack reports whether an update pauses what the run that is taken back made or
// started. Whoever has paused it meanwhile is overruled by nobody: what adsync does not
// send it does not record as its own.
func (r *freshening) pausesBack(p wire.Part) bool {
	return r.view.Reverts && !wire.IsNew(p.Change) && slices.ContainsFunc(p.Fields, func(f plan.Field) bool {
		return f.Name == r.delivery(p) && f.Desired.Text() == wire.WordPaused
	})
}

// delivery names the status of the kind of a part.
func (r *freshening) delivery(p wire.Part) string {
	return r.Schemas.Of(p.Change.Address.Kind).Delivery()
}

// unlessPaused returns what goes of the pause of a revert: all of it, and where it is paused
// by now what else is to be lowered.
func (r *freshening) unlessPaused(p wire.Part, live *resource.Resource) []wire.Part {
	if live.Value(r.delivery(p)).Text() != wire.WordPaused {
		return []wire.Part{p}
	}
	rest := p.Without([]string{r.delivery(p)})
	if len(rest.Fields) == 0 {
		r.skip(p.Change.Address, "somebody else has paused it, which a revert does not take over; plan again")
		return nil
	}
	return []wire.Part{rest}
}
