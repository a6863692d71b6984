package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"

	"github.com/spf13/cobra"
)

// pauseFlags are those of pause-all.
type pauseFlags struct {
	applyFlags
	suspendFlags
	noSuspend bool
	patience  time.Duration
}

func (a *app) pauseAll() *cobra.Command {
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

It is a run like any other: history lists it, and adsync revert RUN --allow activates
starts again what it paused and is paused still. What it did is nobody's edit: later
plans show it as somebody's pause, which nothing takes back by itself.`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := folder(c, args)
			if err != nil {
				return err
			}
			if f.state, err = a.stateOf(c, args, f.namedFlags); err != nil {
				return err
			}
			return a.runPauseAll(c.Context(), dir, f)
		},
	}
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.noSuspend, "no-suspend", false, "do not suspend the account")
	c.Flags().StringVar(&f.reason, "reason", "", "why, for whoever meets the suspension")
	c.Flags().StringVar(&f.by, "by", "", "who orders it (default: the user of this process)")
	c.Flags().DurationVar(&f.patience, "patience",
		2*time.Minute, "how long to wait for another adsync to let go of the state")
	c.Flags().BoolVar(&f.full, "full", false, "list every campaign, however many there are")
	f.namedFlags.register(c)
	a.outputs(c, reportFormNames()...)
	return c
}

func (a *app) runPauseAll(ctx context.Context, dir string, f pauseFlags) error {
	l := loaded{schemas: kinds.All(), desired: sources.Desired{Snapshot: &resource.Snapshot{}}}
	l.project = sources.Project{Home: f.state}
	if f.state == "" {
		var err error
		if l.project, err = a.projectOf(dir); err != nil {
			return fmt.Errorf("%w; where adsync.yaml cannot be read: adsync pause-all --state %s",
				err, filepath.Join(dir, ".adsync"))
		}
	}
	a.passes = everyOrder
	if err := a.confirmPauses(ctx, l, f); err != nil {
		return err
	}
	if err := a.suspendFor(l.project, f); err != nil {
		return err
	}
	did := applying{bare: true}
	if did.session, did.failure = a.connectPatiently(ctx, l, f.patience); did.failure == nil {
		did.recorder = a.record(l, did.session)
		did.recorder.kind = runview.PauseAll
		did.report, did.failure = a.pause(ctx, did.session)
	}
	return a.finish(ctx, l, f.applyFlags, dir, did)
}

// confirmPauses shows what would be paused, and asks. It reads only.
func (a *app) confirmPauses(ctx context.Context, l loaded, f pauseFlags) error {
	if f.yes {
		return nil
	}
	s, err := a.connect(ctx, l, true)
	if err != nil {
		return err
	}
	defer s.end()
	view, err := s.agent.PlanPauses(ctx)
	if err != nil {
		return err
	}
	if a.flags.output == "text" {
		if err := a.showPlan(l, f.planFlags, s.agent.Account, view); err != nil {
			return err
		}
	}
	if view.Plan.Empty() {
		return nil // it is suspended all the same
	}
	return a.ask(ctx, l, f.applyFlags, s.agent, view)
}

// suspendFor has whatever else is at work on the account stop.
func (a *app) suspendFor(p sources.Project, f pauseFlags) error {
	if f.noSuspend {
		return nil
	}
	if f.reason == "" {
		f.reason = "everything is paused"
	}
	s, _, err := a.order(ordersOf(p), f.suspendFlags)
	if err == nil {
		a.note("%s; to lift it: adsync resume", diag.Printable(s.String()))
	}
	return err
}

// connectPatiently waits for who holds the state: a suspension has it let go once
// what it sent is heard of.
func (a *app) connectPatiently(ctx context.Context, l loaded, patience time.Duration) (*session, error) {
	until := time.Now().Add(patience)
	for told := false; ; told = true {
		s, err := a.connect(ctx, l, false)
		if !errors.Is(err, state.ErrLocked) || !time.Now().Before(until) {
			return s, err
		}
		if !told {
			a.note("%v", err)
		}
		if err := sleep(ctx, lookEvery); err != nil {
			return nil, exitWith(exitInterrupted, "interrupted; nothing was paused")
		}
	}
}

// pause reads again what is active, now that nobody else is at work, and pauses it.
func (a *app) pause(ctx context.Context, s *session) (*reconcile.Report, error) {
	view, err := s.agent.PlanPauses(ctx)
	if err != nil {
		return nil, err
	}
	report, err := s.agent.Apply(ctx, view)
	if open, failure := s.agent.Undecided(ctx); failure == nil && len(open) > 0 {
		a.note("%s of an earlier run open, and may start something "+
			"when adsync resume ends it: run adsync pause-all once more then", pluralAre(len(open), "operation"))
	}
	return report, err
}
