package commits

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"adsync/internal/diag"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5/plumbing/object"
)

// The files of adsync's state by which a state is known, and the one that stops it.
const (
	stateFile = "state.db"
	stopFile  = "STOP"
)

// CommittedStop returns the path of a file STOP in the commit a project was read from, ""
// where it has none. Whoever can push may stop adsync: that only tightens.
func CommittedStop(p config.Project) string { return p.Stop }

// obeyStop notes what of adsync's own folder is in the commit a project was read from.
// Nothing of it is read but that it stops.
func (c *Checkout) obeyStop(top *object.Tree) {
	if top == nil {
		return
	}
	own := path.Join(c.Project.At.Path, config.UsualState)
	if _, err := top.FindEntry(path.Join(config.UsualState, stopFile)); err == nil {
		c.Project.Stop = path.Join(own, stopFile)
		c.Problems = append(c.Problems, diag.Problem{
			Severity: diag.Warning, Code: diag.CommittedState,
			Message: fmt.Sprintf("%s is committed: nothing is sent until a commit takes it away", c.Project.Stop),
			Hint:    "to go on: git rm " + c.Project.Stop,
		})
	}
	if _, err := top.FindEntry(path.Join(config.UsualState, stateFile)); err == nil {
		problem := CommittedState(own)
		problem.Severity = diag.Warning
		problem.Message += "; it is not read"
		c.Problems = append(c.Problems, problem)
	}
}

// CommittedState is the problem of a state that comes with the files: who can push would
// say what adsync has applied, and which id is which row.
func CommittedState(own string) diag.Problem {
	return diag.Problem{
		Severity: diag.Error, Code: diag.CommittedState,
		Message: fmt.Sprintf("%s is committed to git; want adsync's own state out of the repository",
			path.Join(own, stateFile)),
		Hint: fmt.Sprintf("git rm -r --cached "+
			"%s && echo %s/ >> .gitignore, and commit that: the files stay where they are", own, config.UsualState),
	}
}

// StateOfCommit returns the problem of a folder in which HEAD has a state: whether it is
// read depends on who pushed last. A repository that cannot be read has no say in it.
func StateOfCommit(p config.Project) []diag.Problem {
	if p.Home != "" || !filepath.IsLocal(filepath.FromSlash(p.State)) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(p.StateFolder(), stateFile)); err != nil {
		return nil
	}
	h, err := historyOf(p)
	if err != nil {
		return nil
	}
	at, err := h.head()
	if err != nil {
		return nil
	}
	commit, err := h.repository.CommitObject(at)
	if err != nil {
		return nil
	}
	tree, err := h.tree(commit)
	if err != nil || tree == nil {
		return nil
	}
	if _, err := tree.FindEntry(path.Join(filepath.ToSlash(p.State), stateFile)); err != nil {
		return nil
	}
	return []diag.Problem{CommittedState(path.Join(h.prefix, filepath.ToSlash(p.State)))}
}
