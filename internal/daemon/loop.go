package daemon

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"adsync/internal/figures"
	"adsync/internal/planview"
)

// loop repeats the work on one account.
type loop struct {
	hub     *Hub
	account Account
	log     *slog.Logger
	bell    chan struct{} // rings when pending or the orders may be others
	moved   chan struct{} // rings when the files may be others than those the run that goes on has read
	pulse   *pulse

	mu      sync.Mutex
	pending map[Trigger]bool
	status  Status
	plan    *planview.Document
	point   Point // the last that was kept

	// Only the loop itself knows these.
	poll, full, retry, again time.Time // when each of them is due; zero: never
	before                   time.Time // nothing but a person wakes it before
	suspended                bool      // the last run was PlanOnly
	ended                    chan struct{}
}

func (h *Hub) newLoop(a Account) *loop {
	l := &loop{
		hub: h, account: a, log: h.log.With("account", a.Name),
		bell: make(chan struct{}, 1), moved: make(chan struct{}, 1), pulse: &pulse{ring: h.moves},
		pending: map[Trigger]bool{Started: true}, status: Status{Name: a.Name,
			Source: a.Source, Good: a.Good, Applied: a.Applied, PlanOnly: a.PlanOnly}, ended: make(chan struct{}),
	}
	l.pulse.beat()
	return l
}

// run works until the context ends, or once where that is all that is wanted.
func (l *loop) run(ctx context.Context) {
	defer close(l.ended)
	if l.account.Close != nil {
		defer l.unbroken("closing", l.account.Close)
	}
	var watching sync.WaitGroup
	defer watching.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for _, watch := range l.account.Watch {
		if !l.hub.once {
			watching.Go(func() { l.keep(ctx, "watching", func(ctx context.Context) { watch(ctx, l.wake) }) })
		}
	}
	if read := l.account.Figures; read != nil && !l.hub.once {
		watching.Go(func() { l.keep(ctx, "reading figures", func(ctx context.Context) { read(ctx, l.spent) }) })
	}
	now := l.hub.now()
	l.poll, l.full = now.Add(l.spreadFirst(l.account.Every)), now.Add(spread(l.account.Full, l.hub.random()))
	l.keep(ctx, "the loop", func(ctx context.Context) {
		whole := false
		defer func() {
			if !whole { // by a panic, which goes on
				l.stumble()
			}
		}()
		l.repeat(ctx)
		whole = true
	})
}

// stumble has the status say that the loop broke off, and the loop make another
// attempt once it has begun anew.
func (l *loop) stumble() {
	l.pulse.turn(paces[Internal].most)
	now := l.hub.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status.settle(now, Result{
		Class: Internal, Message: "the loop broke off: this is a mistake of adsync, its log has more",
	})
	l.pending[Retried] = true
}

// repeat has one run after the other.
func (l *loop) repeat(ctx context.Context) {
	for {
		triggers := l.await(ctx)
		if ctx.Err() != nil {
			return
		}
		began := time.Now()
		answered, result, ran := l.once(ctx, triggers)
		if !ran {
			return
		}
		l.after(answered, result, time.Since(began))
		if l.hub.once {
			return
		}
	}
}

// spreadFirst is a time within the first period, so that accounts that began
// together do not ask together.
func (l *loop) spreadFirst(d time.Duration) time.Duration {
	return max(time.Duration(l.hub.random()*float64(d)), d/10)
}

// wake notes why there is something to do.
func (l *loop) wake(t Trigger) {
	l.note(t)
	ring(l.bell)
	if t == Files || t == Push {
		ring(l.moved)
	}
}

func (l *loop) note(t Trigger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending[t] = true
}

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// persons are the triggers behind which a person stands: nothing makes them wait.
var persons = []Trigger{Started, Asked, Approved, Continued}

// dozeMost is how long a loop sleeps before it looks at the clocks again: a machine
// that slept, or whose clock was set, is noticed within it.
const dozeMost = 10 * time.Minute

// await returns what woke the loop, once there is something that may.
func (l *loop) await(ctx context.Context) []Trigger {
	for {
		now := l.hub.now()
		l.strike(now)
		triggers, wait := l.due(now)
		if len(triggers) > 0 || ctx.Err() != nil {
			return triggers
		}
		l.pulse.turn(wait)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-l.bell:
		case <-timer.C:
		}
		timer.Stop()
		l.pulse.turn(0)
	}
}

// strike turns moments that have come into triggers.
func (l *loop) strike(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, t := range map[*time.Time]Trigger{&l.poll: Poll, &l.full: Daily, &l.retry: Retried, &l.again: Poll} {
		passes := !now.Before(*at)
		if t == Poll || t == Daily { // what was asked to be left alone is, whatever the clock says
			passes = passed(*at, now)
		}
		if !at.IsZero() && passes {
			*at = time.Time{}
			l.pending[t] = true
			if at == &l.again { // a whole run, not only a look for other files
				l.retry = time.Time{}
			}
		}
	}
	if s := l.status.Suspended; s != nil && !s.Until.IsZero() && !now.Before(s.Until) && l.suspended {
		l.suspended = false
		l.pending[Continued] = true
	}
}

