// Package apply carries out what of a plan is not held, in the order in which money only moves
// the safe way: waves.go has the waves, create.go and updates.go choose the route of each
// change, job.go and single.go send, verify.go reads back, report.go says what became of it.
// What a run does to the service has a form for each sort of run (forms.go): one that applies
// sends it, one that only asks (check.go) has it validated, and one that foresees (foresee.go)
// notes it.
//
// Nothing rises before what pays for it is confirmed, and nothing is sent that the journal does not hold.
package apply

import (
	"context"
	"fmt"

	"adsync/internal/diag"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/state"
)

// Run is a run with all its rooms: one calls CarryOut, Check or Foresee of it.
type Run struct {
	*env.Env
	*run
	*parts
	*reporting
	*waveRunner
	*capabilities
	*preflighting
	*checking
	foreseeing *foreseeing
}

// Ask asks the service what the account can do, and what it would refuse.
func (r *Run) Ask(ctx context.Context) ([]diag.Problem, error) {
	if err := r.findCapabilities(ctx); err != nil {
		return nil, err
	}
	return r.preflight(ctx)
}

func (r *Run) CarryOut(ctx context.Context) error {
	if err := r.recordMove(ctx); err != nil {
		return err
	}
	if err := r.recordCredit(ctx); err != nil {
		return err
	}
	return r.waves(ctx)
}

// Begin records the run before anything is sent.
func (r *Run) Begin(ctx context.Context) error {
	sequence, err := r.Store.NextSequence(ctx)
	if err != nil {
		return fmt.Errorf("number the run: %w", err)
	}
	view := r.view
	r.id, r.hash = fmt.Sprintf("run-%06d", sequence), view.Hash()
	if r.files, err = r.Store.Files(ctx); err != nil {
		return fmt.Errorf("read the uploaded images: %w", err)
	}
	r.started = r.Now()
	r.aged = !view.Ready.IsZero() && env.Since(view.Ready, r.started) > readAgainAfter
	began := state.Run{ID: r.id, Read: view.looked(), Started: r.started, PlanHash: r.hash}
	if err := r.Store.RecordRun(ctx, began); err != nil {
		return err
	}
	r.using()
	r.watchEvents()
	r.events.emit(Event{Kind: RunStarted, Plan: view.Plan, PlanHash: r.hash})
	return nil
}

// New returns a run of the plan of a view. What it records goes through consents and events,
// so that its environment must be its own.
func New(id string, env *env.Env, options Options, known *live.Memory, view *View,
	live *live.Room, sent *send.Room, polls *send.PollEstimator) *Run {
	return join(newRun(env, options, known, id, view), live, sent, polls)
}

// join joins what carries a run out.
func join(r *run, live *live.Room, sent *send.Room, polls *send.PollEstimator) *Run {
	parts := &parts{Env: r.Env, run: r}
	naming := &naming{Env: r.Env, run: r}
	uploads := &uploads{Env: r.Env, run: r, parts: parts}
	memberWaves := &memberWaves{
		Env: r.Env, run: r, parts: parts, uploads: uploads, Members: sent.Members, Keyring: sent.Keyring,
	}
	jobs := &jobs{
		Env: r.Env, run: r, parts: parts, Sender: sent.Sender,
		Retries: sent.Retries, Keyring: sent.Keyring, Duplicates: sent.Duplicates,
	}
	reporting := &reporting{Env: r.Env, run: r, parts: parts}
	readback := &readback{Env: r.Env, run: r, parts: parts, reporting: reporting, Lists: live.Lists}
	repeating := &repeating{Env: r.Env, run: r, parts: parts, jobs: jobs, readback: readback}
	singleRequests := &singleRequests{Env: r.Env, run: r, parts: parts, Singles: sent.Singles, Lists: live.Lists}
	freshening := &freshening{Env: r.Env, run: r, Lists: live.Lists}
	probing := &probing{Env: r.Env, run: r, parts: parts, Requests: sent.Requests, polls: polls}
	creating := &creating{Env: r.Env, run: r, parts: parts}
	preflighting := &preflighting{Env: r.Env, run: r, parts: parts, creating: creating, probing: probing}
	capabilities := &capabilities{
		Env: r.Env, run: r, parts: parts, probing: probing, preflighting: preflighting, Lists: live.Lists,
	}
	updating := &updating{
		Env: r.Env, run: r, parts: parts, freshening: freshening, singleRequests: singleRequests, jobs: jobs,
	}
	creationWaves := &creationWaves{
		Env: r.Env, run: r, parts: parts, naming: naming, creating: creating, jobs: jobs, repeating: repeating,
		singleRequests: singleRequests, uploads: uploads, updating: updating, Lists: live.Lists,
	}
	recording := &recording{Env: r.Env, run: r, parts: parts}
	checking := &checking{Env: r.Env, run: r, parts: parts, creating: creating, preflighting: preflighting}
	foreseeing := &foreseeing{
		Env: r.Env, run: r, parts: parts, jobs: jobs, singleRequests: singleRequests,
		readback: readback, memberWaves: memberWaves, preflighting: preflighting,
	}
	carryOut := &carryOut{
		Env: r.Env, run: r, parts: parts, jobs: jobs, singleRequests: singleRequests, uploads: uploads,
		freshening: freshening, readback: readback, memberWaves: memberWaves, preflighting: preflighting,
		Lists: live.Lists,
	}
	r.asks, r.world = carryOut, carryOut
	waveRunner := &waveRunner{
		Env: r.Env, run: r, parts: parts, reporting: reporting,
		recording: recording, readback: readback, memberWaves: memberWaves,
		uploads: uploads, singleRequests: singleRequests, updating: updating, creationWaves: creationWaves,
	}
	return &Run{
		Env: r.Env, run: r, parts: parts, reporting: reporting,
		waveRunner: waveRunner, capabilities: capabilities, preflighting: preflighting, checking: checking,
		foreseeing: foreseeing,
	}
}
