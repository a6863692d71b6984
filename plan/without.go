package plan

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// Without is what a resource that starts to deliver does not have: it runs without a
// last day, or in all countries.
type Without struct {
	Attribute string `json:"attribute"`
	Says      string `json:"says"` // "no last day"
}

// WithoutCount says how many changes of a plan start something without an attribute.
type WithoutCount struct {
	Without
	Count int `json:"count"`
}

// findWithout notes what each resource lacks that the plan starts: a new one that is to
// be active, and one that becomes active again.
func (d *differ) findWithout() {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if t := &d.all[c.place]; len(t.kind.without) > 0 && t.starts(c) {
			c.Without = t.without(c)
		}
	}
}

// starts reports whether the change has the resource deliver that did not.
func (t *three) starts(c *Change) bool {
	if makes(c) {
		return t.desired != nil && t.kind.delivers(t.desired)
	}
	if t.live == nil || t.kind.delivers(t.live) {
		return false
	}
	return slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Name == t.kind.delivery && f.Desired.Text() == active })
}

// makes reports whether the change makes a resource, which has what the files give.
func makes(c *Change) bool { return c.Action == Create || c.Action == Replace }

// without returns what the resource lacks once the change is carried out.
func (t *three) without(c *Change) (without []Without) {
	has := func(name string) bool {
		if makes(c) {
			return !unset(t.desired.Value(name))
		}
		return !unset(t.kind.written(t.live, c.Fields, everyField, name))
	}
	for _, a := range t.kind.without {
		if has(a.Name) || slices.ContainsFunc(a.Without.Unless, has) {
			continue
		}
		w := Without{Attribute: a.Name, Says: a.Without.Says}
		if slices.ContainsFunc(a.Without.But, has) {
			w.Says += resource.ButExcluded
		}
		without = append(without, w)
	}
	return without
}

// WithoutCounts returns what the changes start without, each with how many do, by the
// name of the attribute.
func (p *Plan) WithoutCounts() (counts []WithoutCount) {
	for i := range p.Changes {
		for _, w := range p.Changes[i].Without {
			at := slices.IndexFunc(counts, func(c WithoutCount) bool { return c.Without == w })
			if at < 0 {
				at, counts = len(counts), append(counts, WithoutCount{Without: w})
			}
			counts[at].Count++
		}
	}
	slices.SortFunc(counts, func(a, b WithoutCount) int {
		return cmp.Or(strings.Compare(a.Attribute, b.Attribute), strings.Compare(a.Says, b.Says))
	})
	return counts
}
