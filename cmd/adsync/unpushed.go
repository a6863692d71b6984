package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"adsync/internal/gitstore"
	"adsync/reconcile"
)

// unpushed is the folder of a state in which results lie until they are pushed: a
// folder a run, in the order of runs, with a message and the files.
type unpushed string

const (
	unpushedName    = "unpushed"
	unpushedMost    = 20      // runs; the oldest are dropped
	unpushedPartial = ".new-" // what a process that was killed left
	messageName     = "message"
	filesName       = "files"
)

func unpushedOf(stateFolder string) unpushed {
	return unpushed(filepath.Join(stateFolder, unpushedName))
}

// keep writes the results of a run, whole or not at all. Whoever calls it has the state
// to itself, so that what is in part there was left by a process that was killed.
func (u unpushed) keep(a *app, l loaded, r *reconcile.Report, d *reportDocument, message string) error {
	if err := os.MkdirAll(string(u), 0o700); err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(string(u), unpushedPartial+"*")) // of a pattern that is one
	for _, name := range left {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	folder, err := os.MkdirTemp(string(u), unpushedPartial)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) // nothing, once it has its name
	copies := filepath.Join(folder, filesName, "results", refWord(d.Account.ID), refWord(r.Run))
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, messageName), []byte(message), 0o600); err != nil {
		return err
	}
	unsaid := *a // where these copies are is nobody's concern
	unsaid.flags.quiet, unsaid.told = true, nil
	if err := unsaid.writeResults(l, copies, r, d); err != nil {
		return err
	}
	return os.Rename(folder, filepath.Join(string(u), refWord(r.Run)))
}

// runs are those that wait, the oldest first.
func (u unpushed) runs() ([]string, error) {
	entries, err := os.ReadDir(string(u))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var runs []string
	for _, entry := range entries { // in the order of their names, which is that of the runs
		if !strings.HasPrefix(entry.Name(), unpushedPartial) {
			runs = append(runs, entry.Name())
		}
	}
	for len(runs) > unpushedMost {
		err, runs = errors.Join(err, u.drop(runs[0])), runs[1:]
	}
	return runs, err
}

func (u unpushed) drop(run string) error { return os.RemoveAll(filepath.Join(string(u), run)) }

// push commits what waits to a branch, a commit a run, and ends at the first that
// cannot be pushed.
func (u unpushed) push(ctx context.Context, a *app, branch string) error {
	runs, err := u.runs()
	if err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	for i, run := range runs {
		message, err := os.ReadFile(filepath.Join(string(u), run, messageName))
		if err != nil {
			return fmt.Errorf("push results: %w", err)
		}
		files, err := filesBelow(filepath.Join(string(u), run, filesName), "")
		if err != nil {
			return fmt.Errorf("push results: %w", err)
		}
		if err := a.push(ctx, gitstore.Answer{Branch: branch, Files: files, Message: string(message)}); err != nil {
			return waiting(err, len(runs)-i)
		}
		if err := u.drop(run); err != nil {
			return fmt.Errorf("push results: %w", err)
		}
	}
	return nil
}

// waiting says of how many runs the results are pushed later.
func waiting(err error, runs int) error {
	if known, is := errors.AsType[*exit](err); is {
		known.message += "; the results of " + plural(runs, "run") + " wait in the state for the next push"
	}
	return err
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

// lateEvery is how long what could not be pushed waits at least.
const lateEvery = 10 * time.Minute

// late pushes what earlier runs could not, whether anything else is to be done or not.
// Why it could not is a line of the log.
func (n *answers) late(ctx context.Context, a *app) {
	if n == nil || n.results == "" || a.clock.orSystem().now().Before(n.again) {
		return
	}
	if runs, err := n.waits.runs(); err == nil && len(runs) == 0 {
		return
	}
	if err := n.away(ctx, func() error { return n.waits.push(ctx, a, n.results) }); err != nil {
		n.again = a.clock.orSystem().now().Add(lateEvery)
		a.note("the results of an earlier run could not be pushed: %s", oneLine(err))
	}
}
