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

// applying is a run with all that carries it out.
type Applying struct {
	*env.Env
	*run
	*parts
	*reporting
	*waveRunner
	*capabilities
	*preflighting
	*checking
}

// ask asks the service what the account can do, and what it would refuse.
func (r *Applying) Ask(ctx context.Context) ([]diag.Problem, error) {
	if err := r.findCapabilities(ctx); err != nil {
		return nil, err
	}
	return r.preflight(ctx)
}

func (r *Applying) CarryOut(ctx context.Context) error {
	if err := r.recordMove(ctx); err != nil {
		return err
	}
	if err := r.recordCredit(ctx); err != nil {
		return err
	}
	return r.waves(ctx)
}

// begin records the run before anything is sent.
func (r *Applying) Begin(ctx context.Context) error {
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
	if err := r.Store.RecordRun(ctx, state.Run{ID: r.id, Started: r.started, PlanHash: r.hash}); err != nil {
		return err
	}
	r.using()
	r.watchEvents()
	r.events.emit(Event{Kind: RunStarted, Plan: view.Plan, PlanHash: r.hash})
	return nil
}

// newApplying joins what carries a run out.
func NewApplying(r *run, live *live.Room, sent *send.Room, polls *send.PollEstimator) *Applying {
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
	waveRunner := &waveRunner{
		Env: r.Env, run: r, parts: parts, reporting: reporting,
		recording: recording, readback: readback, memberWaves: memberWaves,
		uploads: uploads, singleRequests: singleRequests, updating: updating, creationWaves: creationWaves,
	}
	return &Applying{
		Env: r.Env, run: r, parts: parts, reporting: reporting,
		waveRunner: waveRunner, capabilities: capabilities, preflighting: preflighting, checking: checking,
	}
}
