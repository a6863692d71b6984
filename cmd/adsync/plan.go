package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"

	"github.com/spf13/cobra"
)

// planFlags are those of plan and apply.
type planFlags struct {
	selectFlags
	refreshFlag
	allow    []string
	detailed bool
	out      string
	marked   string
	approved string

	unattended bool // nobody looks: allowances come from the operator's file alone
	base       string
	full       bool
	requests   bool
	file       string   // the form goes there, and not to standard output
	also       []string // other forms, and where they go
	strict     bool     // one row that is not valid stops all
	force      bool     // files that are there are replaced
}

func (a *app) plan() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:   "plan [FOLDER]",
		Short: "Show what apply would change, and what it does to spend",
		RunE:  func(c *cobra.Command, args []string) error { return a.runPlan(c, args, f) },
	}
	c.Flags().StringArrayVar(&f.allow, "allow", nil,
		"allow a hazard by name, such as raises-spend=120/day (repeatable)")
	completes(c, "allow", plan.Allowable()...)
	c.Flags().BoolVar(&f.strict, "strict", false, "plan nothing where a row is not valid")
	c.Flags().BoolVar(&f.detailed, "detailed-exitcode", false, "exit with 2 when there are changes")
	c.Flags().StringVar(&f.out, "out", "", "save the plan to a file, for apply")
	c.Flags().BoolVar(&f.requests, "requests", false, "show the requests "+
		"an apply would send, in waves; what is not known of the account is asked with validate_only jobs")
	f.selectFlags.register(c)
	f.refreshFlag.register(c)
	markedFlag(c, &f.marked)
	approvedFlag(c, &f.approved)
	baseFlag(c, &f.base)
	formFlags(c, &f)
	forceFlag(c, &f.force)
	a.fromGit(c, false)
	a.outputs(c, formNames()...)
	return c
}

// planDocument is the one typed form of a plan; every output is made from it.
type planDocument = planview.Document

type accountDocument = planview.Account

func accountOf(a state.Account) accountDocument {
	return accountDocument{ID: a.ID, Currency: a.Currency, TimeZone: a.TimeZone}
}

func (a *app) runPlan(c *cobra.Command, args []string, f planFlags) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	if err := f.readApproved(); err != nil {
		return err
	}
	if _, err := f.alsoForms(); err != nil {
		return err
	}
	l, view, agent, err := a.planned(c.Context(), dir, f)
	if err != nil {
		if diag.HasErrors(l.desired.Problems) {
			err = errors.Join(err, a.markProblems(l, marking{to: f.marked, force: f.force}))
		}
		return a.planFailed(l, f, err)
	}
	if err := a.sinceBase(c.Context(), l, view, f.base); err != nil {
		return err
	}
	a.tellAuthors(c.Context(), l, view.Plan)
	if err := a.showPlan(l, f, agent.Account, view); err != nil {
		return err
	}
	if err := a.markPlan(l, marking{to: f.marked, force: f.force}, agent.Account, view.Plan); err != nil {
		return err
	}
	if err := a.unreadyPlan(l, view.Plan); err != nil {
		return err
	}
	if err := a.saveOut(l, f, agent, view, dir); err != nil {
		return err
	}
	return a.planDone(view.Plan, f, dir)
}

// saveOut saves the plan where that is asked for, and says how to apply it.
func (a *app) saveOut(l loaded, f planFlags, agent *reconcile.Agent, view *reconcile.View, dir string) error {
	if f.out == "" {
		return nil
	}
	desired, err := a.wanted(l, f)
	if err != nil {
		return err
	}
	if err := a.savePlan(f.out, l, f, agent, desired, view); err != nil {
		return err
	}
	a.note("saved; apply it within %s with: adsync apply %s%s%s%s", plural(int(a.planLife(l.project).Minutes()),
		"minute"), quoted(f.out), again(f.allow), a.from(dir), a.git.accepting())
	return nil
}

