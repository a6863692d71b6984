package oracle

import "fmt"

// AbsenceIsNotDeletion is invariant 6: the policy of the simulation keeps what
// the files no longer name, so no agent ever archives.
func AbsenceIsNotDeletion(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); ours && managed(e) && e.After.text("status") == "archived" && e.Before.text("status") != "archived" {
			return fmt.Errorf("entry %d archives %s %s; no file and no policy asks for it", e.Seq, e.Kind, e.tag())
		}
	}
	return nil
}
