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

// Start is what a resource starts to deliver without; changes that lack the same share it.
type Start struct{ Without []Without }

// Without returns what the change starts the resource without.
func (c *Change) Without() []Without {
	if c.Start == nil {
		return nil
	}
	return c.Start.Without
}

// WithoutCount says how many changes of a plan start something without an attribute.
type WithoutCount struct {
	Without
	Count int `json:"count"`
}

// findWithout notes what each resource lacks that the plan starts: a new one that is to
// be active, and one that becomes active again.
func (d *finish) findWithout() {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if t := &d.all[c.place]; len(t.kind.without) > 0 && t.starts(c) {
			c.Start = t.kind.start(t.lacking(c))
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
	return slices.ContainsFunc(c.Fields, func(f Field) bool {
		return f.Name == t.kind.delivery && f.Desired.Text() == active
	})
}

// makes reports whether the change makes a resource, which has what the files give.
func makes(c *Change) bool { return c.Action == Create || c.Action == Replace }

// lacking returns what the resource lacks once the change is carried out: two bits for
// each attribute of kind.without, the first where it has none, the second where it excludes
// something.
func (t *three) lacking(c *Change) (lacks uint64) {
	has := func(name string) bool {
		if makes(c) {
			return !unset(t.desired.Value(name))
		}
		return !unset(t.kind.written(t.live, c.Fields, everyField, name))
	}
	for i, a := range t.kind.without {
		if has(a.Name) || slices.ContainsFunc(a.Without.Unless, has) {
			continue
		}
		lacks |= 1 << (2 * i)
		if slices.ContainsFunc(a.Without.But, has) {
			lacks |= 2 << (2 * i)
		}
	}
	return lacks
}

// start says what such a resource starts without, nil where that is nothing.
func (k *kind) start(lacks uint64) *Start {
	if lacks == 0 || k.starts[lacks] != nil {
		return k.starts[lacks]
	}
	s := &Start{}
	for i, a := range k.without {
		w := Without{Attribute: a.Name, Says: a.Without.Says}
		if lacks>>(2*i)&2 != 0 {
			w.Says += resource.ButExcluded
		}
		if lacks>>(2*i)&1 != 0 {
			s.Without = append(s.Without, w)
		}
	}
	k.starts[lacks] = s
	return s
}

// WithoutCounts returns what the changes start without, each with how many do, by the
// name of the attribute.
func (p *Plan) WithoutCounts() (counts []WithoutCount) {
	for i := range p.Changes {
		for _, w := range p.Changes[i].Without() {
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
