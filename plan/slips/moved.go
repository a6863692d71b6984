package slips

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// Limits of moved.
const (
	movedFrom    = 3  // new resources named like what the files no longer name elsewhere
	movedPercent = 30 // and more than this share of the kind
)

// moves finds resources that stand beneath another parent all at once.
type moves struct{ *finder }

// findMoved finds resources that stand beneath another parent than before: the
// column that says the parent was sorted alone. At the service nothing moves.
// They would be made a second time while the first go on, so they are held.
func (d *moves) findMoved() {
	for _, s := range d.Schemas {
		if s.Parent == "" {
			continue
		}
		k := d.Kinds[s.Kind]
		moved, from := d.Moved(k)
		if len(moved) < movedFrom {
			continue
		}
		if of := d.named(k); len(moved)*100 > of*movedPercent {
			d.reportMoved(k, moved, from, of)
		}
	}
}

// look is what makes people take a resource for the one that was elsewhere.
type look struct{ leaf, name string }

// Moved returns the creates that look like what the files no longer name beneath
// another parent, and where that is. Each is counted once.
func (d *moves) Moved(k *drafting.Kind) (moved []row, from map[resource.Address]resource.Address) {
	var creates []int
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Address.Kind == k.Schema.Kind && c.Action == plan.Create &&
			len(c.Fields) > 0 && !d.All[c.Index].Above.Born {
			creates = append(creates, i)
		}
	}
	if len(creates) < movedFrom {
		return nil, nil
	}
	left := map[look][]resource.Address{}
	for i := range d.All {
		t := &d.All[i]
		if t.Kind == k && t.Desired == nil && t.Last != nil && t.Live != nil && !k.Archived(t.Live) {
			l := look{t.Address.Leaf(), k.Schema.NameOf(t.Last)}
			left[l] = append(left[l], t.Address)
		}
	}
	from = map[resource.Address]resource.Address{}
	for _, i := range creates {
		c := &d.Plan.Changes[i]
		l := look{c.Address.Leaf(), c.Name}
		if len(left[l]) == 0 {
			continue
		}
		from[c.Address], left[l] = left[l][0], left[l][1:]
		moved = append(moved, row{
			address: &d.All[c.Index].Address, position: c.Position,
			desired: &nothing, was: &nothing, state: added, change: i,
		})
	}
	sortRows(moved)
	return moved, from
}

// named counts the resources of a kind the files name.
func (d *finder) named(k *drafting.Kind) int {
	n := 0
	for i := range d.All {
		if d.All[i].Kind == k && d.All[i].Desired != nil {
			n++
		}
	}
	return n
}

func (d *moves) reportMoved(k *drafting.Kind, moved []row, from map[resource.Address]resource.Address, of int) {
	a := plan.SuspiciousEdit{
		Hazard: plan.Shifted, Kind: k.Schema.Kind, Source: sourceOf(moved), Count: len(moved), Of: of,
	}
	a.Message = catalogue.Fill("slip.moved", "share", shareOf(len(moved), of, k, a.Source),
		"parent", title(d.Kinds[k.Schema.Parent]))
	var examples []plan.Example
	for i := range moved {
		r := &moved[i]
		before := from[*r.address]
		e := r.example(catalogue.Fill("slip.moved-from", "cell", r.within(a.Source),
			"parent", d.Schemas.Parent(before).String()))
		e.Other = before
		examples = append(examples, e)
		if d.holdRow(r, "", plan.Shifted, catalogue.Fill("slip.looks-like", "other", before.String())) {
			a.Held++
		}
	}
	d.report(a, examples)
}
