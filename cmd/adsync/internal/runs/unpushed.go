package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state/kv"
)

// Unpushed are the results beside a state that wait to be pushed, by run: its files, and
// its message, which comes last and goes first.
type Unpushed struct {
	beside kv.Store
	queued func(put func(kv.Store) error) error // has a push queued together with what is put; nil: who keeps it pushes
}

const (
	unpushedName = "unpushed"
	unpushedMost = 20 // runs; the oldest are dropped
	messageName  = "message"
	filesName    = "files"
)

// UnpushedOf returns the results of a project that wait to be pushed.
func UnpushedOf(env *session.Env, p config.Project) Unpushed {
	return Unpushed{beside: session.BesideOf(env, p)}
}

// UnpushedIn returns the results that wait beside a state, whose pushes are queued together with them.
func UnpushedIn(beside kv.Store, queued func(put func(kv.Store) error) error) Unpushed {
	return Unpushed{beside, queued}
}

// keep writes the results of a run, whole or not at all. Whoever calls it has the state
// to itself, so that what is in part there was left by a process that was killed.
func (u Unpushed) keep(env *session.Env, l session.Loaded,
	r *reconcile.Report, d *ReportDocument, message string) error {
	folder, err := os.MkdirTemp("", "adsync-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	unsaid := *env // where these copies are is nobody's concern
	unsaid.Flags.Quiet, unsaid.OnNote = true, nil
	if err := writeResults(&unsaid, l, folder, r, d); err != nil {
		return err
	}
	files, err := filesBelow(folder, FolderOf(d.Account.ID, r.Run))
	if err != nil {
		return err
	}
	if err := u.dropPartial(); err != nil {
		return err
	}
	for name, content := range files {
		if err := u.beside.Put(path.Join(unpushedName, RefWord(r.Run), filesName, name), content); err != nil {
			return err
		}
	}
	put := func(s kv.Store) error {
		return s.Put(path.Join(unpushedName, RefWord(r.Run), messageName), []byte(message))
	}
	if u.queued != nil {
		return u.queued(put)
	}
	return put(u.beside)
}

// all are the names of what is kept, by run.
func (u Unpushed) all() (map[string][]string, error) {
	names, err := u.beside.Names(unpushedName + "/")
	all := map[string][]string{}
	for _, name := range names {
		run, file, _ := strings.Cut(strings.TrimPrefix(name, unpushedName+"/"), "/")
		all[run] = append(all[run], file)
	}
	return all, err
}

func (u Unpushed) dropPartial() error {
	all, err := u.all()
	for run, files := range all {
		if !slices.Contains(files, messageName) {
			err = errors.Join(err, u.drop(run))
		}
	}
	return err
}

// Runs are those that wait, the oldest first.
func (u Unpushed) Runs() (runs []string, err error) {
	all, err := u.all()
	for run, files := range all {
		if slices.Contains(files, messageName) {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	for len(runs) > unpushedMost {
		err, runs = errors.Join(err, u.drop(runs[0])), runs[1:]
	}
	return runs, err
}

func (u Unpushed) drop(run string) error {
	if err := u.beside.Delete(path.Join(unpushedName, run, messageName)); err != nil {
		return err
	}
	return u.beside.Delete(path.Join(unpushedName, run) + "/")
}

// Push commits what waits to a branch, a commit a run, and ends at the first that
// cannot be pushed.
func (u Unpushed) Push(ctx context.Context, env *session.Env, branch string) error {
	runs, err := u.Runs()
	if err != nil {
		return fmt.Errorf("push results: %w", err)
	}
	for i, run := range runs {
		answer, err := u.answer(run)
		if err != nil {
			return fmt.Errorf("push results: %w", err)
		}
		answer.Branch = branch
		if _, err := Push(ctx, env, answer); err != nil {
			return waiting(err, len(runs)-i)
		}
		if err := u.drop(run); err != nil {
			return fmt.Errorf("push results: %w", err)
		}
	}
	return nil
}

// answer is what is pushed of a run.
func (u Unpushed) answer(run string) (a gitstore.Answer, err error) {
	message, err := u.beside.Get(path.Join(unpushedName, run, messageName), kv.Most)
	if err != nil {
		return a, err
	}
	a.Files, a.Message = map[string][]byte{}, string(message)
	below := path.Join(unpushedName, run, filesName) + "/"
	names, err := u.beside.Names(below)
	for _, name := range names {
		content, failed := u.beside.Get(name, kv.Most)
		a.Files[strings.TrimPrefix(name, below)], err = content, errors.Join(err, failed)
	}
	return a, err
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
