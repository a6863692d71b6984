package live

import (
	"context"
	"fmt"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// lateReads is how long after an apply reads may still not show what it made.
const lateReads = 2 * time.Minute

// overlay shows what the last apply left where the service does not show it yet,
// neither in a list nor under its id: it is taken to be as it was sent, and is
// neither gone nor made again (fault N23). The plan says so of each.
func (a *refreshing) overlay(ctx context.Context, last *resource.Snapshot, live *Live) error {
	runs, err := a.Store.Runs(ctx, 1)
	if err != nil || len(runs) == 0 {
		return err
	}
	ended := runs[0].Finished
	if ended.Before(runs[0].Started) {
		ended = runs[0].Started
	}
	if age := a.Now().Sub(ended); age < 0 || age >= lateReads {
		return nil
	}
	shown := map[string]bool{}
	for _, r := range live.Resources {
		shown[r.ID] = true
	}
	for r := range last.All() {
		if r.ID == "" || shown[r.ID] || !Mirrors(a.Schemas.Of(r.Address.Kind)) {
			continue
		}
		live.Resources = append(live.Resources, &resource.Resource{
			Address: resource.Address{Kind: r.Address.Kind},
			ID:      r.ID, ParentID: r.ParentID, Attributes: r.Attributes, AsSent: true,
		})
		live.Late = append(live.Late, r.Address)
	}
	return nil
}

// LateProblems returns what is taken to be as it was sent.
func LateProblems(live *Live) []diag.Problem {
	var problems []diag.Problem
	for _, address := range live.Late {
		problems = append(problems, diag.Problem{
			Severity: diag.Warning, Code: diag.NotVerified, Address: address.String(),
			Message: fmt.Sprintf("%s does not show at the service, and the last apply ended less "+
				"than %.0f min ago: it is taken to be as it was sent; plan again later to see whether it is gone",
				address, lateReads.Minutes()),
		})
	}
	return problems
}
