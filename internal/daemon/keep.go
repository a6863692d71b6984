package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"
)

// keep has the work of one account go on until the context ends. What breaks off
// in it ends nothing but that: it is logged and counted, and the work begins anew,
// each time later. Work that returns by itself is done.
func (l *loop) keep(ctx context.Context, what string, work func(context.Context)) {
	for failures := 1; ; failures++ {
		began := time.Now()
		broke := l.unbroken(what, func() { work(ctx) })
		if broke == "" || ctx.Err() != nil || l.hub.once {
			return
		}
		if time.Since(began) > paces[Internal].most {
			failures = 1
		}
		wait := retryIn(Internal, failures, l.hub.random())
		l.log.Warn("it begins anew", "what", what, "in", wait)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// unbroken does something, and says what it broke off with; "" where it did not.
func (l *loop) unbroken(what string, do func()) (broke string) {
	defer func() {
		if cause := recover(); cause != nil {
			broke = l.brokeOff(what, cause)
		}
	}()
	do()
	return ""
}

// brokeOff logs and counts a panic, and says it in words.
func (l *loop) brokeOff(what string, cause any) string {
	text := Broken(l.log, what, cause, l.hub.redact)
	if l.hub.observer != nil {
		defer func() { _ = recover() }() // who counts may be what breaks off
		l.hub.observer.Broke(l.account.Name, what)
	}
	return text
}

// Broken logs a panic with its stack and says it in words. Its own text may quote
// a key or a value of the files, so that only that of the runtime is shown.
func Broken(log *slog.Logger, what string, cause any, redact func(string) string) string {
	stack := debug.Stack()
	if from, far := cause.(interface{ Trace() (any, []byte) }); far { // it happened in another goroutine
		cause, stack = from.Trace()
	}
	text := fmt.Sprintf("a panic of type %T", cause)
	if fault, ok := cause.(runtime.Error); ok {
		text = redact(fault.Error())
	}
	log.Error("something broke off: this is a mistake of adsync",
		"what", what, "cause", text, "stack", redact(string(stack)))
	return text
}
