package state

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"adsync/state/kv"
	"adsync/state/postgres"
)

// class is a sort of record; a record is found by class and key.
type class string

const (
	classAsked      class = "asked"      // capability → when it was found out, Unix seconds
	classBlocked    class = "blocked"    // address → why
	classBody       class = "body"       // step → exact bytes, while the step is open
	classCapability class = "capability" // capability → yes, no
	classCounter    class = "counter"    // name → last number given
	classCredit     class = "credit"     // run → what it left for the rest of its plan
	classFile       class = "file"       // source → file id
	classGeneration class = "generation" // address → number
	classHead       class = "head"       // run → size of its report, and its line of the history
	classKey        class = "key"        // key that was sent → path and hash of the bytes
	classLate       class = "late"       // step → what of it may still arrive, and since when recovery knows
	classLast       class = "last"       // address → last-applied resource
	classMirror     class = "mirror"     // bucket → resources as they were last read
	classMove       class = "move"       // run → what it set out to do to spend
	classOperations class = "operations" // step → its operations, while the step is open
	classPlace      class = "place"      // "began" → which copies it is of, "moved" → where it was copied to
	classReport     class = "report"     // run → its report, compressed
	classRun        class = "run"        // run → when and what
	classStep       class = "step"       // step → where it stands
	classSubmitted  class = "submitted"  // "jobs" → when the last were submitted, Unix milliseconds
	classReverted   class = "reverted"   // address → how often its attributes were written back
	classUsed       class = "used"       // what was agreed to → when a consent to it was used
	classNotCreated class = "unmade"     // address → key and hash of a create that made nothing
	classWrote      class = "wrote"      // "last" → writes the service confirmed last
	classWaiting    class = "waiting"    // address → edits an apply has seen and not carried out
)

// record is one row of the state.
type record struct {
	class class
	key   string
}

// write puts a value in a record, or removes the record.
type write struct {
	record
	value  string
	sum    uint64
	remove bool
}

// compare orders writes as the records lie on the disk.
func (w write) compare(v write) int {
	return cmp.Or(cmp.Compare(w.class, v.class), cmp.Compare(w.key, v.key))
}

// engine keeps records. Its invariant: a commit is whole and durable, or it
// returns an error and nothing is known of the disk any more.
type engine interface {
	read(r record) (string, error)
	// each visits the records of a class in the order of their keys.
	each(c class, visit func(key, value string) error) error
	commit(h Header, t tally, writes []write) error
	// owned is an error where the records are another process's by now. It is asked where one does not fit.
	owned() error
	close() error
}

// tally is the number of records and the sum of their check sums: what says
// that no record is missing, doubled or of another moment.
type tally struct {
	rows   int64
	digest uint64
}

func (t *tally) add(sum uint64)    { t.rows, t.digest = t.rows+1, t.digest+sum }
func (t *tally) remove(sum uint64) { t.rows, t.digest = t.rows-1, t.digest-sum }

// summer makes the check sum of a record: the first eight bytes of the SHA-256
// of class, key and value. It keeps a buffer and serves one goroutine.
type summer struct{ buffer []byte }

func (s *summer) sum(r record, value string) uint64 {
	b := s.buffer[:0]
	b = append(b, r.class...)
	b = binary.AppendUvarint(append(b, 0), uint64(len(r.key)))
	b = append(b, r.key...)
	if len(value) > keptBuffer {
		return sumOfLarge(b, value)
	}
	b = append(b, value...)
	hash := sha256.Sum256(b)
	if s.buffer = b; cap(b) > keptBuffer {
		s.buffer = nil
	}
	return binary.BigEndian.Uint64(hash[:8])
}

// keptBuffer is how large a buffer stays, in bytes.
const keptBuffer = 1 << 16

// sumOfLarge is the sum where the value is long: it is not copied whole, as the bodies
// and operations of an apply are as large as the account.
func sumOfLarge(before []byte, value string) uint64 {
	hash := sha256.New()
	_, _ = hash.Write(before) // a hash takes whatever it is given
	part := make([]byte, keptBuffer)
	for len(value) > 0 {
		n := copy(part, value)
		_, _ = hash.Write(part[:n])
		value = value[n:]
	}
	return binary.BigEndian.Uint64(hash.Sum(nil)[:8])
}

// memory keeps records in a map: for tests, and for a state that is only read.
type memory map[class]map[string]string

func (m memory) read(r record) (string, error) {
	value, ok := m[r.class][r.key]
	if !ok {
		return "", fmt.Errorf("%w: record %s %q is gone", ErrDamaged, r.class, r.key)
	}
	return value, nil
}

func (m memory) each(c class, visit func(key, value string) error) error {
	for _, key := range slices.Sorted(maps.Keys(m[c])) {
		if err := visit(key, m[c][key]); err != nil {
			return err
		}
	}
	return nil
}

func (m memory) commit(_ Header, _ tally, writes []write) error {
	for _, w := range writes {
		m.apply(w)
	}
	return nil
}

func (m memory) apply(w write) {
	if w.remove {
		delete(m[w.class], w.key)
		return
	}
	if m[w.class] == nil {
		m[w.class] = map[string]string{}
	}
	m[w.class][w.key] = w.value
}

func (m memory) owned() error { return nil }
func (m memory) close() error { return nil }

// NewMemory returns an empty store that lives as long as the process.
func NewMemory(o Options) (Store, error) {
	lineage, err := o.lineage()
	if err != nil {
		return nil, err
	}
	c := newContents()
	c.header = Header{Format: formatVersion, Lineage: lineage, Serial: 1}
	return newStore(newLedger(memory{}, c, o)), nil
}

// rows is the engine of a state in a database.
type rows struct {
	account Claimed
	left    *contents // the records as this process left them
	summer  summer
}

