package main

import (
	"context"
	"io"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/state"
)

// recorder follows a run: it keeps its report in the state from the moment it
// begins, and tells what happens to who reads the stream or the screen.
type recorder struct {
	app     *app
	loaded  loaded
	account state.Account
	store   state.Store
	run     string
	wave    string // the last that was told
	kind    runview.Command
	reverts string

	approved []string // who allowed something of the plan, where nobody looks on

	stream io.Writer // nil unless events are printed
	failed error     // the first that could not be kept or printed
}

// record has an agent's run followed.
func (a *app) record(l loaded, s *session) *recorder {
	r := &recorder{app: a, loaded: l, store: s.store, kind: runview.Apply}
	if a.flags.output == "ndjson" {
		r.stream = a.out
	}
	s.agent.Watch = func(e reconcile.Event) {
		r.account = s.agent.Account
		r.tell(e)
	}
	return r
}

// tell takes an event; they come one at a time.
func (r *recorder) tell(e reconcile.Event) {
	switch e.Kind {
	case reconcile.RunStarted:
		r.begin(e)
	case reconcile.StepMoved:
		s := e.Step
		r.enter(e.Wave)
		r.print(runview.LineStep, runview.Step{
			Wave: e.Wave, Step: s.ID, Route: s.Route,
			Path: s.Path, Operations: e.Operations, Point: s.Point, Job: s.JobID, Note: s.Note,
		})
	case reconcile.OpSettled:
		o := e.Outcome
		r.enter(e.Wave)
		r.print(runview.LineOutcome, runview.Settled{
			Wave: e.Wave, Address: o.Address.String(), Action: o.Action, Outcome: o.Outcome, ID: o.ID, Code: o.Code,
			Message: o.Message, Do: runview.Do(o.Outcome, o.Code, o.Address), Position: o.Position, Cell: o.Cell,
		})
	case reconcile.WaveChecked:
		r.enter(e.Wave)
		r.print(runview.LineVerified, runview.Verified{Wave: e.Wave, Verified: e.Verified, Touched: e.Touched})
	}
	r.app.moved(e)
}

// enter tells of a wave once something happens in it.
func (r *recorder) enter(wave string) {
	if wave != r.wave {
		r.wave = wave
		r.print(runview.LineWave, runview.Wave{Wave: wave})
	}
}

// begin keeps what the run sets out to do, so that a run that is killed has a
// report as well.
func (r *recorder) begin(e reconcile.Event) {
	r.run = e.Run
	d := r.app.begun(r.loaded, r.account, e.Run, time.Now(), e.Plan, e.PlanHash)
	r.mark(d)
	r.note(r.keep(d))
	r.print(runview.LineRun, d.Begins())
}

// mark puts in a document what the command says of its run.
func (r *recorder) mark(d *reportDocument) {
	d.Command, d.Reverts = r.kind, r.reverts
	if len(r.approved) > 0 {
		d.By += ", approved by " + diag.Printable(strings.Join(r.approved, ", "))
	}
}

// end keeps the report of a run that ended, whatever interrupted it.
func (r *recorder) end(d *reportDocument) {
	if r.run == "" {
		return
	}
	d.Finished = time.Now().UTC().Truncate(time.Second)
	r.note(r.keep(d))
}

func (r *recorder) keep(d *reportDocument) error { return d.Keep(context.Background(), r.store) }

func (r *recorder) print(kind string, value any) {
	if r.stream != nil {
		r.note(runview.WriteLine(r.stream, kind, value))
	}
}

// note remembers what went wrong; a run goes on without its stream.
func (r *recorder) note(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// finished prints the last line of a stream.
func (r *recorder) finished(d *reportDocument) error {
	if r.run == "" { // nothing was begun: the stream still says why
		r.print(runview.LineRun, d.Begins())
		for _, p := range d.Problems {
			r.print(runview.LineProblem, p)
		}
	}
	r.print(runview.LineFinished, runview.Tail{Head: d.Head, Next: d.Next})
	return r.failed
}
