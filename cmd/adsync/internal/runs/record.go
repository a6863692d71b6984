package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/state"
)

// Recorder follows a run: it keeps its report in the state from the moment it
// begins, and tells what happens to who reads the stream or the screen.
type Recorder struct {
	env     *session.Env
	loaded  session.Loaded
	account state.Account
	store   state.Store
	run     string
	wave    string // the last that was told
	Kind    runview.Command
	Reverts string
	Orderer string // who ordered it of a daemon, which runs it

	Approved []string // who allowed something of the plan, where nobody looks on
	linked   []runview.Approver

	stream io.Writer // nil unless events are printed
	Failed error     // the first that could not be kept or printed
}

// Record has an agent's run followed.
func Record(env *session.Env, l session.Loaded, s *session.Session) *Recorder {
	r := &Recorder{env: env, loaded: l, store: s.Store, Kind: runview.Apply}
	if env.Flags.Output == "ndjson" {
		r.stream = env.Out
	}
	s.Agent.Watch = func(e reconcile.Event) {
		r.account = s.Agent.Account
		r.tell(e)
	}
	return r
}

// tell takes an event; they come one at a time.
func (r *Recorder) tell(e reconcile.Event) {
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
	r.env.Moved(e)
}

// enter tells of a wave once something happens in it.
func (r *Recorder) enter(wave string) {
	if wave != r.wave {
		r.wave = wave
		r.print(runview.LineWave, runview.Wave{Wave: wave})
	}
}

// begin keeps what the run sets out to do, so that a run that is killed has a
// report as well.
func (r *Recorder) begin(e reconcile.Event) {
	r.run = e.Run
	d := begun(r.env, r.loaded, r.account, e.Run, time.Now(), e.Plan, e.PlanHash)
	r.Mark(d)
	r.note(r.keep(d))
	r.print(runview.LineRun, d.Begins())
}

// Links notes where somebody allowed something of the plan, once. One who did so here has no link.
func (r *Recorder) Links(by, link string) {
	if one := (runview.Approver{By: by, Link: link}); link != "" && !slices.Contains(r.linked, one) {
		r.linked = append(r.linked, one)
	}
}

// Mark puts in a document what the command says of its run.
func (r *Recorder) Mark(d *ReportDocument) {
	d.Command, d.Reverts = r.Kind, r.Reverts
	if r.Orderer != "" {
		d.By += ", ordered by " + diag.Printable(r.Orderer)
	}
	if len(r.Approved) > 0 {
		d.By += ", approved by " + diag.Printable(strings.Join(r.Approved, ", "))
	}
	d.Approved, d.ApprovedBy = r.linked, r.Approved
}

// End keeps the report of a run that ended, whatever interrupted it.
func (r *Recorder) End(d *ReportDocument) {
	if r.run == "" {
		return
	}
	d.Finished = time.Now().UTC().Truncate(time.Second)
	r.note(r.keep(d))
}

func (r *Recorder) keep(d *ReportDocument) error { return d.Keep(context.Background(), r.store) }

func (r *Recorder) print(kind string, value any) {
	if r.stream != nil {
		r.note(runview.WriteLine(r.stream, kind, value))
	}
}

// note remembers what went wrong; a run goes on without its stream.
func (r *Recorder) note(err error) {
	if r.Failed == nil {
		r.Failed = err
	}
}

// finished prints the last line of a stream.
func (r *Recorder) finished(d *ReportDocument) error {
	if r.run == "" { // nothing was begun: the stream still says why
		r.print(runview.LineRun, d.Begins())
		for _, p := range d.Problems {
			r.print(runview.LineProblem, p)
		}
	}
	r.print(runview.LineFinished, runview.Tail{Head: d.Head, Next: d.Next})
	return r.Failed
}

// Recording connects for reading the service and writing adsync's own record:
// the client of such a session cannot send a mutation. A record that an apply
// left in the middle is that apply's to finish.
func Recording(ctx context.Context, env *session.Env, l session.Loaded) (*session.Session, error) {
	s := &session.Session{}
	if err := session.OpenAs(ctx, env, s, l, false, true); err != nil {
		s.End()
		return nil, err
	}
	steps, err := s.Store.Open(ctx)
	if err == nil && len(steps) > 0 {
		err = console.ExitWith(console.ExitRefused, fmt.Sprintf("%s open from an apply "+
			"that did not end; run adsync apply first: it finds out what became of it",
			console.PluralAre(len(steps), "step")))
	}
	if err != nil {
		s.End()
		return nil, err
	}
	return s, nil
}
