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
	"adsync/state/branch"

	"github.com/spf13/cobra"
)

// Command returns the group adsync state.
func Command(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Move adsync's record of an account between folder, database and branch, or begin one on a branch",
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(copyState(env), acceptState(env), beginState(env))
	return c
}

func copyState(env *session.Env) *cobra.Command {
	var named session.NamedFlags
	c := &cobra.Command{
		Use:   "copy FROM TO [FOLDER]",
		Short: "Copy the record of an account between its folder, the database and a git branch",
		Long: `Copy all that adsync remembers of an account between two of its state folder, the database that
ADSYNC_DATABASE, ADSYNC_DATABASE_FILE or the operator's file names, and the git branch that
ADSYNC_STATE_BRANCH or state: {branch: …} in the operator's file names. FROM and TO are two of
the words folder, database and branch; the path of a state folder may stand for folder. FOLDER
has adsync.yaml; --account finds the account in the daemon's configuration instead.

The source is closed first, for good: adsync works there no more and says where the record is.
Open steps and the history go along, and orders and approvals between folder and database; a
branch has none. Cut short at any moment, the same command ends it, for a branch on the same
machine. It refuses a target that has another record, and a source that was put back from a
backup since; it ends with 10 while another adsync, or a daemon, has the account. The service is
asked nothing.`,
		Example: `  adsync state copy folder database shop
  adsync state copy database folder shop
  adsync state copy folder branch shop`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 || wordOf(args[0]) == wordOf(args[1]) {
				return console.Usage(c,
					errors.New("want FROM and TO: two of folder or its path, database and branch"))
			}
			project, err := session.ProjectAt(env, c, args[2:], named)
			if err != nil {
				return err
			}
			return (&copying{env: env, project: project}).run(c.Context(), args[0], args[1])
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
	onBranch   = "branch"
)

// wordOf is the word for a place: whatever is no other word is the path of a folder.
func wordOf(said string) string {
	if said == inDatabase || said == onBranch {
		return said
	}
	return inFolder
}

// copying is one run of the command.
type copying struct {
	env     *session.Env
	project config.Project
	account string
	leave   []func() // last first
	carried *branch.Carried
}

// end is one end of the copy.
type end struct {
	state.End
	beside orders.Place
	folder string // of what is kept beside, "" for none
}

func (c *copying) run(ctx context.Context, from, to string) (err error) {
	defer func() {
		for i := len(c.leave) - 1; i >= 0; i-- {
			c.leave[i]()
		}
	}()
	source, err := c.open(ctx, from)
	if err != nil {
		return err
	}
	target, err := c.open(ctx, to)
	if err != nil {
		return err
	}
	if wordOf(from) == inDatabase {
		if err := refuseAttended(source.beside); err != nil {
			return err
		}
	}
	move := source.folder != target.folder || source.folder == ""
	done, err := state.Copy(ctx, source.End, target.End, c.account, func() error {
		if wordOf(from) == onBranch { // closed there, too, before anything is in the target
			if err := c.carried.Push(ctx); err != nil {
				return err
			}
		}
		if !move {
			return nil
		}
		return carry(source.beside, target.beside)
	}, c.options(ctx))
	if c.carried != nil {
		err = errors.Join(err, c.carried.Release(context.WithoutCancel(ctx)))
	}
	if err == nil && !done.Before && move {
		err = clearOut(source.beside)
	}
	if err != nil {
		return err
	}
	return said(c.env, done, source.End, target.End, c.account)
}

func (c *copying) options(ctx context.Context) state.Options {
	return state.Options{
		Sleep:   func(d time.Duration) { _ = session.Sleep(ctx, d) },
		Command: c.env.Command, Version: console.Release,
	}
}

// open finds an end by its word, and keeps others from it.
func (c *copying) open(ctx context.Context, said string) (end, error) {
	folder := c.project.StateFolder()
	switch wordOf(said) {
	case inDatabase:
		server, account, err := databaseOf(ctx, c.env, c.project)
		if err != nil {
			return end{}, err
		}
		c.account = account
		return end{server.InDatabase(account), session.OrdersOf(c.env, c.project), ""}, nil
	case onBranch:
		b, err := session.BranchOf(c.env, c.project)
		if err != nil {
			return end{}, err
		}
		c.account = b.Account
		if c.carried, err = b.Carry(ctx, c.options(ctx)); err != nil {
			return end{}, err
		}
		at, err := c.carried.End()
		return end{at, orders.Folder(folder), folder}, err
	}
	if said != inFolder {
		folder = said
	}
	leave, err := attend(ctx, c.env, folder)
	if err != nil {
		return end{}, err
	}
	c.leave = append(c.leave, leave)
	at, err := state.InFolder(folder)
	return end{at, orders.Folder(folder), folder}, err
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
