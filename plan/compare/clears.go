package compare

import (
	"slices"

	"adsync/internal/resource"
)

// clearWith has the files clear what a choice of theirs takes the place of, such as
// the bid that a strategy without one replaces, where they leave it out and the
// service still has it.
func (d *reading) clearWith() {
	for _, s := range d.Schemas {
		for i := range s.Attributes {
			a := &s.Attributes[i]
			if slices.ContainsFunc(a.Choices, func(c resource.Choice) bool { return len(c.Clears) > 0 }) {
				d.clearWithAttribute(s.Kind, a)
			}
		}
	}
}

func (d *reading) clearWithAttribute(of resource.Kind, a *resource.Attribute) {
	var replaced []*resource.Resource
	for r := range d.Desired.All() {
		if r.Address.Kind != of {
			continue
		}
		chosen, live := r.Value(a.Name), d.Live.Get(r.Address)
		if !chosen.IsSet() || live == nil {
			continue
		}
		var without *resource.Resource
		for _, name := range clearsOf(a, chosen) {
			if !r.Value(name).IsAbsent() || !live.Value(name).IsSet() {
				continue
			}
			if without == nil {
				copied := *r
				copied.Attributes, without = slices.Clone(r.Attributes), &copied
			}
			without.Set(name, resource.Null().At(chosen.Position))
		}
		if without != nil {
			replaced = append(replaced, without)
		}
	}
	for _, r := range replaced {
		d.replaceDesired(r)
	}
}

func clearsOf(a *resource.Attribute, v resource.Value) []string {
	for i := range a.Choices {
		if a.Choices[i].Value == v.Text() {
			return a.Choices[i].Clears
		}
	}
	return nil
}
