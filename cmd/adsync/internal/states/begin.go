package states

import (
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/state"
	"adsync/state/branch"

	"github.com/spf13/cobra"
)

func beginState(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "begin [FOLDER]",
		Short: "Make the git branch that keeps the record of an account for pipelines",
		Long: `Make the git branch that ADSYNC_STATE_BRANCH, or state: {branch: …} in the operator's file,
names, with an empty record. It is done once, by hand, for an account that adsync has not worked
on: a branch that is not there is never made by itself, so that one that was taken away is not
taken for a new one. What the account holds by then is shown by the next plan as adopt.

It needs the key that signs the record, ADSYNC_STATE_KEY, and a token that may push. It refuses a
branch that is there. To bring a record along that lies elsewhere: adsync state copy.`,
		Example: `  adsync state begin ads`,
		RunE: func(c *cobra.Command, args []string) error {
			project, err := session.ProjectAt(env, c, args, session.NamedFlags{})
			if err != nil {
				return err
			}
			b, err := session.BranchOf(env, project)
			if err != nil {
				return err
			}
			return begin(c, env, b)
		},
	}
}

func begin(c *cobra.Command, env *session.Env, b *branch.Branch) error {
	if err := b.Begin(c.Context(), state.Options{Command: env.Command, Version: console.Release}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.Out, "Begun: %s has an empty record of %s.\n",
		diag.Printable(b.String()), diag.Printable(b.Account))
	return err
}
