package adsapi

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
)

// A process whose lease has ended sends nothing, also where it ends between the check and the write: another process
// may work on the account by then.
func TestNothingIsSentWithoutALease(t *testing.T) {
	over := errors.New("the lease has ended")
	for _, row := range []struct {
		name   string
		checks int32 // for how many questions the lease stands
		want   int32 // requests that arrive
		fails  bool
	}{
		{"it has ended", 0, 0, true},
		{"it ends before the first byte", 1, 0, true},
		{"it stands", 100, 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var arrived, asked atomic.Int32
			c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				arrived.Add(1)
				respond(w, 200, `{"id":"c1"}`)
			}, func(cfg *Config) {
				cfg.Transport = nil
				cfg.Lease = func() error {
					if asked.Add(1) > row.checks {
						return over
					}
					return nil
				}
			})
			_, err := c.Mutate(t.Context(), create)
			if (err != nil) != row.fails {
				t.Errorf("Mutate() = %v, want an error: %t", err, row.fails)
			}
			if row.fails && (!errors.Is(err, ErrUnleased) || !errors.Is(err, over)) {
				t.Errorf("Mutate() = %v, want ErrUnleased and why", err)
			}
			if arrived.Load() != row.want {
				t.Errorf("%d requests arrived, want %d", arrived.Load(), row.want)
			}
		})
	}
}

// A connection that was used before is no way around it.
func TestAUsedConnectionSendsNothingWithoutALease(t *testing.T) {
	var arrived atomic.Int32
	var ended atomic.Bool
	c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		respond(w, 200, `{"id":"c1"}`)
	}, func(cfg *Config) {
		cfg.Transport = nil
		cfg.Lease = func() error {
			if ended.Load() {
				return errors.New("over")
			}
			return nil
		}
	})
	if _, err := c.Mutate(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	ended.Store(true)
	if _, err := c.Mutate(t.Context(), create); !errors.Is(err, ErrUnleased) {
		t.Errorf("Mutate() = %v, want ErrUnleased", err)
	}
	if arrived.Load() != 1 {
		t.Errorf("%d requests arrived, want 1", arrived.Load())
	}
}
