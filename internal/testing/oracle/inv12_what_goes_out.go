package oracle

import (
	"fmt"
	"strings"
	"time"
)

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

// UnmanagedUntouched is invariant 13: what strangers created is theirs, as no
// adoption is ever allowed here.
func UnmanagedUntouched(h *History) error {
	theirs := map[string]bool{}
	for i := range h.W {
		e := &h.W[i]
		_, ours := h.ours(e)
		if e.Action == "create" && !ours && !e.Past {
			theirs[e.ID] = true
		}
		if ours && theirs[e.ID] && managed(e) {
			return fmt.Errorf("entry %d (%s) writes to %s, which a stranger created", e.Seq, e.Action, e.tag())
		}
	}
	return nil
}

// ReadOnlyReads is invariant 15.
func ReadOnlyReads(h *History) error {
	for _, r := range h.Requests {
		if r.ReadOnly && r.Mutates() {
			return fmt.Errorf("request %d (POST %s) came from a command that only reads", r.N, r.Path)
		}
	}
	return nil
}

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
