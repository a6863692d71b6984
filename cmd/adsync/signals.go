package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"adsync/internal/diag"
	"adsync/reconcile"
)

// interruptible gives a context that the first signal to end ends. The second
// signal ends the process at once: the journal is as whole as after a kill. A
// terminal that is closed counts as a signal, unless the process was told to
// outlive it (nohup). A reader of the output that goes away is none: what is under
// way is more than its text.
func interruptible(parent context.Context, atOnce func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(signals, ends...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write to a closed pipe is an error, and no death
	done := make(chan struct{})
	go func() {
		for range 2 {
			select {
			case <-signals:
			case <-done:
				return
			}
			if ctx.Err() != nil {
				atOnce()
			}
			cancel()
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// tellInFlight says, once it is interrupted, what is under way and how to go on.
func (a *app) tellInFlight(ctx context.Context, agent *reconcile.Agent) (stop func()) {
	stopped := context.AfterFunc(ctx, func() {
		steps := agent.InFlight.Steps()
		if len(steps) == 0 {
			a.note("interrupted: no more requests " +
				"are sent, and none is under way; adsync resume ends what is open, adsync apply goes on")
			return
		}
		a.note("interrupted: no more requests are sent; %s under "+
			"way and waited for, 30 s at most; interrupt again to end at once", pluralAre(len(steps), "request"))
		for _, s := range steps {
			a.note("  %s  POST %s, %s, sent %s", s.ID,
				diag.Printable(s.Path), plural(len(s.Operations), "operation"), utc(s.SentAt))
		}
		a.note("nothing is lost by that: adsync resume ends what is open, adsync apply goes on")
	})
	return func() { stopped() }
}
