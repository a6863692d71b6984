package session

import (
	"errors"
	"path/filepath"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/sources/config"
	"adsync/state/kv"

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
func OrdersOf(_ *Env, p config.Project) orders.Place {
	folder := kv.Folder{Dir: p.StateFolder()}
	if p.Home == "" {
		folder.Within = p.Root
	}
	return orders.InFolder(folder)
}

// BesideOf is what is kept beside the state of a project.
func BesideOf(env *Env, p config.Project) kv.Store { return OrdersOf(env, p).Store }

// ProjectAt finds an account: by --state or --account, which say where its state is and
// nothing else, or by its adsync.yaml.
func ProjectAt(env *Env, c *cobra.Command, args []string, f NamedFlags) (config.Project, error) {
	state, err := StateOf(env, c, args, f)
	if err != nil || state != "" {
		return config.Project{Home: state}, err
	}
	dir, err := console.Folder(c, args)
	if err != nil {
		return config.Project{}, err
	}
	return ProjectOf(env, dir)
}

// StateOf is the state folder that --state or --account names, "" where neither is
// given. An account's operator's file counts where no other was named.
func StateOf(env *Env, c *cobra.Command, args []string, f NamedFlags) (string, error) {
	if f.Given() && len(args) > 0 || f.State != "" && f.Account != "" {
		return "", console.Usage(c, errors.New("a folder, --state and --account exclude each other"))
	}
	if f.Account == "" {
		return f.State, nil
	}
	file, err := filepath.Abs(f.Config)
	if err != nil {
		return "", err
	}
	settings, problems := config.ReadDaemon(file)
	if diag.HasErrors(problems) {
		ShowProblems(env, config.Project{}, problems)
		return "", console.ExitWith(console.ExitUsage, console.Counted(problems)+" of the configuration")
	}
	for _, one := range settings.Accounts {
		if one.Name.Value != f.Account {
			continue
		}
		if env.Flags.Operator == "" {
			env.Flags.Operator = one.Operator
		}
		return stateFolderOf(env, settings, one), nil
	}
	return "", console.Configuration("%s has no account %q; want one of its names", file, f.Account)
}

// stateFolderOf is where the daemon keeps the state of an account.
func stateFolderOf(env *Env, settings config.Daemon, one config.DaemonAccount) string {
	if one.Folder != "" {
		project, _ := ReadProject(env, one.Folder) // without its adsync.yaml it is at its usual place
		return project.StateFolder()
	}
	home := one.State
	if home == "" {
		home = filepath.Join(settings.State, one.Name.Value)
	}
	return filepath.Join(home, "state")
}
