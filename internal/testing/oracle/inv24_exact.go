package oracle

import "fmt"

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
			if want, _ := h.asksOf(r).wants(e.tag(), name); !same(want, after) {
				return fmt.Errorf("entry %d writes %s of %s as %v; the files say %v", e.Seq, name, e.tag(), after, want)
			}
		}
	}
	return nil
}
