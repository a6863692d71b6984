package oracle

import "fmt"

// ReadOnlyReads is invariant 15.
func ReadOnlyReads(h *History) error {
	for _, r := range h.Requests {
		if r.ReadOnly && r.Mutates() {
			return fmt.Errorf("request %d (POST %s) came from a command that only reads", r.N, r.Path)
		}
	}
	return nil
}
