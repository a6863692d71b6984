package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
	"adsync/reconcile"
)

// ApplyFlags are those of apply.
type ApplyFlags struct {
	PlanFlags
	Yes       bool
	Wait      time.Duration // for a daemon to hand the account over
	Saved     string        // the file of a saved plan; "" without one
	Results   string
	WriteBack bool
	Push      string // branch for the results; "" to push none
}

// Applying is an apply up to its report.
type Applying struct {
	Session  *session.Session // nil where it was not reached
	Recorder *Recorder        // as session
	Report   *reconcile.Report
	Failure  error
	Bare     bool // no result copies: the rows of the files were not what was applied
}

// Close ends the session where one was reached.
func (did *Applying) Close() {
	if did.Session != nil {
		did.Session.End()
	}
}

// Ending is the error a run ends with, nil where all went well.
func (did *Applying) Ending(ctx context.Context) error {
	if did.Report == nil {
		return did.Failure
	}
	err := verdict(did.Report, did.Failure)
	if known := new(console.Exit); errors.As(err, &known) &&
		(known.Code == console.ExitPartial || known.Code == console.ExitUnknown) && ctx.Err() != nil {
		return console.ExitWith(console.ExitInterrupted, catalogue.Say("ended.interrupted", "how", known.Message))
	}
	return err
}

// verdict turns a report into an exit code: unknown is worse than failed, and
// failed worse than held.
func verdict(r *reconcile.Report, failure error) error {
	switch {
	case len(r.Undecided) > 0:
		return console.ExitWith(console.ExitUnknown, join(failure, session.UndecidedWords(r.Undecided)))
	case r.Count("unknown") > 0:
		return console.ExitWith(console.ExitUnknown,
			join(failure, catalogue.Say("ended.outcome-unknown")))
	case errors.Is(failure, adsapi.ErrHalted):
		return console.ExitWith(console.ExitRefused, join(failure, catalogue.Say("ended.stopped", "n", r.Changed())))
	case failure != nil && r.Changed() == 0:
		return failure
	case failure != nil:
		return console.ExitWith(console.ExitPartial, join(failure, catalogue.Say("ended.in-part")))
	case r.Count("failed")+r.Count("skipped") > 0:
		return console.ExitWith(console.ExitPartial, catalogue.Say("ended.in-part-of", "counts", r.Summary()))
	case r.Waiting() > 0 && r.Moved() == 0:
		return console.ExitWith(console.ExitPartial, catalogue.Say("ended.rows-wait", "n", r.Waiting()))
	case r.Moved() > 0 && r.Changed() == 0:
		return stalePlan("%s", catalogue.Say("ended.all-moved", "n", r.Moved()))
	case r.Moved() > 0:
		return console.ExitWith(console.ExitPartial,
			catalogue.Say("ended.some-moved", "n", r.Moved(), "code", string(diag.StalePlan)))
	case r.Refused() > 0 && r.Changed() == 0:
		return console.ExitWith(console.ExitRefused, catalogue.Say("ended.all-held"))
	case r.Refused() > 0:
		return console.ExitWith(console.ExitPartial, catalogue.Say("ended.some-held"))
	}
	return nil
}

func join(failure error, message string) string {
	if failure == nil {
		return message
	}
	return diag.Printable(strings.ReplaceAll(console.Coded(failure), "\n", "; ")) + "; " + message
}

// beside adds what went wrong after a run to how the run ended, whose exit code
// counts.
func beside(ctx context.Context, ending, after error) error {
	if ending == nil {
		return after
	}
	return console.ExitWith(console.ExitCode(ctx, ending), console.Coded(ending)+"; "+after.Error())
}

// Consent shows the plan and asks once.
func Consent(ctx context.Context, env *session.Env,
	l session.Loaded, f ApplyFlags, agent *reconcile.Agent, view *reconcile.View) error {
	p := view.Plan
	if env.Flags.Output == "text" {
		TellAuthors(ctx, env, l, p)
		if err := ShowPlan(env, l, f.PlanFlags, agent.Account, view); err != nil {
			return err
		}
	}
	if err := session.UnreadyPlan(env, l, p); err != nil {
		return err
	}
	if f.Strict {
		if err := strictly(p); err != nil {
			return err
		}
	}
	if !sends(p) || f.Yes || f.Saved != "" {
		return nil
	}
	return Ask(ctx, env, l, f, agent, view)
}

// Ask wants the word yes; without a terminal nobody can be asked, and nobody is
// asked about a plan that was not shown.
func Ask(ctx context.Context, env *session.Env, l session.Loaded,
	f ApplyFlags, agent *reconcile.Agent, view *reconcile.View) error {
	if !console.IsTerminal(env.In) {
		return console.Configuration("apply asks before " +
			"it changes anything, and there is no terminal to ask at; use --yes")
	}
	if env.Flags.Output != "text" { // standard output is for the report alone
		if err := planview.WriteText(env.Err, session.Schemas(),
			Document(env, l, agent.Account, view),
			planview.TextOptions{Width: console.WidthOf(env.Err), Full: f.Full}); err != nil {
			return err
		}
	}
	fmt.Fprintf(env.Err, "Carry out %s? Only yes goes on: ", diag.Plural(len(view.Plan.Applicable()), "change"))
	return console.Confirmed(ctx, env.In)
}

// Finish keeps and prints the report, writes the result copies, and finds the
// exit code. The session stays open.
func Finish(ctx context.Context, env *session.Env, l session.Loaded, f ApplyFlags, dir string, did Applying) error {
	ending := did.Ending(ctx)
	d := DocumentOf(env, l, did.Report, did.Failure)
	var told error
	if did.Recorder != nil {
		did.Recorder.Mark(d)
	}
	EndAs(ctx, d, ending, session.From(env, dir))
	if did.Recorder != nil {
		did.Recorder.End(d)
		told = did.Recorder.Failed
	}
	if err := printRun(env, did.Recorder, d, f.Full); err != nil && !errors.Is(err, console.ErrReaderGone) {
		return err
	}
	if did.Session != nil {
		session.ReadReviews(ctx, env, l, did.Session.Agent, did.Report)
	}
	if did.Report == nil || did.Bare {
		return cmp.Or(ending, told)
	}
	if err := writeResults(env, l, f.Results, did.Report, d); err != nil {
		return beside(ctx, ending, err)
	}
	unwritten := cmp.Or(writeBack(env, l, f, did.Report), PushResults(ctx, env, l, f.Push, did.Report, d))
	var invalid *reconcile.InvalidError
	if errors.As(did.Failure, &invalid) {
		env.Flags.Output = "text"
		return session.Invalid(env, l, invalid.Problems)
	}
	return cmp.Or(ending, unwritten, told)
}
