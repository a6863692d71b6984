package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"

	"github.com/spf13/cobra"
)

// revertFlags are those of revert.
type revertFlags struct {
	applyFlags
	planOnly bool
	write    bool
}

func (a *app) revert() *cobra.Command {
	var f revertFlags
	c := &cobra.Command{
		Use:   "revert RUN [FOLDER]",
		Short: "Take back what a run applied, where it still is as the run left it",
		Long: `Take back what a run applied: each attribute becomes what it was before, where the
account still holds what the run left; what somebody changed since is held, with
both values. What the run created is paused, never archived or deleted; what it
activated is paused; what it paused starts again only with --allow activates. All
guards of a plan hold. RUN is last, a name such as run-000042, or its number.

The plan is shown, and you are asked, as with apply; --plan-only stops there. Your
files still ask for what was taken back: with --write the former values are written
into their very cells and lines, else the next apply does it again.`,
		ValidArgsFunction: a.completeRuns(),
		RunE: func(c *cobra.Command, args []string) error {
			name, dir, err := runArguments(c, args)
			if err != nil {
				return err
			}
			return a.runRevert(c.Context(), name, dir, f)
		},
	}
	c.Flags().StringArrayVar(&f.allow, "allow", nil,
		"allow a hazard by name, such as activates or raises-spend=120/day (repeatable)")
	completes(c, "allow", plan.Allowable()...)
	c.Flags().StringArrayVar(&f.target, "target", nil, "take back only what this names of the run: "+
		"a kind, an address, a glob such as campaign/spring-*/**, or @FILE with one of them a line (repeatable)")
	c.Flags().StringArrayVar(&f.exclude, "exclude",
		nil, "leave what this names as it is, as --target does (repeatable)")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.planOnly, "plan-only", false, "show the plan, and change nothing")
	c.Flags().BoolVar(&f.write, "write", false, "write the former values into your files as well")
	c.Flags().BoolVar(&f.full, "full", false, "list every change and field, however many there are")
	a.suspendedFlag(c)
	a.outputs(c, reportFormNames()...)
	return c
}

// reverting is a revert on its way.
type reverting struct {
	f       revertFlags
	loaded  loaded
	of      *reportDocument // the run that is taken back
	inverse plan.Inverse
	view    *reconcile.View
	moves   []plan.Move // keys the files changed, with the record or not yet
}

func (a *app) runRevert(ctx context.Context, name, dir string, f revertFlags) error {
	if _, err := a.projectOf(dir); err != nil {
		return err
	}
	r := &reverting{f: f, loaded: a.load(ctx, dir)}
	s, err := a.connect(ctx, r.loaded, f.planOnly)
	if err != nil {
		return err
	}
	did := applying{session: s, bare: true}
	if f.planOnly {
		defer s.end()
		if err := a.planRevert(ctx, r, s, name); err != nil {
			return err
		}
		return a.showRevert(r, s.agent)
	}
	did.recorder = a.record(r.loaded, s)
	did.recorder.kind = runview.Revert
	did.report, did.failure = a.carryBack(ctx, r, s, did.recorder, name)
	if ending := a.finish(ctx, r.loaded, f.applyFlags, dir, did); ending != nil {
		return errors.Join(ending, a.writeFormer(ctx, r, did.report))
	}
	return a.writeFormer(ctx, r, did.report)
}

// carryBack recovers, plans, asks and applies.
func (a *app) carryBack(ctx context.Context, r *reverting,
	s *session, recorder *recorder, name string) (*reconcile.Report, error) {
	if err := a.recover(ctx, s.agent); err != nil {
		return nil, err
	}
	if err := a.planRevert(ctx, r, s, name); err != nil {
		return nil, err
	}
	recorder.reverts = r.of.Run
	if a.flags.output == "text" {
		if err := a.showRevert(r, s.agent); err != nil {
			return nil, err
		}
	}
	if err := a.invalid(r.loaded, r.view.Plan.Problems); err != nil {
		return nil, err
	}
	if !r.view.Plan.Empty() && !r.f.yes {
		if err := a.ask(ctx, r.loaded, r.f.applyFlags, s.agent, r.view); err != nil {
			return nil, err
		}
	}
	return applyObeying(ctx, s.agent, r.view)
}

// planRevert plans the inverse of a run against the account of now.
func (a *app) planRevert(ctx context.Context, r *reverting, s *session, name string) (err error) {
	kept := &keptRuns{store: s.store}
	if r.of, err = kept.document(ctx, name); err != nil {
		return err
	}
	desired, err := a.wanted(r.loaded, r.f.planFlags)
	if err != nil {
		return err
	}
	done, err := plan.DoneIn(r.loaded.schemas, r.of.Done(), desired.Select)
	if err != nil {
		return configuration("%s: %v", r.of.Run, err)
	}
	desired.Select = plan.Selection{}
	if r.of.Command == runview.PauseAll {
		return a.planStarts(ctx, r, s, desired, done)
	}
	last, err := s.store.Last(ctx)
	if err != nil {
		return err
	}
	r.inverse = plan.Invert(r.loaded.schemas, last, done)
	if r.inverse.Left.Len() == 0 {
		a.tellStays(r)
		return configuration("%s applied nothing that can be taken back; nothing was changed", r.of.Run)
	}
	r.moves = desired.Moves
	r.placeInFiles()
	desired.Snapshot, desired.Left, desired.Select, desired.Moves = r.inverse.Desired,
		r.inverse.Left, r.inverse.Select, nil
	desired.Policy.StartsHeld = true
	r.view, err = s.agent.Plan(ctx, desired)
	return err
}

