package state

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"adsync/internal/testing/kvtest"
	"adsync/internal/testing/pgtest"
	"adsync/state/kv"
)

// What is kept beside a state is kept in a database as in a folder.
func TestBesideInADatabaseConforms(t *testing.T) {
	server := openServer(t, pgtest.Database(t))
	var accounts atomic.Int32
	kvtest.Conforms(t, func(*testing.T) kv.Store {
		return server.Beside(fmt.Sprintf("act_%d", accounts.Add(1)))
	})
}

// Whatever is asked of what is kept beside a state says that the database does not answer: commands end with 11.
func TestBesideInADatabaseThatIsGone(t *testing.T) {
	postgres := pgtest.Start(t)
	b := openServer(t, postgres.Database(t)).Beside("act_1")
	postgres.Kill()
	for what, ask := range map[string]func() error{
		"Get":     func() error { _, err := b.Get("plan", 1); return err },
		"Put":     func() error { return b.Put("plan", nil) },
		"Secret":  func() error { _, err := b.Secret("key", []byte("k")); return err },
		"Append":  func() error { return b.Append("lines", nil) },
		"Rewrite": func() error { return b.Rewrite("lines", func([]byte) []byte { return nil }) },
		"Delete":  func() error { return b.Delete("plan") },
		"Names":   func() error { _, err := b.Names(""); return err },
	} {
		if err := ask(); !errors.Is(err, ErrAway) {
			t.Errorf("%s of a database that is gone = %v; want %v", what, err, ErrAway)
		}
	}
}
