package oracle

import (
	"fmt"
	"strings"
)

// NoLeak is invariant 22, for keys of the service and for people.
func NoLeak(h *History) error {
	for i, secret := range h.Secrets {
		if strings.Contains(h.Output, secret) || strings.Contains(h.Kept, secret) {
			return fmt.Errorf("secret %d stands in what the agent shows", i)
		}
	}
	for digest, people := range h.Lists {
		for i, hash := range people {
			if strings.Contains(h.Output, hash) || strings.Contains(h.Kept, hash) {
				return fmt.Errorf("person %d of list %s stands in what the agent shows or keeps", i, digest)
			}
		}
	}
	return nil
}
