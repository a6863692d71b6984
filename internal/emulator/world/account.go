package world

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/store"
)

// Account is one ad account and all its records.
//
// To add a kind: a file with its record, a field here, a line in newAccount.
type Account struct {
	ID    string
	world *World

	mu     sync.RWMutex
	births int64 // numbers given to records, ids and versions
	tables []interface{ load(*store.Store) error }

	Profiles      *Table[Profile] // one row
	APIKeys       *Table[APIKey]
	Keys          *Table[CreateKey]
	Campaigns     *Table[Campaign]
	AdGroups      *Table[AdGroup]
	Ads           *Table[Ad]
	Files         *Table[File]
	Jobs          *Table[Job]
	JobBodies     *Table[JobBody]
	JobResults    *Table[JobResult]
	EventSettings *Table[EventSetting]
	Pixels        *Table[Pixel]
	SpendLimits   *Table[SpendLimit]
	SpendConfigs  *Table[SpendConfig] // one row
	Trackings     *Table[Tracking]    // at most one row

	AudienceTables
	ConversionTables

	AdGroupsOf   *Index[AdGroup]   // by campaign
	AdsOf        *Index[Ad]        // by ad group
	JobsByKey    *Index[Job]       // by Idempotency-Key
	ResultsOf    *Index[JobResult] // by job
	LiveCampaign *Index[Campaign]  // by status
	LiveAdGroup  *Index[AdGroup]
	LiveAd       *Index[Ad]
}

func newAccount(w *World, id string) *Account {
	a := &Account{ID: id, world: w}
	a.Profiles = newTable(a, "profile", func(p Profile) string { return p.ID })
	a.APIKeys = newTable(a, "api_keys", func(k APIKey) string { return k.Hash })
	a.Keys = newTable(a, "create_keys", CreateKey.id)
	a.Campaigns = newTable(a, "campaigns", func(c Campaign) string { return c.ID })
	a.AdGroups = newTable(a, "ad_groups", func(g AdGroup) string { return g.ID })
	a.Ads = newTable(a, "ads", func(d Ad) string { return d.ID })
	a.Files = newTable(a, "files", func(f File) string { return f.ID })
	a.Jobs = newTable(a, "jobs", func(j Job) string { return j.ID })
	a.JobBodies = newTable(a, "job_bodies", func(b JobBody) string { return b.JobID })
	a.JobResults = newTable(a, "job_results", JobResult.id)
	a.EventSettings = newTable(a, "event_settings", func(s EventSetting) string { return s.ID })
	a.Pixels = newTable(a, "pixels", func(p Pixel) string { return p.ID })

	a.SpendLimits = newTable(a, "spend_limits", func(l SpendLimit) string { return l.ID })
	a.SpendConfigs = newTable(a, "spend_configs", func(c SpendConfig) string { return c.AccountID })
	a.Trackings = newTable(a, "tracking", func(t Tracking) string { return t.AccountID })

	a.AudienceTables = newAudienceTables(a)
	a.ConversionTables = newConversionTables(a)

	a.AdGroupsOf = a.AdGroups.index(func(g AdGroup) string { return g.CampaignID })
	a.AdsOf = a.Ads.index(func(d Ad) string { return d.AdGroupID })
	a.JobsByKey = a.Jobs.index(func(j Job) string { return j.Key })
	a.ResultsOf = a.JobResults.index(func(r JobResult) string { return r.JobID })
	a.LiveCampaign = a.Campaigns.index(func(c Campaign) string { return string(c.Status) })
	a.LiveAdGroup = a.AdGroups.index(func(g AdGroup) string { return string(g.Status) })
	a.LiveAd = a.Ads.index(func(d Ad) string { return string(d.Status) })
	return a
}

func (a *Account) bucket(name string) string { return a.ID + "/" + name }

func (a *Account) load(st *store.Store) error {
	for _, t := range a.tables {
		if err := t.load(st); err != nil {
			return err
		}
	}
	return st.Load(a.bucket("births"), func(_ string, value []byte) (err error) {
		a.births, err = strconv.ParseInt(string(value), 10, 64)
		return err
	})
}

// Profile is the account's own record. Call it inside View or Update.
func (a *Account) Profile() Profile {
	p, _ := a.Profiles.Get(a.ID)
	return p
}

// View runs fn on a state that does not change meanwhile and returns when all
// fn may have seen is durable. fn must not keep or change what it reads.
func (a *Account) View(fn func() error) error {
	var err error
	a.mu.RLock()
	func() {
		defer a.mu.RUnlock()
		err = fn()
	}()
	if waitErr := a.world.store.Wait(a.world.store.Last()); waitErr != nil {
		return waitErr
	}
	return err
}

// peek reads without waiting for durability.
func (a *Account) peek(fn func()) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	fn()
}

// Update runs fn alone and makes its changes durable before it returns. When fn
// fails or panics nothing has changed.
func (a *Account) Update(cause Cause, fn func(tx *Tx) error) error {
	seq, err := a.stage(cause, fn)
	if err != nil {
		return err
	}
	return a.world.store.Wait(seq)
}

func (a *Account) stage(cause Cause, fn func(tx *Tx) error) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	tx := &Tx{Account: a, Cause: cause, Now: a.world.Clock.Now()}
	kept := false
	defer func() {
		if !kept {
			tx.Rollback(Mark{})
		}
	}()
	if err := fn(tx); err != nil {
		return 0, err
	}
	kept = true
	if len(tx.writes) > 0 {
		tx.write(store.Write{Bucket: a.bucket("births"), Key: "n", Value: strconv.AppendInt(nil, a.births, 10)})
	}
	return a.world.commit(tx), nil
}

// Tx is one change of an account: records and log entries that become durable
// together. Its records are visible to later reads of the same Tx.
type Tx struct {
	Account *Account
	Cause   Cause
	Now     time.Time

	writes    []store.Write
	undo      []func()
	mutations []Mutation
}

// Mark is a point to roll back to; the zero Mark is the beginning.
type Mark struct{ writes, undo, mutations int }

// Mark remembers the present point.
func (tx *Tx) Mark() Mark { return Mark{len(tx.writes), len(tx.undo), len(tx.mutations)} }

// Rollback undoes everything since the mark.
func (tx *Tx) Rollback(to Mark) {
	for i := len(tx.undo) - 1; i >= to.undo; i-- {
		tx.undo[i]()
	}
	tx.undo, tx.writes, tx.mutations = tx.undo[:to.undo], tx.writes[:to.writes], tx.mutations[:to.mutations]
}

func (tx *Tx) write(w store.Write) { tx.writes = append(tx.writes, w) }

// NewID returns an id that no record of the account ever had, such as cmpn_ and
// 24 hexadecimal digits. It follows from the seed and the count of ids alone.
func (tx *Tx) NewID(prefix string) string {
	n := tx.Account.nextBirth()
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%s/%d", tx.Account.world.seed, tx.Account.ID, n))
	return prefix + hex.EncodeToString(sum[:12])
}

func (a *Account) nextBirth() int64 {
	a.births++
	return a.births
}

// Points are the open points of the emulator.
func (a *Account) Points() *openpoint.Settings { return a.world.Points }
