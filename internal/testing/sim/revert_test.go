package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/runview"
	"adsync/internal/testing/oracle"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// keepReports has the reports of a process's runs kept, as the program does.
func (w *world) keepReports(p *process, a *reconcile.Agent) {
	a.Watch = func(e reconcile.Event) {
		if e.Kind != reconcile.RunStarted {
			return
		}
		w.mu.Lock()
		w.runs[runName(p.agent, e.Run)] = p.run
		w.mu.Unlock()
		d := &runview.Document{
			FormatVersion: runview.FormatVersion, Head: runview.Head{
				Run: e.Run, Command: runview.Apply, Started: time.Now(),
			},
		}
		d.Money.Planned = e.Plan.Spend
		d.SetOut(a.Schemas, e.Plan)
		w.keepReport(p, d)
	}
}

func runName(agent int, run string) string { return fmt.Sprintf("%d %s", agent, run) }

func (w *world) keepReport(p *process, d *runview.Document) {
	if err := d.Keep(context.Background(), p.disk); err != nil && !p.ended() {
		w.wrong = fmt.Errorf("the report of %s: %w", d.Run, err)
	}
}

// endReport keeps what became of each change.
func (w *world) endReport(p *process, report *reconcile.Report) {
	d := &runview.Document{
		FormatVersion: runview.FormatVersion, Head: runview.Head{
			Run: report.Run, Command: runview.Apply,
			Ended: runview.Finished, Started: report.Started, Finished: time.Now(),
		},
	}
	d.Money.Planned = report.Plan.Spend
	d.SetOut(kinds.All(), report.Plan)
	for i, o := range report.Outcomes {
		at := &d.Outcomes[i]
		at.Outcome, at.ID, at.Code, at.Message = o.Outcome, o.ID, o.Code, o.Message
		at.Write(o.Written)
	}
	d.Settle()
	w.keepReport(p, d)
}

// recover ends what earlier runs left open, and puts what was found of them into
// their reports.
func (w *world) recover(p *process, agent *reconcile.Agent) (reconcile.Recovered, error) {
	if !w.turns {
		return agent.Recover(p.ctx)
	}
	finder, err := agent.Find(p.ctx)
	if err != nil {
		return reconcile.Recovered{}, err
	}
	recovered, failure := agent.Recover(p.ctx)
	var steps []state.Step
	open := map[string]bool{}
	for _, f := range finder.End() {
		steps, open[f.Step.ID] = append(steps, f.Step), !f.Ended
	}
	return recovered, errors.Join(failure,
		runview.KeepRecovered(context.WithoutCancel(p.ctx), agent.Store, steps, open, time.Now()))
}

// revert takes a run back, and may write the former values into the files.
func (w *world) revert(a action) {
	p, agent := w.start(a.Agent, false, a.Death, a.Cut)
	defer p.leave()
	p.reverts = &reverting{which: a.Target, starts: a.What%3 == 0}
	_, report, err := w.pass(p, agent, 0)
	w.remark(err)
	if p.dead {
		w.count("crash")
	}
	if err == nil && report != nil && p.run.Reverts != nil {
		w.count("run taken back")
		if a.What%2 == 0 {
			w.writeFormer(p.run)
		}
	}
}

// reverting is what a process takes back.
type reverting struct {
	which  int // of the runs there are a report of
	starts bool
}

var errNoRun = errors.New("there is no run to take back")

// inverse turns what is wanted into a run taken back.
func (w *world) inverse(p *process, agent *reconcile.Agent, d *reconcile.Desired) error {
	runs, err := agent.Store.Runs(p.ctx, 0)
	if err != nil {
		return err
	}
	var documents []*runview.Document
	for _, run := range runs {
		of, err := runview.Load(p.ctx, agent.Store, run.ID)
		switch {
		case err == nil:
			documents = append(documents, of)
		case !errors.Is(err, state.ErrNoReport):
			return err
		}
	}
	if len(documents) == 0 {
		return errNoRun
	}
	of := documents[p.reverts.which%len(documents)]
	last, err := agent.Store.Last(p.ctx)
	if err != nil {
		return err
	}
	v := plan.Invert(agent.Schemas, last, of.Done())
	if v.Left.Len() == 0 {
		return errNoRun
	}
	w.mu.Lock()
	p.reverted = w.runs[runName(p.agent, of.Run)]
	w.mu.Unlock()
	d.Snapshot, d.Left, d.Select, d.Moves = v.Desired, v.Left, v.Select, nil
	d.Policy.StartsHeld = true
	if !p.reverts.starts {
		d.Standing = slices.DeleteFunc(d.Standing, func(a plan.Allowance) bool { return a.Hazard == plan.Activates })
	}
	return nil
}

// writeFormer has the files say what the account holds once a run is taken back.
func (w *world) writeFormer(run *oracle.Apply) {
	f := w.files()
	for _, e := range w.history.W {
		if e.Seq > run.From && e.Seq <= run.To && e.Actor == w.history.Actors[run.Agent] {
			f.TakeOver(&e)
		}
	}
	w.commit(f)
}
