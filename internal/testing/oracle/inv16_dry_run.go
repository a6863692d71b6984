package oracle

import "fmt"

// DryRunIsDry is invariant 16.
func DryRunIsDry(h *History) error {
	dry := map[string]*Request{}
	for _, r := range h.Requests {
		if r.DryRun {
			dry[r.Body] = r
		}
	}
	for i := range h.W {
		e := &h.W[i]
		if r := dry[e.Body]; r != nil && e.JobID != "" {
			return fmt.Errorf("entry %d (%s %s) comes of the dry run in request %d", e.Seq, e.Action, e.tag(), r.N)
		}
	}
	return nil
}
