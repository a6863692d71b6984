package daemoncmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/replica"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/sources/config"
	"adsync/state"
)

// sharing is how this daemon shares its accounts with others, where their states lie in a database. nil: every account
// is its own.
type sharing struct {
	*replica.Replica
	server    *state.Server
	ids       map[string]string // of the accounts, by name
	held      map[string]bool   // of those, which are this daemon's
	desk      *replica.Desk
	publisher *replica.Publisher
	listener  *replica.Listener

	mu        sync.Mutex
	settings  config.Daemon
	elsewhere map[string]daemon.Account // what is kept beside accounts, of those that were asked for
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
	s.desk = &replica.Desk{Views: server.Views(), Log: log}
	s.Named = s.desk.Named
	mark := rand.Text()
	s.publisher = &replica.Publisher{Desk: s.desk, Log: log, Says: named, Sleep: session.Sleep, Mark: mark}
	s.listener = &replica.Listener{Replica: s.Replica, Desk: s.desk, Log: log, Mark: mark, Sleep: session.Sleep}
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
	var known []replica.Known
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
		known = append(known, replica.Known{
			ID: id, Name: a.Name.Value, Source: cmp.Or(a.Folder, branchName(a.Git)),
		})
	}
	s.ids = ids
	s.desk.Configure(known)
	s.Configure(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings, s.elsewhere = settings, map[string]daemon.Account{}
	return nil
}

// named puts the names of a plan in a message.
func named(p *planview.Document, message string) string {
	if p == nil {
		return ""
	}
	return words.NamesOf(session.Schemas(), p.Changes).In(message)
}

// shows returns the desk of all accounts of the database, once there is a hub.
func (s *sharing) shows(d *daemonRun) daemon.Desk {
	s.desk.Hub = d.hub
	s.desk.Elsewhere = func(name string) (daemon.Account, error) { return s.beside(d, name) }
	return s.desk
}

// beside is what is kept beside an account of the configuration, whichever daemon works on it.
func (s *sharing) beside(d *daemonRun, name string) (daemon.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	account, there := s.elsewhere[name]
	if there {
		return account, nil
	}
	at := slices.IndexFunc(s.settings.Accounts, func(a config.DaemonAccount) bool { return a.Name.Value == name })
	if at < 0 {
		return account, daemon.ErrNoAccount
	}
	a := s.settings.Accounts[at]
	own := forAccount(d.env, d.log.With("account", name))
	if a.Operator != "" {
		own.Flags.Operator = a.Operator
	}
	project := session.StateOf(own, s.settings, a)
	lease := d.lease(s.settings, name, own, project)
	lease.Standing = nil // a page waits for no look
	account = daemon.Account{Name: name, Orders: lease, Ring: lease.Ring, Archive: &archive{env: own, orders: lease,
		kept: func(ctx context.Context, run string) (*runs.KeptRuns, error) {
			return runs.KeptOf(ctx, own, project, run)
		},
		mirror: func(ctx context.Context) (state.Store, error) { return session.OpenMirror(ctx, own, project) },
		serial: func(ctx context.Context) int64 { return serialOf(ctx, own, project) }}}
	if a.Folder == "" {
		account.Accept, account.Acceptances = lease.Accept, lease.Acceptances
	}
	s.elsewhere[name] = account
	return account, nil
}

// tell tells other daemons that a run of an account is more than a look.
func (s *sharing) tell(name string) {
	if status, there := s.desk.Hub.Account(name); there {
		s.publisher.Tell(status, s.desk.Hub.Plan(name))
	}
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

// leave gives an account to others whose loop has ended.
func (s *sharing) leave(name, id string) {
	if s != nil {
		s.publisher.Forget(name)
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

// handingOver has an apply of this daemon leave out what is not sent yet while a person's command wants the account.
type handingOver struct {
	worker *worker
	left   atomic.Bool // something was left out

	mu      sync.Mutex
	looked  time.Time
	wanted  string
	handing orders.Handing
}

// handoverLook is how often it is looked whether somebody wants the account.
const handoverLook = time.Second

// why is asked of each change before it is sent.
func (h *handingOver) why() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.worker.id == "" { // its state lies in a folder
		return ""
	}
	if now := time.Now(); now.Sub(h.looked) >= handoverLook {
		h.looked, h.wanted = now, ""
		if wish, stands := h.handing.Stands(h.worker.orders.Place, now); stands {
			h.wanted = "left out: the account is handed over, as " + wish.String()
		}
	}
	if h.wanted != "" {
		h.left.Store(true)
	}
	return h.wanted
}

// handedOver is a result while a person's command wants the account, and this daemon leaves it alone.
func (w *worker) handedOver() (r daemon.Result, wanted bool) {
	if w.id == "" {
		return r, false
	}
	wish, wanted := w.handing.Stands(w.orders.Place, time.Now())
	r.Class, r.Message = daemon.Locked, diag.Printable("the account is handed over, as "+wish.String())
	return r, wanted
}
