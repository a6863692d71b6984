// Package replica has several daemons share the accounts whose states lie in one database: each pulls its fair share,
// takes over what a daemon that is gone had, and hears what people order wherever they order it.
//
// It refuses to know what an account is. Its invariant: an account that another daemon has is never said to be held.
//
// replica.go pulls accounts; publisher.go tells the other daemons of those that this one has; desk.go is all accounts
// for pages and orders, whichever daemon has them; listener.go hears what others ring.
package replica

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/orders"
	"adsync/state"
	"adsync/state/kv"
)

// Database is what a replica asks of the database.
type Database interface {
	Configure(ctx context.Context, accounts []string) error
	Pull(ctx context.Context, accounts []string) (state.Share, error)
	Ordered(ctx context.Context) (map[string]string, error)
	GiveBack(ctx context.Context, account string) error
	Beside(account string) kv.Store
}

// Replica is one of the daemons. Its fields are set before Run and stay.
type Replica struct {
	Database Database
	Log      *slog.Logger
	Host     string // of this daemon, by which its own STOP is known
	Shared   string // folder of the configuration, whose file STOP stops every account; "" for none
	Every    time.Duration
	Sleep    func(context.Context, time.Duration) error
	Named    func(context.Context) error // tells the database what else it is to know of the accounts; nil: nothing

	mu       sync.Mutex
	accounts []string // of the configuration
	known    []string // of those, as the database was told
	held     []string // by this daemon, without what it leaves
	leaving  map[string]bool
	bells    map[string]chan struct{}
	ordered  map[string]string // fingerprints of orders
	orders   string            // another with each order, as of the last pull; "" where that is not known
	heard    string            // as orders, when ordered was asked
	away     bool              // the database did not answer
}

// usualEvery is how often accounts are pulled and orders looked for.
const usualEvery = 2 * time.Second

// mostLeft is how many accounts are left to others at a time.
const mostLeft = 50

// Configure says which accounts there are.
func (r *Replica) Configure(accounts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accounts, r.known = slices.Clone(accounts), nil
}

// Run pulls accounts until the context ends. changed is called with all that this daemon holds, whenever it is others
// than before.
func (r *Replica) Run(ctx context.Context, changed func(held []string)) {
	every := r.Every
	if every == 0 {
		every = usualEvery
	}
	for r.Sleep(ctx, every) == nil {
		if held, moved := r.Pull(ctx); moved {
			changed(held)
		}
		r.hear(ctx)
	}
}

// Pull pulls once, and returns what this daemon holds, and whether that is other than before. Where the database does
// not answer it is as before: leases say for how long.
func (r *Replica) Pull(ctx context.Context) (held []string, moved bool) {
	accounts, fresh := r.configured()
	var share state.Share
	var err error
	if fresh {
		err = r.Database.Configure(ctx, accounts)
	}
	if fresh && err == nil && r.Named != nil {
		err = r.Named(ctx)
	}
	if err == nil {
		share, err = r.Database.Pull(ctx, accounts)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.say(err); err != nil {
		r.orders = ""
		return r.held, false
	}
	r.known, r.orders = accounts, share.Orders
	slices.Sort(share.Held)
	for account := range r.leaving {
		if !slices.Contains(share.Held, account) { // it was given back
			delete(r.leaving, account)
		}
	}
	held = slices.DeleteFunc(share.Held, func(account string) bool { return r.leaving[account] })
	for n := min(share.Excess-len(r.leaving), mostLeft); n > 0; n-- {
		last := held[len(held)-1]
		held = held[:len(held)-1]
		if r.leaving == nil {
			r.leaving = map[string]bool{}
		}
		r.leaving[last] = true
	}
	moved = !slices.Equal(held, r.held)
	if moved {
		r.Log.Info("accounts are shared", "held", len(held), "of", len(accounts), "daemons", share.Workers)
	}
	r.held = held
	return slices.Clone(held), moved
}

// Leave gives an account back that this daemon has ended with. One that cannot be given back is others' once the lease
// ends.
func (r *Replica) Leave(account string) {
	if err := r.Database.GiveBack(context.Background(), account); err != nil {
		r.Log.Warn("an account cannot be given back before the lease ends", "account", account, "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.leaving, account) // it may be this daemon's again by the next pull
}

// configured returns the accounts, and whether the database was not told of them yet.
func (r *Replica) configured() (accounts []string, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.accounts, !slices.Equal(r.accounts, r.known)
}

// say logs once that the database is away, and once that it is back. mu is held.
func (r *Replica) say(err error) {
	switch {
	case err != nil && !r.away:
		r.Log.Warn("the database does not answer; nothing is sent once the lease ends", "error", err)
	case err == nil && r.away:
		r.Log.Info("the database answers again")
	}
	r.away = err != nil
}

// Bell rings when orders of an account may be others.
func (r *Replica) Bell(account string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bells == nil {
		r.bells = map[string]chan struct{}{}
	}
	if r.bells[account] == nil {
		r.bells[account] = make(chan struct{}, 1)
	}
	return r.bells[account]
}

// hear rings for orders that came or went, and has a file STOP of this machine stop every account.
func (r *Replica) hear(ctx context.Context) {
	ordered, asked, err := r.orderedNow(ctx)
	if err := r.passOnStop(ordered[""], err); err != nil {
		r.Log.Error("a file STOP of this machine cannot be told to other machines; it holds here", "error", err)
	}
	if err != nil {
		return // Pull says so
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	everybody := ordered[""] != r.ordered[""]
	for account, bell := range r.bells {
		if everybody || ordered[account] != r.ordered[account] {
			strike(bell)
		}
	}
	r.ordered, r.heard = maps.Clone(ordered), asked
}

// orderedNow returns the fingerprints of all orders. Where the last pull found none that came or went it asks nobody.
// asked is what the pull found.
func (r *Replica) orderedNow(ctx context.Context) (ordered map[string]string, asked string, err error) {
	ordered, asked, same := r.asHeard()
	if !same {
		ordered, err = r.Database.Ordered(ctx)
	}
	return ordered, asked, err
}

func (r *Replica) asHeard() (ordered map[string]string, asked string, same bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ordered, r.orders, r.orders != "" && r.orders == r.heard
}

// ring rings for an account, "" for all.
func (r *Replica) ring(account string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, bell := range r.bells {
		if name == account || account == "" {
			strike(bell)
		}
	}
}

func strike(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default: // it rings
	}
}

// passOnStop puts a STOP for every account into the database while a file STOP lies beside the configuration, and
// takes it away with the file: only the one this machine put there. ordered is what is ordered for all.
func (r *Replica) passOnStop(ordered string, unasked error) error {
	if r.Shared == "" {
		return nil
	}
	all, file := r.Database.Beside(""), filepath.Join(r.Shared, orders.StopName)
	ours := r.Host + " " + file
	_, err := os.Lstat(file)
	there, stands := !errors.Is(err, fs.ErrNotExist), strings.Contains("\n"+ordered, "\n"+orders.StopName+" ")
	switch {
	case there && unasked != nil:
		return unasked
	case there && !stands:
		return all.Put(orders.StopName, []byte(ours))
	case there || !stands:
		return nil
	}
	said, err := all.Get(orders.StopName, 4096)
	if err == nil && string(said) == ours {
		return all.Delete(orders.StopName)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
