package daemoncmd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
	"adsync/state"
)

// life is one start of the daemon, which can be killed at any of its effects: from
// then on nothing it does reaches the service or the disk.
type life struct {
	number int
	years  *years
	cancel context.CancelFunc
	ended  chan struct{}

	mu    sync.Mutex
	count int
	dies  int  // at which effect; 0 never
	keep  bool // a write under way is kept
	dead  bool
}

var errDaemonDead = errors.New("the daemon is dead")

func (l *life) effect() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	if l.dies != 0 && l.count >= l.dies && !l.dead {
		l.dead = true
		l.cancel()
	}
	return !l.dead
}

// dieSoon has the daemon killed at its nth effect from now on.
func (l *life) dieSoon(n int, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dies, l.keep = l.count+n, keep
}

// live has the daemon not be killed any more, where it was not.
func (l *life) live() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dies = 0
}

func (l *life) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

// RoundTrip carries a request and notes it.
func (l *life) RoundTrip(r *http.Request) (*http.Response, error) {
	if !l.effect() {
		return nil, errDaemonDead
	}
	note := l.years.note(l, r)
	response, err := l.years.direct(r)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = &cutBody{strings.NewReader(string(body)), err}
	}
	if !l.effect() {
		return nil, errDaemonDead
	}
	l.years.answered(note, response, body, err)
	if response == nil {
		return nil, err
	}
	return response, nil
}

// cutBody is a body that ends the way it came.
type cutBody struct {
	io.Reader
	err error
}

func (p *cutBody) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err == io.EOF && p.err != nil {
		err = p.err
	}
	return n, err
}

func (p *cutBody) Close() error { return nil }

// disk is the state of a life: real files, each write an effect. It remembers what
// was durable when, and of which commit.
type disk struct {
	state.Store
	life  *life
	known *journalled
}

// journalled is what the journal held, over all lives.
type journalled struct {
	mu    sync.Mutex
	sent  map[string]bool
	begun map[string]int
	steps map[string]state.Step
}

func sentAs(path, key string, body []byte) string { return path + "\n" + key + "\n" + string(body) }

func (d *disk) write(do func() error) error {
	if d.life.effect() {
		return do()
	}
	d.life.mu.Lock()
	last := d.life.keep && d.life.count == d.life.dies
	d.life.mu.Unlock()
	if last {
		_ = do() // nobody hears of it
	}
	return errDaemonDead
}

func (d *disk) Begin(ctx context.Context, steps ...state.Step) error {
	return d.write(func() error {
		if err := d.Store.Begin(ctx, steps...); err != nil {
			return err
		}
		d.known.mu.Lock()
		defer d.known.mu.Unlock()
		for _, s := range steps {
			d.known.steps[s.ID] = s
			d.known.begun[sentAs(s.Path, s.Key, s.Body)] = d.life.years.commitOfRun()
		}
		return nil
	})
}

func (d *disk) Move(ctx context.Context, id string, to state.Point, u state.Update) error {
	return d.write(func() error {
		if err := d.Store.Move(ctx, id, to, u); err != nil {
			return err
		}
		d.known.mu.Lock()
		defer d.known.mu.Unlock()
		if s := d.known.steps[id]; to == state.Sent {
			d.known.sent[sentAs(s.Path, s.Key, s.Body)] = true
		}
		return nil
	})
}

// holds reports whether the journal has a request's exact bytes and key, marked as sent,
// and of which commit the run was that put them there.
func (k *journalled) holds(r *oracle.Request) (holds bool, commit int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	name := sentAs(r.Path, r.Key, r.Content)
	commit, known := k.begun[name]
	if !known {
		commit = r.Commit
	}
	return k.sent[name] || strings.HasPrefix(r.Path, "/upload"), commit // an upload's step names the file
}

func (d *disk) Bind(ctx context.Context, a state.Account) error {
	return d.write(func() error { return d.Store.Bind(ctx, a) })
}

func (d *disk) Record(ctx context.Context, a []state.Applied) error {
	return d.write(func() error { return d.Store.Record(ctx, a) })
}

func (d *disk) Forget(ctx context.Context, a []resource.Address) error {
	return d.write(func() error { return d.Store.Forget(ctx, a) })
}

func (d *disk) Rename(ctx context.Context, r []state.Renamed) error {
	return d.write(func() error { return d.Store.Rename(ctx, r) })
}

func (d *disk) Advance(ctx context.Context, a []resource.Address) error {
	return d.write(func() error { return d.Store.Advance(ctx, a) })
}

func (d *disk) NextSequence(ctx context.Context) (n int64, err error) {
	err = d.write(func() error { n, err = d.Store.NextSequence(ctx); return err })
	return n, err
}

func (d *disk) Finish(ctx context.Context, id string, a []state.Applied, o []state.OperationOutcome) error {
	return d.write(func() error { return d.Store.Finish(ctx, id, a, o) })
}

func (d *disk) RecordCapability(ctx context.Context, c resource.Capability, there bool) error {
	return d.write(func() error { return d.Store.RecordCapability(ctx, c, there) })
}

func (d *disk) RecordMirror(ctx context.Context, m state.Mirror) error {
	return d.write(func() error { return d.Store.RecordMirror(ctx, m) })
}

func (d *disk) Await(ctx context.Context, ids []string) error {
	return d.write(func() error { return d.Store.Await(ctx, ids) })
}

func (d *disk) RecordWaiting(ctx context.Context, s *resource.Snapshot) error {
	return d.write(func() error { return d.Store.RecordWaiting(ctx, s) })
}

func (d *disk) RecordReverted(ctx context.Context, s *resource.Snapshot) error {
	return d.write(func() error { return d.Store.RecordReverted(ctx, s) })
}

func (d *disk) RecordMove(ctx context.Context, m state.Move) error {
	return d.write(func() error { return d.Store.RecordMove(ctx, m) })
}

func (d *disk) RecordCredits(ctx context.Context, c []state.Credit) error {
	return d.write(func() error { return d.Store.RecordCredits(ctx, c) })
}

func (d *disk) RecordRun(ctx context.Context, r state.Run) error {
	return d.write(func() error { return d.Store.RecordRun(ctx, r) })
}

func (d *disk) RecordReport(ctx context.Context, run string, head []byte, report func(io.Writer) error) error {
	return d.write(func() error { return d.Store.RecordReport(ctx, run, head, report) })
}

func (d *disk) Block(ctx context.Context, b []state.Blocked) error {
	return d.write(func() error { return d.Store.Block(ctx, b) })
}

func (d *disk) Unblock(ctx context.Context, a []resource.Address) error {
	return d.write(func() error { return d.Store.Unblock(ctx, a) })
}
