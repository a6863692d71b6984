package world

import (
	"encoding/json"
	"fmt"
	"slices"

	"adsync/internal/emulator/store"
)

// Table holds the records of one kind of one account, in order of creation.
// Records are values: what Get returns may be kept, its slices and maps must not
// be changed.
type Table[T any] struct {
	bucket  string
	account *Account
	id      func(T) string
	rows    map[string]*row[T]
	order   []*row[T]
	indexes []*Index[T]
	version int64 // counts writes
}

type row[T any] struct {
	Birth int64 `json:"birth"`
	Value T     `json:"value"`
}

func newTable[T any](a *Account, name string, id func(T) string) *Table[T] {
	t := &Table[T]{bucket: a.bucket(name), account: a, id: id, rows: map[string]*row[T]{}}
	a.tables = append(a.tables, t)
	return t
}

// Get is the record of that id.
func (t *Table[T]) Get(id string) (T, bool) {
	if r, ok := t.rows[id]; ok {
		return r.Value, true
	}
	var none T
	return none, false
}

// Birth orders records and ids of an account by creation; 0 when there is none.
func (t *Table[T]) Birth(id string) int64 {
	if r, ok := t.rows[id]; ok {
		return r.Birth
	}
	return 0
}

// Len counts records.
func (t *Table[T]) Len() int { return len(t.order) }

// Version counts the writes to the table since the start.
func (t *Table[T]) Version() int64 { return t.version }

// All are the records in order of creation.
func (t *Table[T]) All() []T { return values(t.order) }

func values[T any](rows []*row[T]) []T {
	all := make([]T, len(rows))
	for i, r := range rows {
		all[i] = r.Value
	}
	return all
}

// Put adds a record, or replaces the one of the same id.
func (t *Table[T]) Put(tx *Tx, value T) {
	id := t.id(value)
	prior := t.rows[id]
	next := &row[T]{Value: value}
	if prior != nil {
		next.Birth = prior.Birth
	} else {
		next.Birth = t.account.nextBirth()
	}
	t.swap(id, prior, next)
	tx.undo = append(tx.undo, func() { t.swap(id, next, prior) })
	tx.write(store.Write{Bucket: t.bucket, Key: id, Value: mustJSON(next)})
}

// Delete removes a record. Nothing happens when there is none.
func (t *Table[T]) Delete(tx *Tx, id string) {
	prior := t.rows[id]
	if prior == nil {
		return
	}
	t.swap(id, prior, nil)
	tx.undo = append(tx.undo, func() { t.swap(id, nil, prior) })
	tx.write(store.Write{Bucket: t.bucket, Key: id})
}

// swap replaces a row by another, a row by nothing, or nothing by a row.
func (t *Table[T]) swap(id string, from, to *row[T]) {
	t.version++
	t.order = exchange(t.order, from, to)
	for _, ix := range t.indexes {
		ix.swap(from, to)
	}
	if to == nil {
		delete(t.rows, id)
		return
	}
	t.rows[id] = to
}

// exchange keeps rows in order of birth.
func exchange[T any](rows []*row[T], from, to *row[T]) []*row[T] {
	if from == nil && to == nil {
		return rows
	}
	at, found := slices.BinarySearchFunc(rows, birthOf(from, to), func(r *row[T], birth int64) int {
		return int(r.Birth - birth)
	})
	switch {
	case from == nil:
		return slices.Insert(rows, at, to)
	case !found:
		panic("table lost a row")
	case to == nil:
		return slices.Delete(rows, at, at+1)
	}
	rows[at] = to
	return rows
}

func birthOf[T any](from, to *row[T]) int64 {
	if from != nil {
		return from.Birth
	}
	return to.Birth
}

func (t *Table[T]) load(st *store.Store) error {
	err := st.Load(t.bucket, func(id string, value []byte) error {
		r := &row[T]{}
		if err := json.Unmarshal(value, r); err != nil {
			return err
		}
		if got := t.id(r.Value); got != id {
			return fmt.Errorf("record says it is %q", got)
		}
		t.rows[id] = r
		t.order = append(t.order, r)
		return nil
	})
	slices.SortFunc(t.order, func(a, b *row[T]) int { return int(a.Birth - b.Birth) })
	for _, r := range t.order {
		for _, ix := range t.indexes {
			ix.swap(nil, r)
		}
	}
	return err
}

// Index finds the records of a table that share a value, in order of creation.
type Index[T any] struct {
	of   func(T) string
	rows map[string][]*row[T]
}

func (t *Table[T]) index(of func(T) string) *Index[T] {
	ix := &Index[T]{of: of, rows: map[string][]*row[T]{}}
	t.indexes = append(t.indexes, ix)
	return ix
}

// Of are the records with that value.
func (ix *Index[T]) Of(value string) []T { return values(ix.rows[value]) }

// Count counts the records with one of the values.
func (ix *Index[T]) Count(of ...string) int {
	n := 0
	for _, value := range of {
		n += len(ix.rows[value])
	}
	return n
}

func (ix *Index[T]) swap(from, to *row[T]) {
	if from != nil && to != nil && ix.of(from.Value) == ix.of(to.Value) {
		key := ix.of(to.Value)
		ix.rows[key] = exchange(ix.rows[key], from, to)
		return
	}
	if from != nil {
		key := ix.of(from.Value)
		ix.rows[key] = exchange(ix.rows[key], from, nil)
	}
	if to != nil {
		key := ix.of(to.Value)
		ix.rows[key] = exchange(ix.rows[key], nil, to)
	}
}
