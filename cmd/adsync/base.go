package main

import (
	"context"

	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// baseFlag is that of plan, for pull requests.
func baseFlag(c *cobra.Command, revision *string) {
	c.Flags().StringVar(revision, "base", "", "tell what changes "+
		"because of the commits since this git revision, such as origin/main, from what is pending without them")
}

// sinceBase compares the plan with that of the files as they were where HEAD
// left the revision, for the same account as it was read.
func (a *app) sinceBase(ctx context.Context, l loaded, view *reconcile.View, revision string) error {
	if revision == "" {
		return nil
	}
	at, err := l.project.CheckoutBase(ctx, revision)
	if err != nil {
		return configuration("--base: %v", err)
	}
	defer at.Close()
	base := plan.Base{Revision: diag.Printable(revision), Commit: at.Commit}
	before := a.loadRead(ctx, at.Project, at.Problems)
	if n := len(before.desired.Problems); diag.HasErrors(before.desired.Problems) {
		a.note("--base: the files at %.12s have %s; everything counts as a consequence of the change",
			at.Commit, plural(n, "problem"))
		view.Plan.Since(base, nil)
		return nil
	}
	view.Plan.Since(base, view.Without(before.desired.Snapshot))
	return nil
}
