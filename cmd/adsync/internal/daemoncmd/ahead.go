package daemoncmd

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/resource"
	"adsync/reconcile"
)

// previewing is a source that can say what its files are by now, beside a run that
// goes on with those it gave.
type previewing interface {
	source
	// ahead reads the files that came since; a nil app says that none did.
	ahead(ctx context.Context) (env *session.Env, dir string, done func(), err error)
}

// overtaking is what newer files say while an apply goes on. Only what is not sent
// yet is left out for it: the next run plans from the newer files.
type overtaking struct {
	files *resource.Snapshot // those that are applied
	newer atomic.Pointer[newerFiles]
	left  atomic.Bool // something was left out
}

type newerFiles struct {
	commit  string
	desired *resource.Snapshot
}

// why is asked of each change before it is sent.
func (o *overtaking) why(address resource.Address) string {
	newer := o.newer.Load()
	if newer == nil || !reconcile.Supersedes(newer.desired, o.files, address) {
		return ""
	}
	o.left.Store(true)
	return fmt.Sprintf("left out: commit %.12s, which came meanwhile, says otherwise", newer.commit)
}

// lookAhead looks for newer files until it is ended: when something may have come, and
// as often as a branch is asked in any case. Files with a problem overtake nothing.
func (w *worker) lookAhead(ctx context.Context, request daemon.Request, l session.Loaded) (o *overtaking, end func()) {
	o = &overtaking{files: l.Desired.Whole()}
	from, can := w.source.(previewing)
	if !can {
		return o, func() {}
	}
	own := *w.env
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { // ends with the apply
		defer close(ended)
		defer func() {
			if cause := recover(); cause != nil { // the apply goes on without
				own.Note("what came meanwhile could not be looked at: this is a mistake of adsync (%T)", cause)
			}
		}()
		for awaitMove(ctx, request.Moved) {
			if err := o.preview(ctx, &own, from); err != nil && ctx.Err() == nil {
				own.Note("what came meanwhile could not be read, and waits for the next run: %s", console.OneLine(err))
				return
			}
		}
	}()
	return o, func() { stop(); <-ended }
}

// askEvery is how often a branch is asked while an apply goes on and nobody tells.
const askEvery = time.Minute

func awaitMove(ctx context.Context, moved <-chan struct{}) bool {
	timer := time.NewTimer(askEvery)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-moved:
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// preview takes in the files of now.
func (o *overtaking) preview(ctx context.Context, own *session.Env, from previewing) error {
	env, dir, done, err := from.ahead(ctx)
	if err != nil || env == nil {
		return err
	}
	defer done()
	l := session.Load(ctx, env, dir)
	if l.Stops(false) {
		return nil
	}
	commit := env.Git.Revision.Commit
	if before := o.newer.Swap(&newerFiles{commit, l.Desired.Whole()}); before == nil || before.commit != commit {
		own.Note("commit %.12s came while its predecessor is applied: what it takes back is not sent any more", commit)
	}
	return nil
}
