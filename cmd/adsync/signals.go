package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that the first signal to end ends. The second
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
