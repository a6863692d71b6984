package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/reconcile"
)

// resultsBranch is where results are pushed to where no other branch is named.
const resultsBranch = "adsync/results"

// pushResults commits what became of a run to a branch of its own: the result
// copies, results.csv and results.json, in a folder of the account and the run.
func (a *app) pushResults(ctx context.Context, l loaded, branch string, r *reconcile.Report, d *reportDocument) error {
	if branch == "" || r.Run == "" {
		return nil
	}
	folder, err := os.MkdirTemp("", "adsync-results-")
	if err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	defer os.RemoveAll(folder)
	unsaid := *a // where these copies are is nobody's concern
	unsaid.flags.quiet, unsaid.told = true, nil
	if err := unsaid.writeResults(l, folder, r, d); err != nil {
		return err
	}
	files, err := filesBelow(folder, path.Join("results", refWord(d.Account.ID), refWord(r.Run)))
	if err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	return a.push(ctx, gitstore.Answer{Branch: branch, Files: files, Message: fmt.Sprintf("adsync: %s\n\nRun: %s\nAccount: %s\nPlan: %s\nCommit: %s\n", r.Summary(), r.Run, d.Account.ID, d.PlanHash, a.git.revision.Commit)})
}

// filesBelow reads a folder whole.
func filesBelow(folder, under string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		files[path.Join(under, filepath.ToSlash(inside))], err = os.ReadFile(name)
		return err
	})
	return files, err
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
		return &exit{exitInvalid, counted(problems) + "; nothing was pushed"}
	}
	files := map[string][]byte{}
	for _, r := range rewrites {
		files[path.Join(a.git.store.SubPath(), r.File)] = r.After
	}
	account := d.account.Account.ID
	return a.push(ctx, gitstore.Answer{
		Branch: fmt.Sprintf("adsync/drift-%s-%.12s", refWord(account), planHash), Base: a.git.revision.Commit, Files: files,
		Message: fmt.Sprintf("Take over %s from the service\n\nAccount: %s\nPlan: %s\nCommit: %s\n", plural(len(take.accepted), "value"), account, planHash, a.git.revision.Commit),
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
		return by, configuration("git.author is %q; want a name and an address such as adsync <adsync@example.com>", diag.Printable(text))
	}
	return by, nil
}
