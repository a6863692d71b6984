package planning

import (
	"context"
	"errors"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// Apply returns the command adsync apply.
func Apply(env *session.Env) *cobra.Command {
	var f runs.ApplyFlags
	c := &cobra.Command{
		Use:   "apply [SAVED_PLAN] [FOLDER]",
		Short: "Carry out the plan, and report what became of every row",
		Long: "Carry out the plan, and report what became of every row.\n\n" +
			"SAVED_PLAN is a file of plan --out. The plan is computed again; what is as it was saved is carried out\n" +
			"without a question, what moved since is " +
			"refused with both values, and what came up since waits for another plan.",
		Example: `  adsync apply --yes
  adsync apply plan.json
  adsync apply --yes --target campaign/spring-launch --results results`,
		RunE: func(c *cobra.Command, args []string) error { return runApply(env, c, args, f) },
	}
	c.Flags().StringArrayVar(&f.Allow, "allow", nil,
		"allow a hazard by name, such as raises-spend=120/day (repeatable)")
	console.Completes(c, "allow", plan.Allowable()...)
	c.Flags().BoolVarP(&f.Yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.Strict, "strict",
		false, "apply nothing where a row is not valid, and all of a saved plan or nothing where a part of it moved")
	c.Flags().StringVar(&f.Results, "results", "",
		"folder for the result copies of workbooks, results.csv and results.json (default .adsync/results)")
	c.Flags().BoolVar(&f.WriteBack, "write-back", false,
		"write Result, Message, keys and ids into your own workbooks and CSV files as well")
	c.Flags().StringVar(&f.Push, "push-results", "",
		"commit the results to a branch of the repository, with --git (without a name "+runs.ResultsBranch+")")
	c.Flags().Lookup("push-results").NoOptDefVal = runs.ResultsBranch
	f.SelectFlags.Register(c)
	f.RefreshFlag.Register(c)
	c.Flags().BoolVar(&f.Unattended, "unattended", false, "nobody looks: "+
		"do not ask, take allowances from the operator's file alone, and raise nothing without its max_daily_exposure")
	runs.ApprovedFlag(c, &f.Approved)
	c.Flags().BoolVar(&f.Full, "full", false, "list every change and field of the plan, however long it is")
	c.Flags().DurationVar(&f.Wait, "wait", 2*time.Minute,
		"how long to wait for a daemon that works on the account in a database to hand it over "+
			"(0: not at all; without a database, and with --unattended, nobody is asked)")
	session.FromGit(env, c, true)
	session.SuspendedFlag(env, c)
	env.Outputs(c, runs.ReportFormNames()...)
	return c
}

func runApply(env *session.Env, c *cobra.Command, args []string, f runs.ApplyFlags) error {
	dir, saved, err := runs.SavedArguments(c, args)
	if err != nil {
		return err
	}
	f.Saved = saved
	if err := f.ReadApproved(); err != nil {
		return err
	}
	if f.Unattended && len(f.Allow) > 0 {
		return console.Usage(c, errors.New("--unattended "+
			"with --allow or --approved: nobody is there to allow anything; want the allowance in the operator's file"))
	}
	if env.Git == nil && f.Push != "" {
		return console.Usage(c, errors.New("--push-results goes with --git"))
	}
	if env.Git != nil && f.WriteBack {
		return console.Usage(c, errors.New("--write-back "+
			"and --git exclude each other: a commit is not written into; see --push-results"))
	}
	f.Yes = f.Yes || f.Unattended
	if !f.Unattended {
		env.HandOver = f.Wait
	}
	l, did := applied(c.Context(), env, dir, f)
	defer did.Close()
	return runs.Finish(c.Context(), env, l, f, dir, did)
}

// applied is the whole of apply up to its report, with the files that it read last. Its session stays open.
func applied(ctx context.Context, env *session.Env, dir string,
	f runs.ApplyFlags) (l session.Loaded, did runs.Applying) {
	l = session.Load(ctx, env, dir)
	desired, saved, err := wanted(env, l, f)
	if err != nil {
		return l, runs.Applying{Failure: err}
	}
	taken, anew, err := session.Take(ctx, env, l, dir)
	did.Session = taken
	if anew != nil {
		l = *anew
	}
	if err == nil && anew != nil {
		desired, saved, err = wanted(env, l, f)
	}
	if err != nil {
		did.Failure = err
		return l, did
	}
	did.Recorder = runs.Record(env, l, did.Session)
	did.Report, did.Failure = carryOut(ctx, env, l, f, did.Session.Agent, saved, desired)
	return l, did
}

// wanted is what files ask for, and of a saved plan, where there is one, what it has of that.
func wanted(env *session.Env, l session.Loaded,
	f runs.ApplyFlags) (desired reconcile.Desired, saved *runs.SavedPlan, err error) {
	if err = session.Unready(env, l, f.Strict); err != nil {
		return desired, nil, err
	}
	if err = runs.RoomForResults(l, f.Results); err != nil {
		return desired, nil, err
	}
	if desired, err = runs.Desired(env, l, f.PlanFlags); err != nil {
		return desired, nil, err
	}
	if saved, err = runs.OpenSaved(env, l, f.Saved, time.Now()); err == nil {
		err = saved.Narrow(&desired)
	}
	return desired, saved, err
}

// carryOut ends what was left open, plans, asks and applies.
func carryOut(ctx context.Context, env *session.Env, l session.Loaded,
	f runs.ApplyFlags, agent *reconcile.Agent, saved *runs.SavedPlan,
	desired reconcile.Desired) (*reconcile.Report, error) {
	if err := runs.Compare(env, saved, l, agent, desired); err != nil {
		return nil, err
	}
	return reconcile.RunOnce(ctx, attended{env, l, f, agent, desired})
}

// attended is an apply that a command carries out, with the words of a command.
type attended struct {
	env     *session.Env
	l       session.Loaded
	f       runs.ApplyFlags
	agent   *reconcile.Agent
	desired reconcile.Desired
}

// Recover ends what an earlier run left open.
func (a attended) Recover(ctx context.Context) error { return recover(ctx, a.env, a.agent) }

// Plan reads the account and plans.
func (a attended) Plan(ctx context.Context) (*reconcile.View, error) {
	view, err := runs.Compute(ctx, a.env, a.agent, a.desired, a.f.PlanFlags)
	if err == nil {
		session.See(a.env, a.l, view)
	}
	return view, err
}

// Guard asks whoever looks on.
func (a attended) Guard(ctx context.Context, view *reconcile.View) (bool, error) {
	err := runs.Consent(ctx, a.env, a.l, a.f, a.agent, view)
	return err == nil, err
}

// Apply carries the plan out, for as long as no order stands.
func (a attended) Apply(ctx context.Context, view *reconcile.View) (*reconcile.Report, error) {
	return session.ApplyUnlessStopped(ctx, a.agent, view)
}

// recover ends what an earlier run left open, before anything new is planned.
func recover(ctx context.Context, env *session.Env, agent *reconcile.Agent) error {
	recovered, err := session.Recovered(ctx, agent)
	if n := recovered.Finished + recovered.Abandoned; n > 0 {
		env.Note("recovered %s an earlier run left open: %d finished, %d never had an effect",
			diag.Plural(n, "step"), recovered.Finished, recovered.Abandoned)
	}
	if err != nil {
		return err
	}
	if len(recovered.Undecided) > 0 {
		env.Note("an earlier run left what nothing at the service decides "+
			"(ADS3005); what depends on it waits, the rest goes on:\n  %s\nto decide it: adsync resolve ADDRESS",
			diag.Printable(strings.Join(recovered.Undecided, "\n  ")))
	}
	return nil
}
