package ops

import (
	"fmt"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/state"

	"github.com/spf13/cobra"
)

// suspendFlags are those of suspend.
type suspendFlags struct {
	session.NamedFlags
	reason string
	by     string
	length time.Duration
}

// Suspend returns the command adsync suspend.
func Suspend(env *session.Env) *cobra.Command {
	var f suspendFlags
	c := &cobra.Command{
		Use:   "suspend [FOLDER]",
		Short: "Have adsync send nothing for a while, with or without a daemon",
		Long: `Have adsync send nothing to the service for an account until the time is over or
adsync resume lifts it. Plans go on being made. A daemon sees it before its next request,
an apply that is on its way too: it ends with 6, and what it sent is heard of. A
person's apply needs --while-suspended.

It is a file in the state folder (suspend.json) and needs neither a network nor git.
One that stands is replaced. To stop what is live from spending: adsync pause-all.`,
		Example: `  adsync suspend --for 2h --reason 'stock is being counted'`,
		RunE: func(c *cobra.Command, args []string) error {
			project, err := session.ProjectAt(env, c, args, f.NamedFlags)
			if err != nil {
				return err
			}
			if f.length < 0 || c.Flags().Changed("for") && f.length == 0 {
				return console.Usage(c, fmt.Errorf("--for is %s; "+
					"want a time such as 2h, or none for until it is lifted", f.length))
			}
			return runSuspend(env, session.OrdersOf(env, project), f)
		},
	}
	c.Flags().StringVar(&f.reason, "reason", "", "why, for whoever meets it")
	c.Flags().StringVar(&f.by, "by", "", "who orders it (default: the user of this process)")
	c.Flags().DurationVar(&f.length, "for", 0, "how long, such as 2h or 30m (default until adsync resume)")
	f.Register(c)
	env.Outputs(c, "text", "json")
	return c
}

// SuspendDocument is the JSON form of suspend.
type SuspendDocument struct {
	FormatVersion int                `json:"format_version"`
	Suspended     orders.Suspension  `json:"suspended"`
	Before        *orders.Suspension `json:"before"` // the one it replaces; null where none stood
}

func runSuspend(env *session.Env, at orders.Place, f suspendFlags) error {
	s, before, err := order(env, at, f)
	if err != nil {
		return err
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(SuspendDocument{console.FormatVersion, s, before})
	}
	if before != nil {
		env.Note("in the place of: %s", diag.Printable(before.String()))
	}
	_, err = fmt.Fprintln(env.Out, diag.Printable(s.String()))
	env.Note("nothing is sent meanwhile; to go on: adsync resume")
	return err
}

// order writes a suspension, and gives the one that stood.
func order(env *session.Env, at orders.Place, f suspendFlags) (s orders.Suspension,
	before *orders.Suspension, err error) {
	now := time.Now().UTC().Truncate(time.Second)
	before = at.Suspension(now)
	s = orders.Suspension{By: f.by, Reason: f.reason, Since: now}
	if s.By == "" {
		s.By = session.Person(env)
	}
	if f.length > 0 {
		s.Until = now.Add(f.length)
	}
	if err := at.Suspend(s); err != nil {
		if state.CodeOf(err) == "" { // of a folder
			err = console.Configuration("%v", err)
		}
		return s, before, err
	}
	return s, before, nil
}