func (e *rows) read(r record) (string, error) {
	value, sum, there, err := e.account.Read(context.Background(), string(r.class), r.key)
	if err != nil {
		return "", ofDatabase(err)
	}
	if !there {
		return "", fmt.Errorf("%w: record %s %q is gone; %s", ErrDamaged, r.class, r.key, restoreDatabase)
	}
	return value, e.proved(r, value, sum)
}

func (e *rows) each(c class, visit func(key, value string) error) error {
	all, err := e.account.All(context.Background(), string(c))
	if err != nil {
		return ofDatabase(err)
	}
	if n := e.left.counts[c]; n != len(all) {
		return fmt.Errorf("%w: it has %d records of %s, and %d were written; %s",
			ErrDamaged, len(all), c, n, restoreDatabase)
	}
	for _, r := range all {
		if err := e.proved(record{c, r.Key}, r.Value, r.Sum); err != nil {
			return err
		}
		if err := visit(r.Key, r.Value); err != nil {
			return err
		}
	}
	return nil
}

func (e *rows) commit(h Header, t tally, writes []write) error {
	return ofDatabase(e.account.Commit(headOf(h, t), writesOf(writes)))
}

func headOf(h Header, t tally) postgres.Head {
	return postgres.Head{
		Format: h.Format, Lineage: h.Lineage, Serial: h.Serial,
		BoundTo: h.Account.ID, Currency: h.Account.Currency, TimeZone: h.Account.TimeZone,
		Records: t.rows, Digest: t.digest,
	}
}

func writesOf(writes []write) []postgres.Write {
	all := make([]postgres.Write, len(writes))
	for i, w := range writes {
		all[i] = postgres.Write{Class: string(w.class), Key: w.key, Value: w.value, Sum: w.sum, Remove: w.remove}
	}
	return all
}

func (e *rows) owned() error { return ofDatabase(e.account.Owned(context.Background())) }

func (e *rows) close() error { return e.account.Close() }

// proved holds a record against what this process left.
func (e *rows) proved(r record, value string, sum uint64) error {
	if e.left.sums[r] != sum {
		return fmt.Errorf("%w: record %s %q is not the one that was written; %s",
			ErrDamaged, r.class, r.key, restoreDatabase)
	}
	return proved(&e.summer, r, value, sum)
}

// proved reports whether a value is what was written.
func proved(s *summer, r record, value string, sum uint64) error {
	if s.sum(r, value) != sum {
		return fmt.Errorf("%w: record %s %q has another check sum; %s", ErrDamaged, r.class, r.key, restoreDatabase)
	}
	return nil
}

// Database is where the states lie, as one process reaches them: PostgreSQL, or its twin in the memory of a test. What
// each method promises is said of [postgres.Database].
type Database interface {
	Claim(ctx context.Context, account string, fresh postgres.Head) (Claimed, error)
	ClaimLost(ctx context.Context, account string) (Claimed, error)
	Receive(ctx context.Context, account string, over Claimed, h postgres.Head, writes []postgres.Write) error
	Snapshot(ctx context.Context, account string,
		visit func(class, key, value string, sum uint64) error) (postgres.Head, error)
	Serial(ctx context.Context, account string) (int64, error)
	HeldBy(ctx context.Context, account string) (h postgres.Holder, held bool, err error)
	Behind(ctx context.Context) ([]string, error)
	Mark(ctx context.Context) (string, error)
	Name() string
	Beside(account string) kv.Store
	Attendance() Attendance
	Close() error
}

// Claimed is the state of an account that a process holds, as [postgres.Account] says.
type Claimed interface {
	Lease
	Head() postgres.Head
	Owned(ctx context.Context) error
	Sums(ctx context.Context, visit func(class, key string, sum uint64, size int) error) error
	Read(ctx context.Context, class, key string) (value string, sum uint64, there bool, err error)
	All(ctx context.Context, class string) ([]postgres.Record, error)
	Commit(h postgres.Head, writes []postgres.Write) error
	Accept(ctx context.Context) error
	Remove(ctx context.Context) error
	Close() error
}

// Attendance is which process looks after which account, as [postgres.Attendance] says.
type Attendance interface {
	Configure(ctx context.Context, accounts []string) error
	Pull(ctx context.Context, accounts []string) (Share, error)
	GiveBack(ctx context.Context, account string) error
	Attends(account string) bool
	AttendedBy(ctx context.Context, account string) (h postgres.Holder, attended bool, err error)
	Ordered(ctx context.Context) (map[string]string, error)
	Standing(ctx context.Context, account string) (Standing, error)
}

// InPostgres is a Database of PostgreSQL.
type InPostgres struct{ *postgres.Database }

// Claim is that of [postgres.Database].
func (d InPostgres) Claim(ctx context.Context, account string, fresh postgres.Head) (Claimed, error) {
	return claimed(d.Database.Claim(ctx, account, fresh))
}

// ClaimLost is that of [postgres.Database].
func (d InPostgres) ClaimLost(ctx context.Context, account string) (Claimed, error) {
	return claimed(d.Database.ClaimLost(ctx, account))
}

func claimed(a *postgres.Account, err error) (Claimed, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Receive is that of [postgres.Database].
func (d InPostgres) Receive(ctx context.Context, account string, over Claimed,
	h postgres.Head, writes []postgres.Write) error {
	there, _ := over.(*postgres.Account) // nil: nothing is there
	return d.Database.Receive(ctx, account, there, h, writes)
}

// Beside is that of [postgres.Database].
func (d InPostgres) Beside(account string) kv.Store { return d.Database.Beside(account) }

// Attendance is that of [postgres.Database].
func (d InPostgres) Attendance() Attendance { return d.Database.Attendance() }
