package send

import (
	"context"
	"sync"
)

// Turn is a job's in the row of those that run side by side: they are submitted in
// their order, and one that waits for the limits of the service has those behind it
// wait before anything of them is journalled as sent. The zero turn waits for nobody.
type Turn struct {
	before <-chan struct{}
	Pass   func() // lets the next one go; again it does nothing
	over   <-chan struct{}
}

// Next is the turn after t.
func (t Turn) Next() Turn {
	over := make(chan struct{})
	return Turn{before: t.over, Pass: sync.OnceFunc(func() { close(over) }), over: over}
}

// Await returns when the one before has passed, or the run is to stop.
func (t Turn) Await(ctx context.Context) {
	if t.before == nil {
		return
	}
	select {
	case <-t.before:
	case <-ctx.Done():
	}
}

// submitted lets the next one go, where there is one.
func (t Turn) submitted() {
	if t.Pass != nil {
		t.Pass()
	}
}
