package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Diff compares three ways, for every attribute the files manage and by the
// same table for whole resources:
//
//	desired   last      live                change
//	present   –         –                   create
//	present   –         present             adopt, held until allowed
//	= last    present   = last              none
//	≠ last    present   = last              update (edit), or replace if immutable, held
//	= last    present   ≠ last              drift: held, unless the policy reverts it or it is allowed
//	≠ last    present   ≠ last, ≠ desired   conflict: held, with both values
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
func Diff(in Input) *Plan {
	d := newDiffer(in)
	for i := range d.addresses {
		d.compare(i)
	}
	d.checkOverlaps()
	d.findAccidents()
	narrows := d.Agreed != nil || !d.Select.IsAll()
	if narrows {
		d.checkRules(false)
	}
	d.agree()
	d.guard()
	d.agreeOnHolds()
	d.selects()
	d.checkRules(narrows)
	d.checkRoom()
	d.carryOver()
	d.findUnused()
	d.settle()
	return d.plan
}

// differ is one computation of a plan.
type differ struct {
	Input
	files     *resource.Snapshot // Desired, with what is ignored
	copied    bool               // Desired is a copy, without what is ignored
	plan      *Plan
	kinds     map[resource.Kind]*kind
	addresses []resource.Address // of all three snapshots, parents first
	all       []three            // of known kinds, in the order of addresses; whole once all are compared
	fates     map[resource.Address]*fate
	shrunk    map[resource.Kind]bool // nothing of these kinds is pruned
	twins     map[twinKey][]resource.Address
	uses      map[identity][]use
	counting  []counting
	spending  []three // what possible spend depends on, in the order of addresses
	calendar  calendar
	problems  diag.List
	used      []bool             // of each of Allow: it released something
	dayAgo    map[amountOf]int64 // what adsync changed within 24 hours, as it was before
	highest   map[highestOf]int64
	guarded   map[resource.Address]protection
	broken    map[brokenRule]bool
}

// counting is a change whose hold says how much lies beneath it, once that is known.
type counting struct {
	change  int
	beneath *int
}

// fate is what became of a resource, as far as it matters beneath it.
type fate struct {
	closed  bool  // nothing beneath it is compared
	dead    bool  // gone or archived at the service: what lies beneath it counts as gone
	born    bool  // created in this plan: what lies beneath it is created too
	moved   bool  // replaced: what lies beneath it is archived with it
	removed bool  // no longer in the files
	held    *Hold // creates beneath it are held with this
	beneath *int  // counts what the files name beneath it
}

func newDiffer(in Input) *differ {
	fresh := max(in.Desired.Len()-in.Last.Len(), 0) // about so many are created
	d := &differ{
		Input: in, files: in.Desired, plan: &Plan{schemas: in.Schemas, Changes: make([]Change, 0, fresh)}, kinds: map[resource.Kind]*kind{}, fates: make(map[resource.Address]*fate, fresh),
		broken: map[brokenRule]bool{}, calendar: calendarOf(in.Today), used: make([]bool, len(in.Allow)),
		addresses: union(in.Desired.Addresses(), union(in.Last.Addresses(), in.Live.Addresses())),
	}
	for _, s := range in.Schemas {
		d.kinds[s.Kind] = describe(s)
	}
	if len(in.Recent.Amounts) > 0 {
		d.dayAgo = map[amountOf]int64{}
	}
	for _, e := range in.Recent.Amounts {
		d.dayAgo[amountOf{e.Address, e.Attribute}] = e.Micros
	}
	d.all = make([]three, 0, len(d.addresses))
	d.ignore()
	d.findShrunk()
	return d
}

// union merges two sorted lists, each address once.
func union(a, b []resource.Address) []resource.Address {
	if len(a) == 0 {
		return b
	}
	merged := make([]resource.Address, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		if a[0] == b[0] {
			merged, a, b = append(merged, a[0]), a[1:], b[1:]
			continue
		}
		if a[0].Compare(b[0]) < 0 {
			merged, a = append(merged, a[0]), a[1:]
			continue
		}
		merged, b = append(merged, b[0]), b[1:]
	}
	return append(append(merged, a...), b...)
}

// three is one resource as the three snapshots hold it.
type three struct {
	kind                *kind
	address             resource.Address
	desired, last, live *resource.Resource
	above               *fate // of its parent; never nil
}

