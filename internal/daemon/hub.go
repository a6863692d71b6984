package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are how a Hub does its work. The zero Options are good for use.
type Options struct {
	Places   int           // runs that compute at once; 0: as many as processors, at least 2
	Patience time.Duration // how long a run may keep a place from others; 0: 30 s
	Once     bool          // each account has one run
	Logger   *slog.Logger
	Observer Observer                 // is told of each run that ended; nil tells nobody
	Random   func() float64           // in [0, 1); nil is the system's
	Redact   func(text string) string // takes secrets out of what a panic says; nil leaves it
	Now      func() time.Time         // nil is the clock of the machine
	// is called whenever an account gives a sign, and returns at once; nil: nobody listens
	Moves func()
	Tells func(Event)   // is told of what happens to the accounts of this hub, and returns at once; nil tells nobody
	Doze  time.Duration // an account that waits gives a sign so often; 0: every 10 minutes
}

// Hub has a loop for each account. It is a Desk.
type Hub struct {
	once   bool
	log    *slog.Logger
	random func() float64
	redact func(string) string
	now    func() time.Time
	places *places
	moves  func()
	tells  func(Event)
	doze   time.Duration

	observer Observer

	mu     sync.Mutex
	loops  map[string]*loop
	stops  map[string]context.CancelFunc
	begun  sync.WaitGroup
	events map[chan Event]bool

	working chan struct{} // closed once every account has its loop
}

// New makes a Hub without accounts.
func New(o Options) *Hub {
	h := &Hub{
		once: o.Once, log: o.Logger, random: o.Random,
		redact: o.Redact, now: o.Now, observer: o.Observer, moves: o.Moves,
		tells: o.Tells, doze: cmp.Or(o.Doze, dozeMost),
		places: newPlaces(cmp.Or(o.Places, max(runtime.NumCPU(), 2)), cmp.Or(o.Patience, 30*time.Second)),
		loops:  map[string]*loop{}, stops: map[string]context.CancelFunc{},
		events: map[chan Event]bool{}, working: make(chan struct{}),
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.random == nil {
		h.random = rand.Float64
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.redact == nil {
		h.redact = func(text string) string { return text }
	}
	return h
}

// Run works on the accounts until the context ends, and on those that changes
// gives instead whenever it does: loops of accounts that are not there any more
// end with the run they are in, others are not touched. It returns when every
// loop has ended; with Once, when each account had its run.
func (h *Hub) Run(ctx context.Context, accounts []Account, changes <-chan []Account) {
	h.put(ctx, accounts)
	close(h.working)
	for !h.once && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case accounts := <-changes:
			h.put(ctx, accounts)
		}
	}
	h.begun.Wait()
}

// Working is closed once every account has its loop: who asks before is told of
// none.
func (h *Hub) Working() <-chan struct{} { return h.working }

// put has a loop for each of the accounts, and for no other.
func (h *Hub) put(ctx context.Context, accounts []Account) {
	h.mu.Lock()
	defer h.mu.Unlock()
	stays := map[string]bool{}
	for _, a := range accounts {
		before := h.loops[a.Name]
		stays[a.Name] = true
		if before != nil && before.account.Version == a.Version {
			continue
		}
		if before != nil {
			h.stops[a.Name]()
		}
		h.begin(ctx, h.newLoop(a), before)
	}
	for name, stop := range h.stops {
		if !stays[name] {
			stop()
			delete(h.stops, name)
			delete(h.loops, name)
		}
	}
}

// begin starts a loop once the one before it has ended. mu is held.
func (h *Hub) begin(ctx context.Context, l, before *loop) {
	ctx, stop := context.WithCancel(ctx)
	h.loops[l.account.Name], h.stops[l.account.Name] = l, stop
	h.begun.Go(func() {
		defer stop()
		if before != nil {
			<-before.ended
		}
		l.run(ctx)
	})
}

// Worst is the class of all accounts that asks most of a person.
func (h *Hub) Worst() Class {
	class := InSync
	for _, s := range h.Accounts() {
		if slices.Index(worst, s.State) > slices.Index(worst, class) {
			class = s.State
		}
	}
	return class
}

func (h *Hub) loop(name string) (*loop, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.loops[name]; l != nil {
		return l, nil
	}
	return nil, ErrNoAccount
}

// pendingEvents is how many a slow reader keeps; what is older is lost.
const pendingEvents = 256

// Events gives what happens from now on, until the context ends.
func (h *Hub) Events(ctx context.Context) <-chan Event {
	events := make(chan Event, pendingEvents)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events[events] = true
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.events, events)
		close(events)
	})
	return events
}

// Followed reports whether anybody listens to events.
func (h *Hub) Followed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events) > 0
}

// tell gives an event of this hub's accounts to who listens, here and elsewhere.
func (h *Hub) tell(e Event) {
	h.Tell(e)
	if h.tells != nil {
		h.tells(e)
	}
}

// Tell gives an event to who listens here. Nobody waits for a slow reader.
func (h *Hub) Tell(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for events := range h.events {
		for sent := false; !sent; {
			select {
			case events <- e:
				sent = true
			default:
				select {
				case <-events: // the oldest
				default:
				}
			}
		}
	}
}

// Accounts returns the status of each account, by name.
func (h *Hub) Accounts() []Status {
	loops := h.all()
	statuses := make([]Status, len(loops))
	for i, l := range loops {
		statuses[i] = l.shown()
	}
	return statuses
}

// all returns the loops there are, by name.
func (h *Hub) all() []*loop {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Values(h.loops), func(a, b *loop) int {
		return strings.Compare(a.account.Name, b.account.Name)
	})
}

// Moved reports whether every account has given a sign since a moment, or waits for
// something that has an end.
func (h *Hub) Moved(since time.Time) bool {
	given := h.places.lastGiven()
	return !slices.ContainsFunc(h.all(), func(l *loop) bool { return !l.pulse.last(given).After(since) })
}

// Alive gives an error where an account stands still: its loop should have begun a
// run, or its run should have done, asked or awaited something, long ago.
func (h *Hub) Alive() error {
	given := h.places.lastGiven()
	var still []error
	for _, l := range h.all() {
		if last := l.pulse.last(given); time.Since(last) > stillMost {
			still = append(still, fmt.Errorf("%s stands still since %s",
				l.account.Name, last.UTC().Format(time.RFC3339)))
		}
	}
	return errors.Join(still...)
}
