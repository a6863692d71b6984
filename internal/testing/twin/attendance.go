package twin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/state"
	"adsync/state/postgres"
)

// attendance is which worker looks after which account.
type attendance struct {
	process *Process

	mu         sync.Mutex
	attended   map[string]bool // as of its last pull
	attendedAs int64           // as which worker
}

// Configure has the database know accounts by their names.
func (a *attendance) Configure(ctx context.Context, names []string) error {
	return a.process.twice(ctx, "configure", func(r *rows, _ time.Time) error {
		for _, name := range names {
			r.attendance[name] += 0
		}
		return nil
	})
}

// Pull takes accounts that nobody looks after, up to this worker's fair share of all of them.
func (a *attendance) Pull(ctx context.Context, names []string) (state.Share, error) {
	id, err := a.process.alive(ctx)
	if err != nil {
		return state.Share{}, err
	}
	var s state.Share
	err = a.process.twice(ctx, "pull", func(r *rows, now time.Time) error {
		s = state.Share{}
		if w, there := r.workers[id]; there && !w.attends {
			w.attends = true
			r.workers[id] = w
		}
		for _, w := range r.workers {
			if w.attends && w.Ends.After(now) {
				s.Workers++
			}
		}
		var free []string
		for _, name := range slices.Sorted(maps.Keys(r.attendance)) {
			worker := r.attendance[name]
			_, lives := r.holder(worker, now)
			switch {
			case !slices.Contains(names, name):
			case worker == id:
				s.Held = append(s.Held, name)
			case !lives:
				free = append(free, name)
			}
		}
		fair := (len(names) + s.Workers - 1) / max(s.Workers, 1)
		if s.Excess = len(s.Held) - fair; s.Excess >= 0 {
			return nil
		}
		for _, name := range free[:min(len(free), -s.Excess)] {
			r.attendance[name] = id
			s.Held = append(s.Held, name)
		}
		s.Excess = 0
		return nil
	})
	if err == nil {
		err = a.process.valid(id)
	}
	a.attend(id, s.Held, err)
	return s, err
}

func (a *attendance) attend(id int64, names []string, failed error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attended, a.attendedAs = map[string]bool{}, id
	if failed != nil {
		return
	}
	for _, name := range names {
		a.attended[name] = true
	}
}

// Attends reports whether this worker looks after an account, as of its last pull and by its lease.
func (a *attendance) Attends(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attended[name] && a.process.valid(a.attendedAs) == nil
}

// GiveBack leaves an account to other workers.
func (a *attendance) GiveBack(ctx context.Context, name string) error {
	a.leave(name)
	id, _ := a.process.current()
	return a.process.twice(ctx, "leave", func(r *rows, _ time.Time) error {
		if worker, there := r.attendance[name]; there && worker == id {
			r.attendance[name] = 0
		}
		return nil
	})
}

func (a *attendance) leave(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.attended, name)
}

// AttendedBy says which worker looks after an account; attended is false where none that lives does.
func (a *attendance) AttendedBy(ctx context.Context, name string) (h postgres.Holder, attended bool, err error) {
	err = a.process.twice(ctx, "attended by", func(r *rows, now time.Time) error {
		h, attended = r.holder(r.attendance[name], now)
		return nil
	})
	return h, attended, err
}

// Ordered returns a fingerprint of the orders that stand or wait beside each account.
func (a *attendance) Ordered(ctx context.Context) (ordered map[string]string, err error) {
	err = a.process.twice(ctx, "ordered", func(r *rows, _ time.Time) error {
		ordered = map[string]string{}
		keys := slices.SortedFunc(maps.Keys(r.beside), func(a, b besideKey) int {
			return strings.Compare(a.account+"\x00"+a.name, b.account+"\x00"+b.name)
		})
		for _, k := range keys {
			if !isOrder(k.name) {
				continue
			}
			for _, p := range r.beside[k] {
				ordered[k.account] += fmt.Sprintf("%s %d\n", k.name, p.id)
			}
		}
		return nil
	})
	return ordered, err
}

func isOrder(name string) bool {
	return name == "STOP" || name == "suspend.json" || strings.HasPrefix(name, "ask-")
}

// Standing returns what stands of an account now.
func (a *attendance) Standing(ctx context.Context, name string) (s state.Standing, err error) {
	err = a.process.twice(ctx, "standing", func(r *rows, _ time.Time) error {
		s = state.Standing{Serial: r.heads[name].Serial}
		for k, parts := range r.beside {
			s.Ordered = s.Ordered || len(parts) > 0 && isOrder(k.name) && (k.account == name || k.account == "")
			if k.account == name && k.name == "approvals.ndjson" && len(parts) > 0 {
				s.Approvals = fmt.Sprint(parts)
			}
		}
		return nil
	})
	return s, err
}
