package state

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ledger is the store: all its rules, over an engine that keeps the records.
type ledger struct {
	mu       sync.Mutex
	engine   engine
	now      func() time.Time
	readOnly bool
	closed   bool
	failure  error // why the disk can no longer be trusted

	summer summer
	contents
}

// store is a ledger, seen as the parts of a [Store].
type store struct {
	*ledger
	journal
	lastApplied
	facts
	history
}

type (
	journal     struct{ *ledger }
	lastApplied struct{ *ledger }
	facts       struct{ *ledger }
	history     struct{ *ledger }
)

func newStore(l *ledger) *store {
	return &store{ledger: l, journal: journal{l}, lastApplied: lastApplied{l}, facts: facts{l}, history: history{l}}
}

// contents are what a ledger knows of the records without reading them.
type contents struct {
	header Header
	tally  tally
	sums   map[record]uint64
	counts map[class]int

	reports map[string]int // run → bytes of its report
}

func newContents() contents {
	return contents{sums: map[record]uint64{}, counts: map[class]int{}, reports: map[string]int{}}
}

func newLedger(e engine, c contents, o Options) *ledger {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	return &ledger{engine: e, contents: c, now: now}
}

// note takes a record of so many bytes into the contents.
func (c *contents) note(r record, sum uint64, size int) {
	c.drop(r)
	c.sums[r] = sum
	if r.class == classReport {
		c.reports[r.key] = size
	}
	c.counts[r.class]++
	c.tally.add(sum)
}

// drop takes a record out of the contents.
func (c *contents) drop(r record) {
	sum, ok := c.sums[r]
	if !ok {
		return
	}
	delete(c.sums, r)
	if r.class == classReport {
		delete(c.reports, r.key)
	}
	c.counts[r.class]--
	c.tally.remove(sum)
}

// lineage draws the name of a new state.
func (o Options) lineage() (string, error) {
	random := o.Random
	if random == nil {
		random = rand.Reader
	}
	var raw [16]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("draw a lineage: %w", err)
	}
	return hex.EncodeToString(raw[:]), nil
}

// Header returns which state this is and how far it has come.
func (l *ledger) Header() Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.header
}

// Close returns the state back; the second Close does nothing.
func (l *ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.engine.close()
}

// view runs a reading of several records at one moment.
func (l *ledger) view(look func(*batch) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errClosed
	}
	return l.behind(look(&batch{ledger: l}))
}

// change fills a batch and commits it. A batch that stays empty, or that could
// not be filled, leaves the state as it was.
func (l *ledger) change(fill func(*batch) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return err
	}
	b := &batch{ledger: l, pending: map[record]int{}}
	if err := fill(b); err != nil {
		return l.behind(err)
	}
	if len(b.writes) == 0 {
		return nil
	}
	return l.commit(b.writes)
}

// behind returns what is behind an error. Records that do not fit, and moves that a step cannot make, are neither
// damage nor a mistake where the last write failed, or where another process has the state by now: who was frozen reads
// what that one wrote.
func (l *ledger) behind(err error) error {
	if err == nil || CodeOf(err) != "" && !errors.Is(err, ErrDamaged) {
		return err
	}
	if l.failure != nil {
		return l.writable()
	}
	return cmp.Or(l.engine.owned(), err)
}

func (l *ledger) writable() error {
	switch {
	case l.closed:
		return errClosed
	case l.readOnly:
		return ErrReadOnly
	case l.failure != nil:
		return fmt.Errorf("%w: %w; run adsync again, it checks the state as it starts", ErrSuspect, l.failure)
	}
	return nil
}

// commit makes the writes durable. The contents move first: after a failure
// nobody asks them any more.
func (l *ledger) commit(writes []write) error {
	l.header.Serial++
	for i := range writes {
		w := &writes[i]
		if w.remove {
			l.drop(w.record)
			continue
		}
		w.sum = l.summer.sum(w.record, w.value)
		l.note(w.record, w.sum, len(w.value))
	}
	if l.failure = l.engine.commit(l.header, l.tally, writes); l.failure != nil {
		return l.writable()
	}
	return nil
}

// batch is the writes of one transaction; it reads through them.
type batch struct {
	*ledger
	writes  []write
	pending map[record]int // index in writes
}

// The parts of a batch that have records of their own.
type (
	usedKeys struct{ *batch }
	reports  struct{ *batch }
	mirrors  struct{ *batch }
)

// get returns a record as it will be once the batch is committed.
func (b *batch) get(r record) (string, bool, error) {
	if i, ok := b.pending[r]; ok {
		return b.writes[i].value, !b.writes[i].remove, nil
	}
	if _, ok := b.sums[r]; !ok {
		return "", false, nil
	}
	value, err := b.engine.read(r)
	return value, err == nil, err
}

func (b *batch) put(c class, key, value string) {
	b.write(write{record: record{c, key}, value: value})
}

func (b *batch) remove(c class, key string) {
	r := record{c, key}
	_, there := b.sums[r]
	if _, pending := b.pending[r]; there || pending {
		b.write(write{record: r, remove: true})
	}
}

func (b *batch) write(w write) {
	if i, ok := b.pending[w.record]; ok {
		b.writes[i] = w
		return
	}
	b.pending[w.record] = len(b.writes)
	b.writes = append(b.writes, w)
}
