package ops

import (
	"context"
	"errors"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/state"
	"adsync/state/place"

	"github.com/spf13/cobra"
)

// Unlock returns the command adsync unlock.
func Unlock(env *session.Env) *cobra.Command {
	var owner string
	c := &cobra.Command{
		Use:   "unlock [FOLDER]",
		Short: "Take away what a killed adsync left: the text in the lock file, the log beside the state",
		Long: `Take away the text a killed adsync left in the lock file, and move the log it left
beside state.db into that file: then state.db and lineage alone are the state, and can be
copied. The lock itself is the kernel's, which gives it back when a process ends,
however it ends. While a process holds it, unlock ends with 10 and says who that is. No
command needs it: the next one that writes finds the lock free, and reads the log.

Where the state lies on a git branch, a run holds it for 15 minutes after its last push, and puts
that off for as long as it lasts. --owner takes the lock of a run away before that, by the name
that who finds it locked is told. Look first that the run is dead: one that lives may still be
waiting for the answer to what it has sent.`,
		Example: `  adsync unlock
  adsync unlock --owner 1f2e3d4c5b6a`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runUnlock(c.Context(), env, dir, owner)
		},
	}
	c.Flags().StringVar(&owner, "owner", "", "run that is dead and holds the state on a git branch")
	return c
}

func runUnlock(ctx context.Context, env *session.Env, dir, owner string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	at, err := session.PlaceOf(ctx, env, project)
	if err != nil {
		return err
	}
	switch {
	case at.Branch != nil:
		return unlockOnBranch(ctx, env, at, owner)
	case owner != "":
		return console.Configuration("--owner is of a state on a git branch, and this one lies in %s", at)
	case at.Server != nil:
		return unlockInDatabase(ctx, env, at)
	}
	found, err := state.Unlock(project.StateFolder())
	if err != nil {
		return err
	}
	folded, err := state.Fold(ctx, project.StateFolder(), state.Options{Command: env.Command, Version: console.Release})
	switch {
	case err != nil:
		return err
	case found.Known:
		env.Note("took away the text of %s, which was killed", found.Holder)
	case !folded:
		env.Note("nothing to take away: nobody holds the state, and nobody was killed with it")
	}
	if folded {
		env.Note("moved the log beside state.db into it")
	}
	return nil
}

// unlockOnBranch takes away the lock of a run that is named, and says who holds the state where none is.
func unlockOnBranch(ctx context.Context, env *session.Env, at place.Place, owner string) error {
	if owner != "" {
		if err := at.Branch.Unlock(ctx, owner); err != nil {
			return err
		}
		env.Note("took away the lock of run %s; what it left open, the next apply finds out at the service", owner)
		return nil
	}
	locked, err := at.Branch.Locked(ctx)
	if err == nil && locked == nil {
		env.Note("nothing to take away: nobody holds %s", at)
	}
	return errors.Join(err, locked)
}

// unlockInDatabase says who holds the account. There is nothing to take away: a lease ends by itself.
func unlockInDatabase(ctx context.Context, env *session.Env, at place.Place) error {
	holding, err := at.HeldBy(ctx)
	if err != nil {
		return err
	}
	if holding.Held {
		return fmt.Errorf("%w by %s; a process that was killed is waited for 30 s at most",
			state.ErrLocked, holding.Holder)
	}
	env.Note("nothing to take away: nobody holds %s", at)
	return nil
}
