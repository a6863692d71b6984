package states

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// Command returns the group adsync state.
func Command(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Move adsync's record of an account between folder and database, or accept one that lost something",
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(copyState(env), acceptState(env))
	return c
}

func copyState(env *session.Env) *cobra.Command {
	var named session.NamedFlags
	c := &cobra.Command{
		Use:   "copy FROM TO [FOLDER]",
		Short: "Copy the record of an account from its folder into the database, or back",
		Long: `Copy all that adsync remembers of an account between its state folder and the database that
ADSYNC_DATABASE, ADSYNC_DATABASE_FILE or the operator's file names. FROM and TO are the words
folder and database; the path of a state folder may stand for folder. FOLDER has adsync.yaml;
--account finds the account in the daemon's configuration instead.

The source is closed first, for good: adsync works there no more and says where the record is.
Open steps, orders, approvals and the history go along. Cut short at any moment, the same
command ends it. It refuses a target that has another record, and a source that was put back
from a backup since; it ends with 10 while another adsync, or a daemon, has the account. The
service is asked nothing.`,
		Example: `  adsync state copy folder database shop
  adsync state copy database folder shop`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 || (args[0] == inDatabase) == (args[1] == inDatabase) {
				return console.Usage(c,
					errors.New("want FROM and TO: one of them database, the other folder or its path"))
			}
			project, err := session.ProjectAt(env, c, args[2:], named)
			if err != nil {
				return err
			}
			return runCopy(c.Context(), env, project, args[0], args[1])
		},
	}
	accountFlags(c, &named)
	return c
}

// accountFlags find an account without its files.
func accountFlags(c *cobra.Command, named *session.NamedFlags) {
	c.Flags().StringVar(&named.Account, "account", "",
		"name of an account in the daemon's configuration, in the place of a folder")
	c.Flags().StringVar(&named.Config, "config", "/etc/adsync/daemon.yaml",
		"the daemon's configuration, with --account")
}

// The words for the places of a state.
const (
	inFolder   = "folder"
	inDatabase = "database"
)

func runCopy(ctx context.Context, env *session.Env, project config.Project, from, to string) error {
	server, account, err := databaseOf(ctx, env, project)
	if err != nil {
		return err
	}
	folder := from
	if from == inDatabase {
		folder = to
	}
	if folder == inFolder {
		folder = project.StateFolder()
	}
	leave, err := attend(ctx, env, folder)
	if err != nil {
		return err
	}
	defer leave()
	source, err := state.InFolder(folder)
	if err != nil {
		return err
	}
	beside, besideTarget := orders.Folder(folder), session.OrdersOf(env, project)
	target := server.InDatabase(account)
	if from == inDatabase {
		source, target, beside, besideTarget = target, source, besideTarget, beside
		if err := refuseAttended(beside); err != nil {
			return err
		}
	}
	done, err := state.Copy(ctx, source, target, account, func() error { return carry(beside, besideTarget) },
		state.Options{
			Sleep:   func(d time.Duration) { _ = session.Sleep(ctx, d) },
			Command: env.Command, Version: console.Release,
		})
	if err == nil && !done.Before {
		err = clearOut(beside)
	}
	if err != nil {
		return err
	}
	return said(env, done, source, target, account)
}

// refuseAttended keeps a database as it is while a daemon looks after the account.
func refuseAttended(at orders.Place) error {
	taken, err := at.Lock.Taken()
	if err == nil && taken {
		err = console.ExitWith(console.ExitLocked, "a daemon looks after the account; "+
			"take it out of its configuration first, or end it")
	}
	return err
}

// attend keeps daemons from a folder, where there is one.
func attend(ctx context.Context, env *session.Env, folder string) (leave func(), err error) {
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	held, err := orders.Folder(folder).Attend(func(t time.Duration) { _ = session.Sleep(ctx, t) })
	switch {
	case errors.Is(err, orders.ErrAttended):
		return nil, console.ExitWith(console.ExitLocked, err.Error()+"; end it first")
	case err != nil:
		return nil, err
	}
	return func() { session.Closed(env, "the lock of daemons", held.End()) }, nil
}

// databaseOf is the database that is named, and the account a project has there.
func databaseOf(ctx context.Context, env *session.Env, p config.Project) (*state.Server, string, error) {
	at, err := session.PlaceOf(ctx, env, p)
	if err == nil && at.Server == nil {
		err = console.Configuration("no database is named; want its address in ADSYNC_DATABASE, " +
			"ADSYNC_DATABASE_FILE or database: of the operator's file")
	}
	return at.Server, at.Account, err
}

func said(env *session.Env, done state.Copied, source, target state.End, account string) error {
	what := "Copied"
	if done.Before {
		what = "Copied before"
	}
	_, err := fmt.Fprintf(env.Out,
		"%s: the record of %s, %s, commit %d of lineage %s.\nIt is in %s now; %s is closed.\n",
		what, diag.Printable(account), diag.Counted(done.Records, "entry", "entries"),
		done.Header.Serial, done.Header.Lineage,
		diag.Printable(target.String()), diag.Printable(source.String()))
	if done.Open > 0 {
		env.Note("%s went along; the next apply there, or adsync resume, ends what is open",
			diag.Plural(done.Open, "open step"))
	}
	return err
}
