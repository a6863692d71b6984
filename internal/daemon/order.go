package daemon

import (
	"context"
	"time"

	"adsync/internal/orders"
)

// StandingPause is a pause that stands.
type StandingPause = orders.StandingPause

// Pause is one at a glance.
type Pause struct {
	orders.Pause
	Settled bool         `json:"settled"`         // it is carried out
	Paused  int          `json:"paused"`          // how many it has paused
	First   []string     `json:"first,omitempty"` // the names of some of them
	Said    string       `json:"said,omitempty"`  // why it, or the last order to go on, was not carried out whole
	GoOn    *orders.GoOn `json:"go_on,omitempty"` // is ordered, and not carried out yet
}

// namesShown is how many of what a pause has paused a status names.
const namesShown = 10

// PausesOf are the pauses that stand of an account; as they were known where nobody can say now.
func PausesOf(o Orders, known []Pause) (pauses []Pause) {
	all, err := o.Pauses()
	if err != nil {
		return known
	}
	for i := range all {
		s := &all[i]
		one := Pause{Pause: s.Pause, Settled: s.Settled, Paused: len(s.All), Said: s.Said, GoOn: s.GoOn}
		for _, was := range s.All[:min(namesShown, len(s.All))] {
			one.First = append(one.First, was.Name)
		}
		pauses = append(pauses, one)
	}
	return pauses
}

// Order is what somebody orders of an account.
type Order struct {
	give     func(Orders, time.Time) error
	wakes    Trigger
	suspends *Suspension
}

// Give writes the order where whoever works on the account reads it.
func (o Order) Give(to Orders, now time.Time) error { return o.give(to, now) }

// Suspending stops an account: what is under way meets the order before its next change.
func Suspending(s Suspension) Order {
	return Order{func(o Orders, _ time.Time) error { return o.Suspend(s) }, Asked, &s}
}

// Resuming ends a suspension. A file STOP it leaves: whoever put it there takes it away.
func Resuming(by, from, reason string) Order {
	return Order{func(o Orders, now time.Time) error {
		return o.Resume(orders.Ordered{Time: now, By: by, From: from, Reason: reason})
	}, Continued, nil}
}

// Pausing has an account paused, or one of what delivers there, before anything else is sent.
func Pausing(p orders.Pause) Order {
	return Order{func(o Orders, _ time.Time) error { return o.Pause(p) }, Asked, nil}
}

// GoingOn has started again what a pause has paused, as the policy lets it. Give is orders.ErrNoPause where that pause
// does not stand.
func GoingOn(pause string, g orders.GoOn) Order {
	return Order{func(o Orders, _ time.Time) error { return o.GoOn(pause, g) }, Asked, nil}
}

// Order gives an order, and wakes the account. What was given in part may stand, and wakes it too.
func (h *Hub) Order(_ context.Context, name string, o Order) error {
	l, err := h.loop(name)
	if err != nil {
		return err
	}
	err = o.Give(l.account.Orders, h.now())
	pauses := PausesOf(l.account.Orders, l.shown().Pauses)
	l.show(func(s *Status) {
		s.Pauses = pauses
		if err == nil && o.suspends != nil {
			s.Suspended = o.suspends
		}
	})
	l.wake(o.wakes)
	return err
}
