package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// applyFlags are those of apply.
type applyFlags struct {
	planFlags
	yes       bool
	saved     string // the file of a saved plan; "" without one
	results   string
	writeBack bool
	push      string // branch for the results; "" to push none
}

func (a *app) apply() *cobra.Command {
	var f applyFlags
	c := &cobra.Command{
		Use:   "apply [SAVED_PLAN] [FOLDER]",
		Short: "Carry out the plan, and report what became of every row",
		Long: "Carry out the plan, and report what became of every row.\n\n" +
			"SAVED_PLAN is a file of plan --out. The plan is computed again; what is as it was saved is carried out\n" +
			"without a question, what moved since is " +
			"refused with both values, and what came up since waits for another plan.",
		RunE: func(c *cobra.Command, args []string) error { return a.runApply(c, args, f) },
	}
	c.Flags().StringArrayVar(&f.allow, "allow", nil,
		"allow a hazard by name, such as raises-spend=120/day (repeatable)")
	completes(c, "allow", plan.Allowable()...)
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.strict, "strict",
		false, "apply nothing where a row is not valid, and all of a saved plan or nothing where a part of it moved")
	c.Flags().StringVar(&f.results, "results", "",
		"folder for the result copies of workbooks, results.csv and results.json (default .adsync/results)")
	c.Flags().BoolVar(&f.writeBack, "write-back", false,
		"write Result, Message, keys and ids into your own workbooks and CSV files as well")
	c.Flags().StringVar(&f.push, "push-results", "",
		"commit the results to a branch of the repository, with --git (without a name "+resultsBranch+")")
	c.Flags().Lookup("push-results").NoOptDefVal = resultsBranch
	f.selectFlags.register(c)
	f.refreshFlag.register(c)
	c.Flags().BoolVar(&f.unattended, "unattended", false, "nobody looks: "+
		"do not ask, take allowances from the operator's file alone, and raise nothing without its max_daily_exposure")
	approvedFlag(c, &f.approved)
	c.Flags().BoolVar(&f.full, "full", false, "list every change and field of the plan, however long it is")
	a.fromGit(c, true)
	a.suspendedFlag(c)
	a.outputs(c, reportFormNames()...)
	return c
}

func (a *app) runApply(c *cobra.Command, args []string, f applyFlags) error {
	dir, saved, err := savedArguments(c, args)
	if err != nil {
		return err
	}
	f.saved = saved
	if err := f.readApproved(); err != nil {
		return err
	}
	if f.unattended && len(f.allow) > 0 {
		return usage(c, errors.New("--unattended "+
			"with --allow or --approved: nobody is there to allow anything; want the allowance in the operator's file"))
	}
	if a.git == nil && f.push != "" {
		return usage(c, errors.New("--push-results goes with --git"))
	}
	if a.git != nil && f.writeBack {
		return usage(c, errors.New("--write-back "+
			"and --git exclude each other: a commit is not written into; see --push-results"))
	}
	f.yes = f.yes || f.unattended
	l := a.load(c.Context(), dir)
	return a.finish(c.Context(), l, f, dir, a.applied(c.Context(), l, f))
}

// applying is an apply up to its report.
type applying struct {
	session  *session  // nil where it was not reached
	recorder *recorder // as session
	report   *reconcile.Report
	failure  error
	bare     bool // no result copies: the rows of the files were not what was applied
}

// applied is the whole of apply up to its report. Its session stays open.
func (a *app) applied(ctx context.Context, l loaded, f applyFlags) (did applying) {
	if did.failure = a.unready(l, f.strict); did.failure != nil {
		return did
	}
	if did.failure = roomForResults(l, f.results); did.failure != nil {
		return did
	}
	desired, err := a.wanted(l, f.planFlags)
	if err != nil {
		return applying{failure: err}
	}
	saved, err := a.openSaved(l, f.saved, time.Now())
	if err == nil {
		err = saved.narrow(&desired)
	}
	if err != nil {
		return applying{failure: err}
	}
	if did.session, did.failure = a.connect(ctx, l, false); did.failure != nil {
		return did
	}
	did.recorder = a.record(l, did.session)
	did.report, did.failure = a.carryOut(ctx, l, f, did.session.agent, saved, desired)
	return did
}

