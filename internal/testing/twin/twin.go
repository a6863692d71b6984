// Package twin is a database with states in the memory of a test: it promises what state/postgres promises, to any
// number of processes that are parts of one test, on a clock that the test passes in.
//
// It refuses to decide what happens on the line between a process and the database: that is a function of the test,
// which lets a question through, cuts it off before or after it took effect, or has it wait. Its invariant: whatever
// suite state/postgres passes, it passes.
//
// Open twin.go for the database and its moments, process.go for a process and its lease, account.go for the records
// of an account and the fence around each commit, attendance.go and beside.go for the rest.
package twin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"

	"adsync/state/postgres"
)

// ErrCut is a line that was cut: whether the question took effect is not known.
var ErrCut = fmt.Errorf("the line to the database was cut: %w", syscall.ECONNRESET)

// Database is what processes share. It is safe for concurrent use.
type Database struct {
	now func() time.Time

	mu   sync.Mutex
	rows rows
	at   position
}

// New returns an empty database with a clock of its own.
func New(now func() time.Time) *Database {
	return &Database{now: now, rows: newRows(), at: position{cluster: 1, timeline: 1}}
}

// position is where the log of a database stands.
type position struct{ cluster, timeline int64 }

// rows are the tables of the database.
type rows struct {
	workers    map[int64]workerRow
	lastWorker int64
	heads      map[string]headRow
	records    map[string]map[recordKey]postgres.Record // by account
	attendance map[string]int64                         // name → worker, 0 is nobody
	beside     map[besideKey][]part
	lastPart   int64
}

type workerRow struct {
	postgres.Holder
	attends bool
}

type headRow struct {
	postgres.Head
	token  int64
	worker int64 // 0 is nobody
	at     position
	taken  time.Time // when it was last taken over; zero is never
}

type recordKey struct{ class, key string }

type besideKey struct{ account, name string }

type part struct {
	id      int64
	content []byte
}

func newRows() rows {
	return rows{
		workers: map[int64]workerRow{}, heads: map[string]headRow{},
		records:    map[string]map[recordKey]postgres.Record{},
		attendance: map[string]int64{}, beside: map[besideKey][]part{},
	}
}

func (r rows) clone() rows {
	r.workers, r.heads, r.attendance = maps.Clone(r.workers), maps.Clone(r.heads), maps.Clone(r.attendance)
	r.beside = maps.Clone(r.beside)
	for k, parts := range r.beside {
		r.beside[k] = slices.Clone(parts) // a content is never changed in place
	}
	records := map[string]map[recordKey]postgres.Record{}
	for account, of := range r.records {
		records[account] = maps.Clone(of)
	}
	r.records = records
	return r
}

// Moment is all a database has at one moment.
type Moment struct{ rows rows }

// Moment returns what a standby would have that hears of nothing from now on.
func (d *Database) Moment() Moment {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Moment{d.rows.clone()}
}

// Promote has a standby take the place of the database: it has what there was at a moment, and what came later is
// lost.
func (d *Database) Promote(m Moment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows = m.rows.clone()
	d.at.timeline++
}

// PromoteWhole is Promote of a standby that has all.
func (d *Database) PromoteWhole() { d.Promote(d.Moment()) }

// EndLeases has the database see every lease as ended, whatever its process knows: two owners may send at once.
func (d *Database) EndLeases() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, w := range d.rows.workers {
		w.Ends = d.now()
		d.rows.workers[id] = w
	}
}

// Line carries a question of a process to the database: it calls ask, or does not, and returns what the process hears:
// the answer, or an error of its own.
type Line func(ctx context.Context, what string, ask func() error) error

// transaction does something alone. It changes nothing before all that can fail is done.
func (d *Database) transaction(do func(r *rows, now time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return do(&d.rows, d.now())
}

// removeWorker takes the row of a worker away, and whatever refers to it.
func (r *rows) removeWorker(id int64) {
	delete(r.workers, id)
	for account, h := range r.heads {
		if h.worker == id {
			h.worker = 0
			r.heads[account] = h
		}
	}
	for name, worker := range r.attendance {
		if worker == id {
			r.attendance[name] = 0
		}
	}
}

// holder says who a worker is, and whether it lives.
func (r *rows) holder(id int64, now time.Time) (h postgres.Holder, lives bool) {
	w, there := r.workers[id]
	return w.Holder, there && w.Ends.After(now)
}

// sorted returns the keys of the records of an account, of one class or of all.
func (r *rows) sorted(account string, wanted func(recordKey) bool) []recordKey {
	var keys []recordKey
	for k := range r.records[account] {
		if wanted(k) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b recordKey) int {
		return bytes.Compare([]byte(a.class+"\x00"+a.key), []byte(b.class+"\x00"+b.key))
	})
	return keys
}

func isCut(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
