package main

import (
	"adsync/state"

	"github.com/spf13/cobra"
)

func (a *app) unlock() *cobra.Command {
	return &cobra.Command{
		Use:   "unlock [FOLDER]",
		Short: "Take away what a killed adsync left in the lock file",
		Long: `Take away the text a killed adsync left in the lock file. That is all it does: the
lock itself is the kernel's, which gives it back when a process ends, however it
ends. While a process holds it, unlock ends with 10 and says who that is. No
command needs it: the next one that writes finds the lock free.`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := folder(c, args)
			if err != nil {
				return err
			}
			return a.runUnlock(dir)
		},
	}
}

func (a *app) runUnlock(dir string) error {
	project, err := a.projectOf(dir)
	if err != nil {
		return err
	}
	found, err := state.Unlock(project.StateFolder())
	switch {
	case err != nil:
		return err
	case found.Known:
		a.note("took away the text of %s, which was killed", found.Holder)
	default:
		a.note("nothing to take away: nobody holds the state, and nobody was killed with it")
	}
	return nil
}
