package reconcile_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/state"
)

// S19: a plan that waited for its yes for hours is not applied, and nothing is
// sent.
func TestS19PlanThatWaitedTooLongIsNotApplied(t *testing.T) {
	w := beneath(t)
	view := w.plan()
	if err := w.sleep(t.Context(), 31*time.Minute); err != nil {
		t.Fatal(err)
	}
	before := len(w.mutations())
	if _, err := w.agent.Apply(t.Context(), view); !errors.Is(err, env.ErrStale) {
		t.Errorf("Apply = %v; want %v", err, env.ErrStale)
	}
	if n := len(w.mutations()) - before; n != 0 {
		t.Errorf("%d mutations; want none", n)
	}
	w.clean()
}

// S19: a process that is stopped for hours in the middle of an apply sends nothing
// more when it goes on.
func TestS19ProcessThatStoodStillSendsNothingMore(t *testing.T) {
	w := beneath(t)
	for _, key := range []string{"b", "c", "d", "e", "f", "h", "i", "j", "k", "l", "m"} {
		w.write("ad_group/spring/"+key, map[string]any{
			"name": "Group " + key, "status": "active", "bid.max": 1_250_000,
		})
	}
	sent := 0
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "ad_groups") {
			w.clock.Lock()
			if sent++; sent == 1 {
				w.slept += 3 * time.Hour
			}
			w.clock.Unlock()
		}
		return send(r)
	}), w.store)
	agent.InFlight = &env.InFlight{}
	_, err := agent.Apply(t.Context(), w.plan())
	if !errors.Is(err, env.ErrStale) {
		t.Errorf("Apply = %v; want %v", err, env.ErrStale)
	}
	if sent > 8 { // those that were under way beside it
		t.Errorf("%d requests were sent; want those that were under way", sent)
	}
	w.agent = w.newAgent()
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.clean()
}

// S19: one that is stopped in the middle of an upload fails no row: nothing is wrong
// with its image.
func TestS19ProcessThatStoodStillBlamesNoImage(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.clean()
	for i, key := range []string{"b", "c"} {
		source := w.image(picture(t, uint8(i)))
		w.write("ad/spring/g/"+key, map[string]any{
			"name": "Ad " + key, "status": "paused", "title": "Shoes for mud",
			"body": "Light shoes.", "target_url": "https://shop.example/" + key, "image": source,
		})
	}
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "upload") {
			w.clock.Lock()
			w.slept += 3 * time.Hour
			w.clock.Unlock()
		}
		return send(r)
	}), w.store)
	report, err := agent.Apply(t.Context(), w.plan())
	if !errors.Is(err, env.ErrStale) {
		t.Errorf("Apply = %v; want %v", err, env.ErrStale)
	}
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeSkipped {
			t.Errorf("%s: %s %s %s; want skipped", o.Address, o.Outcome, o.Code, o.Message)
		}
	}
}

// S21: after an interrupt nothing is sent that was not, and what was is heard of.
func TestS21WhatIsUnderWayIsHeardOfAfterAnInterrupt(t *testing.T) {
	w := beneath(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "ad_groups") {
			interrupt()
		}
		return send(r)
	}), w.store)
	agent.InFlight = &env.InFlight{}
	agent.Sleep = func(ctx context.Context, _ time.Duration) error { // the grace does not end
		<-ctx.Done()
		return ctx.Err()
	}
	report, err := agent.Apply(ctx, w.plan())
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted before wave") ||
		strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("Apply = %v; want an interrupt, in words", err)
	}
	if o := outcomes(report)["ad_group/spring/new"]; o == state.OutcomeUnknown || w.last("ad_group/spring/new") == nil {
		t.Errorf("the ad group is %s; want it known and recorded", o)
	}
	if left := agent.InFlight.Steps(); len(left) != 0 {
		t.Errorf("%d requests are under way at the end", len(left))
	}
}

// S21: what is not heard of within the grace of an interrupt is unknown, in words a
// person understands, and the next run finds it.
func TestS21WhatIsNotHeardOfAfterAnInterruptIsSaidInWords(t *testing.T) {
	w := newWorld(t)
	w.bulk.Preflight = apply.PreflightNever
	w.tree("spring", "paused")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var held, released atomic.Bool
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault {
		held.Store(held.Load() || !job.ValidateOnly)
		return service.JobFault{Hold: !released.Load() && !job.ValidateOnly}
	}})
	agent := w.newAgent()
	agent.Sleep = func(flying context.Context, d time.Duration) error {
		if !held.Load() {
			return w.sleep(flying, d)
		}
		if interrupt(); d == 30*time.Second { // the grace ends
			return nil
		}
		<-flying.Done()
		return flying.Err()
	}
	report, err := agent.Apply(ctx, w.plan())
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Apply = %v; want an interrupt", err)
	}
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeUnknown || o.Message != "interrupted before it was known what became of it" {
			t.Errorf("%s: %s %q; want unknown, in words", o.Address, o.Outcome, o.Message)
		}
	}
	released.Store(true)
	w.service.SetHooks(nil)
	w.agent = w.newAgent()
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.clean()
	w.eachOnce()
}
