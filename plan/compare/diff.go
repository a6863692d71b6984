// Package compare compares what the files say, what adsync applied last and what the service
// holds, and decides what to change, in which order, and what is held until someone allows it.
//
// Open diff.go first: it has the table and the steps of a plan. tree.go has every resource by
// address, attributes.go compares the fields of a row. guard.go lists the rules that hold
// changes, a file guard_….go each; slip.go lists the suspicious edits (slip_renamed.go asks
// about a row renamed without a key or an id); money.go counts possible spend.
//
// Its invariant is that the same input gives the same bytes, whatever the order the input
// came in, and that a plan holds at most one change an address.
package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
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
	rows, problems := d.waitingRows()
	if len(rows) == 0 {
		d.finish.finish()
		return d.plan
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
	*draft
	pruning *pruning
	guards  *guards
	saved   *comparedToSaved
	finish  *finishing
}

// run compares, and holds what something stands against.
func (d *differ) run() {
	rows := newComparison(d.draft, d.pruning)
	for i := range d.all {
		rows.note(&d.all[i])
		rows.Compare(i)
	}
	(&overlaps{d.draft}).checkOverlaps()
	d.guards.credits.findCredits()
	(&finder{d.draft}).find()
	narrows := d.Saved != nil || !d.Select.IsAll()
	if narrows {
		d.finish.checkRules(false)
	}
	d.saved.narrow()
	d.guards.guard()
	d.saved.compareHolds()
	d.saved.selects()
	d.finish.checkRules(narrows)
	d.finish.checkRoom()
	d.finish.carryOver()
	d.findUnused()
}

func newDiffer(in plan.Input) *differ {
	fresh := max(in.Desired.Len()-in.Last.Len(), 0) // about so many are created
	t := &tree{Input: in, files: in.Desired, kinds: map[resource.Kind]*kind{}, calendar: calendarOf(in.Today)}
	for _, s := range in.Schemas {
		t.kinds[s.Kind] = describe(s)
	}
	made := &plan.Plan{Schemas: in.Schemas, Changes: make([]plan.Change, 0, fresh)}
	d := &draft{
		tree: t, permits: &permits{tree: t, plan: made, used: make([]bool, len(in.Allow))},
		refusals: &refusals{tree: t}, plan: made,
	}
	d.indexConsents()
	pruning := &pruning{draft: d}
	(&reading{draft: d, pruning: pruning}).read()
	pruning.findShrunk()
	g := newGuards(d)
	return &differ{
		draft: d, pruning: pruning, guards: g, saved: &comparedToSaved{selector{d, g}},
		finish: &finishing{draft: d, broken: map[brokenRule]bool{}},
	}
}

// draft is a plan as it is made: the resources it is of, what allows its changes, and
// what is wrong with its rows.
type draft struct {
	*tree
	*permits
	*refusals
	plan     *plan.Plan
	counting []counting
	previous []plan.Known // room for what stands beside the values of the files
}

// counting is a change whose hold says how much lies beneath it, once that is known.
type counting struct {
	change  int
	beneath *int
}

// effect is what became of a resource, as far as it matters beneath it.
type effect struct {
	closed  bool       // nothing beneath it is compared
	dead    bool       // gone or archived at the service: what lies beneath it counts as gone
	born    bool       // created in this plan: what lies beneath it is created too
	moved   bool       // replaced: what lies beneath it is archived with it
	removed bool       // no longer in the files
	held    *plan.Hold // creates beneath it are held with this
	beneath *int       // counts what the files name beneath it
}

// comparison is that of each resource, parents first.
type comparison struct {
	*draft
	*creation
	*comparedFields
	*pruning
}

func newComparison(d *draft, p *pruning) *comparison {
	c := &creation{draft: d}
	return &comparison{draft: d, creation: c, comparedFields: &comparedFields{draft: d, creation: c}, pruning: p}
}

// note gathers what later steps need of every resource, while it is at hand: to
// visit all of them again would cost more than to compare them.
func (d *comparison) note(t *entry) {
	k := t.kind
	if t.live != nil && !k.archived(t.live) {
		k.alive++
	}
	if k.spends() {
		d.spending = append(d.spending, spending{t.index, k.spendable(t.live, d.calendar.today)})
	}
	if k.protect != "" && (saysProtect(k, t.desired) || saysProtect(k, t.last)) {
		d.protecting = append(d.protecting, t.index)
	}
}

// compare decides what becomes of the resource at one address.
func (d *comparison) Compare(i int) {
	d.all[i].above = d.effectAbove(&d.all[i])
	if d.waitsAt(i).holds() {
		d.compareWaiting(i)
		return
	}
	d.compareOne(i)
}

func (d *comparison) compareOne(i int) {
	t, k := d.all[i], d.all[i].kind
	if why, lacking := d.Lacking[t.address.Kind]; lacking {
		d.lacking(t, why)
		return
	}
	switch {
	case t.desired == nil && t.last == nil:
		d.unmanaged(t)
	case t.above.closed:
		d.beneathClosed(t)
	case t.desired == nil:
		d.removedFromFiles(t)
	case k.archived(t.desired):
		d.wantedArchived(t)
	case t.above.born:
		d.bornWithParent(t)
	case t.last == nil && t.live == nil:
		d.create(t, plan.Create)
	case t.live == nil && d.ended(k, t.last):
		d.over(t)
	case t.gone():
		d.removedByHand(t)
	default:
		d.compareAttributes(t)
	}
}

