package pgtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Standby runs a server that follows this one, as it is by now, until the test ends.
func (s *Server) Standby(t testing.TB, settings ...string) *Server {
	t.Helper()
	f := &Server{settings: settings}
	var err error
	if f.folder, err = os.MkdirTemp("", "adsync-postgres-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Remove)
	if err := s.own(f.folder); err != nil {
		t.Fatal(err)
	}
	f.must(t, "pg_basebackup", "--pgdata", f.data(), "--dbname", s.URL("postgres")+"&application_name=standby",
		"--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
	f.Run(t)
	return f
}

// Promote makes a standby a server that takes writes.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.must(t, "pg_ctl", "promote", "--pgdata", s.data(), "--wait")
}

// Copy returns a server on a copy of the files of this one, which does not run, until the test ends.
func (s *Server) Copy(t testing.TB) *Server {
	t.Helper()
	c := &Server{settings: s.settings}
	var err error
	if c.folder, err = os.MkdirTemp("", "adsync-postgres-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Remove)
	if err := s.own(c.folder); err != nil {
		t.Fatal(err)
	}
	c.must(t, "cp", "-a", s.data(), filepath.Join(c.folder, "data"))
	return c
}

// AwaitReplay waits until a standby has all that its server has by now.
func (s *Server) AwaitReplay(t testing.TB, server *Server) {
	t.Helper()
	var want string
	server.ask(t, "SELECT pg_current_wal_lsn()::text", &want)
	for replayed := false; !replayed; {
		s.ask(t, "SELECT coalesce(pg_last_wal_replay_lsn() >= '"+want+"', false)", &replayed)
	}
}

// Number asks a database for a whole number.
func (s *Server) Number(t testing.TB, database, sql string) (n int64) {
	t.Helper()
	askAt(t, s.URL(database), sql, &n)
	return n
}

// Text asks a database for a text.
func (s *Server) Text(t testing.TB, database, sql string) (text string) {
	t.Helper()
	askAt(t, s.URL(database), sql, &text)
	return text
}

func (s *Server) ask(t testing.TB, sql string, into any) {
	t.Helper()
	askAt(t, s.URL("postgres"), sql, into)
}

func askAt(t testing.TB, address, sql string, into any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), sql).Scan(into); err != nil {
		t.Fatal(err)
	}
}