// passed reports whether a moment has come by one of the two clocks of a machine: one of
// them stands still while it sleeps, the other can be set.
func passed(at, now time.Time) bool {
	return !now.Before(at) || !now.Round(0).Before(at.Round(0))
}

// due takes the triggers that may begin a run now, else says how long to wait.
func (l *loop) due(now time.Time) (triggers []Trigger, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	passes := !now.Before(l.before)
	for t := range l.pending {
		passes = passes || slices.Contains(persons, t)
	}
	if passes && len(l.pending) > 0 {
		for t := range l.pending {
			triggers = append(triggers, t)
		}
		slices.Sort(triggers)
		clear(l.pending)
		return triggers, 0
	}
	moments := []time.Time{l.poll, l.full, l.retry, l.again}
	if len(l.pending) > 0 {
		moments = append(moments, l.before)
	}
	if s := l.status.Suspended; s != nil && l.suspended {
		moments = append(moments, s.Until)
	}
	wait = l.hub.doze
	for _, m := range moments {
		if !m.IsZero() {
			wait = min(wait, max(m.Sub(now), 0))
		}
	}
	return nil, wait
}

// once makes one run, and returns what it answered: what woke it, and the wishes it took. ran is false where the
// context ended before it could begin.
func (l *loop) once(ctx context.Context, woken []Trigger) (answered []Trigger, result Result, ran bool) {
	s := &place{places: l.hub.places, pulse: l.pulse}
	if s.sit(ctx) != nil {
		return nil, Result{}, false
	}
	defer s.rise()
	run := withPlace(ctx, s)
	var suspension *Suspension
	pauses := l.shown().Pauses
	Away(run, 0, func() { // a database may keep them waiting
		suspension = l.account.Orders.Suspension(l.hub.now())
		pauses = PausesOf(l.account.Orders, pauses)
	})
	wishes := l.account.Orders.Take()
	triggers := slices.Concat(woken, wishes.Why)
	slices.Sort(triggers)
	triggers = slices.Compact(triggers)
	select {
	case <-l.moved: // this run reads it
	default:
	}
	request := Request{
		Triggers: triggers, Full: wishes.Full || slices.Contains(triggers, Daily),
		Accept: wishes.Accept, PlanOnly: suspension != nil, Tell: l.tell, Moved: l.moved,
	}
	request.Waits = slices.Equal(triggers, []Trigger{Poll}) && !l.retry.IsZero()
	l.show(func(s *Status) {
		s.Running, s.Woken, s.Suspended, s.Pauses, s.Next = true, triggers, suspension, pauses, time.Time{}
	})
	l.suspended = suspension != nil
	return triggers, l.work(run, request), true
}

// work has the Worker run. What breaks off in it ends this run, and nothing else.
func (l *loop) work(ctx context.Context, request Request) (result Result) {
	defer func() {
		if cause := recover(); cause != nil {
			result = Result{
				Class: Internal, Message: "the run broke off: " +
					l.brokeOff("a run", cause) + "; this is a mistake of adsync, its log has more",
			}
		}
	}()
	return l.account.Worker.Run(ctx, request)
}

// after takes in how a run ended, and decides when the next begins by itself.
func (l *loop) after(triggers []Trigger, r Result, took time.Duration) {
	l.pulse.turn(0)
	now := l.hub.now()
	if r.Waits {
		l.show(func(s *Status) {
			s.Running, s.Doing, l.poll = false, "", now.Add(spread(l.account.Every, l.hub.random()))
			s.Next = l.next()
		})
		return
	}
	pauses := PausesOf(l.account.Orders, l.shown().Pauses)
	l.show(func(s *Status) {
		s.settle(now, r)
		s.Pauses = pauses
		if r.Plan != nil {
			l.plan = r.Plan
		}
		l.arrange(now, triggers, s.Failures, r)
		s.Next = l.next()
	})
	l.keepPoint(now)
	l.report(triggers, r)
	if l.hub.observer != nil {
		l.hub.observer.Ran(l.account.Name, r, took)
	}
}

// passedKept is how much of what passed a status names: it is told and kept whole.
const passedKept = 50

