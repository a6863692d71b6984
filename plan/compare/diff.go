// Package compare compares what the files say, what adsync applied last and what the service
// holds, and decides what to change, in which order, and what is held until someone allows it.
//
// Open diff.go first: it has the table and the steps of a plan. read.go joins the snapshots,
// attributes.go compares the fields of a row, and settle.go finishes a plan. What the steps share
// is in plan/drafting; the rules that hold changes are in plan/guard, the suspicious edits in
// plan/slips, and possible spend is counted in plan/spend.
//
// Its invariant is that the same input gives the same bytes, whatever the order the input
// came in, and that a plan holds at most one change an address.
package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/plan/guard"
	"adsync/plan/slips"
)

// Diff compares three ways, for every attribute the files manage and by the
// same table for whole resources:
//
//	desired   last      live                change
//	present   –         –                   create
//	present   –         present             adopt, held until allowed; record only where the files
//	                                        give its id and say nothing else than what is live
//	= last    present   = last              none
//	≠ last    present   = last              update (edit), or replace if immutable, held
//	= last    present   ≠ last              drift: held, unless the policy reverts it or it is allowed
//	≠ last    present   ≠ last, ≠ desired   conflict: held, with both values, also where it is to be archived
//	≠ last    present   = desired           record only
//	present   present   gone or archived    removed by hand: held, and what lies beneath it with it
//	–         present   present             by policy: keep, pause, archive
//	–         present   –                   forget
//	–         –         present             none; counted
//
// An attribute the files do not give is not compared and not sent. Null clears:
// it agrees with what is unset. An attribute the service does not show again is
// compared with last alone. A pause in the files passes every guard; a pause by
// someone else is never undone while the file's status stays as it was. Beneath
// a resource the files want archived nothing is compared.
func Diff(in plan.Input) *plan.Plan {
	d := newDiffer(in)
	d.run()
	rows, problems := d.WaitingRows()
	if len(rows) == 0 {
		d.finish.finish()
		return d.Plan
	}
	in.Invalid = slices.Concat(in.Invalid, rows)
	p := Diff(in)
	var all diag.List
	all.AddAll(problems)
	all.AddAll(p.Waits)
	p.Waits = all.Sorted()
	return p
}

// differ is one computation of a plan: its draft, and the steps that have a state of their own.
type differ struct {
	*drafting.Draft
	pruning *pruning
	guards  *guard.Rules
	saved   *comparedToSaved
	finish  *finishing
}

// run compares, and holds what something stands against.
func (d *differ) run() {
	rows := newComparison(d.Draft, d.pruning)
	for i := range d.All {
		rows.note(&d.All[i])
		rows.Compare(i)
	}
	guard.CheckOverlaps(d.Draft)
	d.guards.FindCredits()
	slips.Find(d.Draft)
	narrows := d.Saved != nil || !d.Select.IsAll()
	if narrows {
		d.finish.checkRules(false)
	}
	d.saved.narrow()
	d.guards.Hold()
	d.saved.compareHolds()
	d.saved.selects()
	d.finish.checkRules(narrows)
	d.finish.checkRoom()
	checkSizes(d.Draft)
	d.finish.carryOver()
	d.FindUnused()
}

func newDiffer(in plan.Input) *differ {
	fresh := max(in.Desired.Len()-in.Last.Len(), 0) // about so many are created
	t := &drafting.Tree{
		Input: in, Files: in.Desired, Kinds: map[resource.Kind]*drafting.Kind{},
		Calendar: drafting.CalendarOf(in.Today),
	}
	for _, s := range in.Schemas {
		t.Kinds[s.Kind] = drafting.Describe(s)
	}
	made := &plan.Plan{Schemas: in.Schemas, Changes: make([]plan.Change, 0, fresh)}
	d := &drafting.Draft{
		Tree: t, Permits: &drafting.Permits{Tree: t, Plan: made, Used: make([]bool, len(in.Allow))},
		Refusals: &drafting.Refusals{Tree: t}, Plan: made,
	}
	d.IndexConsents()
	pruning := &pruning{Draft: d}
	(&reading{Draft: d, pruning: pruning}).read()
	pruning.findShrunk()
	g := guard.New(d)
	return &differ{
		Draft: d, pruning: pruning, guards: g, saved: &comparedToSaved{selector{d, g}},
		finish: &finishing{Draft: d, broken: map[brokenRule]bool{}},
	}
}

// comparison is that of each resource, parents first.
type comparison struct {
	*drafting.Draft
	*creation
	*comparedFields
	*pruning
}

func newComparison(d *drafting.Draft, p *pruning) *comparison {
	c := &creation{Draft: d}
	return &comparison{Draft: d, creation: c, comparedFields: &comparedFields{Draft: d, creation: c}, pruning: p}
}

// note gathers what later steps need of every resource, while it is at hand: to
// visit all of them again would cost more than to compare them.
func (d *comparison) note(t *drafting.Entry) {
	k := t.Kind
	if t.Live != nil && !k.Archived(t.Live) && d.TakesRoom(k, t.Live) {
		k.Alive++
	}
	if k.Spends() {
		d.Spending = append(d.Spending, drafting.Spending{Index: t.Index, Now: k.Spendable(t.Live, d.Calendar.Today)})
	}
	if k.Protect != "" && (guard.SaysProtect(k, t.Desired) || guard.SaysProtect(k, t.Last)) {
		d.Protecting = append(d.Protecting, t.Index)
	}
}

// Compare decides what becomes of the resource at one address.
func (d *comparison) Compare(i int) {
	d.All[i].Above = d.effectAbove(&d.All[i])
	if d.WaitsAt(i).Holds() {
		d.compareWaiting(i)
		return
	}
	d.compareOne(i)
}

