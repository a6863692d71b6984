package apply

import (
	"context"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// asker is what a run asks with validate_only jobs, which change nothing, before its waves. It
// has three forms: carryOut applies, checking only asks, and foreseeing notes what an apply asks.
type asker interface {
	// supposeJobs takes it that the account has jobs, where nobody knows.
	supposeJobs(context.Context) error
	// dryRun asks with one job what the account can do.
	dryRun(ctx context.Context, body []byte) (validation, error)
	// validateCreates has jobs of creates validated, and returns what is refused.
	validateCreates(ctx context.Context,
		checks []wire.Batch, keys map[resource.Address]string) ([]diag.Problem, error)
}

// world is what the waves of a run do outside of it. It has two forms: carryOut does it,
// and foreseeing notes it, and goes on as an apply does when the service agrees.
type world interface {
	sends
	reads
	movesPeople
}

// sends is what changes the service.
type sends interface {
	sendJobs(ctx context.Context, wave string, batches []wire.Batch) error
	sendSteps(ctx context.Context, wave string, steps []state.Step, parts []wire.Part) error
	sendRevised(ctx context.Context, wave string, p wire.Part) error
	sendUpload(ctx context.Context, step state.Step, send func(context.Context) (string, error)) (id string, err error)
}

// reads is what looks at the service between two waves.
type reads interface {
	readAgain(ctx context.Context, expected []live.Expectation, parts []wire.Part) (unmoved []wire.Part, err error)
	readNew(context.Context, resource.Address) error
	compareAll(ctx context.Context, waiting []*changeProgress) error
	parentsStand(tail wire.Batch) (bool, error)
}

// movesPeople is what changes who is in an audience, and waits for it.
type movesPeople interface {
	publish(context.Context, wire.Part) error
	changeMembers(context.Context, []wire.Part) error
	merge(context.Context, wire.Part) error
}

// carryOut is the form of a run that applies.
type carryOut struct {
	*env.Env
	*run
	*parts
	*jobs
	*singleRequests
	*uploads
	*freshening
	*readback
	*memberWaves
	*preflighting
	*live.Lists
}

// quiet is the store of a run that is no apply: it is read and never written.
type quiet struct{ state.Store }

func (quiet) Record(context.Context, []state.Applied) error { return nil }

func (quiet) Forget(context.Context, []resource.Address) error { return nil }

func (quiet) Advance(context.Context, []resource.Address) error { return nil }

func (quiet) NextSequence(context.Context) (int64, error) { return 1, nil }

func (quiet) Begin(context.Context, ...state.Step) error { return nil }

func (quiet) Move(context.Context, string, state.Point, state.Update) error { return nil }

func (quiet) RecordFile(context.Context, string, string) error { return nil }

func (quiet) RecordRun(context.Context, state.Run) error { return nil }

func (quiet) Open(context.Context, ...string) ([]state.Step, error) { return nil, nil }

func (quiet) Heads(context.Context) ([]state.Step, error) { return nil, nil }

func (quiet) RecordCapability(context.Context, resource.Capability, bool) error { return nil }

func (quiet) Block(context.Context, []state.Blocked) error { return nil }

func (quiet) Unblock(context.Context, []resource.Address) error { return nil }

func (quiet) Finish(context.Context, string, []state.Applied, []state.OperationOutcome) error {
	return nil
}
