package session

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/branch"
)

// Addresses are the services that accounts of this process are asked at: to each of
// them the process is one address, whose limits its accounts share.
type Addresses struct {
	mu       sync.Mutex
	byServer map[string]*adsapi.Address // by host and port
}

// Of returns what the accounts at a base address share; nil where there is one account
// only, and no other process asks from here. An address nobody can read is refused where
// it is used.
func (s *Addresses) Of(base string, now func() time.Time, others Ledgers) *adsapi.Address {
	server := base
	if u, err := url.Parse(base); err == nil {
		server = u.Host
	}
	switch {
	case s == nil && others == nil:
		return nil
	case s == nil:
		return adsapi.NewAddress(adsapi.Limits{}, now, others(server))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byServer == nil {
		s.byServer = map[string]*adsapi.Address{}
	}
	if s.byServer[server] == nil {
		var ledger adsapi.Ledger
		if others != nil {
			ledger = others(server)
		}
		s.byServer[server] = adsapi.NewAddress(adsapi.Limits{}, now, ledger)
	}
	return s.byServer[server]
}

// Ledgers has, for each service, the ledger of what all processes send to it from the network address of this one.
// nil: no other process sends from here.
type Ledgers func(server string) adsapi.Ledger

// ledgersOf are those of the database with the states; nil where they lie in folders, where the service is the emulator
// of this process, and where the database is done without.
func ledgersOf(env *Env, p config.Project) (Ledgers, error) {
	from, err := databaseOf(env, p)
	if err != nil || from.From == "" || env.Direct || emulated(env, p) {
		return nil, err
	}
	name, err := addressName(env)
	if err != nil {
		return nil, err
	}
	server, err := env.Databases.of(context.Background(), env, from)
	if err != nil {
		return nil, err
	}
	return func(service string) adsapi.Ledger {
		if slots := server.Slots(name + " to " + service); slots != nil {
			return slots
		}
		return nil
	}, nil
}

const (
	// envAddress names the network address that requests leave from.
	envAddress = "ADSYNC_ADDRESS"
	// usualAddress is the name where none is given: all processes of a database share one address. Those behind one
	// gateway do, and who has more than one loses speed, and no request.
	usualAddress = "shared"
)

// addressName is what the processes that send from one network address call it.
func addressName(env *Env) (string, error) {
	name := cmp.Or(env.Getenv(envAddress), env.Address, usualAddress)
	if !config.IsAddressName(name) {
		return "", console.Configuration("%s is %q; want %s", envAddress, name, config.WantAddressName)
	}
	return name, nil
}

// Databases are those with states that a process has opened, one for each place where an address stands.
type Databases struct {
	Promoted func(text string) // is told that one was promoted, and what it kept; nil: nobody is

	mu       sync.Mutex
	open     map[string]*state.Server
	branches map[string]*branch.Branch // also with states, by their working folders
}

// branch returns the branch that has a working folder. It is made once.
func (d *Databases) branch(key string, fresh func() (*branch.Branch, error)) (*branch.Branch, error) {
	if d == nil {
		return fresh()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.branches[key]; b != nil {
		return b, nil
	}
	b, err := fresh()
	if err != nil {
		return nil, err
	}
	if d.branches == nil {
		d.branches = map[string]*branch.Branch{}
	}
	d.branches[key] = b
	return b, nil
}

// of returns the database whose address stands in a place. It stays open until Close.
func (d *Databases) of(ctx context.Context, env *Env, from config.KeyReference) (*state.Server, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := from.From + " " + from.Value
	if server := d.open[key]; server != nil {
		return server, nil
	}
	address, err := SecretOf(ctx, env, from)
	if err != nil {
		return nil, err
	}
	lease, err := leaseOf(env)
	if err != nil {
		return nil, err
	}
	server, err := state.OpenServer(ctx, address,
		state.Options{Command: env.Command, Version: console.Release, Lease: lease, Promoted: d.Promoted})
	if err != nil {
		return nil, err
	}
	if d.open == nil {
		d.open = map[string]*state.Server{}
	}
	d.open[key] = server
	return server, nil
}

// envLease is how long a process is waited for that the database does not hear of.
const envLease = "ADSYNC_DATABASE_LEASE"

// leaseOf is what it says; zero is the usual time.
func leaseOf(env *Env) (time.Duration, error) {
	text := env.Getenv(envLease)
	if text == "" {
		return 0, nil
	}
	lease, err := time.ParseDuration(text)
	if err != nil || lease < time.Second || lease > 5*time.Minute {
		return 0, console.Configuration("%s is %q; want a time from 1s to 5m, the same for all that share a database",
			envLease, text)
	}
	return lease, nil
}

// Close gives back whatever this process holds in its databases.
func (d *Databases) Close() (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, server := range d.open {
		err = errors.Join(err, server.Close())
		delete(d.open, key)
	}
	return err
}
