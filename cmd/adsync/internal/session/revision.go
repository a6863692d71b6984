package session

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/sources/commits"
)

type Revision = planview.Revision

// RevisionOf returns which commit the files are, and which of them are not
// committed; nil outside a git repository.
func RevisionOf(env *Env, l Loaded) *Revision {
	r, err := commits.RevisionOf(l.Project, l.Desired.Sources)
	if err != nil {
		env.Note("git: %v", err)
		return nil
	}
	if r.Commit == "" {
		return nil
	}
	if len(r.Uncommitted) > 0 {
		env.Note("files at commit %.12s; uncommitted: %s", r.Commit, diag.Printable(strings.Join(r.Uncommitted, ", ")))
		return (*Revision)(&r)
	}
	env.Note("files at commit %.12s", r.Commit)
	return (*Revision)(&r)
}
