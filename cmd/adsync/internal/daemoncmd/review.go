package daemoncmd

import (
	"context"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/notify"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
)

// reviewer is a worker beside whose runs the reviews of its account are read.
type reviewer struct {
	daemon.Worker
	of       *worker        // whose client asks
	project  config.Project // of the account
	bell     chan struct{}
	notifier *notify.Notifier // nil: nobody is told
	once     bool             // nobody watches beside the run
	began    bool             // a run has ended
}

// Run rings after the first run, which has made the client, and after each that changed
// something.
func (r *reviewer) Run(ctx context.Context, request daemon.Request) daemon.Result {
	result := r.Worker.Run(ctx, request)
	if r.once {
		r.read(ctx)
		if r.notifier != nil {
			ctx, cancel := context.WithTimeout(ctx, flushMost)
			defer cancel()
			r.notifier.Flush(ctx)
		}
		return result
	}
	if result.Run == nil && r.began {
		return result
	}
	r.began = true
	select {
	case r.bell <- struct{}{}:
	default:
	}
	return result
}

// watch reads the reviews as often as they are due, and wakes the account where one is
// another: its plan and its copies say so.
func (r *reviewer) watch(ctx context.Context, wake func(daemon.Trigger)) {
	select {
	case <-r.bell:
	case <-ctx.Done():
		return
	}
	w := &review.Watch{Bell: r.bell, Read: func(ctx context.Context) review.Pass {
		pass, moved := r.read(ctx)
		if moved {
			wake(daemon.Reviewed)
		}
		return pass
	}}
	w.Run(ctx)
}

// besideRuns marks the requests of no run.
type besideRuns struct{}

func isBeside(ctx context.Context) bool { return ctx.Value(besideRuns{}) != nil }

// read asks for the reviews, once. A run that has just done so is not asked after.
func (r *reviewer) read(ctx context.Context) (pass review.Pass, moved bool) {
	known, err := r.ask(context.WithValue(ctx, besideRuns{}, true))
	if err != nil {
		if ctx.Err() == nil {
			session.NoteReviews(r.of.env, err)
		}
		return review.Pass{Failed: true}, known.Moved()
	}
	return review.Pass{Left: known.Left, Waits: known.Waits()}, known.Moved()
}

func (r *reviewer) ask(ctx context.Context) (known *review.Record, err error) {
	client := r.of.dialed()
	if client == nil {
		return &review.Record{}, console.Configuration("no run has reached the account yet")
	}
	l := session.Loaded{
		Project: config.Project{Home: r.project.StateFolder()}, Schemas: session.Schemas(),
		Desired: sources.Desired{Snapshot: &resource.Snapshot{}},
	}
	store, err := session.OpenState(ctx, r.of.env, l.Project, true)
	if err != nil {
		return &review.Record{}, err
	}
	defer func() { session.Closed(r.of.env, "state", store.Close()) }()
	agent := session.AgentOf(r.of.env, l, store, client.Reader())
	agent.Breaks = &reconcile.Breaks{}
	var tell func([]review.Line)
	if r.notifier != nil {
		tell = r.notifier.TellReviews
	}
	return session.AskReviews(ctx, r.of.env, r.project, agent, session.Fresh{Rests: review.Least}, tell)
}
