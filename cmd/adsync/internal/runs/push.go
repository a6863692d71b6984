package runs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/pattern"
	"adsync/reconcile"
)

// ResultsBranch is where results are pushed to where no other branch is named.
const ResultsBranch = "adsync/results"

// PushResults commits what became of a run to a branch of its own: the result
// copies, results.csv and results.json, in a folder of the account and the run. They
// lie in the state until they are there, those of earlier runs too.
func PushResults(ctx context.Context, env *session.Env,
	l session.Loaded, branch string, r *reconcile.Report, d *ReportDocument) error {
	if branch == "" || r.Run == "" {
		return nil
	}
	waits := UnpushedOf(env, l.Project)
	if err := waits.Keep(env, l, r, d); err != nil {
		return err
	}
	return waits.Push(ctx, env, branch)
}

// Keep keeps what became of a run until it is pushed.
func (u Unpushed) Keep(env *session.Env, l session.Loaded, r *reconcile.Report, d *ReportDocument) error {
	if r.Run == "" {
		return nil
	}
	message := fmt.Sprintf("adsync: %s\n\nRun: %s\nAccount: %s\nPlan: %s\nCommit: %s\n",
		r.Summary(), r.Run, d.Account.ID, d.PlanHash, env.Git.Revision.Commit)
	if err := u.keep(env, l, r, d, message); err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	return nil
}

// FolderOf is where the results of a run are on the branch that they are pushed to.
func FolderOf(account, run string) string {
	return path.Join("results", RefWord(account), RefWord(run))
}

// Push pushes an answer to a branch of the repository.
func Push(ctx context.Context, env *session.Env, answer gitstore.Answer) (gitstore.Pushed, error) {
	answer.Author = env.Git.Author
	pushed, err := env.Git.Store.Push(ctx, answer)
	switch {
	case err != nil:
		var known *console.Exit
		if err = session.GitExit(err); errors.As(err, &known) {
			known.Message += "; nothing was pushed to " + diag.Printable(answer.Branch)
		}
		return pushed, err
	case pushed.Same:
		env.Note("%s of %s says that already", pushed, env.Git.Store.Address())
	default:
		env.Note("pushed to %s of %s", pushed, env.Git.Store.Address())
	}
	return pushed, nil
}

var notOfRef = pattern.Of(`[^A-Za-z0-9_-]+`)

// RefWord makes a word that may stand in a branch and a path.
func RefWord(text string) string { return strings.Trim(notOfRef.ReplaceAllString(text, "-"), "-") }
