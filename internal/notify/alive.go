package notify

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"adsync/internal/secret"
)

// Alive asks for an address while a daemon moves, so that whoever watches that address
// hears when it does not: when it died, its machine is gone, or an account hangs. It has
// no clock of its own: the loops of the accounts ring, and nothing is sent between.
type Alive struct {
	url   secret.Text
	every time.Duration
	o     AliveOptions
	bell  chan struct{}
}

// AliveOptions are what an Alive needs beside its address. Moved is needed, where it Runs.
type AliveOptions struct {
	Moved func(since time.Time) bool // every account has moved since
	Log   *slog.Logger
	Now   func() time.Time            // nil: the clock of the machine
	Send  func(context.Context) error // nil: over the network
}

// NewAlive makes an Alive that asks for an address every so often.
func NewAlive(url secret.Text, every time.Duration, o AliveOptions) (*Alive, error) {
	if err := checkURL(url); err != nil {
		return nil, fmt.Errorf("alive: %w", err)
	}
	a := &Alive{url: url, every: every, o: o, bell: make(chan struct{}, 1)}
	if a.o.Log == nil {
		a.o.Log = slog.New(slog.DiscardHandler)
	}
	if a.o.Now == nil {
		a.o.Now = time.Now
	}
	if a.o.Send == nil {
		a.o.Send = a.ask
	}
	return a, nil
}

// Ring says that an account has moved. It returns at once.
func (a *Alive) Ring() {
	select {
	case a.bell <- struct{}{}:
	default:
	}
}

// Run asks for the address until the context ends: every so often, as an account
// rings and all have moved since the time before. The first time comes as late: a daemon
// that dies as it starts, over and over, is none that lives.
func (a *Alive) Run(ctx context.Context) {
	last := a.o.Now()
	due, fails := last.Add(a.every), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.bell:
		}
		now := a.o.Now()
		early := now.Before(due) && !now.Before(last) // else the clock was put back
		if early || !a.o.Moved(last) {
			continue
		}
		err := a.Ask(ctx)
		last, due = now, now.Add(a.every)
		if err != nil {
			due = now.Add(a.every / 4)
			if !fails && ctx.Err() == nil {
				a.o.Log.Warn("the address of alive does not answer; it is tried on", "error", err.Error())
			}
		}
		fails = err != nil
	}
}

// Ask asks for the address once.
func (a *Alive) Ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, oneAttempt)
	defer cancel()
	return a.o.Send(ctx)
}

func (a *Alive) ask(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url.Reveal(), http.NoBody)
	if err != nil {
		return &refusal{said: "the address cannot be used", final: true}
	}
	return exchange(request)
}
