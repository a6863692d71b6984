package review

import (
	"context"
	"time"
)

// How often the service is asked.
const (
	Hourly = time.Hour       // while nothing is in review
	Soon   = 5 * time.Minute // while something is, and after a read that failed
	Least  = time.Minute     // between two reads, whatever asks for them: each takes up to a minute's share
)

// Part is the part of the service's request budget that reads of reviews may use: a
// twentieth, counted a minute.
const Part = 20

// Pass is how a read went.
type Pass struct {
	Left   bool // more is to be read than one share of the budget allowed
	Waits  bool // something is in review
	Failed bool // or it could not be tried yet
}

// Next is how long to wait after a pass.
func (p Pass) Next() time.Duration {
	switch {
	case p.Failed:
		return Soon
	case p.Left:
		return Least
	case p.Waits:
		return Soon
	}
	return Hourly
}

// Watch reads the reviews of an account again and again.
type Watch struct {
	Read func(context.Context) Pass
	Bell <-chan struct{} // rings after an apply
}

// Run reads now, and as often as it is due, until the context ends.
func (w *Watch) Run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		next := began.Add(w.Read(ctx).Next())
		w.wait(ctx, began.Add(Least), next)
	}
}

// wait returns at the moment next, or once the bell rings, but not before earliest.
func (w *Watch) wait(ctx context.Context, earliest, next time.Time) {
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-w.Bell:
			if earliest.Before(next) {
				next = earliest
				timer.Reset(max(time.Until(next), 0))
			}
		}
	}
}
