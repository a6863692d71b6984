// Package reconcile keeps an account equal to its files: RunOnce (runonce.go) is one run from
// recovery to report, Agent (reconcile.go) plans and applies, and
// agent.go says in which room the rest is: live reads the service, apply carries out,
// recover ends what an earlier run left open, send and people bring one step to its
// end, wire encodes, and env is what all of them share.
//
// It refuses to decide what should change (package plan does) and to write
// anything the journal does not hold first. Its one invariant: these are the only
// packages that mutate the service, and every mutation's exact bytes and key are
// durable before the first of them is sent (design.md sections 2.4 and 2.8).
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
)

// Agent joins one account, one state and the files that describe the account.
type Agent struct {
	env.Env
	apply.Options

	// Incremental reads what the audit log says was changed since the last plan, and
	// everything at least once a day and wherever the log cannot be relied on.
	Incremental bool
	Whole       bool // beside Incremental: everything is read now, and what comes next is told from that

	polls  send.PollEstimator
	memory live.Memory
}

// Desired is what the files say and how they want to be treated.
type Desired struct {
	Snapshot *resource.Snapshot
	Invalid  []plan.InvalidRow // rows of it that wait
	InDraft  bool              // a file is a draft: nothing is pruned, and nothing forgotten
	Unheard  bool              // one was never ready: nobody knows what it named
	// rows with their status alone, which drafts pause: of those that adsync manages and no row of Snapshot is
	Pauses   []*resource.Resource
	LetsWait bool // so do those of which only the plan finds that they are not valid
	Policy   plan.Policy
	Allow    []plan.Allowance // given for this plan; one that releases nothing is named
	Standing []plan.Allowance // given beforehand
	Bound    []Bound          // given beforehand for one plan each
	Consents []Consent        // of people, to what plans showed, the oldest first; none has expired
	Asks     bool             // what people may agree to is wanted: see plan.FindAsks
	Select   plan.Selection
	Ignore   []plan.Ignore
	Moves    []plan.Move           // keys that were changed
	Most     map[resource.Kind]int // how many of a kind the account may have, where the files say so
	Agreed   *plan.SavedPlan       // a saved plan; nil without one
	// what a run left that is taken back, in the place of what is recorded; nil otherwise
	Left *resource.Snapshot
}

// Plan reads the account and compares it with the files. It mutates nothing.
func (a *Agent) Plan(ctx context.Context, desired Desired) (*apply.View, error) {
	if err := a.CheckAccount(ctx); err != nil {
		return nil, err
	}
	service := a.live()
	header := a.Store.Header()
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the last-applied record: %w", err)
	}
	desired.Moves = plan.MovedByID(a.Schemas, desired.Moves, last, desired.Snapshot)
	last, renamed, misplaced := plan.Relocate(a.Schemas, desired.Moves, last, desired.Snapshot)
	desired.pause(last)
	waiting, err := a.Store.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	reverted, err := a.Store.Reverted(ctx)
	if err != nil {
		return nil, err
	}
	read := a.Now()
	account, err := service.Refresh(ctx, last, desired.Snapshot)
	if err != nil {
		return nil, fmt.Errorf("read the live account: %w", err)
	}
	snapshot, problems := plan.Identify(a.Schemas, last, desired.Snapshot, account.Resources)
	account.Snapshot = snapshot
	started, cameLate, err := service.OwnLate(ctx, last, desired.Snapshot, snapshot)
	if err != nil {
		return nil, err
	}
	files, seen := desired.Snapshot, last
	if desired.Left != nil { // the files may start anything after it, and what it does itself does not go by that
		files, seen = nil, &resource.Snapshot{}
		for r := range last.All() {
			seen.Add(r)
		}
	}
	paused, err := service.UnseenPauses(ctx, last, files, snapshot)
	if err != nil {
		return nil, err
	}
	started = append(started, service.StartedMeanwhile(seen, paused)...)
	spent, err := service.SpentSoFar(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	small, err := service.TooSmall(ctx, desired.Snapshot, account)
	if err != nil {
		return nil, err
	}
	recent, err := newInputs(&a.Env).recent(ctx)
	if err != nil {
		return nil, err
	}
	recorded, credits, err := newInputs(&a.Env).credits(ctx)
	if err != nil {
		return nil, err
	}
	refused, err := newInputs(&a.Env).refusedBefore(ctx)
	if err != nil {
		return nil, err
	}
	undecided, err := a.recoverRoom().Unsettled(ctx)
	if err != nil {
		return nil, err
	}
	capabilities, err := service.KnownCapabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities: %w", err)
	}
	consents, err := newInputs(&a.Env).consents(ctx, desired.Consents)
	if err != nil {
		return nil, err
	}
	input := plan.Input{
		Schemas: a.Schemas, Last: plan.Leaving(last, desired.Left, snapshot),
		Desired: desired.Snapshot, Invalid: desired.Invalid,
		InDraft: desired.InDraft, Unheard: desired.Unheard,
		Misnamed: problems, LetsWait: desired.LetsWait, Live: snapshot, Waiting: waiting, Reverted: reverted,
		Policy: newInputs(&a.Env).withWindows(desired.Policy), Allow: slices.Concat(desired.Allow, desired.Standing),
		Consents: consents, Asks: desired.Asks,
		Recent: recent.Under(renamed), Credits: credits, Ignore: desired.Ignore,
		Select: desired.Select, Saved: desired.Agreed, TakesBack: desired.Left != nil, Most: desired.Most,
		Today: a.Now().In(a.Zone).Format(time.DateOnly), Currency: a.Account.Currency, Spent: spent,
		Lacking: account.Lacking, Listed: account.Listed, Small: small,
		Capabilities: capabilities, Refused: refused, Unsettled: a.recoverRoom().UnsettledOf(undecided, desired.Moves),
	}
	computed, approved := desired.bind(&input, func(p *plan.Plan) {
		p.NoteMoves(desired.Moves, renamed)
		p.Problems = slices.Concat(misplaced, p.Problems)
	})
	missing, err := newInputs(&a.Env).missingImages(ctx, computed)
	if err != nil {
		return nil, err
	}
	computed.Problems = slices.Concat(computed.Problems, missing, cameLate,
		service.OneByOneProblems(account), service.ByParentProblems(account),
		live.LateProblems(account), service.PausedProblems(), service.ForeignProblems(ctx, computed, last))
	return &apply.View{
		Plan: computed, Last: last, Live: account, Undecided: undecided,
		Read: read, Ready: a.Now(), Input: input, Renamed: renamed,
		Started: started, Reverts: desired.Left != nil, Approved: approved, State: header, Credits: recorded,
	}, nil
}

