package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
	"adsync/state"
)

// disk is a state whose process can die at every write: before the bytes are
// synced, so that they are lost, or after, so that they are kept and nobody
// knows. It remembers what was durable when.
type disk struct {
	state.Store
	process *process
	wrote   func(state.Header, bool) // after a write; true where it cannot have left all as it was
	looked  func(state.Header, string)

	keeps   func(string)      // is told what comes to be in the state
	lists   map[string]string // members files, by digest
	folder  *folder           // nil where the state is in memory
	writing *sync.Mutex       // one write at a time, so that they are noted in their order

	mu    *sync.Mutex
	sent  map[string]time.Time  // by request: when it was marked as sent
	begun map[string]origin     // by request: the run that journalled it
	steps map[string]state.Step // by id, as the journal holds them
}

func newDisk(store state.Store) *disk {
	return &disk{
		Store: store, writing: &sync.Mutex{}, mu: &sync.Mutex{},
		sent: map[string]time.Time{}, begun: map[string]origin{}, steps: map[string]state.Step{},
	}
}

// of returns the same disk to another process.
func (d *disk) of(p *process) *disk {
	with := *d
	with.process = p
	return &with
}

// write does something durable. A process that dies here loses it, or keeps it.
func (d *disk) write(do func() error) error { return d.put(false, do) }

// put is write; certain says that it changes something in any case.
func (d *disk) put(certain bool, do func() error) error {
	defer d.process.commits()()
	d.writing.Lock()
	defer d.writing.Unlock()
	if !d.process.effect() {
		return d.die(do)
	}
	before := d.Header()
	err := do()
	if err == nil && (certain || d.process.worker == nil || d.Header() != before) { // else it has what it read
		d.wrote(d.Header(), certain)
	}
	return err
}

// die is the write at which a process died, or one after it.
func (d *disk) die(do func() error) error {
	keep, first := d.process.lastWords()
	if first && d.folder != nil {
		d.tear(keep, do)
	}
	if keep && d.folder == nil && do() == nil {
		d.wrote(d.Header(), false)
	}
	return errDead
}

// holds reports whether the journal has a request's exact bytes and key, marked as
// sent. An upload's bytes are the file's; its step holds what names it.
func (d *disk) holds(r *oracle.Request) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Path == "/uploads" {
		return d.holdsList(r)
	}
	return r.Path == "/upload" || !d.marked(r).IsZero()
}

// marked is when a request was marked as sent, zero where it was not.
func (d *disk) marked(r *oracle.Request) time.Time {
	if at, marked := d.sent[requestName(r.Path, r.Key, r.Content)]; marked {
		return at
	}
	return d.sent[d.inlineName(r)]
}

func (d *disk) markedAt(r *oracle.Request) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.marked(r)
}

// inlineName is what the journal calls a request with people in it, of which it holds the
// hash alone; "" where it holds none of its key.
func (d *disk) inlineName(r *oracle.Request) string {
	sum := fmt.Sprintf(`"sum":"sha256:%x"`, sha256.Sum256(r.Content))
	for name := range d.begun {
		if strings.HasPrefix(name, r.Path+"\n"+r.Key+"\n") && strings.Contains(name, sum) {
			return name
		}
	}
	return ""
}

// keep tells what comes to be in the state, where lists of people are about.
func (d *disk) keep(format string, of ...any) {
	if len(d.lists) > 0 {
		d.keeps(fmt.Sprintf(format, of...))
	}
}

// holdsList reports whether the journal names the list of people a request carries.
func (d *disk) holdsList(r *oracle.Request) bool {
	for digest, content := range d.lists {
		if bytes.Contains(r.Content, []byte(content)) &&
			slices.ContainsFunc(slices.Collect(maps.Keys(d.sent)), func(name string) bool {
				return strings.HasPrefix(name, r.Path+"\n") && strings.Contains(name, digest)
			}) {
			return true
		}
	}
	return false
}

// originOf is the commit and the process of the run that journalled a request, which
// may have died before it sent it.
func (d *disk) originOf(r *oracle.Request) (commit, process int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range []string{requestName(r.Path, r.Key, r.Content), d.inlineName(r)} {
		if o, ok := d.begun[name]; ok {
			return o.commit, o.process
		}
	}
	return r.Commit, r.Process
}

