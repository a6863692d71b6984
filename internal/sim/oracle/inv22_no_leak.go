package oracle

import (
	"fmt"
	"strings"
)

// NoLeak is invariant 22, for keys of the service.
func NoLeak(h *History) error {
	for i, secret := range h.Secrets {
		if strings.Contains(h.Output, secret) {
			return fmt.Errorf("secret %d stands in what the agent shows", i)
		}
	}
	return nil
}
