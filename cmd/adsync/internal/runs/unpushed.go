package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/reconcile"
)

// Unpushed is the folder of a state in which results lie until they are pushed: a
// folder a run, in the order of runs, with a message and the files.
type Unpushed string

const (
	UnpushedName    = "unpushed"
	unpushedMost    = 20      // runs; the oldest are dropped
	UnpushedPartial = ".new-" // what a process that was killed left
	MessageName     = "message"
	filesName       = "files"
)

// UnpushedOf returns the results of a state that wait to be pushed.
func UnpushedOf(stateFolder string) Unpushed {
	return Unpushed(filepath.Join(stateFolder, UnpushedName))
}

// keep writes the results of a run, whole or not at all. Whoever calls it has the state
// to itself, so that what is in part there was left by a process that was killed.
func (u Unpushed) keep(env *session.Env, l session.Loaded,
	r *reconcile.Report, d *ReportDocument, message string) error {
	if err := os.MkdirAll(string(u), 0o700); err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(string(u), UnpushedPartial+"*")) // of a pattern that is one
	for _, name := range left {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	folder, err := os.MkdirTemp(string(u), UnpushedPartial)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) // nothing, once it has its name
	copies := filepath.Join(folder, filesName, "results", RefWord(d.Account.ID), RefWord(r.Run))
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, MessageName), []byte(message), 0o600); err != nil {
		return err
	}
	unsaid := *env // where these copies are is nobody's concern
	unsaid.Flags.Quiet, unsaid.OnNote = true, nil
	if err := writeResults(&unsaid, l, copies, r, d); err != nil {
		return err
	}
	return os.Rename(folder, filepath.Join(string(u), RefWord(r.Run)))
}

// Runs are those that wait, the oldest first.
func (u Unpushed) Runs() ([]string, error) {
	entries, err := os.ReadDir(string(u))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var runs []string
	for _, entry := range entries { // in the order of their names, which is that of the runs
		if !strings.HasPrefix(entry.Name(), UnpushedPartial) {
			runs = append(runs, entry.Name())
		}
	}
	for len(runs) > unpushedMost {
		err, runs = errors.Join(err, u.drop(runs[0])), runs[1:]
	}
	return runs, err
}

func (u Unpushed) drop(run string) error { return os.RemoveAll(filepath.Join(string(u), run)) }

// Push commits what waits to a branch, a commit a run, and ends at the first that
// cannot be pushed.
func (u Unpushed) Push(ctx context.Context, env *session.Env, branch string) error {
	runs, err := u.Runs()
	if err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	for i, run := range runs {
		message, err := os.ReadFile(filepath.Join(string(u), run, MessageName))
		if err != nil {
			return fmt.Errorf("push results: %w", err)
		}
		files, err := filesBelow(filepath.Join(string(u), run, filesName), "")
		if err != nil {
			return fmt.Errorf("push results: %w", err)
		}
		if err := Push(ctx, env, gitstore.Answer{Branch: branch, Files: files, Message: string(message)}); err != nil {
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
	if known, is := errors.AsType[*console.Exit](err); is {
		known.Message += "; the results of " + diag.Plural(runs, "run") + " wait in the state for the next push"
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
