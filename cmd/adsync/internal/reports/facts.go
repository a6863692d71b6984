package reports

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/planview"
	"adsync/internal/report"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"
)

// account is the one that a report is of.
type account struct {
	env     *session.Env
	project config.Project
	name    string  // what people call it
	reads   reading // nil where the report shows no pictures
}

// kept makes a report of the figures that are kept, with the facts that are there. now is in the account's zone.
func (a account) kept(ctx context.Context, kept figures.Kept, span insights.Span, now time.Time, f report.Facts) (
	*report.Report, error) {
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	f.Now, f.Span, f.Kept, f.Source = now, span, kept, "kept"
	f.Account = planview.Account{Currency: index.Currency, TimeZone: index.Zone}
	return a.make(ctx, f)
}

// asked makes a report of what the service says now, which is kept for as long as that takes.
func (a account) asked(ctx context.Context, s *session.Session, span insights.Span, now time.Time) (
	made *report.Report, err error) {
	dir, err := os.MkdirTemp("", "adsync-figures-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	opened := s.Agent.Account
	kept := figures.Kept{Store: kv.Folder{Dir: dir}}
	c := figures.Collector{Kept: kept, Service: s.Agent.Service, Currency: opened.Currency, Now: now}
	if err := c.Span(ctx, insights.Span{From: span.Before().From, To: span.To}); err != nil {
		return nil, fmt.Errorf("read figures: %w", err)
	}
	a.env.ClearLine()
	return a.make(ctx, report.Facts{Now: now, Span: span, Kept: kept, Source: "service",
		Account: planview.Account{ID: opened.ID, Currency: opened.Currency, TimeZone: now.Location().String()}})
}

// make adds what the state of the account knows.
func (a account) make(ctx context.Context, f report.Facts) (*report.Report, error) {
	kept, err := runs.KeptOf(ctx, a.env, a.project, "")
	if err != nil {
		return nil, err
	}
	defer kept.End()
	f.Name, f.Schemas, f.Reviews = a.name, session.Schemas(), kept.Reviews
	if f.Account.ID == "" {
		f.Account.ID = kept.Store.Header().Account.ID
	}
	if f.Record, err = kept.Store.Last(ctx); err != nil {
		return nil, err
	}
	if a.reads != nil {
		f.Picture = a.reads.ads(ctx, f.Record)
	}
	all, err := kept.Store.Runs(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, run := range all {
		head, err := kept.Head(run)
		if err != nil {
			return nil, err
		}
		f.Runs = append(f.Runs, head)
	}
	f.Document = func(run string) *runview.Document { return a.document(ctx, kept, run) }
	if f.Waiting, err = waiting(ctx, kept); err != nil {
		return nil, err
	}
	return report.Make(f)
}

// asks are how a run ends after which somebody has to do something, said by its message.
var asks = []daemon.Class{daemon.Held, daemon.Input, daemon.Credentials, daemon.Misplaced, daemon.Suspended}

// waiting is what waits: by what the daemon says, what nobody knows the outcome of, and what the service refused.
func waiting(ctx context.Context, kept *runs.KeptRuns) (w report.Waiting, err error) {
	if said, lives, err := kept.Orders.Daemon(); err == nil && lives && !said.Last.IsZero() {
		at := said.Last.UTC()
		if w.At = &at; slices.Contains(asks, daemon.Class(said.State)) {
			w.Waits = append(w.Waits, report.Wait{What: said.Message})
		}
	}
	steps, err := kept.Store.Open(ctx)
	if err != nil {
		return w, err
	}
	for _, u := range reconcile.UndecidedOf(session.Schemas(), steps) {
		if u.Step.Point == state.Unknown || u.Step.Point == state.BlockedStep {
			w.Waits = append(w.Waits, report.Wait{What: u.Operation.Address.String(), Why: u.Message()})
		}
	}
	blocked, err := kept.Store.Blocked(ctx)
	for _, address := range slices.SortedFunc(maps.Keys(blocked), resource.Address.Compare) {
		w.Waits = append(w.Waits, report.Wait{What: address.String(),
			Why: "the service refused it: " + blocked[address].Message})
	}
	return w, err
}

// document is the report of a run; nil where there is none. A database gives the history with one at a time.
func (a account) document(ctx context.Context, kept *runs.KeptRuns, run string) *runview.Document {
	content, err := kept.Store.Report(ctx, run)
	if errors.Is(err, state.ErrNoReport) {
		one, failed := session.OpenHistory(ctx, a.env, a.project, run)
		if failed != nil {
			return nil
		}
		defer func() { session.Closed(a.env, "state", one.Close()) }()
		content, err = one.Report(ctx, run)
	}
	if err != nil {
		return nil
	}
	d, err := runview.Decode(content)
	if err != nil {
		return nil
	}
	return d
}
