package state

import (
	"context"
	"fmt"
	"strings"

	"adsync/internal/resource"
)

// NotCreated returns the creates that made nothing, of the current life of an address.
func (l *ledger) NotCreated(_ context.Context) (map[resource.Address]NotCreated, error) {
	unmade := map[resource.Address]NotCreated{}
	err := l.each(classNotCreated, func(key, value string) error {
		address, known := resource.ParseAddress(key)
		sent, sum, whole := strings.Cut(value, "\n")
		if !known || !whole {
			return unreadable(record{classNotCreated, key})
		}
		unmade[address] = NotCreated{address, sent, sum}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which creates made nothing: %w", err)
	}
	return unmade, nil
}

// RecordNotCreated adds creates that made nothing.
func (l *ledger) RecordNotCreated(_ context.Context, unmade []NotCreated) error {
	return l.change(func(b *batch) error {
		for _, u := range unmade {
			key, err := addressKey(u.Address)
			if err != nil {
				return err
			}
			b.put(classNotCreated, key, u.Key+"\n"+u.Sum)
		}
		return nil
	})
}
