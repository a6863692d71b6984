package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/watch"
	"adsync/sources/tree"
	"adsync/state"
)

// How often a folder is looked at though nothing tells of a change, and how soon
// after an event.
const (
	rescan      = 30 * time.Second
	rescanBlind = 10 * time.Second
	afterEvent  = 100 * time.Millisecond
)

// watchedFolder is a source that anybody may change at any time.
type watchedFolder struct {
	env    *session.Env
	dir    string
	settle time.Duration
	looks  looking
	follow watch.Still
	read   atomic.Pointer[[]string] // the files the last run read

	root   string // where the folder led to, through links
	stated bool   // a state was there
}

func newWatchedFolder(env *session.Env, dir string, settle time.Duration, looks looking) *watchedFolder {
	f := &watchedFolder{env: env, dir: dir, settle: settle, looks: looks}
	f.follow = watch.Still{Settle: settle, Sum: f.sum}
	return f
}

func (f *watchedFolder) files(context.Context, daemon.Request) (folderAt, error) {
	return folderAt{dir: f.dir}, nil
}

// stays is an error where the folder is another by now, put in its place or behind a
// link, and what adsync remembers of the account stayed behind: without it everything
// would look as if somebody else had made it.
func (f *watchedFolder) stays() error {
	root, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		return nil // that there is no folder is said by who reads it
	}
	f.root = cmp.Or(f.root, root)
	f.stated = f.stated || f.stateIn(f.root)
	switch {
	case !f.stated || f.stateIn(root):
		f.root = root
	case root == f.root:
		return console.Configuration("the state of "+
			"the account is gone from %s: another folder is in its place, or it is "+
			"not mounted; nothing is sent without it; want it back, or the daemon begun anew to go on without it",
			diag.Printable(f.dir))
	default:
		return console.Configuration("%s leads to %s now, where the state of the account is not; it was below %s; "+
			"nothing is sent without it; want it moved there, or the account read from git, whose state lies elsewhere",
			diag.Printable(f.dir), diag.Printable(root), diag.Printable(f.root))
	}
	return nil
}

// stateIn reports whether a project's folder holds a state, or something that only opening
// it can tell from one.
func (f *watchedFolder) stateIn(root string) bool {
	project, _ := session.ReadProject(f.env, root) // its problems are those of the run
	serial, err := state.SerialOf(project.StateFolder())
	return serial > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

func (f *watchedFolder) sum() string {
	project, _ := session.ReadProject(f.env, f.dir)
	if read := f.read.Load(); read != nil {
		return tree.SumOf(project, *read)
	}
	return tree.SumOf(project, nil)
}

// still waits until what was read has held still for as long as files have to
// settle, unless the watcher has seen so already.
func (f *watchedFolder) still(ctx context.Context, _ folderAt, sum string, read []string) (bool, error) {
	f.read.Store(&read)
	if f.follow.Holds(sum) {
		return true, nil
	}
	if err := f.env.Clock.Sleep(ctx, f.settle); err != nil {
		return false, err
	}
	if f.sum() != sum {
		return false, nil
	}
	f.follow.Took(sum)
	return true, nil
}

func (f *watchedFolder) moved(sum string) bool { return f.sum() != sum }

// watch tells of changes of the files, until the context ends.
func (f *watchedFolder) watch(ctx context.Context, wake func(daemon.Trigger)) {
	f.follow.Changed = func(string) { wake(daemon.Files) }
	w := &watch.Watcher{
		Root: f.dir, Quiet: min(afterEvent, f.settle), Look: f.follow.Look, Note: f.env.Note,
	}
	f.looks.lead(w)
	w.Run(ctx)
}

// looking is when a folder is looked at: on the system's news, and as often anyway.
// The zero looking is blind.
type looking struct {
	listen       func() (watch.News, error)
	again, blind time.Duration // 0: rescan, rescanBlind
}

func (d *daemonRun) looking() looking {
	if d.looks.listen == nil {
		return looking{listen: listenTo(d.system)}
	}
	return d.looks
}

// lead has a watcher look so.
func (l looking) lead(w *watch.Watcher) {
	w.Listen, w.LookAgain, w.Blind = l.listen, cmp.Or(l.again, rescan), cmp.Or(l.blind, rescanBlind)
}

// listenTo is a system's news, or none.
func listenTo(s *watch.System) func() (watch.News, error) {
	if s == nil {
		return func() (watch.News, error) { return watch.News{Close: func() {}}, nil }
	}
	return s.Listen
}
