package oracle

import (
	"fmt"
	"maps"
	"slices"
)

// BroughtBack is invariant 32: a run that takes another one back, was not cut
// short and reports a resource as applied leaves it as the other one had found it,
// where nobody else wrote to it since; what the other one made is paused. A start needs
// leave of its own, and where nothing is allowed guards hold what they hold. Two
// agents may each count what one of them made.
func BroughtBack(h *History) error {
	for _, a := range h.Applies {
		if a.Reverts == nil || a.Open || a.Crashed || a.Failed || a.Strict || h.Shared {
			continue
		}
		live, asked := h.Live(a.To), h.runs().asks(a)
		for _, id := range slices.Sorted(maps.Keys(live)) {
			e := live[id]
			item, named := asked[e.tag()]
			made := h.createsOf(e.tag())
			if twice := len(made) > 1 && made[0].createKey() == made[len(made)-1].createKey(); twice || e.gone() ||
				!named || a.Outcomes[e.tag()] != "update applied" || h.others(id, a.Reverts.From, a.To, a.Agent) {
				continue
			}
			for name, want := range item.Values {
				starts := name == "status" && same(want, "active")
				if have := e.After.at(pathOf(e.Kind, name)); !same(have, want) && want != nil && (!starts || a.Starts) {
					return fmt.Errorf("%s of %s is %v once what changed it is taken back; it was %v before",
						name, e.tag(), have, want)
				}
			}
		}
	}
	return nil
}

// others reports whether somebody but one agent wrote to a resource in a part of W.
func (h *History) others(id string, from, to int64, agent int) bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool {
		by, ours := h.ours(&e)
		return e.ID == id && e.Seq > from && e.Seq <= to && (!ours || by != agent)
	})
}
