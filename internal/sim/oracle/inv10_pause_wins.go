package oracle

import "fmt"

// PauseWins is invariant 10: in one run no pause and no archive comes after an increase, an
// activation or a create. (That nothing the files pause is activated follows
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
			case e.Before == nil || e.After.spend(e.Kind) > e.Before.spend(e.Kind):
				risen = e
			case risen != nil && e.Before.text("status") == "active" && e.After.text("status") != "active":
				return fmt.Errorf("entry %d (%s of %s) comes after entry %d (%s of %s) of the same run", e.Seq, e.Action, e.tag(), risen.Seq, risen.Action, risen.tag())
			}
		}
	}
	return nil
}
