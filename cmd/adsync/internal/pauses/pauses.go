// Package pauses carries out what people order of a daemon for an account at once: to pause what delivers, and to go
// on with what was paused.
//
// It refuses to decide when: the worker of the account does. Its invariants: what a pause stops is noted before it is
// sent, so that whoever goes on after a kill knows what to start; a start passes all guards, and an order to go on is
// carried out once, as far as it can be.
package pauses

import (
	"context"
	"fmt"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/kinds"
	"adsync/internal/orders"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/config"
)

// Account is an account whose worker has it for a run.
type Account struct {
	Env      *session.Env
	Lease    *session.Lease
	PlanOnly bool // nothing is ever applied
	Tell     func(says string)
	// Open opens the state, with a client, until end is called
	Open func(ctx context.Context, l session.Loaded) (s *session.Session, end func(), err error)
	// Send has what it is given send pauses, past every order
	Send func(func() error) error
}

func (a *Account) place() orders.Place { return a.Lease.Place }

// standing returns the pauses that stand, of those that are asked for.
func (a *Account) standing(which func(*orders.StandingPause) bool) (some []orders.StandingPause, err error) {
	if a.PlanOnly {
		return nil, nil
	}
	all, err := a.Lease.Pauses()
	for i := range all {
		if which(&all[i]) {
			some = append(some, all[i])
		}
	}
	return some, err
}

// First pauses what is to be paused and is not settled. It asks no files.
func (a *Account) First(ctx context.Context, project config.Project) error {
	due, err := a.standing(func(p *orders.StandingPause) bool { return !p.Settled })
	if err != nil || len(due) == 0 {
		return err
	}
	l := session.Loaded{Project: project, Schemas: kinds.All()}
	l.Desired.Snapshot = &resource.Snapshot{}
	s, end, err := a.Open(ctx, l)
	if err != nil {
		return err
	}
	defer end()
	return a.pause(ctx, l, s, due)
}

func (a *Account) pause(ctx context.Context, l session.Loaded, s *session.Session, due []orders.StandingPause) error {
	return a.Send(func() error {
		for i := range due {
			if err := (&carrier{a, l, s}).pause(ctx, &due[i]); err != nil {
				return fmt.Errorf("pause: %w", err)
			}
		}
		return nil
	})
}

// GoOn starts what people ordered to be started again.
func (a *Account) GoOn(ctx context.Context, l session.Loaded, s *session.Session, g session.Governed) error {
	due, err := a.standing(goesOn)
	if err != nil || len(due) == 0 {
		return err
	}
	desired, err := runs.DesiredUnder(l, runs.PlanFlags{}, g)
	for i := range due {
		if err == nil {
			err = (&carrier{a, l, s}).goOn(ctx, &due[i], desired)
		}
	}
	return err
}

func goesOn(p *orders.StandingPause) bool { return p.GoOn != nil }

// Refuse ends orders to go on that cannot be carried out now: what they start should not start by surprise later.
func (a *Account) Refuse(why string) error {
	due, err := a.standing(goesOn)
	for i := range due {
		if err == nil {
			err = a.refuse(&due[i], why)
		}
	}
	return err
}

func (a *Account) refuse(p *orders.StandingPause, why string) error {
	kept := p.Paused
	kept.Said = "nothing was started: " + why
	if err := a.place().KeepPaused(p.ID, kept); err != nil {
		return err
	}
	return a.place().DropGoOn(p.ID)
}

// Last pauses again what the end of an earlier run may have started meanwhile, and ends the pauses of which nothing is
// paused any more, as the account was read in this run.
func (a *Account) Last(ctx context.Context, l session.Loaded, s *session.Session, view *reconcile.View) error {
	all, err := a.standing(func(p *orders.StandingPause) bool { return p.GoOn == nil })
	if err != nil || len(all) == 0 {
		return err
	}
	var due []orders.StandingPause
	for i := range all {
		switch p := &all[i]; {
		case !p.Settled:
			due = append(due, *p)
		case view.Read.Sub(p.At) > reconcile.QuietFor && !stillPaused(l.Schemas, view.Live.Snapshot, p):
			if err := a.place().EndPause(p.ID); err != nil {
				return err
			}
		}
	}
	open, err := s.Store.Open(ctx)
	if err != nil || len(open) > 0 || len(due) == 0 {
		return err
	}
	return a.pause(ctx, l, s, due)
}

// stillPaused reports whether something that a pause has paused is paused now.
func stillPaused(schemas resource.Schemas, live *resource.Snapshot, p *orders.StandingPause) bool {
	paused := idsOf(p.All)
	for r := range live.All() {
		if paused[r.ID] && r.Value(schemas.Of(r.Address.Kind).Delivery()).Text() == plan.Paused {
			return true
		}
	}
	return false
}
