package gitstore

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// Shared is one repository for all sources of a process that read it with the same
// credentials: one folder of objects, one list of its branches and tags, and one fetch
// for all that wait for it. What was accepted stays with each source.
type Shared struct {
	dir string

	mu      sync.Mutex
	age     time.Duration // how old a list may be; 0: each that asks gets one that began later
	renewed time.Time     // what was listed before counts no more
	refs    *packp.AdvRefs
	listed  time.Time // when the list was begun
	listing *flight
	getting map[plumbing.Hash]*flight
	newest  plumbing.Hash // what was fetched last
	moved   chan struct{} // closed once a list says otherwise than the one before
}

// NewShared returns a repository whose objects are kept in a folder. The caller has a
// folder for each address and each credential.
func NewShared(dir string) *Shared {
	return &Shared{dir: dir, getting: map[plumbing.Hash]*flight{}, moved: make(chan struct{})}
}

// Keep says for how long one list does for all who ask.
func (r *Shared) Keep(age time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.age = age
}

// Renew has the next who asks get a list that is begun from now on.
func (r *Shared) Renew() {
	if r == nil {
		return // each source asks for itself
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewed = time.Now()
}

// Moved returns what is closed once a list says otherwise than the one before, and in
// what time a list is due; 0 where none is, whoever asks.
func (r *Shared) Moved() (moved <-chan struct{}, due time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.age == 0 || r.listing == nil || r.listing.began.IsZero() {
		return r.moved, r.age
	}
	return r.moved, max(r.age-time.Since(r.listing.began), time.Millisecond)
}

// Look lists the branches and tags where that is due, and returns what the ref names by
// the last list, "" where that names nothing.
func (s *Store) Look(ctx context.Context) string {
	r := s.config.Shared
	if _, due := r.Moved(); due == time.Millisecond {
		_, _ = r.list(ctx, s) // the next run says why it failed
	}
	return s.listedTip()
}

func (s *Store) listedTip() string {
	r := s.config.Shared
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refs == nil {
		return ""
	}
	found, _, err := s.choose(r.refs)
	if err != nil {
		return ""
	}
	return found.target.String()
}

// flight is something that is asked of the other side for all who wait. It ends when
// nobody does any more.
type flight struct {
	began   time.Time // zero: not yet
	waiting int
	stop    context.CancelFunc
	done    chan struct{}
	refs    *packp.AdvRefs
	err     error
	broke   any // a panic, which is that of those who wait
}

// list returns the branches and tags as they are known, where that is young enough.
func (r *Shared) list(ctx context.Context, s *Store) (*packp.AdvRefs, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refs != nil && r.young(r.listed) {
		return r.refs, nil
	}
	f := r.listing
	if f == nil || f.waiting == 0 || !f.began.IsZero() && !r.young(f.began) {
		f = r.begin(ctx, s, f, func(context.Context, *Store, peer, *packp.AdvRefs) error { return nil })
		r.listing = f
	}
	if err := r.wait(ctx, s, f); err != nil {
		return nil, err
	}
	return f.refs, nil
}

func (r *Shared) young(began time.Time) bool {
	return began.After(r.renewed) && time.Since(began) < r.age
}

// get brings a target here, once for all who want it. What cannot be had may be gone by
// now: the next who asks has another list.
func (r *Shared) get(ctx context.Context, s *Store,
	target plumbing.Hash, wants []plumbing.Hash, accepted string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.getting[target]
	if f == nil || f.waiting == 0 {
		newest := r.newest
		f = r.begin(ctx, s, f, func(ctx context.Context, own *Store, p peer, refs *packp.AdvRefs) error {
			haves := append(own.haves(newest.String()), own.haves(accepted)...)
			return own.receive(ctx, p, refs, wants, haves)
		})
		r.getting[target] = f
	}
	err := r.wait(ctx, s, f)
	if err != nil {
		r.refs = nil
	} else {
		r.newest = target
	}
	if f.waiting == 0 && r.getting[target] == f {
		delete(r.getting, target)
	}
	return err
}

// begin starts a flight once the one before it has ended. mu is held. It has a store of its
// own: who began it may be gone before it ends.
func (r *Shared) begin(ctx context.Context, s *Store, before *flight,
	do func(context.Context, *Store, peer, *packp.AdvRefs) error) *flight {
	own := &Store{local: s.local, dial: s.dial}
	own.reopen()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.config.Timeout)
	f := &flight{stop: stop, done: make(chan struct{})}
	go func() { // the last who waits for it ends it, and waits for that
		defer close(f.done)
		defer stop()
		defer func() { f.broke = recover() }()
		if before != nil {
			<-before.done
		}
		r.start(f)
		p, err := own.dial(ctx, own)
		if err != nil {
			f.err = err
			return
		}
		defer p.close()
		if f.refs, f.err = p.advertised(ctx, fetching); f.err == nil {
			r.take(f)
			f.err = do(ctx, own, p, f.refs)
		}
	}()
	return f
}

func (r *Shared) start(f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.began = time.Now()
}

// take has the list of a flight be that of all.
func (r *Shared) take(f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.began.Before(r.listed) {
		return
	}
	same := r.refs != nil && maps.Equal(r.refs.References, f.refs.References)
	r.refs, r.listed = f.refs, f.began
	if !same {
		close(r.moved)
		r.moved = make(chan struct{})
	}
}

// wait waits for the end of a flight. mu is held, and is not meanwhile.
func (r *Shared) wait(ctx context.Context, s *Store, f *flight) error {
	f.waiting++
	r.mu.Unlock()
	defer r.mu.Lock()
	var err error
	select {
	case <-f.done:
	case <-ctx.Done():
		err = s.wrap(ctx, Transient, "fetch from", ctx.Err())
	}
	if r.leave(f) && err != nil {
		f.stop()
		<-f.done
	}
	if err != nil {
		return err
	}
	if f.broke != nil {
		panic(f.broke)
	}
	return f.err
}

// leave reports whether nobody waits for a flight any more.
func (r *Shared) leave(f *flight) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.waiting--
	return f.waiting == 0
}
