package replica

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/state"
)

// Listener hears what other daemons ring in the database: orders for accounts of this one, and what happens to theirs.
// Where nothing is heard, as behind a pooler, all of it is found by asking, a little later.
type Listener struct {
	Replica *Replica
	Desk    *Desk
	Log     *slog.Logger
	Mark    string // of this process, by which it knows what it rang itself
	Sleep   func(context.Context, time.Duration) error

	deaf  bool // which was said
	since time.Time
	known map[string]time.Time // when was told what is known of an account, by id
}

// How often it is tried to listen, and asked meanwhile.
const (
	listenEvery = 30 * time.Second
	askEvery    = 2 * time.Second
)

// Run listens until the context ends.
func (l *Listener) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.Desk.Views.Listen(ctx, l.listening, func(said string) { l.heard(ctx, said) })
		if ctx.Err() != nil {
			return
		}
		if !l.deaf {
			l.Log.Warn("what other daemons ring is not heard; it is asked for every few seconds", "error", err)
		}
		l.deaf = true
		l.ask(ctx)
	}
}

func (l *Listener) listening() {
	if l.deaf {
		l.Log.Info("what other daemons ring is heard again")
	}
	l.deaf = false
	l.Replica.ring("") // what was rung before was not heard
}

// heard takes in what was rung.
func (l *Listener) heard(ctx context.Context, said string) {
	kind, of, _ := strings.Cut(said, " ")
	switch kind {
	case "order":
		l.Replica.ring(of)
	case "view":
		l.view(ctx, of)
	case "events":
		mark, lines, _ := strings.Cut(of, " ")
		if mark != l.Mark {
			l.events(lines)
		}
	}
}

// view tells who follows that an account of another daemon is otherwise.
func (l *Listener) view(ctx context.Context, id string) {
	name := l.Desk.nameOf(id)
	if _, ours := l.Desk.Hub.Account(name); ours || name == "" || !l.Desk.Hub.Followed() {
		return
	}
	if told, err := l.Desk.Views.Of(ctx, id); err == nil { // else who follows asks again by itself
		l.told(told)
	}
}

func (l *Listener) told(told state.Told) {
	if s, err := l.Desk.shown(told); err == nil && s.Told != nil {
		l.Desk.Hub.Tell(daemon.Event{Time: told.Updated, Account: s.Name, Kind: "status", Status: &s})
	}
}

func (l *Listener) events(lines string) {
	for line := range strings.Lines(lines) {
		var e daemon.Event
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if _, err := l.Desk.of(e.Account); err == nil {
			l.Desk.Hub.Tell(e)
		}
	}
}

// ask asks what was told since, for who follows, until it is time to listen again. Orders are asked for by Replica.
func (l *Listener) ask(ctx context.Context) {
	for range int(listenEvery / askEvery) {
		if l.Sleep(ctx, askEvery) != nil {
			return
		}
		if !l.Desk.Hub.Followed() {
			l.known = nil
			continue
		}
		l.askOnce(ctx)
	}
}

// overlap is how long a transaction that tells may take.
const overlap = 30 * time.Second

func (l *Listener) askOnce(ctx context.Context) {
	if l.known == nil {
		l.known, l.since = map[string]time.Time{}, time.Now().Add(-overlap)
	}
	all, err := l.Desk.Views.Since(ctx, l.since)
	if err != nil {
		return // Replica says so
	}
	for _, told := range all {
		if l.known[told.Account].Equal(told.Updated) {
			continue
		}
		l.known[told.Account] = told.Updated
		if at := told.Updated.Add(-overlap); at.After(l.since) {
			l.since = at
		}
		if _, ours := l.Desk.Hub.Account(l.Desk.nameOf(told.Account)); !ours {
			l.told(told)
		}
	}
}
