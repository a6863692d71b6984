package state

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"adsync/internal/resource"
)

// usedRecord is that somebody's consent was used.
type usedRecord struct {
	Serial int64  `json:"serial"`          // of the state, with the use
	Unix   int64  `json:"unix"`            // when
	Step   string `json:"step,omitempty"`  // that carries what was agreed to; "" where nothing was sent
	Before int64  `json:"before,omitzero"` // the serial of the use before it; 0 where there was none
}

// keptUses is how long a use is remembered: longer than any consent is good for.
const keptUses = 60 * 24 * time.Hour

// Used returns the serial of the state with which each consent was used last, by the
// key of what was agreed to.
func (l journal) Used(context.Context) (map[string]int64, error) {
	used := map[string]int64{}
	err := l.each(classUsed, func(key, value string) error {
		var r usedRecord
		if json.Unmarshal([]byte(value), &r) != nil {
			return unreadable(record{classUsed, key})
		}
		used[key] = r.Serial
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which consents were used: %w", err)
	}
	return used, nil
}

// use notes the use of consents by a step, and forgets those that are long past.
func (b usedKeys) use(keys []string, step string) error {
	if len(keys) == 0 {
		return nil
	}
	now := b.now()
	err := b.engine.each(classUsed, func(key, value string) error {
		var r usedRecord
		if json.Unmarshal([]byte(value), &r) != nil {
			return unreadable(record{classUsed, key})
		}
		if now.Sub(time.Unix(r.Unix, 0)) > keptUses {
			b.remove(classUsed, key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		before, _, err := b.usedBy(key)
		if err != nil {
			return err
		}
		r := usedRecord{Serial: b.header.Serial + 1, Unix: now.Unix(), Step: step, Before: before.Serial}
		if step != "" && before.Step == step { // once more in the same batch
			r.Before = before.Before
		}
		if err := b.putUsed(key, r); err != nil {
			return err
		}
	}
	return nil
}

// unuse takes back what a step used that certainly had no effect: what was agreed to
// was not done.
func (b usedKeys) unuse(keys []string, step string) error {
	for _, key := range keys {
		r, there, err := b.usedBy(key)
		switch {
		case err != nil:
			return err
		case !there || r.Step != step:
		case r.Before == 0:
			b.remove(classUsed, key)
		default:
			if err := b.putUsed(key, usedRecord{Serial: r.Before, Unix: r.Unix}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b usedKeys) usedBy(key string) (r usedRecord, there bool, err error) {
	value, there, err := b.get(record{classUsed, key})
	if err == nil && there && json.Unmarshal([]byte(value), &r) != nil {
		err = unreadable(record{classUsed, key})
	}
	return r, there, err
}

func (b usedKeys) putUsed(key string, r usedRecord) error {
	value, err := json.Marshal(r)
	if err == nil {
		b.put(classUsed, key, string(value))
	}
	return err
}

// NotCreated returns the creates that made nothing, of the current life of an address.
func (l lastApplied) NotCreated(_ context.Context) (map[resource.Address]NotCreated, error) {
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
func (l lastApplied) RecordNotCreated(_ context.Context, unmade []NotCreated) error {
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
