// Package jobs has the command adsync jobs: what is to be done beside the runs of accounts whose states lie in a
// database, and what became of it.
//
// It asks the service nothing, and shows no secret: what failed is said as it was kept.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"text/tabwriter"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/errands"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// Document is the JSON form of jobs.
type Document struct {
	FormatVersion int           `json:"format_version"`
	Where         string        `json:"where"` // database, or process: none wait anywhere else
	Jobs          []errands.Job `json:"jobs"`
}

// The places of errands.
const (
	inDatabase = "database"
	inProcess  = "process"
)

// Command returns the command adsync jobs.
func Command(env *session.Env) *cobra.Command {
	var ended bool
	var file string
	c := &cobra.Command{
		Use:   "jobs [ACCOUNT]",
		Short: "List what daemons that share a database have still to do beside runs: messages, results to push",
		Long: `List the errands of daemons whose states lie in a database: messages to deliver, results to push. For each:
its number, what it is, the account, its state, how often it was tried, when it is tried next, and what was
wrong last. ACCOUNT is the id of an ad account, or its name in the daemon's configuration. The states are
River's: available and scheduled wait, retryable failed and is tried again, discarded was given up.

What was done or cancelled is kept for a day (--all), what was given up for 7 days. Without a database errands
are done in the process of the daemon, and there is nothing to list.`,
		Example: `  adsync jobs
  adsync jobs shop --all -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			q, names, err := queueOf(env, c, file)
			if err != nil {
				return err
			}
			return list(c.Context(), env, q, names, args, ended)
		},
	}
	c.Flags().BoolVar(&ended, "all", false, "also what was done and cancelled")
	c.PersistentFlags().StringVar(&file, "config", "/etc/adsync/daemon.yaml",
		"the daemon's configuration, for its database and the names of its accounts")
	env.Outputs(c, "text", "json")
	c.AddCommand(
		change(env, &file, "retry", "Have a job tried now, also one that was given up", (*errands.Queue).Retry),
		change(env, &file, "cancel", "Have a job not tried again", (*errands.Queue).Cancel))
	return c
}

func change(env *session.Env, file *string, word, short string,
	do func(*errands.Queue, context.Context, int64) (errands.Job, error)) *cobra.Command {
	return &cobra.Command{
		Use: word + " ID", Short: short, Example: "  adsync jobs " + word + " 12", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return console.Usage(c, fmt.Errorf("%q is no job; want its number, as adsync jobs lists it", args[0]))
			}
			q, _, err := queueOf(env, c, *file)
			if err == nil && q == nil {
				err = console.Configuration("no database is named, and errands are done in the process of the " +
					"daemon: there is no job to change")
			}
			if err != nil {
				return err
			}
			j, err := do(q, c.Context(), id)
			if errors.Is(err, errands.ErrNoJob) {
				return console.Configuration("there is no job %d; want one that adsync jobs --all lists", id)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Out, "Job %d, %s, is %s.\n", j.ID, subject(j), j.State)
			return err
		},
	}
}

// queueOf opens the queue of the database, nil where none is named, and reads the ids of accounts by name.
func queueOf(env *session.Env, c *cobra.Command, file string) (*errands.Queue, map[string]string, error) {
	names := map[string]string{}
	if _, err := os.Stat(file); c.Flags().Changed("config") || !errors.Is(err, fs.ErrNotExist) {
		whole, err := filepath.Abs(file)
		if err != nil {
			return nil, nil, err
		}
		settings, problems := config.ReadDaemon(whole)
		if diag.HasErrors(problems) {
			session.ShowProblems(env, config.Project{}, problems)
			return nil, nil, console.ExitWith(console.ExitUsage, console.Counted(problems)+" of the configuration")
		}
		env.Database = settings.Database
		for _, a := range settings.Accounts {
			names[a.Name.Value] = session.StateOf(env, settings, a).Account.ID
		}
	}
	server, err := session.ServerOf(c.Context(), env)
	if err != nil || server == nil {
		return nil, nil, err
	}
	q, err := errands.New(server, errands.Options{})
	return q, names, err
}

func list(ctx context.Context, env *session.Env, q *errands.Queue, names map[string]string,
	args []string, ended bool) error {
	d := Document{FormatVersion: 1, Where: inProcess, Jobs: []errands.Job{}}
	if q != nil {
		account := ""
		if len(args) > 0 {
			account = args[0]
			if id, named := names[account]; named {
				account = id
			}
		}
		all, err := q.List(ctx, account, ended)
		if err != nil {
			return err
		}
		d.Where, d.Jobs = inDatabase, append(d.Jobs, all...)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	return d.write(env)
}

func (d Document) write(env *session.Env) error {
	switch {
	case d.Where == inProcess:
		_, err := fmt.Fprintln(env.Out, "No database is named: errands are done in the process of the daemon, and "+
			"none waits elsewhere.\nWhat it could not deliver or push is in its log, and is tried again by itself.")
		return err
	case len(d.Jobs) == 0:
		_, err := fmt.Fprintln(env.Out, "Nothing waits.")
		return err
	}
	table := tabwriter.NewWriter(env.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tWhat\tAccount\tState\tTries\tNext try\tLast error")
	for _, j := range d.Jobs {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", j.ID, diag.Printable(j.Kind), orAll(j.Account),
			j.State, j.Tries, moment(j.Next), diag.Printable(j.Error))
	}
	return table.Flush()
}

// subject is what a job is about.
func subject(j errands.Job) string { return diag.Printable(j.Kind) + " of " + orAll(j.Account) }

func orAll(account string) string {
	if account == "" {
		return "all accounts"
	}
	return diag.Printable(account)
}

func moment(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.Format(time.RFC3339)
}
