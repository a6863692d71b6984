// Package watch tells when the files of a folder may have changed, and when what
// they say has held still (still.go: a file that is half written, emptied or away for a moment is not read).
//
// It refuses to know what a file means, and to draw anything from an event but
// that it is time to look: news may be late, doubled, of another folder, or
// missing altogether (faults F1 to F12). Its one invariant: whatever the system
// tells, a folder is looked at no later than LookAgain after the last time.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Watcher looks at a folder once, and again whenever it may have changed.
type Watcher struct {
	Root      string
	Quiet     time.Duration // from an event to the look it is a reason for
	LookAgain time.Duration // the longest from one look to the next
	// Blind is the longest from one look to the next where the system does not tell
	// of every change, or of none; 0 is LookAgain.
	Blind time.Duration
	// names of files beside the folders; nil: every folder below Root is listened to, else only these files of Root
	Files  []string
	Listen func() (News, error)
	Look   func() (again time.Duration) // wants another look after a while; 0 is in no hurry
	Note   func(format string, args ...any)

	warned bool
}

// Run looks until the context ends.
func (w *Watcher) Run(ctx context.Context) {
	n, err := w.Listen()
	if err == nil {
		defer n.Close()
	}
	w.warn(err)
	for {
		began := time.Now()
		w.warn(w.listenToFolders(n))
		wait := w.longest(n)
		if again := w.Look(); again > 0 {
			wait = min(again, wait)
		}
		// A look that takes long is not repeated at once, however much happens.
		quiet := max(w.Quiet, 10*time.Since(began))
		if !wake(ctx, &n, wait, quiet) {
			return
		}
	}
}

func (w *Watcher) longest(n News) time.Duration {
	if (w.warned || n.Events == nil) && w.Blind > 0 {
		return w.Blind
	}
	return w.LookAgain
}

// warn says once that the system does not tell of every folder.
func (w *Watcher) warn(err error) {
	if err == nil || w.warned {
		return
	}
	w.warned = true
	w.Note("the system does not tell of every change (%v); looking every %s", err, w.longest(News{}))
}

// listenToFolders asks for news of every folder there is by now, and gives the
// first reason why one of them cannot be watched. A folder that is gone is none.
// The folder around the root tells when another is put in its place.
func (w *Watcher) listenToFolders(n News) (failed error) {
	if n.Add == nil {
		return nil
	}
	add := func(folder string, names []string) {
		if err := n.Add(folder, names...); err != nil && !errors.Is(err, fs.ErrNotExist) && failed == nil {
			failed = err
		}
	}
	if w.Files != nil {
		for folder, names := nearest(w.Root, w.Files); ; {
			add(folder, names)
			now, next := nearest(w.Root, w.Files)
			if now == folder { // what was made before it was listened for is no news
				return failed
			}
			folder, names = now, next
		}
	}
	if whole, err := filepath.Abs(w.Root); err == nil {
		add(filepath.Dir(whole), []string{filepath.Base(whole)})
	}
	root, err := filepath.EvalSymlinks(w.Root)
	if err != nil {
		return failed
	}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		add(path, nil)
		return nil
	})
	return failed
}

// nearest is the folder itself, with the names that matter in it, or where it is not
// there yet the nearest one above, with the name that leads to it: when that comes, a
// look is due, and asks for more.
func nearest(folder string, names []string) (string, []string) {
	for filepath.Dir(folder) != folder {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		folder, names = filepath.Dir(folder), []string{filepath.Base(folder)}
	}
	return folder, names
}

// wake waits until a look is due, or for quiet after the first event; false when
// the context has ended. Later events postpone nothing: whether files hold still
// is for the look to find out.
func wake(ctx context.Context, n *News, wait, quiet time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	due := time.Now().Add(wait)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case _, open := <-n.Events:
			if !open {
				n.Events = nil
				continue
			}
		case _, open := <-n.Errors: // such as an overflow: some news is lost
			if !open {
				n.Errors = nil
				continue
			}
		}
		if soon := time.Now().Add(quiet); soon.Before(due) {
			due = soon
			timer.Reset(quiet)
		}
	}
}
