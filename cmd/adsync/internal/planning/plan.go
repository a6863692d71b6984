package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// Plan returns the command adsync plan.
func Plan(env *session.Env) *cobra.Command {
	var f runs.PlanFlags
	c := &cobra.Command{
		Use:   "plan [FOLDER]",
		Short: "Show what apply would change, and what it does to spend",
		Example: `  adsync plan
  adsync plan --detailed-exitcode -o json
  adsync plan --out plan.json --also html=plan.html`,
		RunE: func(c *cobra.Command, args []string) error { return runPlan(env, c, args, f) },
	}
	c.Flags().StringArrayVar(&f.Allow, "allow", nil,
		"allow a hazard by name, such as raises-spend=120/day (repeatable)")
	console.Completes(c, "allow", plan.Allowable()...)
	c.Flags().BoolVar(&f.Strict, "strict", false, "plan nothing where a row is not valid")
	c.Flags().BoolVar(&f.Drafts, "drafts", false, "show what would change if every workbook that is a draft was ready")
	c.Flags().BoolVar(&f.Detailed, "detailed-exitcode", false, "exit with 2 when there are changes")
	c.Flags().StringVar(&f.Out, "out", "", "save the plan to a file, for apply")
	c.Flags().BoolVar(&f.Requests, "requests", false, "show the requests "+
		"an apply would send, in waves; what is not known of the account is asked with validate_only jobs")
	f.SelectFlags.Register(c)
	f.RefreshFlag.Register(c)
	runs.MarkedFlag(c, &f.Marked)
	runs.ApprovedFlag(c, &f.Approved)
	runs.BaseFlag(c, &f.Base)
	runs.FormFlags(c, &f)
	console.ForceFlag(c, &f.Force)
	session.FromGit(env, c, false)
	env.Outputs(c, runs.FormNames()...)
	return c
}

func runPlan(env *session.Env, c *cobra.Command, args []string, f runs.PlanFlags) error {
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	if err := f.ReadApproved(); err != nil {
		return err
	}
	if _, err := f.AlsoForms(); err != nil {
		return err
	}
	if f.Drafts && f.Out != "" {
		return console.Usage(c, errors.New("--drafts and --out exclude each other: no apply publishes a draft"))
	}
	env.DraftsCount = f.Drafts
	l, view, agent, err := planned(c.Context(), env, dir, f)
	if err != nil {
		if diag.HasErrors(l.Desired.Problems) {
			err = errors.Join(err, runs.MarkProblems(env, l, runs.Marking{To: f.Marked, Force: f.Force}))
		}
		return planFailed(env, l, f, err)
	}
	if err := runs.SinceBase(c.Context(), env, l, view, f.Base); err != nil {
		return err
	}
	runs.TellAuthors(c.Context(), env, l, view.Plan)
	if err := runs.ShowPlan(env, l, f, agent.Account, view); err != nil {
		return err
	}
	if err := runs.MarkPlan(env, l, runs.Marking{To: f.Marked, Force: f.Force}, agent.Account, view.Plan); err != nil {
		return err
	}
	if err := session.UnreadyPlan(env, l, view.Plan); err != nil {
		return err
	}
	if err := saveOut(env, l, f, agent, view, dir); err != nil {
		return err
	}
	return planDone(env, view.Plan, f, dir)
}

// saveOut saves the plan where that is asked for, and says how to apply it.
func saveOut(env *session.Env, l session.Loaded, f runs.PlanFlags,
	agent *reconcile.Agent, view *reconcile.View, dir string) error {
	if f.Out == "" {
		return nil
	}
	desired, err := runs.Desired(env, l, f)
	if err != nil {
		return err
	}
	if err := runs.SavePlan(env, f.Out, l, f, agent, desired, view); err != nil {
		return err
	}
	env.Note("saved; apply it within %s with: adsync apply %s%s%s%s",
		diag.Plural(int(runs.PlanLife(env, l.Project).Minutes()),
			"minute"), console.Quoted(f.Out), runs.Again(f.Allow), session.From(env, dir), env.Git.Accepting())
	return nil
}

// planDone says what comes next.
func planDone(env *session.Env, p *plan.Plan, f runs.PlanFlags, dir string) error {
	if f.Drafts {
		env.Note("this is what the drafts would change; apply leaves them out until they say ready")
	} else if !p.Empty() && f.Out == "" {
		env.Note("to carry it out: adsync apply%s%s%s", f.Again(), session.From(env, dir), env.Git.Accepting())
	}
	if f.Detailed && runs.Pending(p) {
		return console.ExitWith(console.ExitPending, "")
	}
	return nil
}

// planned loads, connects for reading only, and plans.
func planned(ctx context.Context, env *session.Env,
	dir string, f runs.PlanFlags) (session.Loaded, *reconcile.View, *reconcile.Agent, error) {
	l := session.Load(ctx, env, dir)
	if err := session.Unready(env, l, f.Strict); err != nil {
		return l, nil, nil, err
	}
	desired, err := runs.Desired(env, l, f)
	if err != nil {
		return l, nil, nil, err
	}
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return l, nil, nil, err
	}
	defer s.End()
	view, err := runs.Compute(ctx, env, s.Agent, desired, f)
	if err != nil {
		return l, nil, nil, err
	}
	session.See(env, l, view)
	if f.Requests && !diag.HasErrors(view.Plan.Problems) {
		if view.Plan.Requests, err = s.Agent.Requests(ctx, view); err != nil {
			return l, nil, nil, fmt.Errorf("find the requests of an apply: %w", err)
		}
	}
	return l, view, s.Agent, runs.NoteOpenSteps(ctx, env, s.Store)
}

// planFailed keeps what programs read whole on failure.
func planFailed(env *session.Env, l session.Loaded, f runs.PlanFlags, failure error) error {
	document := &runs.PlanDocument{
		FormatVersion: console.FormatVersion, InputHash: l.Desired.Hash,
		Document: runs.NothingPlanned(), Error: console.Coded(failure), Service: session.ServiceOf(env, l.Project),
	}
	document.Problems, document.Unread = session.Listed(l.Desired.Problems), l.Desired.Unread
	if !runs.PlanForms[env.Flags.Output].OnFailure {
		return cmp.Or(runs.WriteAlso(env, l, f, document), failure)
	}
	return cmp.Or(runs.PrintPlan(env, l, f, document), failure)
}
