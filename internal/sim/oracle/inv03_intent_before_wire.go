package oracle

import "fmt"

// IntentBeforeWire is invariant 3.
func IntentBeforeWire(h *History) error {
	for _, r := range h.Requests {
		if r.Mutates() && !r.Journalled {
			return fmt.Errorf("request %d (POST %s, key %q) was sent before the journal held it", r.N, r.Path, r.Key)
		}
	}
	return nil
}
