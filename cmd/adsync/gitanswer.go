package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/reconcile"
)

// resultsBranch is where results are pushed to where no other branch is named.
const resultsBranch = "adsync/results"

// pushResults commits what became of a run to a branch of its own: the result
// copies, results.csv and results.json, in a folder of the account and the run. They
// lie in the state until they are there, those of earlier runs too.
func (a *app) pushResults(ctx context.Context, l loaded, branch string, r *reconcile.Report, d *reportDocument) error {
	if branch == "" || r.Run == "" {
		return nil
	}
	waits := unpushedOf(l.project.StateFolder())
	message := fmt.Sprintf("adsync: %s\n\nRun: %s\nAccount: %s\nPlan: %s\nCommit: %s\n",
		r.Summary(), r.Run, d.Account.ID, d.PlanHash, a.git.revision.Commit)
	if err := waits.keep(a, l, r, d, message); err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	return waits.push(ctx, a, branch)
}

// propose pushes the files with what is live in them to a branch that begins at
// the commit that was read, ready for a pull request. Nothing is recorded: once
// it is merged, the next apply finds both sides alike.
func (a *app) propose(ctx context.Context, l loaded, d driftDocument, picked bool, planHash string) error {
	take := takeOver(l, d, picked)
	if len(take.accepted) == 0 && len(take.problems) == 0 {
		a.note("no drift; nothing to propose")
		return nil
	}
	rewrites, problems, err := l.project.Accept(ctx, schemas(), allDesired(ctx, a, l), take.accepted)
	if err != nil {
		return configuration("%v; nothing was pushed", err)
	}
	if problems = append(take.problems, problems...); len(problems) > 0 {
		a.showProblems(l.project, problems)
		return exitWith(exitInvalid, counted(problems)+"; nothing was pushed")
	}
	files := map[string][]byte{}
	for _, r := range rewrites {
		files[path.Join(a.git.store.SubPath(), r.File)] = r.After
	}
	account := d.account.Account.ID
	return a.push(ctx, gitstore.Answer{
		Branch: fmt.Sprintf("adsync/drift-%s-%.12s", refWord(account), planHash),
		Base:   a.git.revision.Commit, Files: files,
		Message: fmt.Sprintf("Take over %s from the service\n\nAccount: %s\nPlan: %s\nCommit: %s\n",
			plural(len(take.accepted), "value"), account, planHash, a.git.revision.Commit),
	})
}

func (a *app) push(ctx context.Context, answer gitstore.Answer) error {
	answer.Author = a.git.author
	pushed, err := a.git.store.Push(ctx, answer)
	switch {
	case err != nil:
		var known *exit
		if err = gitExit(err); errors.As(err, &known) {
			known.message += "; nothing was pushed to " + diag.Printable(answer.Branch)
		}
		return err
	case pushed.Same:
		a.note("%s of %s says that already", pushed, a.git.store.Address())
	default:
		a.note("pushed to %s of %s", pushed, a.git.store.Address())
	}
	return nil
}

var notOfRef = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// refWord makes a word that may stand in a branch and a path.
func refWord(text string) string { return strings.Trim(notOfRef.ReplaceAllString(text, "-"), "-") }

// author reads "Name <address>".
func author(text string) (gitstore.Author, error) {
	name, rest, ok := strings.Cut(text, "<")
	email, after, closed := strings.Cut(rest, ">")
	by := gitstore.Author{Name: strings.TrimSpace(name), Email: strings.TrimSpace(email)}
	if !ok || !closed || after != "" || by.Name == "" || by.Email == "" || strings.ContainsAny(text, "\n\x00") {
		return by, configuration("git.author is %q; want a name and an address such as adsync <adsync@example.com>",
			diag.Printable(text))
	}
	return by, nil
}
