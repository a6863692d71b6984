package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"
	"adsync/state/place"

	"github.com/spf13/cobra"
)

// NamedFlags name an account without its files.
type NamedFlags struct {
	State   string // folder of adsync's own state
	Account string // name of an account in the daemon's configuration
	Config  string
}

func (f *NamedFlags) Given() bool { return f.State != "" || f.Account != "" }

func (f *NamedFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.State, "state", "", "folder of adsync's own state, where the files are not in a folder here")
	c.Flags().StringVar(&f.Account, "account", "",
		"name of an account in the daemon's configuration, in the place of a folder")
	c.Flags().StringVar(&f.Config, "config", "/etc/adsync/daemon.yaml", "the daemon's configuration, with --account")
}

// OrdersOf is where the orders of a project lie. No other place says where they, and all
// else that is kept beside its state, are.
func OrdersOf(env *Env, p config.Project) orders.Place {
	at, err := PlaceOf(context.Background(), env, p)
	switch {
	case err != nil:
		return orders.Place{Store: kv.Unreachable{Err: err}, Lock: unreachable{err}}
	case at.Server != nil:
		return orders.Place{
			Store: at.Server.Beside(at.Account), Lock: attendance{at}, Fenced: at.Server.Attended(at.Account),
		}
	}
	return ordersIn(p)
}

// ordersIn is where orders lie as files of a project.
func ordersIn(p config.Project) orders.Place {
	folder := kv.Folder{Dir: p.StateFolder()}
	if p.Home == "" {
		folder.Within = p.Root
	}
	return orders.InFolder(folder)
}

// StopsOf are the places beside OrdersOf in which a STOP holds for a project: where its state lies in a database, files
// of this machine stop it all the same, and so does what stops every account of the database.
func StopsOf(env *Env, p config.Project) []orders.Place {
	at, err := PlaceOf(context.Background(), env, p)
	if err != nil || at.Server == nil { // which OrdersOf says
		return nil
	}
	return []orders.Place{ordersIn(p), {Store: at.Server.Beside("")}}
}

// attendance is the lock of an account whose state lies in a database: daemons pull accounts, and each has those that
// it pulled.
type attendance struct{ at place.Place }

func (a attendance) Take(func(time.Duration)) (orders.Held, error) {
	if !a.Stands() {
		return nil, orders.ErrAttended
	}
	return a, nil
}

func (a attendance) Taken() (bool, error) {
	holding, err := a.at.Server.AttendedBy(context.Background(), a.at.Account)
	return holding.Held, err
}

func (a attendance) Stands() bool { return a.at.Server.Attends(a.at.Account) }

func (a attendance) End() error { return a.at.Server.GiveBack(context.Background(), a.at.Account) }

// unreachable is the lock of a place nobody can reach.
type unreachable struct{ err error }

func (u unreachable) Take(func(time.Duration)) (orders.Held, error) { return nil, u.err }

func (u unreachable) Taken() (bool, error) { return false, u.err }

// BesideOf is what is kept beside the state of a project.
func BesideOf(env *Env, p config.Project) kv.Store { return OrdersOf(env, p).Store }

// handBack is what wakes a daemon that handed an account over: it tries again.
const handBack = "retry"

// WakeResumed wakes the daemon of an account whose suspension has ended. Who ended it is noted with that.
func WakeResumed(at orders.Place) error { return at.Ring(string(daemon.Continued), time.Now()) }

// handedOver asks whoever has the state of an account in a database to hand it over, and opens it once it is free.
// locked is why it could not be opened.
func handedOver(ctx context.Context, env *Env, p config.Project, locked error) (store state.Store, err error) {
	at, err := PlaceOf(ctx, env, p)
	if err != nil || at.Server == nil {
		return nil, cmp.Or(err, locked)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	place := OrdersOf(env, p)
	wish := orders.Handover{By: Person(env), Host: host, Command: env.Command, Since: time.Now().UTC()}
	defer func() { err = errors.Join(err, place.EndHandover()) }()
	env.Note("%v; it is asked to hand the account over once what it sent is heard of, and waited for at most %s "+
		"(--wait)", locked, env.HandOver)
	for until := time.Now().Add(env.HandOver); time.Now().Before(until); {
		wish.Word++
		if err := place.WishHandover(wish); err != nil {
			return nil, err
		}
		for next := time.Now().Add(orders.WishEvery); time.Now().Before(next); {
			if err := Sleep(ctx, handoverEvery); err != nil {
				return nil, console.ExitWith(console.ExitInterrupted, "interrupted; nothing was sent")
			}
			store, err := OpenState(ctx, env, p, false)
			if !errors.Is(err, state.ErrLocked) {
				return store, err
			}
			locked = err
		}
	}
	return nil, fmt.Errorf("the account was not handed over within %s: %w", env.HandOver, locked)
}

// handoverEvery is how often it is tried.
const handoverEvery = 500 * time.Millisecond

// ProjectAt finds an account: by --state or --account, which say where its state is and
// nothing else, or by its adsync.yaml.
func ProjectAt(env *Env, c *cobra.Command, args []string, f NamedFlags) (config.Project, error) {
	project, err := NamedBy(env, c, args, f)
	if err != nil || project.Home != "" {
		return project, err
	}
	dir, err := console.Folder(c, args)
	if err != nil {
		return config.Project{}, err
	}
	return ProjectOf(env, dir)
}

// NamedBy is the project without files whose state --state or --account names, without a Home where neither is
// given. An account's operator's file counts where no other was named.
func NamedBy(env *Env, c *cobra.Command, args []string, f NamedFlags) (p config.Project, err error) {
	if f.Given() && len(args) > 0 || f.State != "" && f.Account != "" {
		return p, console.Usage(c, errors.New("a folder, --state and --account exclude each other"))
	}
	if f.Account == "" {
		return config.Project{Home: f.State}, nil
	}
	file, err := filepath.Abs(f.Config)
	if err != nil {
		return p, err
	}
	settings, problems := config.ReadDaemon(file)
	if diag.HasErrors(problems) {
		ShowProblems(env, config.Project{}, problems)
		return p, console.ExitWith(console.ExitUsage, console.Counted(problems)+" of the configuration")
	}
	for _, one := range settings.Accounts {
		if one.Name.Value != f.Account {
			continue
		}
		if env.Flags.Operator == "" {
			env.Flags.Operator = one.Operator
		}
		env.Database, env.Address = settings.Database, settings.Address.Value
		return StateOf(env, settings, one), nil
	}
	return p, console.Configuration("%s has no account %q; want one of its names", file, f.Account)
}

// StateOf is a project without files that says where the daemon keeps the state of an account.
func StateOf(env *Env, settings config.Daemon, one config.DaemonAccount) config.Project {
	p := config.Project{Account: config.Account{ID: one.ID.Value}}
	if one.Folder != "" {
		project, _ := ReadProject(env, one.Folder) // without its adsync.yaml it is at its usual place
		p.Home, p.Account.ID = project.StateFolder(), cmp.Or(p.Account.ID, project.Account.ID)
		return p
	}
	p.Home = filepath.Join(cmp.Or(one.State, filepath.Join(settings.State, one.Name.Value)), "state")
	return p
}
