package main

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/reconcile"
	"adsync/sources"
)

// writeBack writes what became of the rows into the user's own files, where
// that was asked for. What was applied stays applied: a file that cannot be
// written is named, and the others go on.
func (a *app) writeBack(l loaded, f applyFlags, r *reconcile.Report) error {
	if !f.writeBack {
		return nil
	}
	rows := rowOutcomes(l, r)
	failed := 0
	for _, source := range l.desired.Sources {
		if !sources.TakesResults(source.File) {
			continue
		}
		changed, err := sources.WriteBack(l.project, l.schemas, source, rows)
		switch {
		case err != nil:
			failed++
			a.clearLine()
			fmt.Fprintf(a.err, "adsync: %s: results were not written back: %s; they are in the result copies\n", diag.Printable(source.File), diag.Printable(err.Error()))
		case changed:
			a.note("results written into %s", diag.Printable(source.File))
		}
	}
	if failed > 0 {
		return &exit{exitUsage, ""}
	}
	return nil
}