// settle puts the end of a run into the status.
func (s *Status) settle(now time.Time, r Result) {
	s.Running, s.Doing, s.Last, s.Message = false, "", now, r.Message
	if s.State != r.Class {
		s.State, s.Since = r.Class, now
	}
	s.Failures++
	if !paces[r.Class].failed {
		s.Failures = 0
	}
	if r.Revision != (Revision{}) {
		s.Revision = r.Revision
	}
	if r.Class == InSync || r.Class == Applied {
		s.Good, s.Applied = now, s.Revision
	}
	if r.Rewritten != nil || !paces[r.Class].failed { // who did not get so far knows nothing of it
		s.Rewritten = r.Rewritten
	}
	if r.Measured {
		s.Passed = r.Passed[:min(len(r.Passed), passedKept)]
		s.PassedMore = len(r.Passed) - len(s.Passed)
		s.Paced = r.Paced
	}
	if r.Journal != nil { // else it is as it was known last
		s.Journal = *r.Journal
	}
	if r.Rate != (Rate{}) {
		s.Rate = r.Rate
	}
	if r.Plan != nil {
		s.count(now, r.Plan)
	}
	s.notice(now, &r)
	if r.Run != nil {
		s.reach(r.Plan, r.Run)
	}
}

// arrange sets the moments at which the loop wakes by itself.
func (l *loop) arrange(now time.Time, triggers []Trigger, failures int, r Result) {
	l.poll, l.retry, l.again, l.before = time.Time{}, time.Time{}, r.Until, time.Time{}
	if wait := retryIn(r.Class, failures, l.hub.random()); wait > 0 {
		l.retry = now.Add(max(wait, r.After))
	}
	if l.retry.IsZero() || l.account.Asks && !r.Unread {
		l.poll = now.Add(max(spread(l.account.Every, l.hub.random()), r.After))
	}
	if r.After > 0 {
		l.before = now.Add(r.After)
	}
	if slices.Contains(triggers, Daily) || l.full.IsZero() {
		l.full = now.Add(spread(l.account.Full, l.hub.random()))
		if paces[r.Class].first > 0 { // it was not read: the next attempt does so
			l.full = l.retry
		}
	}
}

// next is when the next run begins by itself. A look for other files alone is none.
func (l *loop) next() time.Time {
	next := time.Time{}
	for _, m := range []time.Time{l.poll, l.full, l.retry, l.again} {
		if m == l.poll && !l.retry.IsZero() {
			continue
		}
		if !m.IsZero() && (next.IsZero() || m.Before(next)) {
			next = m
		}
	}
	return next
}

// show changes the status and tells of it. The plan of the last run goes along.
func (l *loop) show(change func(*Status)) {
	s, plan := l.changed(change)
	l.hub.tell(Event{Time: time.Now(), Account: s.Name, Kind: "status", Status: &s})
	if l.account.Shown != nil {
		l.account.Shown(s, plan)
	}
}

// spent shows what the account spent of late.
func (l *loop) spent(s *figures.Lately) { l.show(func(status *Status) { status.Spent = s }) }

func (l *loop) changed(change func(*Status)) (Status, *planview.Document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.status)
	return l.status, l.plan
}

func (l *loop) tell(kind string, data map[string]any) {
	l.pulse.beat()
	if says, is := data["says"].(string); is {
		l.changed(func(s *Status) { s.Doing = says })
	}
	l.hub.tell(Event{Time: time.Now(), Account: l.account.Name, Kind: kind, Data: data})
}

// pointEvery is how often a point is kept that is as the one before.
const pointEvery = time.Hour

// keepPoint keeps exposure where it is another, and once an hour.
func (l *loop) keepPoint(now time.Time) {
	s := l.shown()
	if s.Figures == nil || !s.Unplanned.IsZero() { // what is spent now is not known
		return
	}
	p := Point{Time: now.UTC().Truncate(time.Second), Exposure: s.Exposure}
	age := now.Sub(l.point.Time) // below zero where the clock was put back
	if p.Exposure == l.point.Exposure && age >= 0 && age < pointEvery {
		return
	}
	l.point = p
	if err := l.account.Archive.Expose(p); err != nil {
		l.log.Warn("the exposure of now could not be kept", "error", err)
	}
}

// report says how a run ended.
func (l *loop) report(triggers []Trigger, r Result) {
	level := slog.LevelInfo
	switch {
	case r.Skipped:
		level = slog.LevelDebug
	case paces[r.Class].first > 0, r.Class == Partial, r.Class == Undecided, r.Class == Input:
		level = slog.LevelWarn
	}
	var held any // nil before the first plan
	s := l.shown()
	if s.Figures != nil {
		held = s.Held
	}
	l.log.Log(context.Background(), level, "run ended",
		"class", r.Class, "message", r.Message, "woken", triggers, "skipped", r.Skipped, "requests", r.Requests,
		"commit", r.Revision.Commit, "run", s.Run, "held", held, "next", s.Next)
	for _, who := range r.Writers {
		l.log.Warn("somebody else writes to this account", "who", who)
	}
	if r.Run != nil {
		l.tell("run", map[string]any{"run": r.Run.Run, "summary": r.Run.Summary, "class": r.Class})
	}
}

func (l *loop) shown() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}