// becomes notes the effect of a resource, before anything beneath it is compared.
func (d *tree) becomes(t entry, f *effect) { d.all[t.index].effect = f }

// gone reports whether the service no longer delivers the resource, and cannot again.
func (t *entry) gone() bool {
	return t.live == nil || t.above.dead || t.kind.archived(t.live)
}

func (d *comparison) unmanaged(t entry) {
	if t.gone() {
		d.becomes(t, &effect{dead: true})
		return
	}
	if t.kind.schema.Only == "" {
		d.plan.Unmanaged++
	}
}

func (d *comparison) beneathClosed(t entry) {
	d.becomes(t, t.above)
	switch {
	case t.desired == nil:
	case t.above.beneath != nil:
		*t.above.beneath++
	default:
		d.plan.InSync++
	}
}

// wantedArchived archives what the files say is archived. What does not exist
// needs no archiving.
func (d *comparison) wantedArchived(t entry) {
	d.becomes(t, &effect{closed: true})
	name := t.kind.removal
	f := plan.Field{
		Name: name, Desired: t.desired.Value(name),
		Cause: plan.Edit, Phase: plan.Lower, Known: d.previousOf(valueOf(t.last, name), resource.Value{}),
	}
	if !t.gone() && !t.above.born && t.kind.schema.Lasting != "" {
		d.refuse(&t, "", diag.Problem{
			Code: diag.BadValue, Position: f.Desired.Position, Address: t.address.String(), Message: name +
				" is " + f.Desired.Text() + ", and " + t.kind.schema.Lasting + "; want the row without it",
		})
		return
	}
	if !t.gone() && !t.above.born && !d.ended(t.kind, t.live) {
		c := d.change(t, plan.Archive)
		c.Fields, c.Hazards = []plan.Field{removalField(t)}, []plan.Hazard{t.kind.removalHazard()}
		if t.last == nil {
			d.holdAdopt(t, c)
		}
		d.holdOverEdit(t, c, "the files archive it")
		return
	}
	if t.last == nil || t.kind.archived(t.last) {
		d.plan.InSync++
		return
	}
	d.change(t, plan.Record).Recorded = []plan.Field{f}
}

// bornWithParent handles what the files name beneath a parent this plan
// creates, whatever was there beneath the parent before; what somebody ended beneath
// one that makes room for another is not made again by itself.
func (d *comparison) bornWithParent(t entry) {
	if t.above.moved && t.gone() && t.last != nil && !t.kind.archived(t.last) {
		d.removedByHand(t)
		return
	}
	if t.above.moved && !t.gone() {
		d.create(t, plan.Replace)
		return
	}
	d.create(t, plan.Create)
}

// removedByHand never creates again by itself what someone archived.
func (d *comparison) removedByHand(t entry) {
	h := plan.Hold{
		Hazard: plan.RemovedByHand, Allow: plan.AllowAt(plan.RemovedByHand, t.address), Message: removedMessage(t),
	}
	h, held := d.unlessCovered(h, t.address, func() []plan.Part { return d.rowParts(&t, plan.Create) })
	if !held {
		c := d.create(t, plan.Create)
		c.Hazards = append(c.Hazards, plan.RemovedByHand)
		return
	}
	c := d.change(t, plan.Create)
	c.Hazards = []plan.Hazard{plan.RemovedByHand}
	beneath := 0
	d.becomes(t, &effect{closed: true, dead: true, beneath: &beneath})
	c.Held = &h
	d.counting = append(d.counting, counting{len(d.plan.Changes) - 1, &beneath})
}

func removedMessage(t entry) string {
	if t.last != nil && t.kind.archived(t.last) {
		return "was archived, which cannot be undone; give it a new key, or allow creating another"
	}
	if t.live == nil {
		return "is no longer at the service; it is not created again unless allowed"
	}
	return "was archived outside adsync; it is not created again unless allowed"
}

// change starts the change of a resource. The pointer is good until the next
// change is started.
func (d *draft) change(t entry, action plan.Action) *plan.Change {
	c := plan.Change{Address: t.address, Action: action, Index: t.index}
	named := t.live
	switch {
	case t.desired != nil:
		c.Position, named = t.desired.Position, t.desired
	case t.live == nil:
		named = t.last
	}
	c.Name = t.kind.schema.NameOf(named)
	if c.Name == "" && t.live != nil {
		c.Name = t.kind.schema.NameOf(t.live)
	}
	switch {
	case action == plan.Create:
	case t.live != nil:
		c.ID = t.live.ID
	case t.last != nil:
		c.ID = t.last.ID
	}
	d.plan.Changes = append(d.roomed(t.index), c)
	return &d.plan.Changes[len(d.plan.Changes)-1]
}

// roomed returns the changes room for one more at a place. A list that is full
// grows to what it comes to if the rest of the account changes as much, at least
// to twice and at most to 32 times what it is.
func (d *draft) roomed(place int) []plan.Change {
	changes := d.plan.Changes
	n := len(changes)
	if n < cap(changes) {
		return changes
	}
	expected := n + n*(len(d.all)-place)/(place+1)
	expected += expected/16 + 1
	return slices.Grow(changes, max(16, min(expected, 32*n, len(d.all)), 2*n)-n)
}

// doubled gives a list room for one more: where it is full, for as many again.
// What append gives a long list is a quarter more, so that each of its elements
// is copied four times.
func doubled[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(len(list), 16))
}
