package oracle

import "fmt"

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
