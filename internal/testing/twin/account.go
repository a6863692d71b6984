package twin

import (
	"context"
	"fmt"
	"time"

	"adsync/state"
	"adsync/state/postgres"
)

// account is the state of an account that a process holds.
type account struct {
	process *Process
	name    string
	worker  int64
	token   int64
	head    postgres.Head
	taken   bool
}

// Claim takes the state of an account for this process, and makes it, with fresh, where there is none.
func (p *Process) Claim(ctx context.Context, name string, fresh postgres.Head) (state.Claimed, error) {
	return p.claimHeld(ctx, name, &fresh)
}

// ClaimLost is Claim although the database may have less than was acknowledged.
func (p *Process) ClaimLost(ctx context.Context, name string) (state.Claimed, error) {
	serial, err := p.Serial(ctx, name)
	if err != nil {
		return nil, err
	}
	if serial == 0 {
		return nil, postgres.ErrNothing
	}
	return p.claimHeld(ctx, name, nil)
}

// claimHeld claims what this process has not open; fresh is nil where a loss is accepted.
func (p *Process) claimHeld(ctx context.Context, name string, fresh *postgres.Head) (state.Claimed, error) {
	if !p.hold(name) {
		o := p.options
		return nil, &postgres.HeldError{Holder: postgres.Holder{
			Host: o.Host, PID: o.PID, Command: o.Command, Version: o.Version, Since: o.Since,
		}}
	}
	a, err := p.claim(ctx, name, fresh)
	if err != nil {
		p.letGo(name)
		return nil, err
	}
	return a, nil
}

func (p *Process) claim(ctx context.Context, name string, fresh *postgres.Head) (*account, error) {
	id, err := p.alive(ctx)
	if err != nil {
		return nil, err
	}
	a := &account{process: p, name: name, worker: id}
	err = p.twice(ctx, "claim", func(r *rows, now time.Time) error {
		h, there := r.heads[name]
		if !there && fresh == nil {
			return postgres.ErrNothing
		}
		if !there {
			h = headRow{Head: *fresh, at: p.database.at}
		}
		if h.worker != 0 && h.worker != id { // this one's own it could not give back, as the line was cut
			if holder, lives := r.holder(h.worker, now); lives {
				return &postgres.HeldError{Holder: holder}
			}
			a.taken, h.taken = true, now
		}
		a.taken = a.taken || !h.taken.IsZero() && now.Sub(h.taken) < postgres.TakenLately
		if fresh != nil {
			if err := p.refuseLost(r, name, h); err != nil {
				return err
			}
			h.at = p.database.at
		}
		h.token++
		h.worker = id
		a.token, a.head = h.token, h.Head
		r.heads[name] = h
		return nil
	})
	if err == nil && fresh != nil {
		p.know(name, durable{a.head.Serial, a.token})
	}
	return a, err
}

// refuseLost is ErrLost where an account has less than was acknowledged, or where nobody can say.
func (p *Process) refuseLost(r *rows, name string, h headRow) error {
	known, sure := p.knows(name)
	now := p.database.at
	switch {
	case sure && h.Serial < known.serial:
		return fmt.Errorf("%w: %s ends at commit %d, and commit %d was made",
			postgres.ErrLost, name, h.Serial, known.serial)
	case now == h.at:
		return nil
	}
	p.witness.look(r, p.database.at)
	if kept, seen := p.witness.kept(h.at, now); sure && h.token == known.token && (!seen || kept) {
		return nil
	}
	return fmt.Errorf("%w, perhaps: %s was written on the timeline %d, and this is %d",
		postgres.ErrLost, name, h.at.timeline, now.timeline)
}

// Head returns which state it is, as it was claimed or last committed.
func (a *account) Head() postgres.Head { return a.head }

// TakenOver reports whether who held the account before, or lately, did not give it back.
func (a *account) TakenOver() bool { return a.taken }

// Valid is ErrOver once this process may send nothing for the account any more.
func (a *account) Valid() error { return a.process.valid(a.worker) }

// Owned returns nil where the account is as this process left it.
func (a *account) Owned(ctx context.Context) error {
	return a.process.twice(ctx, "owned", func(r *rows, _ time.Time) error {
		switch row, there := r.heads[a.name]; {
		case !there, row.token > a.token:
			return fmt.Errorf("%w: %s", postgres.ErrFenced, a.name)
		case row.token < a.token || row.Serial < a.head.Serial:
			return fmt.Errorf("%w: %s ends at commit %d, and commit %d was made",
				postgres.ErrLost, a.name, row.Serial, a.head.Serial)
		case row.Head != a.head:
			return fmt.Errorf("%w: %s", postgres.ErrFenced, a.name)
		}
		return nil
	})
}

