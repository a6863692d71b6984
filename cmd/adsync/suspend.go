package main

import (
	"errors"
	"fmt"
	"time"

	"adsync/internal/diag"
	"adsync/internal/orders"

	"github.com/spf13/cobra"
)

// suspendFlags are those of suspend.
type suspendFlags struct {
	namedFlags
	reason string
	by     string
	length time.Duration
}

func (a *app) suspend() *cobra.Command {
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
		RunE: func(c *cobra.Command, args []string) error {
			at, err := a.ordersAt(c, args, f.namedFlags)
			if err != nil {
				return err
			}
			if f.length < 0 || c.Flags().Changed("for") && f.length == 0 {
				return usage(c, fmt.Errorf("--for is %s; "+
					"want a time such as 2h, or none for until it is lifted", f.length))
			}
			return a.runSuspend(at, f)
		},
	}
	c.Flags().StringVar(&f.reason, "reason", "", "why, for whoever meets it")
	c.Flags().StringVar(&f.by, "by", "", "who orders it (default: the user of this process)")
	c.Flags().DurationVar(&f.length, "for", 0, "how long, such as 2h or 30m (default until adsync resume)")
	f.register(c)
	a.outputs(c, "text", "json")
	return c
}

// suspendDocument is the JSON form of suspend.
type suspendDocument struct {
	FormatVersion int                `json:"format_version"`
	Suspended     orders.Suspension  `json:"suspended"`
	Before        *orders.Suspension `json:"before"` // the one it replaces; null where none stood
}

func (a *app) runSuspend(at orders.Folder, f suspendFlags) error {
	s, before, err := a.order(at, f)
	if err != nil {
		return err
	}
	if a.flags.output == "json" {
		return a.printJSON(suspendDocument{formatVersion, s, before})
	}
	if before != nil {
		a.note("in the place of: %s", diag.Printable(before.String()))
	}
	_, err = fmt.Fprintln(a.out, diag.Printable(s.String()))
	a.note("nothing is sent meanwhile; to go on: adsync resume")
	return err
}

// order writes a suspension, and gives the one that stood.
func (a *app) order(at orders.Folder, f suspendFlags) (s orders.Suspension, before *orders.Suspension, err error) {
	now := time.Now().UTC().Truncate(time.Second)
	before = at.Suspension(now)
	s = orders.Suspension{By: f.by, Reason: f.reason, Since: now}
	if s.By == "" {
		s.By = a.person()
	}
	if f.length > 0 {
		s.Until = now.Add(f.length)
	}
	if err := at.Suspend(s); err != nil {
		return s, before, configuration("%v", err)
	}
	return s, before, nil
}

// suspendedFlag lets a person go on while the account is suspended.
func (a *app) suspendedFlag(c *cobra.Command) {
	c.Flags().BoolFunc("while-suspended",
		"go on although somebody suspended the account (a file STOP stops it all the same)", func(text string) error {
			switch text {
			case "true":
				a.passes = suspensions
			case "false":
				a.passes = noOrder
			default:
				return errors.New("want true or false")
			}
			return nil
		})
}
