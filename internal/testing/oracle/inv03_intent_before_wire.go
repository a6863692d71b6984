package oracle

import (
	"fmt"
	"strings"
)

// IntentBeforeWire is invariant 3. What makes an operation that was accepted go on
// has neither bytes nor a key, and does nothing twice.
func IntentBeforeWire(h *History) error {
	for _, r := range h.Requests {
		if r.Mutates() && !r.Journalled && !strings.HasSuffix(r.Path, "/resume") {
			return fmt.Errorf("request %d (POST %s, key %q) was sent before the journal held it", r.N, r.Path, r.Key)
		}
	}
	return nil
}
