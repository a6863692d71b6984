package main

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// refreshModes are what --refresh takes.
var refreshModes = []string{"auto", "full", "incremental"}

// refreshFlag says how the account is read.
type refreshFlag struct{ mode string }

func (f *refreshFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&f.mode, "refresh", "auto", "how the account is read: full; incremental, "+
		"what its audit log says was changed, and all of it once a day; auto, incremental with --unattended alone")
	completes(c, "refresh", refreshModes...)
}

func (f *refreshFlag) check() error {
	if f.mode != "" && !slices.Contains(refreshModes, f.mode) {
		return configuration("--refresh is %q; want %s", f.mode, strings.Join(refreshModes, ", "))
	}
	return nil
}

// incremental says whether the audit log is asked first.
func (f *refreshFlag) incremental(unattended bool) bool {
	return f.mode == "incremental" || f.mode == "auto" && unattended
}

// noteReading says how the account was read, where that was a choice.
func (a *app) noteReading(r reconcile.Reading) {
	switch {
	case !r.Whole:
		a.note("the account was read by its audit log: %s anew; --refresh full reads everything",
			plural(r.Changed, "resource"))
	case r.Why != "":
		a.note("the account was read in full: %s", diag.Printable(r.Why))
	}
}
