package state

import (
	"context"
	"fmt"
	"strings"

	"adsync/internal/resource"
)

// Unmade gives the creates that made nothing, of the current life of an address.
func (l *ledger) Unmade(_ context.Context) (map[resource.Address]Unmade, error) {
	unmade := map[resource.Address]Unmade{}
	err := l.each(classUnmade, func(key, value string) error {
		address, known := resource.ParseAddress(key)
		sent, sum, whole := strings.Cut(value, "\n")
		if !known || !whole {
			return unreadable(record{classUnmade, key})
		}
		unmade[address] = Unmade{address, sent, sum}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which creates made nothing: %w", err)
	}
	return unmade, nil
}

// RecordUnmade adds creates that made nothing.
func (l *ledger) RecordUnmade(_ context.Context, unmade []Unmade) error {
	return l.change(func(b *batch) error {
		for _, u := range unmade {
			key, err := addressKey(u.Address)
			if err != nil {
				return err
			}
			b.put(classUnmade, key, u.Key+"\n"+u.Sum)
		}
		return nil
	})
}
