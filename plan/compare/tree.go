package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// three is one resource as the three snapshots hold it.
type entry struct {
	kind                *kind
	address             resource.Address
	desired, last, live *resource.Resource
	index               int     // its own in tree.all
	up                  int     // that of what is above it, -1 at the top
	orphan              bool    // its parent is in no snapshot: above it is what is above that
	above               *effect // of its parent; never nil
	effect              *effect // its own; nil where nothing follows from it beneath
}

// tree is every resource as the snapshots hold it, with what is looked up of it: read once,
// and shared by all that looks at it.
type tree struct {
	plan.Input
	files      *resource.Snapshot // Desired, with what is ignored
	copied     bool               // Desired is a copy, without what is ignored
	kinds      map[resource.Kind]*kind
	all        []entry   // of known kinds, in the order of addresses, parents first
	waits      []*waits  // by place: why what is there waits, or may be what waits; nil where nothing does
	written    []written // by place, as far as it was asked for
	uses       map[reference][]use
	byID       map[resource.Kind]map[string]*resource.Resource // what is live, as far as it was asked for
	spending   []spending                                      // what possible spend depends on
	protecting []int                                           // of all, those whose rows protect something
	// the files, the record or the account have a limit of some days
	capped   bool
	calendar calendar
}

// reading is how the tree comes out of the input.
type reading struct {
	*draft
	pruning *pruning
}

// read takes what the files leave to others out of them, and joins the snapshots.
func (d *reading) read() {
	d.ignore()
	d.clearWith()
	d.nameIDs()
	d.join()
	d.indexInvalid()
	d.takeMisnamed()
}

// nowhere is the effect above the top of the tree, and above what is in sync.
var nowhere = effect{}

// join walks the three snapshots side by side, in the order of addresses, so
// that nothing is looked up again.
func (d *reading) join() {
	desired, last, live := d.Desired.Ordered(), d.Last.Ordered(), d.Live.Ordered()
	d.all = make([]entry, 0, max(len(desired), len(last), len(live)))
	spend := 0                // so many do
	latest := map[*kind]int{} // the last of each kind so far: parents stand before their children
	for len(desired) > 0 || len(last) > 0 || len(live) > 0 {
		a := first(desired, last, live)
		t := entry{
			address: a, desired: take(&desired, a),
			last: take(&last, a), live: take(&live, a), index: len(d.all), up: -1,
		}
		if t.kind = d.kinds[a.Kind]; t.kind == nil {
			d.problems.Add(diag.Problem{
				Code: diag.UnknownKey, Address: a.String(),
				Message: "kind is " + plan.Quote(string(a.Kind)) + "; want a kind adsync knows",
			})
			continue
		}
		if parent := a.Up(t.kind.schema.Parent); !parent.IsZero() {
			t.up, t.orphan = d.findAbove(parent, latest[d.kinds[parent.Kind]])
		}
		latest[t.kind] = t.index
		if t.kind.spends() {
			spend++
		}
		d.all = append(d.all, t)
	}
	for k := range latest {
		d.capped = d.capped || k.schema.Caps
	}
	d.spending = make([]spending, 0, spend)
}

// first returns the first address of three sorted lists.
func first(lists ...[]*resource.Resource) (a resource.Address) {
	for _, list := range lists {
		if len(list) > 0 && list[0].Address != a && (a.IsZero() || list[0].Address.Compare(a) < 0) {
			a = list[0].Address
		}
	}
	return a
}

// take takes the first resource off a sorted list where it is the one at an address.
func take(list *[]*resource.Resource, a resource.Address) *resource.Resource {
	if len(*list) == 0 || (*list)[0].Address != a {
		return nil
	}
	r := (*list)[0]
	*list = (*list)[1:]
	return r
}

// findAbove returns the place of a parent, which is likely there, else that of
// what is above it, and whether the parent itself is in no snapshot.
func (d *tree) findAbove(parent resource.Address, likely int) (place int, orphan bool) {
	if likely < len(d.all) && d.all[likely].address == parent {
		return likely, false
	}
	for up := parent; !up.IsZero(); up = d.Schemas.Parent(up) {
		i, there := slices.BinarySearchFunc(d.all, up, func(t entry, a resource.Address) int {
			return t.address.Compare(a)
		})
		if there {
			return i, up != parent
		}
	}
	return -1, true
}

// fateAbove is the effect of the parent.
func (d *tree) effectAbove(t *entry) *effect {
	if t.up < 0 || t.orphan || d.all[t.up].effect == nil {
		return &nowhere
	}
	return d.all[t.up].effect
}
