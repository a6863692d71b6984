package oracle

import (
	"fmt"
)

// OutcomesAddUp is invariant 18: a report has one outcome for every planned
// change, and what it calls created stands in W.
func OutcomesAddUp(h *History) error {
	born := map[string]bool{}
	for i := range h.W {
		if e := &h.W[i]; e.Action == "create" {
			born[e.tag()] = true
		}
	}
	for _, a := range h.Applies {
		if a.Open || a.Outcomes == nil {
			continue
		}
		if a.Counted != a.Planned {
			return fmt.Errorf("a run of agent %d planned %d changes and reports %d outcomes",
				a.Agent, a.Planned, a.Counted)
		}
		for tag, outcome := range a.Outcomes {
			if outcome == "create applied" && !born[tag] {
				return fmt.Errorf("a run of agent %d reports that it created %s; the service has no such create",
					a.Agent, tag)
			}
		}
	}
	return nil
}

// ExactAmounts is invariant 24: every amount an agent wrote is a whole number
// of micros that the files of its run say, digit by digit.
func ExactAmounts(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		r := h.requestOf(e)
		if _, ours := h.ours(e); !ours || !managed(e) || r == nil || r.Commit < 0 {
			continue
		}
		for _, name := range amounts {
			after := e.After.at(pathOf(e.Kind, name))
			if after == nil || same(after, e.Before.at(pathOf(e.Kind, name))) {
				continue
			}
			if want, _ := h.runs().asksOf(r).wants(e.tag(), name); !same(want, after) {
				return fmt.Errorf("entry %d writes %s of %s as %v; the files say %v", e.Seq, name, e.tag(), after, want)
			}
		}
	}
	return nil
}
