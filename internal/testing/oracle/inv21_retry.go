package oracle

import (
	"fmt"
	"time"
)

// longestHold is how long a process waits at most; a longer wait ends the call.
const longestHold = 5 * time.Minute

// RetryDiscipline is invariant 21: after an answer that asks to wait, the
// process sends nothing at all until the wait is over.
func RetryDiscipline(h *History) error {
	for i, r := range h.Requests {
		if r.RetryAfter <= 0 || !r.Whole {
			continue
		}
		until := r.Answered.Add(min(r.RetryAfter, longestHold))
		for _, next := range h.Requests[i+1:] {
			if next.Process == r.Process && next.At.After(r.Answered) && next.At.Before(until) {
				return fmt.Errorf("request %d went %s after request %d was told to wait %s",
					next.N, next.At.Sub(r.Answered), r.N, r.RetryAfter)
			}
		}
	}
	return nil
}
