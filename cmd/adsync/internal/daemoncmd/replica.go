package daemoncmd

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/replica"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources/config"
	"adsync/state"
)

// sharing is how this daemon shares its accounts with others, where their states lie in a database. nil: every account
// is its own.
type sharing struct {
	*replica.Replica
	server *state.Server
	ids    map[string]string // of the accounts, by name
	held   map[string]bool   // of those, which are this daemon's
}

// shareOf has a daemon take its share of the accounts where their states lie in a database; nil where they do not.
func shareOf(ctx context.Context, env *session.Env, log *slog.Logger, settings config.Daemon) (*sharing, error) {
	env.Database, env.Address = settings.Database, settings.Address.Value
	if env.Databases != nil {
		env.Databases.Promoted = func(text string) { log.Warn(text) }
	}
	server, err := session.ServerOf(ctx, env)
	if err != nil || server == nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	s := &sharing{server: server}
	s.Replica = &replica.Replica{Database: server, Log: log, Host: host, Sleep: session.Sleep}
	if settings.File != "" {
		s.Shared = filepath.Dir(settings.File)
	}
	if err := s.configure(env, settings); err != nil {
		return nil, err
	}
	held, _ := s.Pull(ctx)
	s.hold(held)
	return s, nil
}

// configure says which accounts there are. In a database an account is known by its id.
func (s *sharing) configure(env *session.Env, settings config.Daemon) error {
	if s == nil {
		return nil
	}
	ids, names := map[string]string{}, map[string]string{}
	var all []string
	for _, a := range settings.Accounts {
		id := session.StateOf(env, settings, a).Account.ID
		switch before, twice := names[id]; {
		case id == "":
			return console.Configuration("account %q has no id; want id: with that of the ad account, "+
				"by which its state lies in the database", a.Name.Value)
		case twice:
			return console.Configuration("accounts %q and %q are both %s; want each ad account once",
				before, a.Name.Value, diag.Printable(id))
		}
		ids[a.Name.Value], names[id] = id, a.Name.Value
		all = append(all, id)
	}
	s.ids = ids
	s.Configure(all)
	return nil
}

// hold notes which accounts are this daemon's.
func (s *sharing) hold(ids []string) {
	s.held = make(map[string]bool, len(ids))
	for _, id := range ids {
		s.held[id] = true
	}
}

// has reports whether this daemon works on an account.
func (s *sharing) has(name string) bool { return s == nil || s.held[s.ids[name]] }

// leave gives an account to others, by its id, whose loop has ended.
func (s *sharing) leave(id string) {
	if s != nil {
		s.Leave(id)
	}
}

// pull gives the ids of this daemon's accounts whenever they are others, until the context ends.
func (s *sharing) pull(ctx context.Context, pulled chan<- []string) {
	s.Run(ctx, func(held []string) {
		select {
		case pulled <- held:
		case <-ctx.Done():
		}
	})
}

// hear looks whenever orders of an account, by its id, may be others.
func (s *sharing) hear(ctx context.Context, id string, look func() time.Duration) {
	for bell := s.Bell(id); ctx.Err() == nil; {
		look()
		select {
		case <-ctx.Done():
		case <-bell:
		}
	}
}

// wrongAccount is an error where the files are of another account than the configuration says: their state would lie
// where nobody looks for it.
func (w *worker) wrongAccount(l session.Loaded) error {
	if w.id == "" || w.id == l.Project.Account.ID {
		return nil
	}
	return console.Configuration("the daemon's configuration has id: %s for this account, and %s is of %q; want one id",
		diag.Printable(w.id), config.ProjectFile, l.Project.Account.ID)
}
