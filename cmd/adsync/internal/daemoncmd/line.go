package daemoncmd

import (
	"context"
	"errors"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/daemon"
)

// dial makes the client, once: the limits of the account are its.
func (w *worker) dial(l session.Loaded) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.client != nil {
		return nil
	}
	w.line = &session.Session{}
	client, err := session.Dial(w.env, w.line, l.Project, adsapi.Config{
		Around: func(ctx context.Context, attempt func()) {
			countIn(ctx, &w.requests)
			daemon.Away(ctx, 0, attempt)
		},
		Lease: func() error {
			if lease := w.lease.Load(); lease != nil {
				return (*lease).Valid()
			}
			return nil // what a look at the account needs changes nothing
		},
		Halt: func() error {
			if w.planOnly {
				return errPlanOnly
			}
			if w.pausing.Load() {
				return nil
			}
			return w.orders.Halt()
		},
	})
	if err != nil {
		w.line.End()
		return err
	}
	w.client = client
	return nil
}

// dialed is the client; nil where the account's run has hung up.
func (w *worker) dialed() *adsapi.Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.client
}

var errPlanOnly = errors.New("the daemon applies nothing in this account")

func (w *worker) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.line != nil {
		w.line.End()
	}
	w.line, w.client, w.seen = nil, nil, nil
}
