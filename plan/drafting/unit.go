package drafting

import (
	"cmp"
	"strings"

	"adsync/internal/resource"
)

// Unit is what an amount pays for, in the words of the attributes that say it, "" where a kind has one alone: amounts
// of two units, such as a bid for a click and one for an impression, do not compare.
type Unit string

// UnitOf returns the unit of an amount of a resource, as one of its sides says it.
func (d *Tree) UnitOf(t *Entry, a *resource.Attribute, says func(*Entry, string) string) Unit {
	var said []string
	for i := range a.Unit {
		of := &a.Unit[i]
		at := t
		for of.Ancestor != "" && at.Kind.Schema.Kind != of.Ancestor && at.Up >= 0 {
			at = &d.All[at.Up]
		}
		if v := cmp.Or(says(at, of.Attribute), of.Value); v != "" {
			said = append(said, v)
		}
	}
	return Unit(strings.Join(said, ", "))
}
