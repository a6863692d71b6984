package oracle

import "fmt"

// GuardsHold is invariant 8, for runs under the default policy to which nothing
// was allowed: no budget rises above one and a half of what it was, and nothing
// that was there before is activated.
func GuardsHold(h *History) error {
	for _, a := range h.Applies {
		if !a.Strict {
			continue
		}
		for i := range h.W {
			e := &h.W[i]
			agent, ours := h.ours(e)
			r := h.requestOf(e)
			if !ours || agent != a.Agent || e.Before == nil ||
				!managed(e) || r == nil || r.Process != a.Process || e.Seq <= a.From {
				continue
			}
			for _, name := range []string{"budget.daily", "budget.lifetime"} {
				before, _ := e.Before.at(pathOf(e.Kind, name)).(int64)
				after, _ := e.After.at(pathOf(e.Kind, name)).(int64)
				if before > 0 && after > before*3/2 {
					return fmt.Errorf("entry %d raises %s of %s from %d to %d; nobody allowed it",
						e.Seq, name, e.tag(), before, after)
				}
			}
		}
	}
	return nil
}

func pathOf(kind, name string) string {
	for _, f := range fields[kind] {
		if f.name == name {
			return f.path
		}
	}
	return "-"
}