// Sums visits the check sum and the size of every record, in the order of their keys.
func (a *account) Sums(ctx context.Context, visit func(class, key string, sum uint64, size int) error) error {
	return a.process.once(ctx, "sums", func(r *rows, _ time.Time) error {
		for _, k := range r.sorted(a.name, func(recordKey) bool { return true }) {
			one := r.records[a.name][k]
			if err := visit(k.class, k.key, one.Sum, len(one.Value)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Read returns a record; there is false where there is none.
func (a *account) Read(ctx context.Context, class, key string) (value string, sum uint64, there bool, err error) {
	err = a.process.once(ctx, "read", func(r *rows, _ time.Time) error {
		var one postgres.Record
		one, there = r.records[a.name][recordKey{class, key}]
		value, sum = one.Value, one.Sum
		return nil
	})
	return value, sum, there, err
}

// All returns the records of a class in the order of their keys.
func (a *account) All(ctx context.Context, class string) (all []postgres.Record, err error) {
	err = a.process.once(ctx, "all", func(r *rows, _ time.Time) error {
		for _, k := range r.sorted(a.name, func(k recordKey) bool { return k.class == class }) {
			all = append(all, r.records[a.name][k])
		}
		return nil
	})
	return all, err
}

// Commit writes records and the head they lead to. Where it fails nothing is known.
func (a *account) Commit(h postgres.Head, writes []postgres.Write) error {
	p := a.process
	err := p.once(context.Background(), "commit", func(r *rows, _ time.Time) error {
		row := r.heads[a.name]
		switch {
		case row.token == a.token && row.Serial == h.Serial-1 &&
			row.Records == a.head.Records && row.Digest == a.head.Digest:
		case row.token < a.token || row.Serial < a.head.Serial:
			return fmt.Errorf("%w: %s ends at commit %d, and commit %d was made",
				postgres.ErrLost, a.name, row.Serial, a.head.Serial)
		default:
			return fmt.Errorf("%w: %s", postgres.ErrFenced, a.name)
		}
		row.Head = h
		r.heads[a.name] = row
		r.write(a.name, writes)
		return nil
	})
	if err != nil {
		return err
	}
	a.head = h
	p.know(a.name, durable{h.Serial, a.token})
	return nil
}

func (r *rows) write(name string, writes []postgres.Write) {
	if r.records[name] == nil {
		r.records[name] = map[recordKey]postgres.Record{}
	}
	for _, w := range writes {
		k := recordKey{w.Class, w.Key}
		if w.Remove {
			delete(r.records[name], k)
			continue
		}
		r.records[name][k] = postgres.Record{Key: w.Key, Value: w.Value, Sum: w.Sum}
	}
}

// Close gives the account back.
func (a *account) Close() error {
	defer a.process.letGo(a.name)
	return a.process.twice(context.Background(), "give back", func(r *rows, _ time.Time) error {
		if h, there := r.heads[a.name]; there && h.token == a.token {
			h.worker = 0
			r.heads[a.name] = h
		}
		return nil
	})
}

// Accept takes the state of an account as it is for the whole of it.
func (a *account) Accept(ctx context.Context) error {
	err := a.process.twice(ctx, "accept", func(r *rows, _ time.Time) error {
		h, there := r.heads[a.name]
		if !there || h.token != a.token {
			return fmt.Errorf("%w: %s", postgres.ErrFenced, a.name)
		}
		h.at = a.process.database.at
		r.heads[a.name] = h
		return nil
	})
	if err == nil {
		a.process.know(a.name, durable{a.head.Serial, a.token})
	}
	return err
}

// Remove removes the state of the account and all that is kept beside it.
func (a *account) Remove(ctx context.Context) error {
	return a.process.once(ctx, "remove", func(r *rows, _ time.Time) error {
		if h, there := r.heads[a.name]; !there || h.token != a.token {
			return fmt.Errorf("%w: %s", postgres.ErrFenced, a.name)
		}
		delete(r.heads, a.name)
		delete(r.records, a.name)
		delete(r.attendance, a.name)
		for k := range r.beside {
			if k.account == a.name {
				delete(r.beside, k)
			}
		}
		return nil
	})
}

// Receive puts a whole state in the place of what an account has.
func (p *Process) Receive(ctx context.Context, name string, over state.Claimed,
	h postgres.Head, writes []postgres.Write) error {
	there, _ := over.(*account)
	err := p.once(ctx, "receive", func(r *rows, _ time.Time) error {
		row, exists := r.heads[name]
		switch {
		case there == nil && exists:
			return postgres.ErrTaken
		case there == nil:
			row.at = p.database.at
		case row.token != there.token || row.Serial != there.head.Serial:
			return fmt.Errorf("%w: %s", postgres.ErrFenced, name)
		}
		row.Head = h
		r.heads[name] = row
		delete(r.records, name)
		r.write(name, writes)
		return nil
	})
	if err != nil {
		return err
	}
	if there != nil {
		there.head = h
		p.know(name, durable{h.Serial, there.token})
	}
	return nil
}

// Serial returns how many commits the state of an account has seen, 0 where there is none.
func (p *Process) Serial(ctx context.Context, name string) (serial int64, err error) {
	err = p.twice(ctx, "serial", func(r *rows, _ time.Time) error { serial = r.heads[name].Serial; return nil })
	return serial, err
}

// HeldBy says who holds an account; held is false where nobody does.
func (p *Process) HeldBy(ctx context.Context, name string) (h postgres.Holder, held bool, err error) {
	err = p.once(ctx, "held by", func(r *rows, now time.Time) error {
		h, held = r.holder(r.heads[name].worker, now)
		return nil
	})
	return h, held, err
}

// Snapshot visits every record of an account as it is at one moment, whoever holds it.
func (p *Process) Snapshot(ctx context.Context, name string,
	visit func(class, key, value string, sum uint64) error) (h postgres.Head, err error) {
	err = p.once(ctx, "snapshot", func(r *rows, _ time.Time) error {
		row, there := r.heads[name]
		if !there {
			return postgres.ErrNothing
		}
		h = row.Head
		if err := p.refuseLost(r, name, row); err != nil {
			return err
		}
		for k, one := range r.records[name] {
			if err := visit(k.class, k.key, one.Value, one.Sum); err != nil {
				return err
			}
		}
		return nil
	})
	return h, err
}

func (p *Process) hold(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds[name] {
		return false
	}
	p.holds[name] = true
	return true
}

func (p *Process) letGo(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.holds, name)
}

// durable is a commit that was acknowledged, and the token under which it was made.
type durable struct{ serial, token int64 }

func (p *Process) know(name string, commit durable) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[name] = commit
}

func (p *Process) knows(name string) (commit durable, sure bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	commit, sure = p.known[name]
	return commit, sure
}
