package main

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/planview"
)

type revision = planview.Revision

// revisionOf says which commit the files are, and which of them are not
// committed; nil outside a git repository.
func (a *app) revisionOf(l loaded) *revision {
	r, err := l.project.Revision(l.desired.Sources)
	if err != nil {
		a.note("git: %v", err)
		return nil
	}
	if r.Commit == "" {
		return nil
	}
	if len(r.Uncommitted) > 0 {
		a.note("files at commit %.12s; uncommitted: %s", r.Commit, diag.Printable(strings.Join(r.Uncommitted, ", ")))
		return (*revision)(&r)
	}
	a.note("files at commit %.12s", r.Commit)
	return (*revision)(&r)
}
