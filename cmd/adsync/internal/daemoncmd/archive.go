package daemoncmd

import (
	"context"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/runview"
)

// archive is what the state of an account keeps of its runs, read as it is now.
type archive struct {
	env    *session.Env
	orders *session.Lease
	kept   func(ctx context.Context, run string) (*runs.KeptRuns, error) // with the report of one run, "" of none
}

// archiveAt is that of an account with its files in a folder, or in the copy of a repository that env has.
func archiveAt(env *session.Env, orders *session.Lease, dir string) *archive {
	return &archive{env, orders, func(ctx context.Context, _ string) (*runs.KeptRuns, error) {
		return runs.Kept(ctx, env, dir)
	}}
}

// mostRuns is how many runs are listed.
const mostRuns = 100

func (r *archive) Runs(ctx context.Context) ([]runview.Head, error) {
	kept, err := r.kept(ctx, "")
	if err != nil {
		return nil, err
	}
	defer kept.End()
	runs, err := kept.Store.Runs(ctx, mostRuns)
	if err != nil {
		return nil, err
	}
	heads := make([]runview.Head, 0, len(runs))
	for _, run := range runs {
		head, err := kept.Head(run)
		if err != nil {
			return nil, err
		}
		heads = append(heads, head)
	}
	return heads, nil
}

func (r *archive) Report(ctx context.Context, run string) (*runview.Document, error) {
	kept, err := r.kept(ctx, run)
	if err != nil {
		return nil, err
	}
	defer kept.End()
	if run, err = kept.Named(ctx, run); err != nil {
		return nil, err
	}
	return kept.Document(ctx, run)
}

func (r *archive) Exposures() ([]daemon.Point, error) { return r.orders.Exposures() }

func (r *archive) Figures() figures.Kept { return r.orders.Figures() }

func (r *archive) Ordered() ([]daemon.Ordered, error) { return r.orders.Place.Ordered() }

func (r *archive) Expose(p daemon.Point) error { return r.orders.Expose(p) }
