package state

import (
	"fmt"
	"maps"
	"slices"
)

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

// NewMemory gives an empty store that lives as long as the process.
func NewMemory(o Options) (Store, error) {
	lineage, err := o.lineage()
	if err != nil {
		return nil, err
	}
	c := newContents()
	c.header = Header{Format: Format, Lineage: lineage, Serial: 1}
	return newLedger(memory{}, c, o), nil
}
