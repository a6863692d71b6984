package plan

import (
	"cmp"
	"slices"
	"strings"
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
