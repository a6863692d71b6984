package adsapi

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// N23: a request with a key that may have been done goes again once the service
// knows its key, and what cannot be done twice goes again at once.
func TestAKeyIsNotReliedOnBeforeItIsKnown(t *testing.T) {
	create := Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{"name":"n"}`)}
	job := Mutation{Path: bulkPath, Key: "k", Body: []byte(`{"operations":[]}`)}
	dry := Mutation{Path: bulkPath, Body: []byte(`{"validate_only":true}`)}
	for _, row := range []struct {
		name   string
		sent   Mutation
		answer answer
		lag    time.Duration // of the configuration
		waits  time.Duration
	}{
		{"a create whose answer is lost", create, reset, 0, time.Minute},
		{"a job whose answer is lost", job, reset, 0, time.Minute},
		{"a create that is answered with 500", create, status(500), 0, time.Minute},
		{"a create with an answer that cannot be read", create, truncated, 0, time.Minute},
		{"where keys are known in 20 s", create, reset, 20 * time.Second, 20 * time.Second},
		{"where keys are known at once", create, reset, -1, 0},
		{"a create that is told to wait", create, status(429), 0, 0},
		{"a create that never went", create, unreachable, 0, 0},
		{"a job that changes nothing and has no key", dry, reset, 0, 0},
		{"an update", Mutation{Path: "/campaigns/c1", Body: []byte(`{"name":"n"}`)}, reset, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answers: []answer{row.answer, okRecord}}
				began := time.Now()
				client := clientOf(t, w, func(c *Config) { c.KeyLag, c.Rand = row.lag, func() float64 { return 0 } })
				if _, err := client.Mutate(t.Context(), row.sent); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != row.waits {
					t.Errorf("it went again after %s; want %s", took, row.waits)
				}
			})
		})
	}
}

// N23: net/http would send a request that carries a key again by itself, at once, when a
// kept connection breaks off before the answer.
func TestABrokenConnectionRepeatsNothingByItself(t *testing.T) {
	var creates, waited atomic.Int32
	client, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			respond(w, http.StatusOK, okRecord.body)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		if n := creates.Add(1); n > 1 && waited.Load() == 0 {
			t.Error("the create came again before its key could be known")
		} else if n > 1 {
			respond(w, http.StatusOK, okRecord.body)
			return
		}
		panic(http.ErrAbortHandler) // it was taken, and the connection closes
	}, func(c *Config) {
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			if d >= time.Minute {
				waited.Add(1)
			}
			return ctx.Err()
		}
	})
	if _, err := client.Read(t.Context(), "campaigns", "c1", nil); err != nil { // leaves a connection to use again
		t.Fatal(err)
	}
	if _, err := client.Mutate(t.Context(),
		Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{"name":"n"}`)}); err != nil {
		t.Fatal(err)
	}
	if creates.Load() != 2 {
		t.Errorf("the create was sent %d times; want twice", creates.Load())
	}
}
