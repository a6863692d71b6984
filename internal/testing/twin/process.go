package twin

import (
	"context"
	"fmt"
	"sync"
	"time"

	"adsync/state"
	"adsync/state/kv"
	"adsync/state/postgres"
)

// Process is a database as one process reaches it. It is safe for concurrent use.
type Process struct {
	database *Database
	options  postgres.Options
	line     Line

	mu      sync.Mutex
	id      int64         // of its worker, 0 before anything is held
	until   time.Duration // until when it may send, by Options.Awake
	known   map[string]durable
	witness witness
	holds   map[string]bool

	attendance  attendance
	registering chan struct{} // has room while nobody does; no mutex, which a test in a bubble could not wait for

	stop   context.CancelFunc
	beaten sync.WaitGroup
}

// Open connects a process, by a line or, where that is nil, by one that carries everything. Options.Awake is its clock
// that counts sleep. Its heartbeats come until ctx or the process ends.
func (d *Database) Open(ctx context.Context, o postgres.Options, line Line) *Process {
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	if o.Awake == nil {
		began := d.now()
		o.Awake = func() time.Duration { return d.now().Sub(began) }
	}
	if o.Since.IsZero() {
		o.Since = d.now()
	}
	if line == nil {
		line = func(_ context.Context, _ string, ask func() error) error { return ask() }
	}
	p := &Process{database: d, options: o, line: line, known: map[string]durable{}, holds: map[string]bool{},
		registering: make(chan struct{}, 1)}
	p.attendance.process = p
	beating, stop := context.WithCancel(ctx)
	p.stop = stop
	p.beaten.Go(func() { p.beat(beating) })
	return p
}

// most is how long one question to the database may take.
const most = 30 * time.Second

// once asks a question.
func (p *Process) once(ctx context.Context, what string, do func(r *rows, now time.Time) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return p.ask(ctx, what, do)
}

func (p *Process) ask(ctx context.Context, what string, do func(r *rows, now time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.line(ctx, what, func() error { return p.database.transaction(do) })
}

// twice asks again where the line was cut.
func (p *Process) twice(ctx context.Context, what string, do func(r *rows, now time.Time) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := p.ask(ctx, what, do)
	if isCut(err) && ctx.Err() == nil {
		err = p.ask(ctx, what, do)
	}
	return err
}

// valid is ErrOver once the worker may send nothing any more.
func (p *Process) valid(id int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id != id || p.options.Awake() >= p.until {
		return postgres.ErrOver
	}
	return nil
}

// alive returns the id of its worker, and registers it where it has none or its lease has ended.
func (p *Process) alive(ctx context.Context) (int64, error) {
	p.registering <- struct{}{}
	defer func() { <-p.registering }()
	id, now := p.current()
	if id != 0 && p.valid(id) == nil {
		return id, nil
	}
	return p.register(ctx, now)
}

func (p *Process) register(ctx context.Context, asked time.Duration) (id int64, err error) {
	var heard said
	o := p.options
	err = p.once(ctx, "register", func(r *rows, now time.Time) error {
		p.witness.look(r, p.database.at)
		for gone, w := range r.workers {
			if w.Ends.Before(now.Add(-24 * time.Hour)) {
				r.removeWorker(gone)
			}
		}
		r.lastWorker++
		id = r.lastWorker
		r.workers[id] = workerRow{Holder: postgres.Holder{
			Host: o.Host, PID: o.PID, Command: o.Command, Version: o.Version, Since: o.Since, Ends: now.Add(o.Lease),
		}}
		heard = said{id, now.Add(o.Lease), p.database.at}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.id = 0
		return 0, fmt.Errorf("register this process: %w", err)
	}
	p.id, p.until = id, asked+o.Lease*2/3
	p.witness.hear(heard)
	return id, nil
}

// beat puts off the end of the lease for as long as the process runs.
func (p *Process) beat(ctx context.Context) {
	every := time.NewTicker(p.options.Lease / 6)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			p.putOff(ctx)
		}
	}
}

func (p *Process) putOff(ctx context.Context) {
	id, asked := p.current()
	if id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.Lease/3)
	defer cancel()
	ended := false
	var heard said
	err := p.ask(ctx, "heartbeat", func(r *rows, now time.Time) error {
		p.witness.look(r, p.database.at)
		w, there := r.workers[id]
		if ended = !there || !w.Ends.After(now) || w.Ends.Before(p.witness.of(id)); !ended {
			w.Ends = now.Add(p.options.Lease)
			r.workers[id] = w
			heard = said{id, w.Ends, p.database.at}
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.id != id || err != nil:
	case ended: // and others may have what it held
		p.id = 0
	default:
		p.until = asked + p.options.Lease*2/3
		p.witness.hear(heard)
	}
}

func (p *Process) current() (id int64, at time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id, p.options.Awake()
}

// Close gives back every account the process holds.
func (p *Process) Close() error {
	p.stop()
	p.beaten.Wait()
	id, _ := p.current()
	if id == 0 {
		return nil
	}
	err := p.once(context.Background(), "end", func(r *rows, _ time.Time) error { r.removeWorker(id); return nil })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id = 0
	return err
}

// Name returns what people call the database.
func (p *Process) Name() string { return "the database in memory" }

// Mark names this very database.
func (p *Process) Mark(ctx context.Context) (mark string, err error) {
	err = p.twice(ctx, "mark", func(*rows, time.Time) error {
		mark = fmt.Sprintf("%p", p.database)
		return nil
	})
	return mark, err
}

// Behind names no standby: what a moment has is a matter of the test.
func (p *Process) Behind(context.Context) ([]string, error) { return nil, nil }

// Attendance returns who looks after which account.
func (p *Process) Attendance() state.Attendance { return &p.attendance }

// Beside returns what is kept beside the state of an account.
func (p *Process) Beside(account string) kv.Store { return &beside{p, account} }
