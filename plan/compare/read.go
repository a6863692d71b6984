package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// reading is how the tree comes out of the input.
type reading struct {
	*drafting.Draft
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

// join walks the three snapshots side by side, in the order of addresses, so
// that nothing is looked up again.
func (d *reading) join() {
	desired, last, live := d.Desired.Ordered(), d.Last.Ordered(), d.Live.Ordered()
	d.All = make([]drafting.Entry, 0, max(len(desired), len(last), len(live)))
	spends := 0                        // so many do
	latest := map[*drafting.Kind]int{} // the last of each kind so far: parents stand before their children
	for len(desired) > 0 || len(last) > 0 || len(live) > 0 {
		a := first(desired, last, live)
		t := drafting.Entry{
			Address: a, Desired: take(&desired, a),
			Last: take(&last, a), Live: take(&live, a), Index: len(d.All), Up: -1,
		}
		if t.Kind = d.Kinds[a.Kind]; t.Kind == nil {
			d.Problems.Add(diag.Problem{
				Code: diag.UnknownKey, Address: a.String(),
				Message: "kind is " + plan.Quote(string(a.Kind)) + "; want a kind adsync knows",
			})
			continue
		}
		if parent := a.Up(t.Kind.Schema.Parent); !parent.IsZero() {
			t.Up, t.Orphan = d.findAbove(parent, latest[d.Kinds[parent.Kind]])
		}
		latest[t.Kind] = t.Index
		if t.Kind.Spends() {
			spends++
		}
		d.All = append(d.All, t)
	}
	for k := range latest {
		d.Capped = d.Capped || k.Schema.Caps
	}
	d.Spending = make([]drafting.Spending, 0, spends)
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
func (d *reading) findAbove(parent resource.Address, likely int) (place int, orphan bool) {
	if likely < len(d.All) && d.All[likely].Address == parent {
		return likely, false
	}
	for up := parent; !up.IsZero(); up = d.Schemas.Parent(up) {
		i, there := slices.BinarySearchFunc(d.All, up, func(t drafting.Entry, a resource.Address) int {
			return t.Address.Compare(a)
		})
		if there {
			return i, up != parent
		}
	}
	return -1, true
}
