package state

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"adsync/internal/resource"
)

// Last returns the last-applied resources; Resource.ID is the binding.
func (l lastApplied) Last(_ context.Context) (*resource.Snapshot, error) {
	last := &resource.Snapshot{}
	err := l.view(func(b *batch) error {
		return b.engine.each(classLast, func(key, value string) error {
			r, err := decodeLast(key, value)
			if err == nil {
				last.Add(r)
			}
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read last-applied: %w", err)
	}
	return last, nil
}

// Bindings returns the ids of those addresses that are bound.
func (l lastApplied) Bindings(_ context.Context, addresses []resource.Address) (map[resource.Address]string, error) {
	ids := map[resource.Address]string{}
	err := l.view(func(b *batch) error {
		for _, address := range addresses {
			if _, known := ids[address]; known {
				continue
			}
			r, err := b.last(address)
			if err != nil {
				return err
			}
			if r != nil && r.ID != "" {
				ids[address] = r.ID
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read last-applied: %w", err)
	}
	return ids, nil
}

// last returns what is recorded of an address, nil where nothing is.
func (b *batch) last(address resource.Address) (*resource.Resource, error) {
	key, err := addressKey(address)
	if err != nil {
		return nil, err
	}
	value, there, err := b.get(record{classLast, key})
	if err != nil || !there {
		return nil, err
	}
	return decodeLast(key, value)
}

// Record merges what was applied into the last-applied record.
func (l lastApplied) Record(_ context.Context, applied []Applied) error {
	return l.change(func(b *batch) error { return b.record(applied) })
}

func (b *batch) record(applied []Applied) error {
	b.writes = slices.Grow(b.writes, len(applied))
	for _, a := range applied {
		err := usedKeys{b}.use(a.Uses, "")
		if err == nil {
			err = b.recordOne(a)
		}
		if err != nil {
			return fmt.Errorf("record %s: %w", a.Address, err)
		}
	}
	return nil
}

func (b *batch) recordOne(a Applied) error {
	key, err := addressKey(a.Address)
	if err != nil {
		return err
	}
	value, there, err := b.get(record{classLast, key})
	if err != nil {
		return err
	}
	r := &resource.Resource{Address: a.Address}
	if there {
		if r, err = decodeLast(key, value); err != nil {
			return err
		}
	}
	a.applyTo(r)
	b.remove(classNotCreated, key)
	if value, err = encodeLast(r); err == nil {
		b.put(classLast, key, value)
	}
	return err
}

// applyTo changes a resource as it is recorded to what it is after the apply.
func (a Applied) applyTo(r *resource.Resource) {
	since := a.First && r.ID != "" && r.ID == a.ID // what is recorded came after the create
	if a.ID != "" {
		r.ID = a.ID
	}
	if a.ParentID != "" {
		r.ParentID = a.ParentID
	}
	if a.Replace || len(r.Attributes)+len(r.Normal) == 0 {
		attributes, normal := r.Attributes, r.Normal
		r.Attributes, r.Normal = a.Attributes, a.Normal
		if !since {
			return
		}
		r.Attributes, r.Normal = slices.Clone(r.Attributes), slices.Clone(r.Normal)
		a.Attributes, a.Normal = attributes, normal
	}
	for _, n := range a.Attributes {
		r.Attributes.Set(n.Name, n.Value)
		r.Normal.Set(n.Name, resource.Value{})
	}
	for _, n := range a.Normal {
		r.Normal.Set(n.Name, n.Value)
	}
}

func encodeLast(r *resource.Resource) (string, error) {
	e := encoder{bytes: make([]byte, 0, 512)}
	e.text(r.ID)
	e.text(r.ParentID)
	e.attributes(r.Attributes)
	e.attributes(r.Normal)
	return string(e.bytes), e.err
}

func decodeLast(key, value string) (*resource.Resource, error) {
	address, ok := resource.ParseAddress(key)
	if !ok {
		return nil, unreadable(record{classLast, key})
	}
	d := decoder{rest: value}
	r := &resource.Resource{
		Address:    address,
		ID:         d.text(),
		ParentID:   d.text(),
		Attributes: d.attributes(),
		Normal:     d.attributes(),
	}
	return r, d.end(record{classLast, key})
}

// addressKey is the text of an address that can be read back.
func addressKey(a resource.Address) (string, error) {
	key := a.String()
	if again, ok := resource.ParseAddress(key); !ok || again != a {
		return "", fmt.Errorf("address is %q; want kind/key", key)
	}
	return key, nil
}

// Forget drops record and binding, and ends that life of an address: a key is
// never used for two.
func (l lastApplied) Forget(_ context.Context, addresses []resource.Address) error {
	return l.change(func(b *batch) error {
		for _, a := range addresses {
			_, there, err := b.get(record{classLast, a.String()})
			if err != nil {
				return err
			}
			if !there {
				continue
			}
			b.remove(classLast, a.String())
			if err := b.nextLife(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// Generation returns the number of an address's current life, 1 at first.
func (l lastApplied) Generation(_ context.Context, address resource.Address) (int, error) {
	generation := 0
	err := l.view(func(b *batch) (err error) {
		generation, err = b.generation(address)
		return err
	})
	return generation, err
}

// Advance begins the next life of each address.
func (l lastApplied) Advance(_ context.Context, addresses []resource.Address) error {
	return l.change(func(b *batch) error {
		for _, a := range addresses {
			if _, err := addressKey(a); err != nil {
				return err
			}
			if err := b.nextLife(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// nextLife returns the next create of an address another key.
func (b *batch) nextLife(a resource.Address) error {
	generation, err := b.generation(a)
	if err != nil {
		return err
	}
	b.remove(classNotCreated, a.String())
	b.put(classGeneration, a.String(), strconv.Itoa(generation+1))
	return nil
}

func (b *batch) generation(a resource.Address) (int, error) {
	n, err := b.numberAt(record{classGeneration, a.String()})
	return int(max(n, 1)), err
}

// NextSequence returns each number once.
func (l lastApplied) NextSequence(_ context.Context) (int64, error) {
	var n int64
	err := l.change(func(b *batch) (err error) {
		n, err = b.next("sequence")
		return err
	})
	return n, err
}

// next takes the next number of a counter; the first is 1.
func (b *batch) next(counter string) (int64, error) {
	n, err := b.numberAt(record{classCounter, counter})
	if err != nil {
		return 0, err
	}
	b.put(classCounter, counter, strconv.FormatInt(n+1, 10))
	return n + 1, nil
}

// numberAt reads a record that holds a number; 0 where there is no record.
func (b *batch) numberAt(r record) (int64, error) {
	value, there, err := b.get(r)
	if err != nil || !there {
		return 0, err
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, unreadable(r)
	}
	return n, nil
}