// pause adds the pauses of drafts to what the files say.
func (d *Desired) pause(last *resource.Snapshot) {
	var managed []*resource.Resource
	for _, r := range d.Pauses {
		if last.Get(r.Address) != nil && d.Snapshot.Get(r.Address) == nil {
			managed = append(managed, r)
		}
	}
	if len(managed) == 0 {
		return
	}
	with := resource.NewSnapshot(d.Snapshot.Len() + len(managed))
	for r := range d.Snapshot.All() {
		with.Add(r)
	}
	for _, r := range managed {
		with.Add(r)
	}
	d.Snapshot = with
}

// Apply carries out what of the view's plan is not held, and reads it back. The
// report is whole even when the error is not nil.
func (a *Agent) Apply(ctx context.Context, view *apply.View) (*apply.Report, error) {
	if diag.HasErrors(view.Plan.Problems) {
		return nil, &InvalidError{Problems: view.Plan.Problems}
	}
	if err := view.CheckAge(a.Now()); err != nil {
		return nil, err
	}
	a.InFlight.Start(a.Now())
	if err := a.CheckAccount(ctx); err != nil { // it may be another key by now, or another agent that planned
		return nil, err
	}
	if err := newInputs(&a.Env).rename(ctx, view.Renamed, view.Undecided); err != nil {
		return nil, err
	}
	if err := a.live().AwaitChanges(ctx, view.Plan); err != nil {
		return nil, err
	}
	a.polls = send.NewPollEstimator()
	// before the run, as the log is asked from the last one on
	if err := newInputs(&a.Env).recordStarted(ctx, view); err != nil {
		return nil, err
	}
	run := a.newRun("", view)
	if err := run.Begin(ctx); err != nil {
		return nil, err
	}
	problems, err := run.Ask(ctx)
	run.Refused = problems
	switch {
	case errors.Is(err, adsapi.ErrUnavailable):
		err = errors.Join(err, run.LowerAlone(ctx))
	case err == nil && len(problems) == 0:
		err = run.CarryOut(ctx)
	}
	return run.Report(), errors.Join(orInvalid(err, problems),
		run.RecordWaiting(context.WithoutCancel(ctx)), run.RecordRefused(context.WithoutCancel(ctx)))
}

// RecordSeen records what a plan has seen that nobody sees again: what somebody started
// and paused since the last apply, and which rows are no longer what an apply that was
// cut off left. Who applies nothing of a plan calls it: else the hold of a start would
// come back by the same entries of the log, and the credit of a row with its old content,
// whatever the files say in between.
func (a *Agent) RecordSeen(ctx context.Context, view *apply.View) error {
	if err := view.RecordCredits(ctx, a.Store, nil); err != nil {
		return err
	}
	return newInputs(&a.Env).recordStarted(ctx, view)
}

// InvalidError carries the problems that stop an apply before its first change.
type InvalidError struct{ Problems []diag.Problem }

func (e *InvalidError) Error() string {
	noun := "problems"
	if len(e.Problems) == 1 {
		noun = "problem"
	}
	return fmt.Sprintf("%d %s; nothing was changed", len(e.Problems), noun)
}

func orInvalid(err error, problems []diag.Problem) error {
	if err != nil || len(problems) == 0 {
		return err
	}
	return &InvalidError{Problems: problems}
}
