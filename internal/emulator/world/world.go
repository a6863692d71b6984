// Package world is what the service knows: accounts, the tables of their
// records, and the log of every accepted mutation.
//
// It decides nothing about requests. Everything is read inside Account.View and
// changed inside Account.Update; a change is either whole, durable and logged,
// or it never was. Its invariant: nobody sees or is told of a record that a
// kill -9 could still take away.
//
// account.go has View and Update, mutation.go the log, table.go a table of records; the records
// themselves: tree.go (campaigns to ads), audience.go, conversion.go, spendlimit.go, brand.go,
// job.go, review.go; directory.go has users, keys and OAuth clients.
package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"adsync/internal/emulator/clock"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/store"
)

// World is every account of one emulator.
type World struct {
	Clock  *clock.Clock
	Points *openpoint.Settings
	// Spending is set once, before the first request; nil: nothing is spent.
	Spending  Spending
	Directory *Directory

	store *store.Store
	seed  uint64
	log   mutationLog

	mu       sync.RWMutex
	accounts []*Account // in order of their ids
}

const (
	bucketAccounts = "accounts"
	bucketMeta     = "meta"
	keyClock       = "clock_offset_ns"
)

// Load reads everything the store has. Seed makes the ids.
func Load(st *store.Store, ck *clock.Clock, points *openpoint.Settings, seed uint64) (*World, error) {
	w := &World{Clock: ck, Points: points, store: st, seed: seed}
	if err := w.loadClock(); err != nil {
		return nil, err
	}
	if err := w.log.load(st); err != nil {
		return nil, err
	}
	if err := w.loadDirectory(st); err != nil {
		return nil, err
	}
	var ids []string
	err := st.Load(bucketAccounts, func(id string, _ []byte) error {
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		a := newAccount(w, id)
		if err := a.load(st); err != nil {
			return nil, err
		}
		w.accounts = append(w.accounts, a)
	}
	return w, nil
}

func (w *World) loadClock() error {
	return w.store.Load(bucketMeta, func(key string, value []byte) error {
		if key != keyClock {
			return nil
		}
		ns, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return err
		}
		w.Clock.Advance(time.Duration(ns))
		return nil
	})
}

// MoveClock moves the clock by d, durably: a restarted emulator does not go back.
func (w *World) MoveClock(d time.Duration) error {
	w.Clock.Advance(d)
	offset := strconv.FormatInt(int64(w.Clock.Offset()), 10)
	return w.store.Wait(w.store.Append([]store.Write{{Bucket: bucketMeta, Key: keyClock, Value: []byte(offset)}}))
}

// Accounts are all accounts in order of their ids.
func (w *World) Accounts() []*Account {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return slices.Clone(w.accounts)
}

// Account is the account of that id, or nil.
func (w *World) Account(id string) *Account {
	for _, a := range w.Accounts() {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// AddAccount makes an account with its first record and API key. An account
// that is there is left as it is.
func (w *World) AddAccount(p Profile, key string) (*Account, error) {
	if a := w.Account(p.ID); a != nil {
		return a, nil
	}
	a := newAccount(w, p.ID)
	w.mu.Lock()
	w.accounts = append(w.accounts, a)
	slices.SortFunc(w.accounts, func(x, y *Account) int { return compareText(x.ID, y.ID) })
	w.mu.Unlock()
	err := a.Update(Cause{Actor: "seed", Endpoint: "seed"}, func(tx *Tx) error {
		tx.write(store.Write{Bucket: bucketAccounts, Key: p.ID, Value: []byte("{}")})
		a.Profiles.Put(tx, p)
		if key != "" {
			a.APIKeys.Put(tx, NewAPIKey("seed", key, tx.Now.Unix()))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("seed account %s: %w", p.ID, err)
	}
	return a, nil
}

// ByKey is the account an API key is bound to, and the key's record.
func (w *World) ByKey(secret string) (*Account, APIKey, bool) {
	hash := HashKey(secret)
	for _, a := range w.Accounts() {
		var key APIKey
		var ok bool
		a.peek(func() { key, ok = a.APIKeys.Get(hash) })
		if ok {
			return a, key, true
		}
	}
	return nil, APIKey{}, false
}

// commit makes a transaction's writes and log entries one batch of the store.
func (w *World) commit(tx *Tx) int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	for _, m := range tx.mutations {
		m.Seq = int64(len(w.log.entries)) + 1
		w.log.entries = append(w.log.entries, m)
		tx.write(store.Write{Bucket: bucketMutations, Key: fmt.Sprintf("%016d", m.Seq), Value: mustJSON(m)})
	}
	return w.store.Append(tx.writes)
}

// mustJSON writes a record; records hold nothing that JSON cannot say.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("write record %T: %v", v, err))
	}
	return text
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
