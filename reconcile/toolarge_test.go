package reconcile_test

import (
	"fmt"
	"strings"
	"testing"
)

// longHints are 2,000 hints, which the interface allows, of more than a bulk
// operation holds.
func longHints(of string) []string {
	hints := make([]string, 2000)
	for i := range hints {
		hints[i] = fmt.Sprintf("%s %d %s", of, i, strings.Repeat("x", 300))
	}
	return hints
}

// TestHintsBeyondABulkOperationGoAlone: an ad group whose hints exceed 512 KiB is
// created by a single request (interface, part 8).
func TestHintsBeyondABulkOperationGoAlone(t *testing.T) {
	w := newWorld(t)
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "bidding_type": "clicks", "budget.lifetime": 90_000_000,
	})
	w.write("ad_group/spring/runners", map[string]any{
		"name": "Runners", "bid.max": 1_000_000, "context_hints": longHints("people"),
	})
	w.clean()
	w.write("ad_group/spring/runners", map[string]any{
		"name": "Runners", "bid.max": 1_000_000, "context_hints": longHints("walkers"),
	})
	w.clean()
}

// TestAnUpdateThatNoOneRouteSays goes by both: exclusion hints in a job, tracking
// by a single request.
func TestAnUpdateThatNoOneRouteSays(t *testing.T) {
	w := newWorld(t)
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "bidding_type": "clicks", "budget.lifetime": 90_000_000,
	})
	w.write("ad_group/spring/runners", map[string]any{
		"name": "Runners", "bid.max": 1_000_000, "exclusion_hints": []string{"boots"},
	})
	w.clean()
	w.write("ad_group/spring/runners", map[string]any{
		"name": "Runners", "bid.max": 1_000_000, "exclusion_hints": []string{"sandals"}, "tracking": "a=1",
	})
	w.clean()
}
