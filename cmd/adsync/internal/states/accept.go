package states

import (
	"context"
	"errors"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

func acceptState(env *session.Env) *cobra.Command {
	var yes bool
	var named session.NamedFlags
	c := &cobra.Command{
		Use:   "accept [FOLDER]",
		Short: "Go on with what the database has of an account, after it went back in time",
		Long: `Take what the database has of an account for the whole of it, where adsync says that the
state is lost: a standby was promoted that had not received all, or a copy was put back.
Whoever accepts it is noted in the history. The service is asked nothing, and nothing is sent.

What adsync did after the last commit that is left is unknown to it from then on: the next
plan shows what it changed as in sync or as changed outside, and what it made as adopt.
Numbers of jobs that may have gone out are not given again. It asks first, or say --yes;
it ends with 10 while another adsync has the record.`,
		Example: `  adsync state accept shop`,
		RunE: func(c *cobra.Command, args []string) error {
			project, err := session.ProjectAt(env, c, args, named)
			if err != nil {
				return err
			}
			return runAccept(c.Context(), env, project, yes)
		},
	}
	accountFlags(c, &named)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func runAccept(ctx context.Context, env *session.Env, project config.Project, yes bool) error {
	server, account, err := databaseOf(ctx, env, project)
	if err != nil {
		return err
	}
	whole, err := server.OpenReadOnly(ctx, account)
	switch {
	case err == nil:
		defer func() { session.Closed(env, "state", whole.Close()) }()
		_, err := fmt.Fprintf(env.Out, "Nothing to accept: the record of %s is whole, at commit %d.\n",
			diag.Printable(account), whole.Header().Serial)
		return err
	case !errors.Is(err, state.ErrLost):
		return err
	}
	if err := askAccept(ctx, env, err, yes); err != nil {
		return err
	}
	h, err := server.Accept(ctx, account, session.Person(env), state.Options{
		Command: env.Command, Version: console.Release,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Out, "Accepted: the record of %s goes on at commit %d.\n"+
		"Next: adsync plan shows what it does not know; adsync adopt takes over what it made, "+
		"adsync drift what it changed.\n", diag.Printable(account), h.Serial)
	return err
}

// askAccept says what is lost and wants the word yes.
func askAccept(ctx context.Context, env *session.Env, lost error, yes bool) error {
	if yes {
		return nil
	}
	if !console.IsTerminal(env.In) {
		return console.Configuration(
			"state accept asks before it goes on, and there is no terminal to ask at; use --yes. %v", lost)
	}
	fmt.Fprintf(env.Err, "%s\nIf the database can still be put right, do that first: "+
		"what adsync did since is known there.\nGo on with what is there? Only yes does: ",
		diag.Printable(lost.Error()))
	return console.Confirmed(ctx, env.In)
}
