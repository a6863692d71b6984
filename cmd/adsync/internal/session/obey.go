package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"adsync/internal/adsapi"
	"adsync/reconcile"
)

// How often it is looked whether an order to stop stands, and how long what is
// under way goes on by itself once one does. What was sent then is heard of for as
// long as after an interrupt.
const (
	obeyEvery = time.Second
	obeyAfter = 10 * time.Second
)

// runUnlessStopped does what sends requests. An order keeps it from sending more; where it
// waits for the service all the same, such as for a job that does not end, it is
// interrupted: it lets go of the state, which who gave the order may need.
func runUnlessStopped(ctx context.Context, halted func() error, do func(context.Context) error) error {
	within, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	var watching sync.WaitGroup
	watching.Go(func() {
		for since := (time.Time{}); Sleep(within, obeyEvery) == nil; {
			order := halted()
			switch {
			case order == nil:
				since = time.Time{}
			case since.IsZero():
				since = time.Now()
			case time.Since(since) >= obeyAfter:
				interrupt(order)
			}
		}
	})
	err := do(within)
	interrupt(nil)
	watching.Wait()
	order := context.Cause(within)
	if !errors.Is(order, adsapi.ErrHalted) || ctx.Err() != nil ||
		!errors.Is(err, context.Canceled) || errors.Is(err, adsapi.ErrHalted) {
		return err
	}
	return fmt.Errorf("%w; what was under way was not waited for any longer", order)
}

// ApplyUnlessStopped carries a plan out, for as long as no order stands.
func ApplyUnlessStopped(ctx context.Context, agent *reconcile.Agent,
	view *reconcile.View) (report *reconcile.Report, err error) {
	err = runUnlessStopped(ctx, agent.Service.Halted, func(ctx context.Context) (err error) {
		report, err = agent.Apply(ctx, view)
		return err
	})
	return report, err
}
