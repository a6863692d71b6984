package oracle

import (
	"fmt"
	"time"
)

// The limits of a job and of their submission (interface, parts 4 and 8).
const (
	mostOperations = 1000
	mostBody       = 16 << 20
	mostOperation  = 512 << 10
	mostJobs       = 10
	jobsWindow     = 10 * time.Second
)

// BatchLegality is invariant 17.
func BatchLegality(h *History) error {
	sent := map[int][]time.Time{}
	for _, r := range h.Requests {
		if r.Path != jobsPath || r.Method != "POST" {
			continue
		}
		if err := r.legal(); err != nil {
			return fmt.Errorf("request %d: %w", r.N, err)
		}
		times := append(sent[r.Process], r.At)
		sent[r.Process] = times
		if n := len(times); n > mostJobs && times[n-1].Sub(times[n-1-mostJobs]) < jobsWindow {
			return fmt.Errorf("request %d is the eleventh job within %s", r.N, jobsWindow)
		}
	}
	return nil
}

func (r *Request) legal() error {
	operations := r.operations()
	if len(operations) < 1 || len(operations) > mostOperations || len(r.Content) > mostBody {
		return fmt.Errorf("a job of %d operations and %d bytes", len(operations), len(r.Content))
	}
	taken := map[string]bool{}
	for _, o := range operations {
		for _, name := range []string{"operation " + o.ID, "key " + o.Key, "target " + o.Target} {
			if taken[name] && name != "key " && name != "target " {
				return fmt.Errorf("%s stands twice in a job", name)
			}
			taken[name] = true
		}
		if len(o.Input) > mostOperation {
			return fmt.Errorf("operation %s has %d bytes", o.ID, len(o.Input))
		}
	}
	return nil
}
