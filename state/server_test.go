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

// The account as it was last read is had without the rest of the state, whoever holds it.
func TestOpenMirrorHasTheMirrorAlone(t *testing.T) {
	server := openServer(t, pgtest.Database(t))
	held := openAccount(t, server)
	want := mirrorOf(300)
	must(t, held.Bind(t.Context(), acme))
	must(t, held.RecordMirror(t.Context(), want))
	must(t, held.RecordRun(t.Context(), Run{ID: "run-1"}))
	s, err := server.OpenMirror(t.Context(), acme.ID)
	must(t, err)
	defer s.Close()
	got, err := s.Mirror(t.Context())
	must(t, err)
	same(t, "mirror", got, want)
	if runs, err := s.Runs(t.Context(), 0); err != nil || len(runs) != 0 {
		t.Errorf("Runs() = %v, %v; want none, as they were not read", runs, err)
	}
	nobody, err := server.OpenMirror(t.Context(), "act_nobody")
	must(t, err)
	defer nobody.Close()
	if got, err := nobody.Mirror(t.Context()); err != nil || !got.Full.IsZero() || len(got.Mirrored) != 0 {
		t.Errorf("Mirror() of an account that is not there = %v, %v; want none", got, err)
	}
}
