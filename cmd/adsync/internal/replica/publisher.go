package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/planview"
	"adsync/state"
)

// glance is what is told of an account for lists, with what a status keeps from programs.
type glance struct {
	daemon.Status
	Reached bool   `json:"reached,omitempty"`
	Said    string `json:"said,omitempty"`
	Review  string `json:"review,omitempty"`
}

func write(s daemon.Status) ([]byte, error) {
	return json.Marshal(glance{s, s.Reached, s.Said, s.Review})
}

func read(content []byte) (daemon.Status, error) {
	var g glance
	err := json.Unmarshal(content, &g)
	g.Status.Reached, g.Status.Said, g.Status.Review = g.Reached, g.Said, g.Review
	return g.Status, err
}

// Publisher tells the other daemons of the accounts of this one: a status whenever it is another than it told last,
// with its plan, and what happens in a run. A look that finds nothing is not told.
type Publisher struct {
	Desk *Desk
	Log  *slog.Logger
	// Says puts the names of a plan in a message.
	Says  func(p *planview.Document, message string) string
	Sleep func(context.Context, time.Duration) error
	Mark  string // of this process, by which it knows what it rang itself

	mu      sync.Mutex
	last    map[string]lastTold // by name
	waiting map[string]waits
	events  []daemon.Event
	bell    chan struct{}
}

// lastTold is what was told of an account.
type lastTold struct {
	sum  [sha256.Size]byte
	plan *planview.Document
}

// waits is what is to be told of an account.
type waits struct {
	status daemon.Status
	plan   *planview.Document // nil: it was told
}

// Show tells of an account, where that is another than was told. One that merely looks is not.
func (p *Publisher) Show(s daemon.Status, plan *planview.Document) {
	if !s.Running {
		p.Tell(s, plan)
	}
}

// Tell tells of an account, where that is another than was told.
func (p *Publisher) Tell(s daemon.Status, plan *planview.Document) {
	sum := essence(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting, p.last = map[string]waits{}, map[string]lastTold{}
	}
	before := p.last[s.Name]
	if before.sum == sum && before.plan == plan {
		return
	}
	w := waits{status: s, plan: p.waiting[s.Name].plan}
	if plan != before.plan {
		w.plan = plan
	}
	p.waiting[s.Name], p.last[s.Name] = w, lastTold{sum, plan}
	p.ring()
}

// essence is the sum of a status without what every look changes.
func essence(s daemon.Status) [sha256.Size]byte {
	s.Last, s.Next, s.Good, s.Woken, s.Rate = time.Time{}, time.Time{}, time.Time{}, nil, daemon.Rate{}
	if s.Figures != nil {
		figures := *s.Figures
		figures.Taken = time.Time{}
		s.Figures = &figures
	}
	content, _ := write(s) // it fails where it is told as well
	return sha256.Sum256(content)
}

// Forget has the next status of an account told whatever it is: others may have told of it since.
func (p *Publisher) Forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, name)
	delete(p.waiting, name)
}

// mostEvents is how many wait to be told; the oldest go first.
const mostEvents = 256

// Happened tells of what happens in a run, to who follows at other daemons. A status is told by Show.
func (p *Publisher) Happened(e daemon.Event) {
	if e.Kind == "status" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events[max(0, len(p.events)+1-mostEvents):], e)
	p.ring()
}

// ring has Run work. mu is held.
func (p *Publisher) ring() {
	if p.bell == nil {
		p.bell = make(chan struct{}, 1)
	}
	select {
	case p.bell <- struct{}{}:
	default:
	}
}

func (p *Publisher) rings() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bell == nil {
		p.bell = make(chan struct{}, 1)
	}
	return p.bell
}

// How long what comes at once is gathered, and how long is waited where the database does not answer.
const (
	gather = 100 * time.Millisecond
	later  = 2 * time.Second
)

// Run tells until the context ends.
func (p *Publisher) Run(ctx context.Context) {
	for bell := p.rings(); ; {
		select {
		case <-ctx.Done():
			return
		case <-bell:
		}
		if p.Sleep(ctx, gather) == nil && !p.tell(ctx) {
			p.again(ctx)
		}
	}
}

