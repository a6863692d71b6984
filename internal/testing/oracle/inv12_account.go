package oracle

import "fmt"

// AccountBinding is invariant 12.
func AccountBinding(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		if managed(e) && e.Account != h.Account {
			return fmt.Errorf("entry %d writes %s %s to account %s; the files are of %s",
				e.Seq, e.Kind, e.tag(), e.Account, h.Account)
		}
	}
	for _, r := range h.Requests {
		if r.Mutates() && r.Credential != h.Credentials[r.Agent] {
			return fmt.Errorf("request %d (POST %s) went with the key of another account", r.N, r.Path)
		}
	}
	return nil
}