// planStarts plans the start of what pause-all paused. The files have no part in
// it: neither asks them anything, nor is anything recorded.
func (a *app) planStarts(ctx context.Context, r *reverting,
	s *session, desired reconcile.Desired, done []plan.Done) (err error) {
	r.inverse = plan.Inverse{Desired: &resource.Snapshot{}, Left: &resource.Snapshot{}}
	desired.Policy.StartsHeld = true
	r.view, err = s.agent.PlanStarts(ctx, desired, done)
	return err
}

// row is what the files say of a resource of the record, whose key they may have
// changed since.
func (r *reverting) row(at resource.Address) *resource.Resource {
	return r.loaded.desired.Snapshot.Get(plan.KeyOfNow(r.loaded.schemas, r.moves, at))
}

// placeInFiles gives what is wanted the places where the files say it.
func (r *reverting) placeInFiles() {
	for want := range r.inverse.Desired.All() {
		row := r.row(want.Address)
		if row == nil {
			continue
		}
		want.Position = row.Position
		for i := range want.Attributes {
			n := &want.Attributes[i]
			if said := row.Value(n.Name); !said.IsAbsent() {
				n.Value = n.Value.At(said.Position)
			}
		}
	}
}

// former are the values the files have to say for the account to stay as it is
// after a revert: those they say otherwise, where the plan does not hold them.
func (r *reverting) former() []sources.Accepted {
	var former []sources.Accepted
	for want := range r.inverse.Desired.All() {
		row := r.row(want.Address)
		if row == nil || r.inverse.Left.Get(want.Address) == nil {
			continue
		}
		for _, n := range want.Attributes {
			said := row.Value(n.Name)
			if !said.IsAbsent() && (said.IsSet() || n.Value.IsSet()) &&
				!said.Equal(n.Value) && !r.held(want.Address, n.Name) {
				former = append(former, sources.Accepted{
					Address: row.Address, Attribute: n.Name, Value: n.Value.At(diag.Position{}),
				})
			}
		}
	}
	return former
}

func (r *reverting) held(at resource.Address, attribute string) bool {
	for i := range r.view.Plan.Changes {
		c := &r.view.Plan.Changes[i]
		if c.Address != at {
			continue
		}
		for k := range c.Fields {
			if f := &c.Fields[k]; f.Name == attribute {
				return f.Held != nil || c.Held != nil
			}
		}
	}
	return false
}

// showRevert prints the plan, what nothing takes back, and what the files still
// ask for.
func (a *app) showRevert(r *reverting, agent *reconcile.Agent) error {
	if err := a.showPlan(r.loaded, r.f.planFlags, agent.Account, r.view); err != nil {
		return err
	}
	a.tellStays(r)
	if n := len(r.former()); n > 0 && !r.f.write {
		a.note("Your files still ask for %s that this takes back: the "+
			"next apply does it again. revert --write writes the former values into them.", plural(n, "value"))
	}
	r.eachHalf(func(at resource.Address, back, said string) {
		a.note("%s: this brings back %s, and your files give "+
			"%s, which --write leaves as it is: change the row, or the next apply does it again.", at, back, said)
	})
	return nil
}

// eachHalf visits what is brought back of an exclusive setting of which the files
// give another half.
func (r *reverting) eachHalf(do func(at resource.Address, back, said string)) {
	for want := range r.inverse.Desired.All() {
		row, schema := r.row(want.Address), r.loaded.schemas.Of(want.Address.Kind)
		if row == nil || schema == nil {
			continue
		}
		for _, n := range want.Attributes {
			for _, half := range schema.Halves(n.Name) {
				if n.Value.IsSet() && row.Value(n.Name).IsAbsent() && row.Value(half).IsSet() {
					do(want.Address, n.Name, half)
				}
			}
		}
	}
}

// tellStays says what nothing takes back.
func (a *app) tellStays(r *reverting) {
	if n := len(r.inverse.Stays); n > 0 {
		a.note("%s of %s not taken back:", pluralAre(n, "thing"), r.of.Run)
		for i, s := range r.inverse.Stays {
			if i == staysShown && !r.f.full {
				a.note("  … and %d more; --full lists them", n-i)
				break
			}
			a.note("  %s", diag.Printable(strings.TrimSpace(s.Address.String()+" "+s.Attribute)+": "+s.Why))
		}
	}
}

// staysShown is how many things that stay are listed.
const staysShown = 20

// writeFormer writes the former values into the files, of what was taken back.
func (a *app) writeFormer(ctx context.Context, r *reverting, report *reconcile.Report) error {
	if !r.f.write || report == nil {
		return nil
	}
	applied := map[resource.Address]bool{}
	for _, o := range report.Outcomes {
		applied[plan.KeyOfNow(r.loaded.schemas, r.moves, o.Address)] = o.Outcome == state.OutcomeApplied ||
			o.Outcome == reconcile.OutcomeHeld
	}
	var take []sources.Accepted
	for _, one := range r.former() {
		if done, changed := applied[one.Address]; done || !changed {
			take = append(take, one)
		}
	}
	if len(take) == 0 {
		a.note("nothing to write: the files say what the account holds now")
		return nil
	}
	rewrites, problems, err := r.loaded.project.Accept(ctx, schemas(), r.loaded.desired.Snapshot, take)
	if err != nil {
		return configuration("%v; the files are as they were", err)
	}
	if len(problems) > 0 {
		a.showProblems(r.loaded.project, problems)
		return exitWith(exitInvalid, counted(problems)+"; it is taken back, and the files are as they were")
	}
	if err := r.loaded.project.SaveAll(rewrites); err != nil {
		return configuration("it is taken back; the files are not written: %v", err)
	}
	for _, w := range rewrites {
		a.note("wrote the former values into %s",
			shorter(filepath.Join(r.loaded.project.Root, filepath.FromSlash(w.File))))
	}
	return nil
}
