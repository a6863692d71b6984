package main

import (
	"errors"
	"path/filepath"

	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/sources"

	"github.com/spf13/cobra"
)

// namedFlags name an account without its files.
type namedFlags struct {
	state   string // folder of adsync's own state
	account string // name of an account in the daemon's configuration
	config  string
}

func (f *namedFlags) given() bool { return f.state != "" || f.account != "" }

func (f *namedFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.state, "state", "", "folder of adsync's own state, where the files are not in a folder here")
	c.Flags().StringVar(&f.account, "account", "",
		"name of an account in the daemon's configuration, in the place of a folder")
	c.Flags().StringVar(&f.config, "config", "/etc/adsync/daemon.yaml", "the daemon's configuration, with --account")
}

// ordersAt finds where the orders of an account lie: by --state or --account, else
// by its adsync.yaml.
func (a *app) ordersAt(c *cobra.Command, args []string, f namedFlags) (orders.Folder, error) {
	state, err := a.stateOf(c, args, f)
	if err != nil || state != "" {
		return orders.Folder(state), err
	}
	dir, err := folder(c, args)
	if err != nil {
		return "", err
	}
	project, err := a.projectOf(dir)
	return ordersOf(project), err
}

// stateOf is the state folder that --state or --account names, "" where neither is
// given. An account's operator's file counts where no other was named.
func (a *app) stateOf(c *cobra.Command, args []string, f namedFlags) (string, error) {
	if f.given() && len(args) > 0 || f.state != "" && f.account != "" {
		return "", usage(c, errors.New("a folder, --state and --account exclude each other"))
	}
	if f.account == "" {
		return f.state, nil
	}
	file, err := filepath.Abs(f.config)
	if err != nil {
		return "", err
	}
	config, problems := sources.ReadDaemon(file)
	if diag.HasErrors(problems) {
		a.showProblems(sources.Project{}, problems)
		return "", exitWith(exitUsage, counted(problems)+" of the configuration")
	}
	for _, one := range config.Accounts {
		if one.Name.Value != f.account {
			continue
		}
		if a.flags.operator == "" {
			a.flags.operator = one.Operator
		}
		return a.stateFolderOf(config, one), nil
	}
	return "", configuration("%s has no account %q; want one of its names", file, f.account)
}

// stateFolderOf is where the daemon keeps the state of an account.
func (a *app) stateFolderOf(config sources.Daemon, one sources.DaemonAccount) string {
	if one.Folder != "" {
		project, _ := a.readProject(one.Folder) // without its adsync.yaml it is at its usual place
		return project.StateFolder()
	}
	home := one.State
	if home == "" {
		home = filepath.Join(config.State, one.Name.Value)
	}
	return filepath.Join(home, "state")
}
