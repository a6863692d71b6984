package twin

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/testing/kvtest"
	"adsync/internal/testing/leasetest"
	"adsync/state"
	"adsync/state/kv"
	"adsync/state/postgres"
)

// The twin is held to what PostgreSQL is: leases and fences here, states by the suite of package state.
func TestTheTwinConforms(t *testing.T) {
	leasetest.Conforms(t, func(*testing.T) leasetest.World {
		d := New(time.Now)
		return leasetest.World{
			Open: func(t *testing.T, o postgres.Options) (state.Database, func(), func()) {
				l := &line{}
				p := d.Open(t.Context(), o, l.carry)
				t.Cleanup(func() { l.mend(); p.Close() })
				return p, l.cut, l.mend
			},
			Sleep: time.Sleep,
			Moment: func(*testing.T) func() {
				m := d.Moment()
				return func() { d.Promote(m) }
			},
		}
	})
}

// What is kept beside a state is kept in the twin as in a folder.
func TestBesideInTheTwinConforms(t *testing.T) {
	p := New(time.Now).Open(t.Context(), postgres.Options{}, nil)
	defer p.Close()
	var accounts atomic.Int32
	kvtest.Conforms(t, func(*testing.T) kv.Store { return p.Beside(fmt.Sprintf("act_%d", accounts.Add(1))) })
}

// line carries nothing while it is cut.
type line struct {
	mu     sync.Mutex
	silent bool
}

func (l *line) cut()  { l.set(true) }
func (l *line) mend() { l.set(false) }

func (l *line) set(silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = silent
}

func (l *line) carry(_ context.Context, _ string, ask func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.silent {
		return ErrCut
	}
	return ask()
}
