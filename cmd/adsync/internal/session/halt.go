package session

import (
	"cmp"
	"errors"
	"os"
	"os/user"
	"time"

	"adsync/internal/orders"
	"adsync/sources/commits"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// halt returns what is asked before every mutation: a file STOP in the state's
// folder, in the one the account's daemon shares with others, or in the commit; and
// a suspension, unless the command passes it.
func halt(env *Env, p config.Project) func() error {
	if env.Passes == EveryOrder {
		return nil
	}
	own := OrdersOf(env, p)
	places := append([]orders.Place{own}, StopsOf(env, p)...)
	if d, _, err := own.Daemon(); err == nil && d.Shared != "" {
		places = append(places, orders.Folder(d.Shared))
	}
	return func() error {
		if stop := commits.CommittedStop(p); stop != "" {
			return orders.Stopped(stop + " is committed: nothing is sent until a commit takes it away")
		}
		err := orders.Standing(places...)
		if err == nil && env.Passes != Suspensions {
			err = own.Suspended(time.Now())
		}
		return cmp.Or(err, own.PauseFirst())
	}
}

// Halt returns what is asked before anything is sent outside an apply, as before every mutation.
func Halt(env *Env, p config.Project) func() error {
	if order := halt(env, p); order != nil {
		return order
	}
	return func() error { return nil }
}

// Passing says which orders to stop do not stop a command.
type Passing int

const (
	noOrder     Passing = iota
	Suspensions         // by --while-suspended
	EveryOrder          // pauses of pause-all: to stop spending is what the orders are for
)

// Person is who sits here, as far as the system knows.
func Person(env *Env) string {
	if name := env.Getenv("SUDO_USER"); name != "" {
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

// SuspendedFlag lets a person go on while the account is suspended.
func SuspendedFlag(env *Env, c *cobra.Command) {
	c.Flags().BoolFunc("while-suspended",
		"go on although somebody suspended the account (a file STOP stops it all the same)", func(text string) error {
			switch text {
			case "true":
				env.Passes = Suspensions
			case "false":
				env.Passes = noOrder
			default:
				return errors.New("want true or false")
			}
			return nil
		})
}
