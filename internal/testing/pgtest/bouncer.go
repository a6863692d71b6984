package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// throughBouncer is the variable of the environment that has tests reach their databases through PgBouncer in
// transaction mode, as make pgbouncer does.
const throughBouncer = "ADSYNC_TEST_PGBOUNCER"

// bouncer is a PgBouncer before a server.
type bouncer struct {
	port int
	end  func()
}

// Pooled returns the address of a database behind PgBouncer, which it starts before the first of a server.
func (s *Server) Pooled(t testing.TB, database string) string {
	t.Helper()
	s.bouncing.Lock()
	defer s.bouncing.Unlock()
	if s.bouncer == nil {
		s.bouncer = s.startBouncer(t)
	}
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable",
		role, s.bouncer.port, database)
}

func (s *Server) startBouncer(t testing.TB) *bouncer {
	t.Helper()
	b := &bouncer{port: freePort(t)}
	config := filepath.Join(s.folder, "pgbouncer.ini")
	if err := os.WriteFile(config, fmt.Appendf(nil, `[databases]
* = host=127.0.0.1 port=%d user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
server_idle_timeout = 2
server_login_retry = 1
query_wait_timeout = 5
max_client_conn = 2000
ignore_startup_parameters = extra_float_digits
`, s.Port, role, b.port), 0o644); err != nil {
		t.Fatal(err)
	}
	c := s.program(t, "pgbouncer", config)
	log, err := os.Create(filepath.Join(s.folder, "pgbouncer.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b.end = func() { _ = c.Process.Kill(); _ = c.Wait() }
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres?sslmode=disable", role, b.port))
		if err == nil {
			_ = conn.Close(ctx)
			return b
		}
		select {
		case <-ctx.Done():
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("PgBouncer does not answer: %v\n%s", err, said)
		case <-time.After(20 * time.Millisecond): // a poll of another process
		}
	}
}