// compare decides what becomes of the resource at one address.
func (d *differ) compare(i int) {
	a := d.addresses[i]
	k := d.kinds[a.Kind]
	if k == nil {
		d.problems.Add(diag.Problem{Code: diag.UnknownKey, Address: a.String(), Message: "kind is " + quote(string(a.Kind)) + "; want a kind adsync knows"})
		return
	}
	t := three{kind: k, address: a, desired: d.Desired.Get(a), last: d.Last.Get(a), live: d.Live.Get(a), above: d.fateAbove(k, a)}
	d.all = append(d.all, t)
	if k.spends() {
		d.spending = append(d.spending, t)
	}
	if why, lacking := d.Lacking[a.Kind]; lacking {
		d.lacking(t, why)
		return
	}
	switch {
	case t.desired == nil && t.last == nil:
		d.unmanaged(t)
	case t.above.closed:
		d.beneathClosed(t)
	case t.desired == nil:
		d.removedFromFiles(t, i)
	case k.archived(t.desired):
		d.wantedArchived(t)
	case t.above.born:
		d.bornWithParent(t)
	case t.last == nil && t.live == nil:
		d.create(t, Create)
	case t.live == nil && d.ended(k, t.last):
		d.over(t)
	case t.gone():
		d.removedByHand(t)
	default:
		d.compareAttributes(t)
	}
}

// nowhere is the fate above the top of the tree, and above what is in sync.
var nowhere = fate{}

func (d *differ) fateAbove(k *kind, a resource.Address) *fate {
	if k.schema.Parent == "" || len(d.fates) == 0 {
		return &nowhere
	}
	if f, ok := d.fates[a.Up(k.schema.Parent)]; ok {
		return f
	}
	return &nowhere
}

// gone says that the service no longer delivers the resource, and cannot again.
func (t *three) gone() bool {
	return t.live == nil || t.above.dead || t.kind.archived(t.live)
}

func (d *differ) unmanaged(t three) {
	if t.gone() {
		d.fates[t.address] = &fate{dead: true}
		return
	}
	if t.kind.schema.Only == "" {
		d.plan.Unmanaged++
	}
}

func (d *differ) beneathClosed(t three) {
	d.fates[t.address] = t.above
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
func (d *differ) wantedArchived(t three) {
	d.fates[t.address] = &fate{closed: true}
	name := t.kind.removal
	f := Field{Name: name, Desired: t.desired.Value(name), Cause: Edit, Phase: Lower}
	if t.last != nil {
		f.Last = t.last.Value(name)
	}
	if !t.gone() && !t.above.born && t.kind.schema.Lasting != "" {
		d.problems.Add(diag.Problem{Code: diag.BadValue, Position: f.Desired.Position, Address: t.address.String(), Message: name + " is " + f.Desired.Text() + ", and " + t.kind.schema.Lasting + "; want the row without it"})
		return
	}
	if !t.gone() && !t.above.born && !d.ended(t.kind, t.live) {
		c := d.change(t, Archive)
		c.Fields, c.Hazards = []Field{removalField(t)}, []Hazard{t.kind.removalHazard()}
		if t.last == nil {
			d.holdAdopt(t, c)
		}
		return
	}
	if t.last == nil || t.kind.archived(t.last) {
		d.plan.InSync++
		return
	}
	d.change(t, Record).Recorded = []Field{f}
}

// bornWithParent handles what the files name beneath a parent this plan
// creates, whatever was there beneath the parent before.
func (d *differ) bornWithParent(t three) {
	if t.above.moved && !t.gone() {
		d.create(t, Replace)
		return
	}
	d.create(t, Create)
}

// removedByHand never creates again by itself what someone archived.
func (d *differ) removedByHand(t three) {
	if d.covered(RemovedByHand, t.address) {
		c := d.create(t, Create)
		c.Hazards = append(c.Hazards, RemovedByHand)
		return
	}
	c := d.change(t, Create)
	c.Hazards = []Hazard{RemovedByHand}
	beneath := 0
	d.fates[t.address] = &fate{closed: true, dead: true, beneath: &beneath}
	c.Held = &Hold{Hazard: RemovedByHand, Allow: allowAt(RemovedByHand, t.address), Message: removedMessage(t)}
	d.counting = append(d.counting, counting{len(d.plan.Changes) - 1, &beneath})
}

func removedMessage(t three) string {
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
func (d *differ) change(t three, action Action) *Change {
	c := Change{Address: t.address, Action: action}
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
	case action == Create:
	case t.live != nil:
		c.ID = t.live.ID
	case t.last != nil:
		c.ID = t.last.ID
	}
	d.plan.Changes = append(d.plan.Changes, c)
	return &d.plan.Changes[len(d.plan.Changes)-1]
}

// covered says whether the hazard is allowed at the address, without regard to
// an amount.
func (d *differ) covered(h Hazard, at resource.Address) bool {
	covered := false
	for i := range d.Allow {
		if d.Allow[i].covers(h, at) {
			d.used[i], covered = true, true
		}
	}
	return covered
}
