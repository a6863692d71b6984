package oracle

import "fmt"

// PauseWins is invariant 10: in one run no pause and no archive comes after an increase, an
// activation or a create, but for that of a second one the service made of one key in
// this very run, which was not there to go first. (That nothing the files pause is activated follows
// from invariant 2.)
func PauseWins(h *History) error {
	for _, a := range h.Applies {
		var risen *Entry
		for i := range h.W {
			e := &h.W[i]
			agent, ours := h.ours(e)
			if e.Seq <= a.From || !a.Open && e.Seq > a.To || !ours || agent != a.Agent || !managed(e) || h.older(e, a) {
				continue
			}
			switch {
			case e.Before == nil || e.After.spend(e.Kind, 0) > e.Before.spend(e.Kind, 0):
				risen = e
			case h.isStray(e) && h.createOf(e).Seq > a.From:
			case risen != nil && e.Before.text("status") == "active" && e.After.text("status") != "active":
				return fmt.Errorf("entry %d (%s of %s) comes after entry %d (%s of %s) of the same run",
					e.Seq, e.Action, e.tag(), risen.Seq, risen.Action, risen.tag())
			}
		}
	}
	return nil
}

// createOf is the entry that made what another one is about.
func (h *History) createOf(e *Entry) *Entry {
	for i := range h.W {
		if made := &h.W[i]; made.Action == "create" && made.ID == e.ID {
			return made
		}
	}
	return e
}
