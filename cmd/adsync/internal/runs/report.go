package runs

import (
	"context"
	"errors"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/commits"
	"adsync/state"
)

// ReportDocument is the one typed form of a run; every output is made from it.
type ReportDocument = runview.Document

// reportForm is a form of a run that -o names.
type reportForm func(w io.Writer, d *ReportDocument) error

var ReportForms = map[string]reportForm{
	"json":     func(w io.Writer, d *ReportDocument) error { return d.WriteJSON(&console.VisibleLines{To: w}, "  ") },
	"ndjson":   runview.WriteNDJSON,
	"markdown": func(w io.Writer, d *ReportDocument) error { return runview.WriteMarkdown(w, session.Schemas(), d) },
	"html":     func(w io.Writer, d *ReportDocument) error { return runview.WriteHTML(w, session.Schemas(), d) },
}

// ReportFormNames are the forms in the order help lists them.
func ReportFormNames() []string { return []string{"text", "json", "ndjson", "markdown", "html"} }

// headOf is what is known of a run before it begins.
func headOf(env *session.Env, l session.Loaded, account state.Account) runview.Head {
	h := runview.Head{
		Command: runview.Apply, By: operatorName(),
		Account: AccountOf(account), Service: session.ServiceOf(env, l.Project), Summary: map[string]int{},
	}
	if r, err := commits.RevisionOf(l.Project, l.Desired.Sources); err == nil && r.Commit != "" {
		h.Revision = (*planview.Revision)(&r)
	}
	return h
}

// operatorName says who runs adsync, and where, as far as the machine knows.
func operatorName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	who, err := user.Current()
	if err != nil {
		return host
	}
	return who.Username + "@" + host
}

// begun is the document of a run that begins: nobody knows yet what becomes of
// what goes ahead.
func begun(env *session.Env, l session.Loaded, account state.Account,
	run string, started time.Time, p *plan.Plan, hash string) *ReportDocument {
	d := &ReportDocument{
		FormatVersion: runview.FormatVersion, Head: headOf(env, l, account), InputHash: l.Desired.Hash,
		PlanHash: hash, Problems: session.Listed(session.OnceEach(l.Desired.Problems, p.Waits)), Saved: p.Saved(),
	}
	d.Run, d.Started, d.Money.Planned = run, started.UTC().Truncate(time.Second), p.Spend
	d.SetOut(l.Schemas, p)
	return d
}

// DocumentOf is the document of a run that ended, and of one that never began.
func DocumentOf(env *session.Env, l session.Loaded, r *reconcile.Report, failure error) *ReportDocument {
	d := &ReportDocument{
		FormatVersion: runview.FormatVersion, Head: headOf(env, l, state.Account{}),
		InputHash: l.Desired.Hash, Outcomes: []runview.Outcome{}, Problems: session.Listed(l.Desired.Problems),
	}
	if r != nil {
		d = begun(env, l, r.Account, r.Run, r.Started, r.Plan, r.PlanHash)
		settleAll(d, r)
	}
	d.Ended = runview.Finished
	if failure != nil {
		d.Error = console.Coded(failure)
	}
	if invalid := new(reconcile.InvalidError); errors.As(failure, &invalid) {
		d.Problems = append(d.Problems, invalid.Problems...)
	}
	return d
}

// settleAll puts what became of each change into the document of its run.
func settleAll(d *ReportDocument, r *reconcile.Report) {
	d.Verified, d.Touched = r.Verified, r.Touched
	for _, u := range r.Undecided {
		address := u.Operation.Address.String()
		d.Undecided = append(d.Undecided, runview.Undecided{
			Address: address, Step: u.Step.ID, Message: u.Message(), Do: session.Resolving(address),
		})
	}
	d.Outcomes = d.Outcomes[:len(r.Outcomes)] // both are the changes of the plan, in its order
	for i, o := range r.Outcomes {
		at := &d.Outcomes[i]
		at.Outcome, at.ID, at.Code, at.Message, at.Cell, at.Verified, at.Do = o.Outcome,
			o.ID, o.Code, o.Message, o.Cell, o.Verified, runview.Do(o.Outcome, o.Code, o.Address)
		at.Write(o.Written)
	}
	d.Settle()
}

// EndAs says how a run ended, and what to do next.
func EndAs(ctx context.Context, d *ReportDocument, ending error, from string) {
	code := console.ExitDone
	if ending != nil {
		code = console.ExitCode(ctx, ending)
	}
	d.Exit, d.Next = &code, next(d, code, from)
	if code == console.ExitInterrupted || ctx.Err() != nil && code != console.ExitDone {
		d.Ended = runview.Interrupted
	}
}

// printRun prints a run: whole, or the end of its stream.
func printRun(env *session.Env, r *Recorder, d *ReportDocument, full bool) error {
	if r != nil && r.stream != nil {
		env.ClearLine()
		return r.finished(d)
	}
	return showReport(env, d, full)
}

// showReport prints a run in the form that is asked for.
func showReport(env *session.Env, d *ReportDocument, full bool) error {
	env.ClearLine()
	if write := ReportForms[env.Flags.Output]; write != nil {
		return write(env.Out, d)
	}
	if d.Run == "" {
		return nil // the error says it
	}
	if len(d.Outcomes) == 0 && d.Saved != nil && len(d.Saved.Stale) > 0 {
		return nil // the plan has said what moved
	}
	if len(d.Outcomes) == 0 && len(d.Undecided) == 0 {
		nothing := "Nothing to do: the account is as the files say.\n"
		if d.Command == runview.Revert {
			nothing = "Nothing to take back: what the run changed is as it was before it.\n"
		}
		_, err := io.WriteString(env.Out, nothing)
		return err
	}
	if _, err := io.WriteString(env.Out, "\n"); err != nil {
		return err
	}
	return runview.WriteText(env.Out, session.Schemas(), d, runview.TextOptions{
		Color: env.Colorful(), Width: console.WidthOf(env.Out), Full: full,
	})
}

// next is the command to run after a run that ended so, on what was read.
func next(d *ReportDocument, code int, from string) string {
	switch {
	case code == console.ExitDone, d.Command == runview.Pause, d.Command == runview.GoOn:
		return ""
	case d.Command == runview.PauseAll:
		return "adsync pause-all" + from
	case d.Command == runview.Revert && code == console.ExitRefused:
		return "adsync revert --plan-only " + d.Reverts + from
	}
	if code == console.ExitUnknown && len(d.Undecided) > 0 {
		return session.Resolving(d.Undecided[0].Address) + from
	}
	switch code {
	case console.ExitUnknown, console.ExitInterrupted, console.ExitUnavailable, console.ExitLocked:
		return "adsync apply" + from
	case console.ExitInvalid:
		if d.Run != "" { // it was the service that refused
			return "adsync validate --online" + from
		}
		return "adsync validate" + from
	}
	if d.Summary[string(state.OutcomeFailed)]+d.Summary[string(state.OutcomeSkipped)] > 0 {
		return "adsync apply" + from
	}
	return "adsync plan" + from
}

// codedMessage is the words of an outcome with its code.
func codedMessage(o reconcile.Outcome) string {
	if o.Code == "" {
		return o.Message
	}
	return strings.TrimRight(o.Message, ".") + " (" + o.Code + ")"
}