// carryOut ends what was left open, plans, asks and applies.
func (a *app) carryOut(ctx context.Context, l loaded,
	f applyFlags, agent *reconcile.Agent, saved *savedPlan, desired reconcile.Desired) (*reconcile.Report, error) {
	if err := a.compare(saved, l, agent, desired); err != nil {
		return nil, err
	}
	if err := a.recover(ctx, agent); err != nil {
		return nil, err
	}
	view, err := a.compute(ctx, agent, desired, f.planFlags)
	if err == nil {
		err = a.see(l, view)
	}
	if err != nil {
		return nil, err
	}
	if err := a.consent(ctx, l, f, agent, view); err != nil {
		return nil, err
	}
	return applyObeying(ctx, agent, view)
}

// recover ends what an earlier run left open, before anything new is planned.
func (a *app) recover(ctx context.Context, agent *reconcile.Agent) error {
	recovered, err := a.recovered(ctx, agent)
	if n := recovered.Finished + recovered.Abandoned; n > 0 {
		a.note("recovered %s an earlier run left open: %d finished, %d never had an effect",
			plural(n, "step"), recovered.Finished, recovered.Abandoned)
	}
	if err != nil {
		return err
	}
	if len(recovered.Undecided) > 0 {
		a.note("an earlier run left what nothing at the service decides "+
			"(ADS3005); what depends on it waits, the rest goes on:\n  %s\nto decide it: adsync resolve ADDRESS",
			diag.Printable(strings.Join(recovered.Undecided, "\n  ")))
	}
	return nil
}

// consent shows the plan and asks once.
func (a *app) consent(ctx context.Context, l loaded, f applyFlags, agent *reconcile.Agent, view *reconcile.View) error {
	p := view.Plan
	if a.flags.output == "text" {
		a.tellAuthors(ctx, l, p)
		if err := a.showPlan(l, f.planFlags, agent.Account, view); err != nil {
			return err
		}
	}
	if err := a.unreadyPlan(l, p); err != nil {
		return err
	}
	if f.strict {
		if err := strictly(p); err != nil {
			return err
		}
	}
	if !sends(p) || f.yes || f.saved != "" {
		return nil
	}
	return a.ask(ctx, l, f, agent, view)
}

// ask wants the word yes; without a terminal nobody can be asked, and nobody is
// asked about a plan that was not shown.
func (a *app) ask(ctx context.Context, l loaded, f applyFlags, agent *reconcile.Agent, view *reconcile.View) error {
	if !isTerminal(a.in) {
		return configuration("apply asks before it changes anything, and there is no terminal to ask at; use --yes")
	}
	if a.flags.output != "text" { // standard output is for the report alone
		if err := planview.WriteText(a.err, schemas(),
			a.document(l, agent.Account, view), planview.TextOptions{Width: widthOf(a.err), Full: f.full}); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.err, "Carry out %s? Only yes goes on: ", plural(len(view.Plan.Applicable()), "change"))
	return confirmed(ctx, a.in)
}

// confirmed reads one line, or stops waiting for it when it is interrupted.
func confirmed(ctx context.Context, in io.Reader) error {
	lines := make(chan string, 1)
	go func() { // ends with the process at the latest
		line, _ := bufio.NewReader(in).ReadString('\n') // what came before an error is the answer
		lines <- line
	}()
	answer := ""
	select {
	case answer = <-lines:
	case <-ctx.Done():
	}
	if answer == "" {
		return exitWith(exitInterrupted, "no answer; nothing was changed")
	}
	if strings.TrimSpace(strings.ToLower(answer)) != "yes" {
		return exitWith(exitRefused, "not confirmed; nothing was changed")
	}
	return nil
}

