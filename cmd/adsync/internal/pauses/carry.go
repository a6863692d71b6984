package pauses

import (
	"context"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// carrier carries out pauses with an agent whose state is open.
type carrier struct {
	*Account
	l session.Loaded
	s *session.Session
}

// pause pauses what an order names, whatever the files and the policy say. It is settled once all of that is paused,
// and the journal has no step that could start something of it later.
func (c *carrier) pause(ctx context.Context, p *orders.StandingPause) error {
	view, err := c.s.Agent.PlanPauses(ctx, func(r *resource.Resource) bool {
		return p.Resource == "" || r.ID == p.Resource
	})
	if err != nil {
		return err
	}
	kept, known := orders.Paused{All: p.All, Could: p.Could}, idsOf(p.All)
	kept.Could.Currency = c.s.Agent.Account.Currency
	for i := range view.Plan.Changes {
		one := &view.Plan.Changes[i]
		if !known[one.ID] {
			kept.All = append(kept.All, orders.Was{ID: one.ID, Name: diag.Printable(one.Name)})
			kept.Could.Day += one.Spend.DailyBefore - one.Spend.DailyAfter
			kept.Could.Lifetime += one.Spend.LifetimeBefore - one.Spend.LifetimeAfter
		}
	}
	if err := c.place().KeepPaused(p.ID, kept); err != nil {
		return err
	}
	kind := runview.Pause
	if p.Resource == "" {
		kind = runview.PauseAll
	}
	c.Tell("pausing " + p.What())
	d, err := c.run(ctx, view, kind, p.By)
	if err != nil {
		return err
	}
	open, err := c.s.Store.Open(ctx)
	if err != nil {
		return err
	}
	switch failed := notApplied(d); {
	case failed != nil:
		kept.Said = fmt.Sprintf("%s still delivers: %s", failed.Name, failed.Message)
	case len(open) > 0:
		kept.Said = "what was sent before may start something of it; that is looked at, and paused again"
	default:
		kept.Settled, kept.At = true, c.Env.Clock.Now().UTC()
	}
	return c.place().KeepPaused(p.ID, kept)
}

// goOn starts what a pause has paused, where the files do not want it paused, as the policy lets it.
func (c *carrier) goOn(ctx context.Context, p *orders.StandingPause, desired reconcile.Desired) error {
	d, err := c.start(ctx, p, desired)
	if err != nil {
		return c.refuse(p, console.OneLine(err))
	}
	held := notApplied(d)
	if held == nil {
		return c.place().EndPause(p.ID)
	}
	kept := orders.Paused{Settled: true, At: p.At, Said: fmt.Sprintf("%s was not started: %s", held.Name, held.Message)}
	waits := map[string]bool{}
	for i := range d.Outcomes {
		waits[d.Outcomes[i].ID] = d.Outcomes[i].Outcome != state.OutcomeApplied
	}
	for _, was := range p.All {
		if waits[was.ID] {
			kept.All = append(kept.All, was)
		}
	}
	if err := c.place().KeepPaused(p.ID, kept); err != nil {
		return err
	}
	return c.place().DropGoOn(p.ID)
}

func (c *carrier) start(ctx context.Context, p *orders.StandingPause,
	desired reconcile.Desired) (*runs.ReportDocument, error) {
	if _, err := session.Recovered(ctx, c.s.Agent); err != nil {
		return nil, err
	}
	files, paused := desired.Snapshot, idsOf(p.All)
	desired.Snapshot, desired.Select = nil, plan.Selection{}
	view, err := c.s.Agent.PlanStarts(ctx, desired, func(r *resource.Resource) bool {
		if !paused[r.ID] {
			return false
		}
		row := files.Get(plan.KeyOfNow(c.l.Schemas, desired.Moves, r.Address))
		if row == nil {
			return true
		}
		said := row.Value(c.l.Schemas.Of(r.Address.Kind).Delivery())
		return !said.IsSet() || said.Text() == plan.Active
	})
	if err != nil {
		return nil, err
	}
	c.Tell("starting again " + p.What())
	return c.run(ctx, view, runview.GoOn, p.GoOn.By)
}

// run sends a plan and keeps its report; nil where there is nothing to send.
func (c *carrier) run(ctx context.Context, view *reconcile.View,
	kind runview.Command, by string) (*runs.ReportDocument, error) {
	if view.Plan.Empty() {
		return nil, nil
	}
	did := runs.Applying{Session: c.s, Bare: true, Recorder: runs.Record(c.Env, c.l, c.s)}
	did.Recorder.Kind, did.Recorder.Orderer = kind, by
	did.Report, did.Failure = session.ApplyUnlessStopped(ctx, c.s.Agent, view)
	ending := did.Ending(ctx)
	d := runs.DocumentOf(c.Env, c.l, did.Report, did.Failure)
	did.Recorder.Mark(d)
	runs.EndAs(ctx, d, ending, session.From(c.Env, c.l.Project.Root))
	did.Recorder.End(d)
	if did.Report == nil {
		return nil, did.Failure
	}
	return d, did.Recorder.Failed
}

// notApplied is the first outcome of a run that is not applied; nil where all are, and where nothing ran.
func notApplied(d *runs.ReportDocument) *runview.Outcome {
	if d == nil {
		return nil
	}
	for i := range d.Outcomes {
		if d.Outcomes[i].Outcome != state.OutcomeApplied {
			return &d.Outcomes[i]
		}
	}
	return nil
}

func idsOf(all []orders.Was) map[string]bool {
	ids := make(map[string]bool, len(all))
	for _, was := range all {
		ids[was.ID] = true
	}
	return ids
}
