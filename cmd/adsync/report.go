package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// reportDocument is the one typed form of a run; every output is made from it.
type reportDocument = runview.Document

// reportForm is a form of a run that -o names.
type reportForm func(w io.Writer, d *reportDocument) error

var reportForms = map[string]reportForm{
	"json":     func(w io.Writer, d *reportDocument) error { return d.WriteJSON(&visibleLines{to: w}, "  ") },
	"ndjson":   runview.WriteNDJSON,
	"markdown": func(w io.Writer, d *reportDocument) error { return runview.WriteMarkdown(w, schemas(), d) },
	"html":     func(w io.Writer, d *reportDocument) error { return runview.WriteHTML(w, schemas(), d) },
}

// reportFormNames are the forms in the order help lists them.
func reportFormNames() []string { return []string{"text", "json", "ndjson", "markdown", "html"} }

// headOf is what is known of a run before it begins.
func (a *app) headOf(l loaded, account state.Account) runview.Head {
	h := runview.Head{
		Command: runview.Apply, By: operatorName(),
		Account: accountOf(account), Service: a.serviceOf(l.project), Summary: map[string]int{},
	}
	if r, err := l.project.Revision(l.desired.Sources); err == nil && r.Commit != "" {
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
func (a *app) begun(l loaded, account state.Account,
	run string, started time.Time, p *plan.Plan, hash string) *reportDocument {
	d := &reportDocument{
		FormatVersion: runview.FormatVersion, Head: a.headOf(l, account), InputHash: l.desired.Hash,
		PlanHash: hash, Problems: listed(onceEach(l.desired.Problems, p.Waits)), Saved: p.Saved(),
	}
	d.Run, d.Started, d.Money.Planned = run, started.UTC().Truncate(time.Second), p.Spend
	d.SetOut(l.schemas, p)
	return d
}

// documentOf is the document of a run that ended, and of one that never began.
func (a *app) documentOf(l loaded, r *reconcile.Report, failure error) *reportDocument {
	d := &reportDocument{
		FormatVersion: runview.FormatVersion, Head: a.headOf(l, state.Account{}),
		InputHash: l.desired.Hash, Outcomes: []runview.Outcome{}, Problems: listed(l.desired.Problems),
	}
	if r != nil {
		d = a.begun(l, r.Account, r.Run, r.Started, r.Plan, r.PlanHash)
		settleAll(d, r)
	}
	d.Ended = runview.Finished
	if failure != nil {
		d.Error = coded(failure)
	}
	if invalid := new(reconcile.InvalidError); errors.As(failure, &invalid) {
		d.Problems = append(d.Problems, invalid.Problems...)
	}
	return d
}

// settleAll puts what became of each change into the document of its run.
func settleAll(d *reportDocument, r *reconcile.Report) {
	d.Verified, d.Touched = r.Verified, r.Touched
	for _, u := range r.Undecided {
		address := u.Operation.Address.String()
		d.Undecided = append(d.Undecided, runview.Undecided{
			Address: address, Step: u.Step.ID, Message: u.Message(), Do: resolving(address),
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

// endAs says how a run ended, and what to do next.
func endAs(ctx context.Context, d *reportDocument, ending error, from string) {
	code := exitDone
	if ending != nil {
		code = exitCode(ctx, ending)
	}
	d.Exit, d.Next = &code, next(d, code, from)
	if code == exitInterrupted || ctx.Err() != nil && code != exitDone {
		d.Ended = runview.Interrupted
	}
}

// printRun prints a run: whole, or the end of its stream.
func (a *app) printRun(r *recorder, d *reportDocument, full bool) error {
	if r != nil && r.stream != nil {
		a.clearLine()
		return r.finished(d)
	}
	return a.showReport(d, full)
}

// showReport prints a run in the form that is asked for.
func (a *app) showReport(d *reportDocument, full bool) error {
	a.clearLine()
	if write := reportForms[a.flags.output]; write != nil {
		return write(a.out, d)
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
		_, err := io.WriteString(a.out, nothing)
		return err
	}
	if _, err := io.WriteString(a.out, "\n"); err != nil {
		return err
	}
	return runview.WriteText(a.out, schemas(), d, runview.TextOptions{
		Color: a.colorful(), Width: widthOf(a.out), Full: full,
	})
}

// next is the command to run after a run that ended so, on what was read.
func next(d *reportDocument, code int, from string) string {
	switch {
	case code == exitDone:
		return ""
	case d.Command == runview.PauseAll:
		return "adsync pause-all" + from
	case d.Command == runview.Revert && code == exitRefused:
		return "adsync revert --plan-only " + d.Reverts + from
	}
	if code == exitUnknown && len(d.Undecided) > 0 {
		return resolving(d.Undecided[0].Address) + from
	}
	switch code {
	case exitUnknown, exitInterrupted, exitUnavailable, exitLocked:
		return "adsync apply" + from
	case exitInvalid:
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
