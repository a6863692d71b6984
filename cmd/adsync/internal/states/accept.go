package states

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// acceptFlags are those of state accept.
type acceptFlags struct {
	session.NamedFlags
	yes     bool
	all     bool
	unasked bool // the service is
}

func acceptState(env *session.Env) *cobra.Command {
	var f acceptFlags
	c := &cobra.Command{
		Use:   "accept [FOLDER]",
		Short: "Go on with what the database has of an account, after it went back in time",
		Long: `Take what the database has of an account for the whole of it, where adsync says that the
state is lost: a standby was promoted that had not received all, or a copy was put back.
Whoever accepts it is noted in the history. Nothing is changed at the service.

What adsync did after the last commit that is left is looked for first, in the service's audit
log: what its own key set since is recorded as applied last, so that edited files do not meet
a conflict with adsync's own doing, and what it made of the files is bound. Both are listed,
and so is what differs and nothing proves to be adsync's: of that the next plan shows what was
made as adopt, and what was changed as changed outside. A pause is never taken for adsync's.
Numbers of jobs that may have gone out are not given again.

It asks first, or say --yes; it ends with 10 while another adsync has the record. --all does
it for each account of the daemon's configuration whose state is lost; accounts from git are
accepted without their files, so that what was made is not bound.`,
		Example: `  adsync state accept shop
  adsync state accept --all --yes`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.all {
				if len(args) > 0 || f.Account != "" {
					return console.Usage(c, errors.New("--all, a folder and --account exclude each other"))
				}
				return acceptAll(c.Context(), env, f)
			}
			project, err := session.ProjectAt(env, c, args, f.NamedFlags)
			if err != nil {
				return err
			}
			return (&accepting{env, f}).accept(c.Context(), filesOf(c.Context(), env, project, project.Root))
		},
	}
	accountFlags(c, &f.NamedFlags)
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&f.all, "all", false, "every account of the daemon's configuration whose state is lost")
	c.Flags().BoolVar(&f.unasked, "without-service", false, "do not ask the service what adsync did since")
	return c
}

// filesOf loads the files of an account, where it has a folder. Files that cannot be read name nothing.
func filesOf(ctx context.Context, env *session.Env, project config.Project, folder string) session.Loaded {
	if folder != "" {
		l := session.Load(ctx, env, folder)
		if l.Failure == nil && l.Desired.Snapshot != nil && l.Project.Account.ID != "" {
			return l
		}
	}
	return session.Loaded{
		Project: project, Schemas: kinds.All(), Desired: sources.Desired{Snapshot: &resource.Snapshot{}},
	}
}

// acceptAll accepts each account of the configuration whose state is lost. One that cannot be accepted keeps no other.
func acceptAll(ctx context.Context, env *session.Env, f acceptFlags) (err error) {
	file, err := filepath.Abs(f.Config)
	if err != nil {
		return err
	}
	settings, problems := config.ReadDaemon(file)
	if diag.HasErrors(problems) {
		session.ShowProblems(env, config.Project{}, problems)
		return console.ExitWith(console.ExitUsage, console.Counted(problems)+" of the configuration")
	}
	env.Database, env.Address = settings.Database, settings.Address.Value
	operator := env.Flags.Operator
	var failed error
	for _, one := range settings.Accounts {
		if env.Flags.Operator = operator; operator == "" {
			env.Flags.Operator = one.Operator
		}
		l := filesOf(ctx, env, session.StateOf(env, settings, one), one.Folder)
		err := (&accepting{env, f}).accept(ctx, l)
		if ctx.Err() != nil || errors.Is(err, state.ErrAway) {
			return err
		}
		if err != nil {
			env.Note("%s: %v", diag.Printable(one.Name.Value), err)
			failed = err
		}
	}
	return failed
}

// accepting is one run of the command.
type accepting struct {
	env *session.Env
	acceptFlags
}

func (a *accepting) accept(ctx context.Context, l session.Loaded) error {
	server, account, err := databaseOf(ctx, a.env, l.Project)
	if err != nil {
		return err
	}
	whole, err := server.OpenReadOnly(ctx, account)
	switch {
	case err == nil:
		defer func() { session.Closed(a.env, "state", whole.Close()) }()
		_, err := fmt.Fprintf(a.env.Out, "Nothing to accept: the record of %s is whole, at commit %d.\n",
			diag.Printable(account), whole.Header().Serial)
		return err
	case !errors.Is(err, state.ErrLost):
		return err
	}
	if err := askAccept(ctx, a.env, err, a.yes); err != nil {
		return err
	}
	var recollected reconcile.Recollected
	h, err := server.Accept(ctx, account, session.Person(a.env),
		state.Options{Command: a.env.Command, Version: console.Release},
		func(store state.Store) (string, error) {
			if a.unasked {
				return "the service was not asked", nil
			}
			recollected, err = a.recollect(ctx, l, store)
			return recollected.String(), err
		})
	if err != nil {
		return err
	}
	return a.said(account, h, recollected)
}

// recollect finds again what adsync did. It reads only.
func (a *accepting) recollect(ctx context.Context, l session.Loaded, store state.Store) (reconcile.Recollected, error) {
	s := &session.Session{Store: store}
	defer s.End()
	client, err := session.Dial(a.env, s, l.Project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return reconcile.Recollected{}, err
	}
	found, err := reconcile.Recollect(ctx, session.AgentOf(a.env, l, store, client), l.Desired.Snapshot)
	if err != nil {
		err = fmt.Errorf("nothing is accepted, as the service does not say what adsync did since "+
			"(--without-service accepts all the same): %w", err)
	}
	return found, err
}

func (a *accepting) said(account string, h state.Header, found reconcile.Recollected) error {
	text := fmt.Sprintf("Accepted: the record of %s goes on at commit %d.\n", diag.Printable(account), h.Serial)
	for _, list := range []struct {
		words string
		all   []reconcile.Recollection
	}{
		{"adsync did these since, and they are in the record again:", found.Taken},
		{"these differ, and nothing proves that adsync did them:", found.Left},
	} {
		if len(list.all) > 0 {
			text += list.words + "\n"
		}
		for _, one := range list.all {
			what := one.Attribute + " is " + one.Value
			if one.Attribute == "" {
				what = "made, as " + one.ID
			}
			text += "  " + one.Address.String() + ": " + diag.Printable(what) + "\n"
		}
	}
	_, err := fmt.Fprint(a.env.Out, text+"Next: adsync plan shows what is left to do; adsync adopt takes over "+
		"what was made, adsync drift shows what was changed.\n")
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