// planDone says what comes next.
func (a *app) planDone(p *plan.Plan, f planFlags, dir string) error {
	if !p.Empty() && f.out == "" {
		a.note("to carry it out: adsync apply%s%s%s", f.again(), a.from(dir), a.git.accepting())
	}
	if f.detailed && pending(p) {
		return exitWith(exitPending, "")
	}
	return nil
}

// sends reports whether something of the plan goes to the service; notes in adsync's
// own record are no question.
func sends(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Applicable(), func(c plan.Change) bool {
		return c.Action != plan.Record && c.Action != plan.Forget
	})
}

// pending says that something would change at the service, or is held; notes
// in adsync's own record are no change.
func pending(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Changes, func(c plan.Change) bool {
		return c.Action != plan.Record && c.Action != plan.Forget || len(c.Holds()) > 0
	})
}

// planned loads, connects for reading only, and plans.
func (a *app) planned(ctx context.Context, dir string, f planFlags) (loaded, *reconcile.View, *reconcile.Agent, error) {
	l := a.load(ctx, dir)
	if err := a.unready(l, f.strict); err != nil {
		return l, nil, nil, err
	}
	desired, err := a.wanted(l, f)
	if err != nil {
		return l, nil, nil, err
	}
	s, err := a.connect(ctx, l, true)
	if err != nil {
		return l, nil, nil, err
	}
	defer s.end()
	view, err := a.compute(ctx, s.agent, desired, f)
	if err != nil {
		return l, nil, nil, err
	}
	if err := a.see(l, view); err != nil {
		return l, nil, nil, err
	}
	if f.requests && !diag.HasErrors(view.Plan.Problems) {
		if view.Plan.Requests, err = s.agent.Requests(ctx, view); err != nil {
			return l, nil, nil, fmt.Errorf("find the requests of an apply: %w", err)
		}
	}
	return l, view, s.agent, a.noteOpenSteps(ctx, s.store)
}

// compute reads the account as the flags say, and plans.
func (a *app) compute(ctx context.Context, agent *reconcile.Agent,
	desired reconcile.Desired, f planFlags) (*reconcile.View, error) {
	agent.Incremental = f.incremental(f.unattended)
	view, err := agent.Plan(ctx, desired)
	if err != nil {
		return nil, err
	}
	a.noteReading(view.Live.Reading)
	for _, text := range agent.ListNotes(view.Live) {
		a.note("%s", text)
	}
	return view, unmatched(view.Plan)
}

// noteOpenSteps says when an apply is under way, or ended in the middle: what
// it did is not in adsync's record yet, and looks like somebody else's here.
func (a *app) noteOpenSteps(ctx context.Context, store state.Store) error {
	steps, err := store.Open(ctx)
	for _, u := range setAside(steps) {
		a.note("%s: %s; nothing is sent to it or made beneath it until that is decided: %s",
			u.Operation.Address, diag.Printable(u.Message()), resolving(u.Operation.Address.String()))
	}
	if err == nil && len(steps) > 0 {
		a.note("%s open from another apply; what it "+
			"did looks like somebody else's in this plan, until apply has recovered it", pluralAre(len(steps), "step"))
	}
	return err
}

// wanted joins the files with the policy of the project and the allowances of
// the command line.
func (a *app) wanted(l loaded, f planFlags) (reconcile.Desired, error) {
	return a.wantedUnder(l, f, a.govern(l.project, l.schemas, time.Now()))
}

