package planning

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/tidy"
	"adsync/state"

	"github.com/spf13/cobra"
)

// revertFlags are those of revert.
type revertFlags struct {
	runs.ApplyFlags
	planOnly bool
	write    bool
	propose  bool
}

// Revert returns the command adsync revert.
func Revert(env *session.Env) *cobra.Command {
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
into their very cells and lines, else the next apply does it again.

With --git and --propose nothing is sent: the former values are written where the
files still say what the run applied, and pushed to a branch, ready for a pull
request. Merged, it is planned like every change. --plan-only shows the cells and
the plan of it, and pushes nothing.`,
		ValidArgsFunction: runs.CompleteRuns(env),
		Example: `  adsync revert last --plan-only
  adsync revert run-000001 --write --yes
  adsync revert last --propose --git operator`,
		RunE: func(c *cobra.Command, args []string) error {
			name, dir, err := runs.RunArguments(c, args)
			if err != nil {
				return err
			}
			if f.propose != (env.Git != nil) || f.propose && (f.write || f.Yes || len(f.Allow) > 0) {
				return console.Usage(c, errors.New("--propose goes with --git, and not with --write, "+
					"--yes or --allow; want revert of a folder, or --propose --git"))
			}
			return runRevert(c.Context(), env, name, dir, f)
		},
	}
	c.Flags().StringArrayVar(&f.Allow, "allow", nil,
		"allow a hazard by name, such as activates or raises-spend=120/day (repeatable)")
	console.Completes(c, "allow", plan.Allowable()...)
	c.Flags().StringArrayVar(&f.Target, "target", nil, "take back only what this names of the run: "+
		"a kind, an address, a glob such as campaign/spring-*/**, or @FILE with one of them a line (repeatable)")
	c.Flags().StringArrayVar(&f.Exclude, "exclude",
		nil, "leave what this names as it is, as --target does (repeatable)")
	c.Flags().BoolVarP(&f.Yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.planOnly, "plan-only", false, "show the plan, and change nothing")
	c.Flags().BoolVar(&f.write, "write", false, "write the former values into your files as well")
	c.Flags().BoolVar(&f.Full, "full", false, "list every change and field, however many there are")
	c.Flags().BoolVar(&f.propose, "propose", false,
		"push the files with the former values to a branch, ready for a pull request, with --git")
	session.FromGit(env, c, false)
	session.SuspendedFlag(env, c)
	env.Outputs(c, runs.ReportFormNames()...)
	return c
}

// reverting is a revert on its way.
type reverting struct {
	f       revertFlags
	loaded  session.Loaded
	of      *runs.ReportDocument // the run that is taken back
	done    []plan.Done          // of it, what is taken back
	inverse plan.Inverse
	view    *reconcile.View
	moves   []plan.Move // keys the files changed, with the record or not yet
}

func runRevert(ctx context.Context, env *session.Env, name, dir string, f revertFlags) error {
	if _, err := session.ProjectOf(env, dir); err != nil {
		return err
	}
	r := &reverting{f: f, loaded: session.Load(ctx, env, dir)}
	if f.propose {
		return runPropose(ctx, env, r, name)
	}
	s, err := connectToRevert(ctx, env, r, dir)
	if err != nil {
		return err
	}
	defer s.End() // after the files are written: a daemon that goes on reads them
	did := runs.Applying{Session: s, Bare: true}
	if f.planOnly {
		if err := planRevert(ctx, env, r, s, name); err != nil {
			return err
		}
		return showRevert(env, r, s.Agent)
	}
	did.Recorder = runs.Record(env, r.loaded, s)
	did.Recorder.Kind = runview.Revert
	did.Report, did.Failure = carryBack(ctx, env, r, s, did.Recorder, name)
	if ending := runs.Finish(ctx, env, r.loaded, f.ApplyFlags, dir, did); ending != nil {
		return errors.Join(ending, writeFormer(ctx, env, r, did.Report))
	}
	return writeFormer(ctx, env, r, did.Report)
}

// connectToRevert opens the account for reading where a plan alone is wanted.
func connectToRevert(ctx context.Context, env *session.Env, r *reverting, dir string) (*session.Session, error) {
	if r.f.planOnly {
		return session.Connect(ctx, env, r.loaded, true)
	}
	s, anew, err := session.Take(ctx, env, r.loaded, dir)
	if anew != nil {
		r.loaded = *anew
	}
	return s, err
}

// carryBack recovers, plans, asks and applies.
func carryBack(ctx context.Context, env *session.Env, r *reverting,
	s *session.Session, recorder *runs.Recorder, name string) (*reconcile.Report, error) {
	if err := recover(ctx, env, s.Agent); err != nil {
		return nil, err
	}
	if err := planRevert(ctx, env, r, s, name); err != nil {
		return nil, err
	}
	recorder.Reverts = r.of.Run
	if env.Flags.Output == "text" {
		if err := showRevert(env, r, s.Agent); err != nil {
			return nil, err
		}
	}
	if err := session.Invalid(env, r.loaded, r.view.Plan.Problems); err != nil {
		return nil, err
	}
	if !r.view.Plan.Empty() && !r.f.Yes {
		if err := runs.Ask(ctx, env, r.loaded, r.f.ApplyFlags, s.Agent, r.view); err != nil {
			return nil, err
		}
	}
	return session.ApplyUnlessStopped(ctx, s.Agent, r.view)
}

// planRevert plans the inverse of a run against the account of now.
func planRevert(ctx context.Context, env *session.Env, r *reverting, s *session.Session, name string) error {
	desired, err := r.invert(ctx, env, s, name)
	if err != nil {
		return err
	}
	if r.of.Command.Pauses() {
		paused := map[resource.Address]bool{}
		for _, d := range r.done {
			paused[d.Address] = true
		}
		r.view, err = s.Agent.PlanStarts(ctx, desired, func(one *resource.Resource) bool { return paused[one.Address] })
		return err
	}
	r.placeInFiles()
	desired.Snapshot, desired.Left, desired.Select, desired.Moves = r.inverse.Desired,
		r.inverse.Left, r.inverse.Select, nil
	r.view, err = s.Agent.Plan(ctx, desired)
	return err
}

// invert finds the run, and what takes it back. The files have no part in the start of what pause-all paused: neither
// asks them anything, nor is anything recorded.
func (r *reverting) invert(ctx context.Context, env *session.Env,
	s *session.Session, name string) (desired reconcile.Desired, err error) {
	kept := &runs.KeptRuns{Store: s.Store}
	if r.of, err = kept.Document(ctx, name); err != nil {
		return desired, err
	}
	if desired, err = runs.Desired(env, r.loaded, r.f.PlanFlags); err != nil {
		return desired, err
	}
	if r.of.Command == runview.GoOn {
		return desired, console.Configuration("%s started what a pause had paused; to stop that again, pause it "+
			"on the account's page, or adsync pause-all", r.of.Run)
	}
	if r.done, err = plan.DoneIn(r.loaded.Schemas, r.of.Done(), desired.Select); err != nil {
		return desired, console.Configuration("%s: %v", r.of.Run, err)
	}
	desired.Select, desired.Policy.StartsHeld = plan.Selection{}, true
	if r.of.Command.Pauses() {
		r.inverse = plan.Inverse{Desired: &resource.Snapshot{}, Left: &resource.Snapshot{}}
		return desired, nil
	}
	last, err := s.Store.Last(ctx)
	if err != nil {
		return desired, err
	}
	r.inverse, r.moves = plan.Invert(r.loaded.Schemas, last, r.done), desired.Moves
	if r.inverse.Left.Len() == 0 {
		tellStays(env, r)
		return desired, console.Configuration("%s applied nothing that can be taken back; nothing was changed",
			r.of.Run)
	}
	return desired, nil
}

// row is what the files say of a resource of the record, whose key they may have
// changed since.
func (r *reverting) row(at resource.Address) *resource.Resource {
	return r.loaded.Desired.Snapshot.Get(plan.KeyOfNow(r.loaded.Schemas, r.moves, at))
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
func (r *reverting) former() []tidy.Accepted {
	var former []tidy.Accepted
	for want := range r.inverse.Desired.All() {
		row := r.row(want.Address)
		if row == nil || r.inverse.Left.Get(want.Address) == nil {
			continue
		}
		for _, n := range want.Attributes {
			said := row.Value(n.Name)
			if !said.IsAbsent() && (said.IsSet() || n.Value.IsSet()) &&
				!said.Equal(n.Value) && !r.held(want.Address, n.Name) {
				former = append(former, tidy.Accepted{
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
func showRevert(env *session.Env, r *reverting, agent *reconcile.Agent) error {
	if err := runs.ShowPlan(env, r.loaded, r.f.PlanFlags, agent.Account, r.view); err != nil {
		return err
	}
	tellStays(env, r)
	former := r.former()
	if n := len(former); n > 0 && !r.f.write {
		env.Note("Your files still ask for %s that this takes back: the "+
			"next apply does it again. revert --write writes the former values into them.", diag.Plural(n, "value"))
	}
	if len(former) > 0 && (r.f.write || r.f.planOnly) {
		r.tellCells(env, former)
	}
	r.eachHalf(func(at resource.Address, back, said string) {
		env.Note("%s: this brings back %s, and your files give "+
			"%s, which --write leaves as it is: change the row, or the next apply does it again.", at, back, said)
	})
	return nil
}

// eachHalf visits what is brought back of an exclusive setting of which the files
// give another half.
func (r *reverting) eachHalf(do func(at resource.Address, back, said string)) {
	for want := range r.inverse.Desired.All() {
		row, schema := r.row(want.Address), r.loaded.Schemas.Of(want.Address.Kind)
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
func tellStays(env *session.Env, r *reverting) {
	if n := len(r.inverse.Stays); n > 0 {
		env.Note("%s of %s not taken back:", console.PluralAre(n, "thing"), r.of.Run)
		for i, s := range r.inverse.Stays {
			if i == staysShown && !r.f.Full {
				env.Note("  … and %d more; --full lists them", n-i)
				break
			}
			env.Note("  %s", stayText(s))
		}
	}
}

func stayText(s plan.Stay) string {
	return diag.Printable(strings.TrimSpace(s.Address.String()+" "+s.Attribute) + ": " + s.Why)
}

// staysShown is how many things that stay are listed.
const staysShown = 20

// writeFormer writes the former values into the files, of what was taken back.
func writeFormer(ctx context.Context, env *session.Env, r *reverting, report *reconcile.Report) error {
	if !r.f.write || report == nil {
		return nil
	}
	applied := map[resource.Address]bool{}
	for _, o := range report.Outcomes {
		applied[plan.KeyOfNow(r.loaded.Schemas, r.moves, o.Address)] = o.Outcome == state.OutcomeApplied ||
			o.Outcome == reconcile.OutcomeHeld
	}
	var take []tidy.Accepted
	for _, one := range r.former() {
		if done, changed := applied[one.Address]; done || !changed {
			take = append(take, one)
		}
	}
	if len(take) == 0 {
		env.Note("nothing to write: the files say what the account holds now")
		return nil
	}
	rewrites, problems, err := tidy.AcceptAll(r.loaded.Project,
		ctx, session.Schemas(), r.loaded.Desired.Snapshot, take)
	if err != nil {
		return console.Configuration("%v; the files are as they were", err)
	}
	if len(problems) > 0 {
		session.ShowProblems(env, r.loaded.Project, problems)
		return console.ExitWith(console.ExitInvalid,
			console.Counted(problems)+"; it is taken back, and the files are as they were")
	}
	if _, err := tidy.SaveAll(r.loaded.Project, rewrites, time.Time{}); err != nil {
		return console.Configuration("it is taken back; the files are not written: %v", err)
	}
	for _, w := range rewrites {
		env.Note("wrote the former values into %s",
			console.Shorter(filepath.Join(r.loaded.Project.Root, filepath.FromSlash(w.File))))
	}
	return nil
}
