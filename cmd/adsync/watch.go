package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"
)

// How long files must hold still before they are taken for written, and how
// often they are looked at where nothing tells of a change.
const (
	settle    = 300 * time.Millisecond
	lookAgain = 5 * time.Second
)

// watchFiles validates at once and after every change of what the files say.
func (a *app) watchFiles(c *cobra.Command, args []string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	w := watcher{root: dir, settle: settle, lookAgain: lookAgain, listen: systemNews, look: a.lookAt(c.Context(), dir), note: a.note}
	w.run(c.Context())
	return nil
}

// lookAt gives what a watcher does: it reads the files and shows what is new in
// them once two readings in a row are the same. Between the two a file may be
// emptied, away, or half written by whatever saves it (faults F2 and F3).
func (a *app) lookAt(ctx context.Context, dir string) (look func() (still bool)) {
	before, shown := "", ""
	return func() bool {
		l := a.load(ctx, dir)
		now := l.desired.Hash + fmt.Sprint(l.desired.Problems)
		still := now == before
		before = now
		if !still || now == shown || ctx.Err() != nil {
			return still
		}
		shown = now
		if err := a.showValidation(l, nil, nil); err != nil {
			a.note("adsync: %v", err)
		}
		return true
	}
}

// watcher looks at a folder once, and again whenever it may have changed. News
// of a change only wakes it: what changed is found out by looking, so that news
// may be late, doubled, or missing altogether (faults F1 to F12).
type watcher struct {
	root      string
	settle    time.Duration // how long nothing may happen before it looks
	lookAgain time.Duration // the longest it waits, whatever happens or does not
	listen    func() (news, error)
	look      func() (still bool) // false wants another look once settle has passed
	note      func(format string, args ...any)
}

// news is what the system tells of folders. The zero news tells nothing.
type news struct {
	events <-chan fsnotify.Event
	errors <-chan error
	add    func(folder string) error
	close  func() error
}

// systemNews asks the system to tell. Many file systems never do: those that
// lie on another machine, and most that a program makes (fault F12).
func systemNews() (news, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return news{}, err
	}
	return news{events: w.Events, errors: w.Errors, add: w.Add, close: w.Close}, nil
}

// run looks until the context ends.
func (w *watcher) run(ctx context.Context) {
	n, err := w.listen()
	if err == nil {
		defer n.close()
	}
	warned := w.warn(false, err)
	for {
		warned = w.warn(warned, w.addFolders(n))
		wait := w.lookAgain
		if !w.look() {
			wait = w.settle
		}
		if !w.wake(ctx, &n, wait) {
			return
		}
	}
}

// warn says once that the system does not tell of every folder.
func (w *watcher) warn(warned bool, err error) bool {
	if err == nil || warned {
		return warned
	}
	w.note("the system does not tell of every change (%v); looking every %s", err, w.lookAgain)
	return true
}

// addFolders asks for news of every folder there is by now, and gives the first
// reason why one of them cannot be watched. A folder that is gone is none.
func (w *watcher) addFolders(n news) (failed error) {
	if n.add == nil {
		return nil
	}
	root, err := filepath.EvalSymlinks(w.root)
	if err != nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if err := n.add(path); err != nil && !errors.Is(err, fs.ErrNotExist) && failed == nil {
			failed = err
		}
		return nil
	})
	return failed
}

// wake waits for something to happen and then for quiet, and no longer than
// lookAgain in all; false when the context has ended.
func (w *watcher) wake(ctx context.Context, n *news, wait time.Duration) bool {
	latest, quiet := time.NewTimer(w.lookAgain), time.NewTimer(wait)
	defer latest.Stop()
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-latest.C:
			return true
		case <-quiet.C:
			return true
		case _, open := <-n.events:
			if !open {
				n.events = nil
			}
		case _, open := <-n.errors: // such as an overflow: some news is lost
			if !open {
				n.errors = nil
			}
		}
		quiet.Reset(w.settle)
	}
}
