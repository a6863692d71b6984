package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Files are looked at when something happens, once it has been quiet for settle,
// and at least every lookAgain: events can be missed, files cannot (faults F1,
// F8, F10 and F12).
const (
	settle    = 300 * time.Millisecond
	lookAgain = 5 * time.Second
)

// watch calls look at once, and again whenever the folder may have changed,
// until the context ends.
func (a *app) watch(ctx context.Context, root string, look func()) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		a.note("watching by looking every %s: %v", lookAgain, err)
		return poll(ctx, look)
	}
	defer watcher.Close()
	for {
		addFolders(watcher, root)
		look()
		if !wake(ctx, watcher) {
			return nil
		}
	}
}

func poll(ctx context.Context, look func()) error {
	for look(); sleep(ctx, lookAgain) == nil; {
		look()
	}
	return nil
}

// addFolders watches every folder there is by now; one that cannot be watched
// is looked at all the same.
func addFolders(watcher *fsnotify.Watcher, root string) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		_ = watcher.Add(path)
		return nil
	})
}

// wake waits for something to happen and then for quiet; false when the context
// has ended.
func wake(ctx context.Context, watcher *fsnotify.Watcher) bool {
	timer := time.NewTimer(lookAgain)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-watcher.Errors:
			timer.Reset(settle)
		case <-watcher.Events:
			timer.Reset(settle)
		}
	}
}
