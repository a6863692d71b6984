package main

import (
	"os"
	"os/user"
	"time"

	"adsync/internal/orders"
	"adsync/sources"
)

// ordersOf is where the orders of a project lie.
func ordersOf(p sources.Project) orders.Folder {
	return orders.Folder(p.StateFolder())
}

// halt gives what is asked before every mutation: a file STOP in the state's
// folder, in the one the account's daemon shares with others, or in the commit; and
// a suspension, unless the command passes it.
func (a *app) halt(p sources.Project) func() error {
	if a.passes == everyOrder {
		return nil
	}
	own := ordersOf(p)
	folders := []orders.Folder{own}
	if d, _, err := own.Daemon(); err == nil && d.Shared != "" {
		folders = append(folders, orders.Folder(d.Shared))
	}
	return func() error {
		if stop := p.CommittedStop(); stop != "" {
			return orders.Stopped(stop + " is committed: nothing is sent until a commit takes it away")
		}
		if err := orders.Standing(folders...); err != nil || a.passes == suspensions {
			return err
		}
		return own.Suspended(time.Now())
	}
}

// passing says which orders to stop do not stop a command.
type passing int

const (
	noOrder     passing = iota
	suspensions         // by --while-suspended
	everyOrder          // pauses of pause-all: to stop spending is what the orders are for
)

// person is who sits here, as far as the system knows.
func (a *app) person() string {
	if name := a.env("SUDO_USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if host, err := os.Hostname(); err == nil {
		return "somebody on " + host
	}
	return "somebody"
}