// wantedUnder is wanted with a policy that was found already.
func (a *app) wantedUnder(l loaded, f planFlags, g governed) (reconcile.Desired, error) {
	desired := reconcile.Desired{
		Snapshot: l.desired.Whole(), Invalid: l.invalidRows(), LetsWait: !g.stops &&
			!f.strict, Policy: g.policy, Most: l.project.Limits, Standing: g.standing, Bound: g.bound,
	}
	desired.Policy.Unattended = f.unattended
	for _, i := range l.project.Ignore {
		desired.Ignore = append(desired.Ignore, plan.Ignore{
			Resource: i.Resource, Attribute: i.Attribute,
			Owner: i.Owner, Reason: i.Reason, Until: i.Until, Position: i.Position,
		})
	}
	desired.Moves = movesOf(l)
	for _, text := range f.allow {
		allowance, err := plan.ParseAllowance(text)
		if err != nil {
			return desired, configuration("--allow: %v", err)
		}
		desired.Allow = append(desired.Allow, allowance)
	}
	if err := f.check(); err != nil {
		return desired, err
	}
	var err error
	desired.Select, err = f.selection()
	return desired, err
}

// movesOf gives the keys a project says have changed.
func movesOf(l loaded) []plan.Move {
	var moves []plan.Move
	for _, m := range l.project.Moved {
		moves = append(moves, plan.Move{From: m.From, To: m.To, Position: m.Position})
	}
	return moves
}

// unmatched is the error of a selection with a pattern that names nothing.
func unmatched(p *plan.Plan) error {
	if p.Unmatched == nil {
		return nil
	}
	return configuration("%v; nothing was changed", p.Unmatched)
}

// planFailed keeps what programs read whole on failure.
func (a *app) planFailed(l loaded, f planFlags, failure error) error {
	document := &planDocument{
		FormatVersion: formatVersion, InputHash: l.desired.Hash,
		Document: nothingPlanned(), Error: coded(failure), Service: a.serviceOf(l.project),
	}
	document.Problems, document.Unread = listed(l.desired.Problems), l.desired.Unread
	if !planForms[a.flags.output].onFailure {
		return cmp.Or(a.writeAlso(l, f, document), failure)
	}
	return cmp.Or(a.printPlan(l, f, document), failure)
}

// nothingPlanned is the form of no plan: what may be spent is not known.
func nothingPlanned() plan.Document {
	d := new(plan.Plan).Document()
	d.Spend, d.Money = nil, nil
	return d
}

func (a *app) showPlan(l loaded, f planFlags, account state.Account, view *reconcile.View) error {
	a.clearLine()
	if a.flags.output == "xlsx" {
		if len(f.also) > 0 {
			return configuration("--also goes with every " +
				"form but xlsx; want -o text --also, and the workbook by a command of its own")
		}
		return a.writePlanBook(l, f, account, view.Plan)
	}
	return a.printPlan(l, f, a.document(l, account, view))
}

// document puts a plan together with what it was computed from, and the
// problems of the files with its own.
func (a *app) document(l loaded, account state.Account, view *reconcile.View) *planDocument {
	p := view.Plan
	document := &planDocument{
		FormatVersion: formatVersion, Account: accountOf(account),
		Service: a.serviceOf(l.project), InputHash: l.desired.Hash, PlanHash: view.Hash(),
		Revision: a.revisionOf(l), Document: p.Document(), Unread: l.desired.Unread, Requests: p.Requests,
	}
	var all diag.List
	all.AddAll(l.desired.Problems)
	all.AddAll(p.Problems)
	all.AddAll(p.Waits)
	if a.git != nil && a.git.held != nil {
		all.Add(a.git.heldProblem())
	}
	document.Problems = listed(all.Sorted())
	document.Review = l.reviews.Summary()
	return document
}

// colorful follows --color, then NO_COLOR, then whether a person looks.
func (c *console) colorful() bool {
	switch c.flags.color {
	case "always":
		return true
	case "never":
		return false
	}
	return c.env("NO_COLOR") == "" && c.env("TERM") != "dumb" && isTerminal(c.out)
}

// again gives the allowances of a plan as its apply has to repeat them.
func again(allow []string) string {
	if len(allow) == 0 {
		return ""
	}
	return " " + flagsOf(allow)
}
