package apply

import (
	"context"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"
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

// carryOut is the form of a run that applies.
type carryOut struct {
	*env.Env
	*run
	*parts
	*preflighting
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