func (d *comparison) compareOne(i int) {
	t, k := d.All[i], d.All[i].Kind
	if why, lacking := d.Lacking[t.Address.Kind]; lacking {
		d.lacking(t, why)
		return
	}
	switch {
	case t.Desired == nil && t.Last == nil:
		d.unmanaged(t)
	case t.Above.Closed:
		d.beneathClosed(t)
	case t.Desired == nil:
		d.removedFromFiles(t)
	case k.Archived(t.Desired):
		d.wantedArchived(t)
	case t.Above.Born:
		d.bornWithParent(t)
	case t.Last == nil && t.Live == nil:
		d.create(t, plan.Create)
	case t.Live == nil && d.Ended(k, t.Last):
		d.over(t)
	case t.Gone():
		d.removedByHand(t)
	default:
		d.compareAttributes(t)
	}
}

func (d *comparison) unmanaged(t drafting.Entry) {
	if t.Gone() {
		d.Becomes(t, &drafting.Effect{Dead: true})
		return
	}
	if t.Kind.Schema.Only == "" {
		d.Plan.Unmanaged++
	}
}

func (d *comparison) beneathClosed(t drafting.Entry) {
	d.Becomes(t, t.Above)
	switch {
	case t.Desired == nil:
	case t.Above.Beneath != nil:
		*t.Above.Beneath++
	default:
		d.Plan.InSync++
	}
}

// wantedArchived archives what the files say is archived. What does not exist
// needs no archiving.
func (d *comparison) wantedArchived(t drafting.Entry) {
	d.Becomes(t, &drafting.Effect{Closed: true})
	name := t.Kind.Removal
	f := plan.Field{
		Name: name, Desired: t.Desired.Value(name),
		Cause: plan.Edit, Phase: plan.Lower, Known: d.previousOf(drafting.ValueOf(t.Last, name), resource.Value{}),
	}
	if !t.Gone() && !t.Above.Born && t.Kind.Schema.Lasting != "" {
		d.Refuse(&t, "", diag.Problem{
			Code: diag.BadValue, Position: f.Desired.Position, Address: t.Address.String(), Message: name +
				" is " + f.Desired.Text() + ", and " + t.Kind.Schema.WhyLasting() + "; want the row without it",
		})
		return
	}
	if !t.Gone() && !t.Above.Born && !d.Ended(t.Kind, t.Live) {
		c := d.Change(t, plan.Archive)
		c.Fields, c.Hazards = []plan.Field{removalField(t)}, []plan.Hazard{removalHazard(t.Kind)}
		if t.Last == nil {
			d.holdAdopt(t, c)
		}
		d.holdOverEdit(t, c, archivesIt)
		return
	}
	if t.Last == nil || t.Kind.Archived(t.Last) {
		d.Plan.InSync++
		return
	}
	d.Change(t, plan.Record).Recorded = []plan.Field{f}
}

// bornWithParent handles what the files name beneath a parent this plan
// creates, whatever was there beneath the parent before; what somebody ended beneath
// one that makes room for another is not made again by itself.
func (d *comparison) bornWithParent(t drafting.Entry) {
	if t.Above.Moved && t.Gone() && t.Last != nil && !t.Kind.Archived(t.Last) {
		d.removedByHand(t)
		return
	}
	if t.Above.Moved && !t.Gone() {
		d.create(t, plan.Replace)
		return
	}
	d.create(t, plan.Create)
}

// removedByHand never creates again by itself what someone archived.
func (d *comparison) removedByHand(t drafting.Entry) {
	h := plan.Hold{
		Hazard: plan.RemovedByHand, Allow: plan.AllowAt(plan.RemovedByHand, t.Address), Message: removedMessage(t),
	}
	h, held := d.UnlessCovered(h, t.Address, func() []plan.Part { return d.rowParts(&t, plan.Create) })
	if !held {
		c := d.create(t, plan.Create)
		c.Hazards = append(c.Hazards, plan.RemovedByHand)
		return
	}
	c := d.Change(t, plan.Create)
	c.Hazards = []plan.Hazard{plan.RemovedByHand}
	beneath := 0
	d.Becomes(t, &drafting.Effect{Closed: true, Dead: true, Beneath: &beneath})
	c.Held = &h
	d.CountLater(&beneath)
}

func removedMessage(t drafting.Entry) string {
	if t.Last != nil && t.Kind.Archived(t.Last) {
		return catalogue.Fill("guard.removed.archived")
	}
	if t.Live == nil {
		return catalogue.Fill("guard.removed.gone")
	}
	return catalogue.Fill("guard.removed.outside")
}

// effectAbove is the effect of the parent.
func (d *comparison) effectAbove(t *drafting.Entry) *drafting.Effect {
	if t.Up < 0 || t.Orphan || d.All[t.Up].Effect == nil {
		return &drafting.Nowhere
	}
	return d.All[t.Up].Effect
}

// over handles what has ended by itself and does not show any more. It is as the
// files want it, unless they want it to go on.
func (d *comparison) over(t drafting.Entry) {
	end := t.Kind.Schema.Ends
	wanted, was := t.Desired.Value(end), t.Last.Value(end)
	if wanted.IsAbsent() || wanted.Equal(was) {
		d.Plan.InSync++
		return
	}
	c := d.Change(t, plan.Update)
	c.Fields = []plan.Field{{Name: end, Desired: wanted,
		Cause: plan.Edit, Phase: plan.Neutral, Known: d.previousOf(was, resource.Value{})}}
	c.Hold(d.Late(c, wanted.Position, catalogue.Fill("guard.over", "attribute", end,
		"day", guard.ShownDay(t.Kind.Attributes[end], wanted), "ended", was.Text())))
}
