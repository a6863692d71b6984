package ops

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// pauseFlags are those of pause-all.
type pauseFlags struct {
	runs.ApplyFlags
	suspendFlags
	noSuspend bool
	direct    bool // without the database
	patience  time.Duration
}

// PauseAll returns the command adsync pause-all.
func PauseAll(env *session.Env) *cobra.Command {
	var f pauseFlags
	c := &cobra.Command{
		Use:   "pause-all [FOLDER]",
		Short: "Pause every active campaign of the account now, whoever made it",
		Long: `Pause every active campaign of the account, as it is live: those the files name and
those of others. Neither git nor the files are needed, only adsync.yaml; where that is
gone too, --state names the folder of adsync's own state. What would be paused is shown,
with what it spends, and you are asked once.

The account is suspended first, so that nothing is started behind it: a daemon or an
apply that is at work stops before its next request. STOP, a suspension and a freeze
window stop everything but this.

Where the state lies in a database that does not answer, --direct pauses with the key
alone: the account is not suspended, and what is done is noted in a folder of this
machine, from where the next command here that writes takes it into the history. Suspend
it once the database answers again, before a daemon goes on.

It is a run like any other: history lists it, and adsync revert RUN --allow activates
starts again what it paused and is paused still. What it did is nobody's edit: later
plans show it as somebody's pause, which nothing takes back by itself.`,
		Example: `  adsync pause-all --yes --reason 'wrong landing page'`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			project, err := session.NamedBy(env, c, args, f.NamedFlags)
			if err != nil {
				return err
			}
			return runPauseAll(c.Context(), env, dir, project, f)
		},
	}
	c.Flags().BoolVarP(&f.Yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.noSuspend, "no-suspend", false, "do not suspend the account")
	c.Flags().BoolVar(&f.direct,
		"direct", false, "do without the database with the state, and do not suspend the account")
	c.Flags().StringVar(&f.reason, "reason", "", "why, for whoever meets the suspension")
	c.Flags().StringVar(&f.by, "by", "", "who orders it (default: the user of this process)")
	c.Flags().DurationVar(&f.patience, "patience",
		2*time.Minute, "how long to wait for another adsync to let go of the state")
	c.Flags().BoolVar(&f.Full, "full", false, "list every campaign, however many there are")
	f.NamedFlags.Register(c)
	env.Outputs(c, runs.ReportFormNames()...)
	return c
}

func runPauseAll(ctx context.Context, env *session.Env, dir string, named config.Project, f pauseFlags) error {
	l := session.Loaded{Schemas: kinds.All(), Desired: sources.Desired{Snapshot: &resource.Snapshot{}}}
	if l.Project = named; named.Home == "" {
		var err error
		if l.Project, err = session.ProjectOf(env, dir); err != nil {
			return fmt.Errorf("%w; where adsync.yaml cannot be read: adsync pause-all --state %s",
				err, filepath.Join(dir, ".adsync"))
		}
	}
	env.Passes, env.Direct = session.EveryOrder, f.direct
	err := confirmPauses(ctx, env, l, f)
	if err == nil {
		err = suspendFor(env, l.Project, f)
	}
	if errors.Is(err, state.ErrAway) {
		err = fmt.Errorf("%w; adsync pause-all --direct pauses without the database", err)
	}
	if err != nil {
		return err
	}
	did := runs.Applying{Bare: true}
	if did.Session, did.Failure = connectPatiently(ctx, env, l, f.patience); did.Failure == nil {
		did.Recorder = runs.Record(env, l, did.Session)
		did.Recorder.Kind = runview.PauseAll
		did.Report, did.Failure = pause(ctx, env, did.Session)
	}
	return runs.Finish(ctx, env, l, f.ApplyFlags, dir, did)
}

// confirmPauses shows what would be paused, and asks. It reads only.
func confirmPauses(ctx context.Context, env *session.Env, l session.Loaded, f pauseFlags) error {
	if f.Yes {
		return nil
	}
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	view, err := s.Agent.PlanPauses(ctx, reconcile.Everything)
	if err != nil {
		return err
	}
	if env.Flags.Output == "text" {
		if err := runs.ShowPlan(env, l, f.PlanFlags, s.Agent.Account, view); err != nil {
			return err
		}
	}
	if view.Plan.Empty() {
		return nil // it is suspended all the same
	}
	return runs.Ask(ctx, env, l, f.ApplyFlags, s.Agent, view)
}

// suspendFor has whatever else is at work on the account stop.
func suspendFor(env *session.Env, p config.Project, f pauseFlags) error {
	if f.direct {
		env.Note("the account is not suspended: adsync suspend does that once the database answers")
		return nil
	}
	if f.noSuspend {
		return nil
	}
	if f.reason == "" {
		f.reason = "everything is paused"
	}
	s, _, err := order(env, session.OrdersOf(env, p), f.suspendFlags)
	if err == nil {
		env.Note("%s; to lift it: adsync resume", diag.Printable(s.String()))
	}
	return err
}

// connectPatiently waits for who holds the state: a suspension has it let go once
// what it sent is heard of.
func connectPatiently(ctx context.Context, env *session.Env,
	l session.Loaded, patience time.Duration) (*session.Session, error) {
	until := time.Now().Add(patience)
	for told := false; ; told = true {
		s, err := session.Connect(ctx, env, l, false)
		if !errors.Is(err, state.ErrLocked) || !time.Now().Before(until) {
			return s, err
		}
		if !told {
			env.Note("%v", err)
		}
		if err := session.Sleep(ctx, lookEvery); err != nil {
			return nil, console.ExitWith(console.ExitInterrupted, "interrupted; nothing was paused")
		}
	}
}

// pause reads again what is active, now that nobody else is at work, and pauses it.
func pause(ctx context.Context, env *session.Env, s *session.Session) (*reconcile.Report, error) {
	view, err := s.Agent.PlanPauses(ctx, reconcile.Everything)
	if err != nil {
		return nil, err
	}
	report, err := s.Agent.Apply(ctx, view)
	if open, failure := s.Agent.Undecided(ctx); failure == nil && len(open) > 0 {
		env.Note("%s of an earlier run open, and may start something "+
			"when adsync resume ends it: run adsync pause-all once more then",
			console.PluralAre(len(open), "operation"))
	}
	return report, err
}
