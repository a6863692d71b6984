package state

import (
	"context"
	"encoding/json"
	"fmt"

	"adsync/internal/resource"
)

// Renamed is an address and what it becomes.
type Renamed struct{ From, To resource.Address }

// Rename moves the records of addresses in one transaction. It refuses an
// address that is taken, and one that an open step is about.
func (l lastApplied) Rename(ctx context.Context, renamed []Renamed) error {
	open, err := journal(l).Open(ctx)
	if err != nil {
		return err
	}
	for _, step := range open {
		for _, operation := range step.Operations {
			for _, r := range renamed {
				if operation.Address == r.From || operation.Address == r.To {
					return fmt.Errorf("rename %s: step %s is about it and still open", r.From, step.ID)
				}
			}
		}
	}
	return l.change(func(b *batch) error { return b.rename(renamed) })
}

func (b *batch) rename(renamed []Renamed) error {
	type held struct {
		class class
		to    string
		value string
	}
	var moving []held
	for _, r := range renamed {
		for _, c := range []class{classLast, classBlocked, classWaiting, classReverted} {
			value, there, err := b.get(record{c, r.From.String()})
			if err != nil {
				return err
			}
			if there {
				moving = append(moving, held{c, r.To.String(), value})
				b.remove(c, r.From.String())
			}
		}
		if err := b.nextLife(r.From); err != nil {
			return err
		}
	}
	for _, m := range moving {
		if _, taken, err := b.get(record{m.class, m.to}); err != nil || taken {
			return fmt.Errorf("rename to %s: it is recorded already (%v)", m.to, err)
		}
		b.put(m.class, m.to, m.value)
	}
	return b.renameMoves(renamed)
}

// renameMoves has what was raised count under the addresses of now.
func (b *batch) renameMoves(renamed []Renamed) error {
	becomes := make(map[string]string, len(renamed))
	for _, r := range renamed {
		becomes[r.From.String()] = r.To.String()
	}
	changed := map[string]string{}
	err := b.engine.each(classMove, func(run, value string) error {
		var r moveRecord
		if json.Unmarshal([]byte(value), &r) != nil {
			return unreadable(record{classMove, run})
		}
		moved := false
		for i := range r.Amounts {
			if to, there := becomes[r.Amounts[i].Address]; there {
				r.Amounts[i].Address, moved = to, true
			}
		}
		if !moved {
			return nil
		}
		written, err := json.Marshal(r)
		changed[run] = string(written)
		return err
	})
	for run, value := range changed {
		b.put(classMove, run, value)
	}
	return err
}
