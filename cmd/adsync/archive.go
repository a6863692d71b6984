package main

import (
	"context"
	"slices"

	"adsync/internal/daemon"
	"adsync/internal/runview"
	"adsync/state"
)

// archive is what the state of an account keeps of its runs, read as it is now.
type archive struct {
	app    *app
	orders *attendant
	dir    string
}

// mostRuns is how many runs are listed.
const mostRuns = 100

func (r *archive) Runs(ctx context.Context) ([]runview.Head, error) {
	kept, err := r.app.kept(ctx, r.dir)
	if err != nil {
		return nil, err
	}
	defer kept.end()
	runs, err := kept.store.Runs(ctx, mostRuns)
	if err != nil {
		return nil, err
	}
	heads := make([]runview.Head, 0, len(runs))
	for _, run := range runs {
		head, err := kept.head(run)
		if err != nil {
			return nil, err
		}
		heads = append(heads, head)
	}
	return heads, nil
}

func (r *archive) Report(ctx context.Context, run string) (*runview.Document, error) {
	kept, err := r.app.kept(ctx, r.dir)
	if err != nil {
		return nil, err
	}
	defer kept.end()
	if run, err = kept.named(ctx, run); err != nil {
		return nil, err
	}
	return kept.document(ctx, run)
}

// named gives the name of a run there is. Anybody may ask for any other.
func (k *keptRuns) named(ctx context.Context, run string) (string, error) {
	runs, err := k.store.Runs(ctx, 0)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(runs, func(r state.Run) bool { return r.ID == run }) {
		return "", daemon.ErrNoRun
	}
	return run, nil
}

func (r *archive) Exposures() ([]daemon.Point, error) { return r.orders.Exposures() }

func (r *archive) Expose(p daemon.Point) error { return r.orders.Expose(p) }
