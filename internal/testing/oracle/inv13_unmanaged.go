package oracle

import "fmt"

// UnmanagedUntouched is invariant 13: what strangers created is theirs, as no
// adoption is ever allowed here.
func UnmanagedUntouched(h *History) error {
	theirs := map[string]bool{}
	for i := range h.W {
		e := &h.W[i]
		_, ours := h.ours(e)
		if e.Action == "create" && !ours && !e.Past {
			theirs[e.ID] = true
		}
		if ours && theirs[e.ID] && managed(e) {
			return fmt.Errorf("entry %d (%s) writes to %s, which a stranger created", e.Seq, e.Action, e.tag())
		}
	}
	return nil
}