// finish keeps and prints the report, writes the result copies, and finds the
// exit code.
func (a *app) finish(ctx context.Context, l loaded, f applyFlags, dir string, did applying) error {
	if did.session != nil {
		defer did.session.end()
	}
	ending := did.ending(ctx)
	d := a.documentOf(l, did.report, did.failure)
	var told error
	if did.recorder != nil {
		did.recorder.mark(d)
	}
	endAs(ctx, d, ending, a.from(dir))
	if did.recorder != nil {
		did.recorder.end(d)
		told = did.recorder.failed
	}
	if err := a.printRun(did.recorder, d, f.full); err != nil && !errors.Is(err, errReaderGone) {
		return err
	}
	if did.session != nil {
		a.readReviews(ctx, l, did.session.agent, did.report)
	}
	if did.report == nil || did.bare {
		return cmp.Or(ending, told)
	}
	if err := a.writeResults(l, f.results, did.report, d); err != nil {
		return beside(ctx, ending, err)
	}
	unwritten := cmp.Or(a.writeBack(l, f, did.report), a.pushResults(ctx, l, f.push, did.report, d))
	var invalid *reconcile.InvalidError
	if errors.As(did.failure, &invalid) {
		a.flags.output = "text"
		return a.invalid(l, invalid.Problems)
	}
	return cmp.Or(ending, unwritten, told)
}

// ending is the error a run ends with, nil where all went well.
func (did *applying) ending(ctx context.Context) error {
	if did.report == nil {
		return did.failure
	}
	err := verdict(did.report, did.failure)
	if known := new(exit); errors.As(err, &known) &&
		(known.code == exitPartial || known.code == exitUnknown) && ctx.Err() != nil {
		return exitWith(exitInterrupted, "interrupted: "+
			known.message+"; adsync resume ends what is open, adsync apply goes on")
	}
	return err
}

// verdict turns a report into an exit code: unknown is worse than failed, and
// failed worse than held.
func verdict(r *reconcile.Report, failure error) error {
	switch {
	case len(r.Undecided) > 0:
		return exitWith(exitUnknown, join(failure, undecidedWords(r.Undecided)))
	case r.Count("unknown") > 0:
		return exitWith(exitUnknown,
			join(failure, "an outcome is unknown; run apply again: it asks the service before it sends anything"))
	case errors.Is(failure, adsapi.ErrHalted):
		return exitWith(exitRefused, join(failure, fmt.Sprintf("%s made before; "+
			"adsync resume ends what is open, adsync apply goes on", pluralAre(r.Changed(), "change"))))
	case failure != nil && r.Changed() == 0:
		return failure
	case failure != nil:
		return exitWith(exitPartial, join(failure, "applied in part"))
	case r.Count("failed")+r.Count("skipped") > 0:
		return exitWith(exitPartial, "applied in part: "+r.Summary())
	case r.Waiting() > 0 && r.Moved() == 0:
		return exitWith(exitPartial, "applied in part: "+pluralWait(r.Waiting())+" until what is not valid is mended")
	case r.Moved() > 0 && r.Changed() == 0:
		return stalePlan("nothing of it is as it was saved: %s", moves(r.Moved()))
	case r.Moved() > 0:
		return exitWith(exitPartial, "applied in part: "+moves(r.Moved())+
			" since the plan was saved, and was refused; plan again ("+string(diag.StalePlan)+")")
	case r.Refused() > 0 && r.Changed() == 0:
		return exitWith(exitRefused, "nothing was changed: what is left is held; see the plan for what would allow it")
	case r.Refused() > 0:
		return exitWith(exitPartial, "applied in part: some changes are held; see the plan for what would allow them")
	}
	return nil
}

func pluralWait(n int) string {
	if n == 1 {
		return "1 row waits"
	}
	return fmt.Sprintf("%d rows wait", n)
}

func join(failure error, message string) string {
	if failure == nil {
		return message
	}
	return diag.Printable(strings.ReplaceAll(coded(failure), "\n", "; ")) + "; " + message
}

// beside adds what went wrong after a run to how the run ended, whose exit code
// counts.
func beside(ctx context.Context, ending, after error) error {
	if ending == nil {
		return after
	}
	return exitWith(exitCode(ctx, ending), coded(ending)+"; "+after.Error())
}
