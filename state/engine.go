package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
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
