package state

import (
	"context"
	"fmt"

	"adsync/internal/resource"
)

// Waiting gives the edits the last apply saw and did not carry out.
func (l *ledger) Waiting(_ context.Context) (*resource.Snapshot, error) { return l.all(classWaiting) }

// RecordWaiting writes them in place of those of before.
func (l *ledger) RecordWaiting(_ context.Context, waiting *resource.Snapshot) error {
	return l.replaceAll(classWaiting, waiting)
}

// Reverted gives how many applies in a row have written an attribute back.
func (l *ledger) Reverted(_ context.Context) (*resource.Snapshot, error) { return l.all(classReverted) }

// RecordReverted writes the counts in place of those of before.
func (l *ledger) RecordReverted(_ context.Context, reverted *resource.Snapshot) error {
	return l.replaceAll(classReverted, reverted)
}

// all gives the resources of a class.
func (l *ledger) all(c class) (*resource.Snapshot, error) {
	s := &resource.Snapshot{}
	err := l.each(c, func(key, value string) error {
		r, err := decodeLast(key, value)
		if err == nil {
			s.Add(r)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what is %s: %w", c, err)
	}
	return s, nil
}

// replaceAll puts resources in the place of all of a class. Where there are none
// before and after, nothing is written.
func (l *ledger) replaceAll(c class, s *resource.Snapshot) error {
	return l.change(func(b *batch) error {
		err := b.engine.each(c, func(key, _ string) error {
			b.remove(c, key)
			return nil
		})
		if err != nil {
			return err
		}
		for r := range s.All() {
			key, err := addressKey(r.Address)
			if err != nil {
				return err
			}
			value, err := encodeLast(r)
			if err != nil {
				return err
			}
			b.put(c, key, value)
		}
		return nil
	})
}