// origin is the run that journalled a request.
type origin struct{ commit, process int }

func requestName(path, key string, body []byte) string {
	return path + "\n" + key + "\n" + string(body)
}

func (d *disk) Begin(ctx context.Context, steps ...state.Step) error {
	return d.put(true, func() error {
		err := d.Store.Begin(ctx, steps...)
		if err != nil && !errors.Is(err, errTook) {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, s := range steps {
			d.steps[s.ID] = s
			d.keep("%s %s %+v", s.Body, s.Note, s.Operations)
			d.begun[requestName(s.Path, s.Key, s.Body)] = origin{d.process.commit, d.process.number}
		}
		return err
	})
}

func (d *disk) Move(ctx context.Context, id string, to state.Point, u state.Update) error {
	return d.put(true, func() error {
		err := d.Store.Move(ctx, id, to, u)
		if err != nil && !errors.Is(err, errTook) {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if s := d.steps[id]; to == state.Sent {
			d.sent[requestName(s.Path, s.Key, s.Body)] = time.Now()
		}
		return err
	})
}

func (d *disk) Bind(ctx context.Context, a state.Account) error {
	return d.write(func() error { return d.Store.Bind(ctx, a) })
}

func (d *disk) Record(ctx context.Context, a []state.Applied) error {
	d.keep("%+v", a)
	return d.write(func() error { return d.Store.Record(ctx, a) })
}

func (d *disk) Forget(ctx context.Context, a []resource.Address) error {
	return d.write(func() error { return d.Store.Forget(ctx, a) })
}

func (d *disk) Advance(ctx context.Context, a []resource.Address) error {
	return d.write(func() error { return d.Store.Advance(ctx, a) })
}

func (d *disk) RecordNotCreated(ctx context.Context, u []state.NotCreated) error {
	return d.beside(false, func() error { return d.Store.RecordNotCreated(ctx, u) })
}

func (d *disk) RecordLate(ctx context.Context, l []state.Late) error {
	return d.beside(false, func() error { return d.Store.RecordLate(ctx, l) })
}

// RecordSubmitted is no effect of its own: the request that follows is one, and
// to die between the two is to die there.
func (d *disk) RecordSubmitted(ctx context.Context, at time.Time) error {
	return d.beside(true, func() error { return d.Store.RecordSubmitted(ctx, at) })
}

// beside is put of what is no effect of its own.
func (d *disk) beside(certain bool, do func() error) error {
	defer d.process.commits()()
	d.writing.Lock()
	defer d.writing.Unlock()
	if d.process.ended() {
		return errDead
	}
	before := d.Header()
	err := do()
	if err == nil && (certain || d.Header() != before) {
		d.wrote(d.Header(), certain)
	}
	return err
}

func (d *disk) NextSequence(ctx context.Context) (n int64, err error) {
	err = d.put(true, func() error { n, err = d.Store.NextSequence(ctx); return err })
	return n, err
}

func (d *disk) Finish(ctx context.Context, id string, a []state.Applied, o []state.OperationOutcome) error {
	d.keep("%+v %+v", a, o)
	return d.put(true, func() error { return d.Store.Finish(ctx, id, a, o) })
}

func (d *disk) RecordFile(ctx context.Context, source, id string) error {
	return d.write(func() error { return d.Store.RecordFile(ctx, source, id) })
}

func (d *disk) RecordCapability(ctx context.Context, c resource.Capability, there bool) error {
	return d.write(func() error { return d.Store.RecordCapability(ctx, c, there) })
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

func (d *disk) Rename(ctx context.Context, r []state.Renamed) error {
	return d.write(func() error { return d.Store.Rename(ctx, r) })
}

func (d *disk) Await(ctx context.Context, ids []string) error {
	return d.write(func() error { return d.Store.Await(ctx, ids) })
}

func (d *disk) RecordMirror(ctx context.Context, m state.Mirror) error {
	return d.write(func() error { return d.Store.RecordMirror(ctx, m) })
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