// again tries once more later.
func (p *Publisher) again(ctx context.Context) {
	if p.Sleep(ctx, later) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ring()
}

// mostAtOnce is how many accounts are told of in one transaction.
const mostAtOnce = 200

// tell tells what waits; false where the database does not answer. Replica says so.
func (p *Publisher) tell(ctx context.Context) bool {
	for {
		some, events := p.take()
		if len(events) > 0 {
			p.tellEvents(ctx, events)
		}
		if len(some) == 0 {
			return true
		}
		if !p.tellSome(ctx, some) {
			return false
		}
	}
}

func (p *Publisher) take() (some map[string]waits, events []daemon.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	events, p.events = p.events, nil
	some = map[string]waits{}
	for name, w := range p.waiting {
		if len(some) < mostAtOnce {
			some[name] = w
			delete(p.waiting, name)
		}
	}
	return some, events
}

func (p *Publisher) tellSome(ctx context.Context, some map[string]waits) bool {
	var views []state.View
	for name, w := range some {
		k, err := p.Desk.of(name)
		if err != nil { // it is not of the configuration any more
			continue
		}
		v, err := p.viewOf(k, w)
		if err != nil {
			p.Log.Error("an account cannot be told of", "account", name, "error", err)
			continue
		}
		views = append(views, v)
	}
	told, err := p.Desk.Views.Tell(ctx, views)
	p.mu.Lock()
	defer p.mu.Unlock()
	heard := map[string]bool{}
	for _, id := range told {
		heard[id] = true
	}
	for _, v := range views {
		w := some[v.Name]
		switch newer, waits := p.waiting[v.Name]; {
		case err != nil && !waits:
			p.waiting[v.Name] = w
		case err != nil && newer.plan == nil:
			newer.plan = w.plan
			p.waiting[v.Name] = newer
		case err == nil && !heard[v.Account]: // it is not this daemon's, or not yet
			delete(p.last, v.Name)
		}
	}
	return err == nil
}

func (p *Publisher) viewOf(k Known, w waits) (v state.View, err error) {
	s := w.status
	v = state.View{Account: k.ID, Name: k.Name, Words: k.words(), State: string(s.State), Problems: s.Failures,
		Currency: s.Currency(), Rejected: s.Rejected}
	if s.Figures != nil {
		v.Waits, v.Exposure, v.Possible = s.Held, s.Exposure.Daily, &s.Exposure.Daily
	}
	if spent := s.Spends(); spent != nil {
		v.Day, v.Week, v.WeekBefore, v.FreshUntil = spent.OfDay, spent.Week, spent.WeekBefore, &spent.Until
	}
	if paced := s.Paces(); paced != nil {
		v.Paced, v.Due, v.PacedUntil = &paced.Spent, &paced.Due, &paced.Until
	}
	if w.plan != nil {
		if v.Plan, err = json.Marshal(w.plan); err != nil {
			return v, err
		}
	}
	s.Said = p.Says(p.Desk.Hub.Plan(k.Name), s.Message)
	v.Glance, err = write(s)
	return v, err
}

// Events are told so many bytes at once: PostgreSQL takes no more.
const eventsMost = 7500

// tellEvents rings with events, as many at once as can be. They are not told again: who follows reads the account.
func (p *Publisher) tellEvents(ctx context.Context, events []daemon.Event) {
	prefix := "events " + p.Mark + " "
	said := bytes.NewBufferString(prefix)
	ring := func() {
		if said.Len() > len(prefix) {
			_ = p.Desk.Views.Ring(ctx, said.String())
		}
		said.Reset()
		said.WriteString(prefix)
	}
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil || len(line) > eventsMost-len(prefix)-1 { // that it happened, and not what
			e.Data = nil
			line, _ = json.Marshal(e)
		}
		if said.Len()+len(line)+1 > eventsMost {
			ring()
		}
		said.Write(line)
		said.WriteByte('\n')
	}
	ring()
}
