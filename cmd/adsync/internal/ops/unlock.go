package ops

import (
	"context"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/state"
	"adsync/state/place"

	"github.com/spf13/cobra"
)

// Unlock returns the command adsync unlock.
func Unlock(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "unlock [FOLDER]",
		Short: "Take away what a killed adsync left: the text in the lock file, the log beside the state",
		Long: `Take away the text a killed adsync left in the lock file, and move the log it left
beside state.db into that file: then state.db and lineage alone are the state, and can be
copied. The lock itself is the kernel's, which gives it back when a process ends,
however it ends. While a process holds it, unlock ends with 10 and says who that is. No
command needs it: the next one that writes finds the lock free, and reads the log.`,
		Example: `  adsync unlock`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runUnlock(c.Context(), env, dir)
		},
	}
}

func runUnlock(ctx context.Context, env *session.Env, dir string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	at, err := session.PlaceOf(ctx, env, project)
	if err != nil {
		return err
	}
	if at.Server != nil {
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
