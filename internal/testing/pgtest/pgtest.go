// Package pgtest runs real PostgreSQL servers for tests: from Debian, or from the PATH, in a folder of their own,
// on loopback alone. PostgreSQL refuses root, so that a test of root's runs it as another user.
//
// Open pgtest.go for a server and its databases, standby.go for a second server that follows one, bouncer.go for
// PgBouncer before a server.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"adsync/internal/testing/ports"

	"github.com/jackc/pgx/v5"
)

// programs is where Debian keeps the programs of a server; the PATH comes first.
const programs = "/usr/lib/postgresql/*/bin"

// role is the database user of the tests.
const role = "adsync"

// Server is a PostgreSQL server.
type Server struct {
	Port int

	folder   string // data and log
	settings []string
	command  *exec.Cmd
	ended    chan struct{}

	bouncing sync.Mutex
	bouncer  *bouncer
}

// shared is the server of a package's tests that need none of their own.
var shared struct {
	sync.Mutex
	server *Server
}

// Main runs the tests of a package and ends the server that they shared.
func Main(m interface{ Run() int }) int {
	defer func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.server != nil {
			shared.server.Remove()
		}
	}()
	return m.Run()
}

// Database returns the address of a new, empty database on the server that the tests of a package share. The package
// has a TestMain that calls [Main].
func Database(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		// what a test writes may be gone after a power cut
		shared.server = begin(t, "fsync=off", "full_page_writes=off", "autovacuum=off")
	}
	return shared.server.Database(t)
}

// Start runs a server until the test ends. Settings are those of postgresql.conf, such as fsync=off.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := begin(t, settings...)
	t.Cleanup(s.Remove)
	return s
}

func begin(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{settings: settings}
	var err error
	if s.folder, err = os.MkdirTemp("", "adsync-postgres-"); err != nil {
		t.Fatal(err)
	}
	if err := s.own(s.folder); err != nil {
		t.Fatal(err)
	}
	s.must(t, "initdb", "--pgdata", s.data(), "--username", role, "--auth", "trust", "--no-sync", "--locale", "C.UTF-8")
	s.Run(t)
	return s
}

// Remove ends the server and removes its folder.
func (s *Server) Remove() {
	s.Kill()
	if s.bouncer != nil {
		s.bouncer.end()
	}
	_ = os.RemoveAll(s.folder)
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// Run starts a server that was killed or stopped, on the port it had.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	if s.Port == 0 {
		s.Port = freePort(t)
	}
	for !s.run(t) {
	}
}

// run starts the server; false where processes of the one that was killed have not quite ended.
func (s *Server) run(t testing.TB) bool {
	t.Helper()
	args := []string{"-D", s.data(), "-k", "", "-c", "listen_addresses=127.0.0.1", "-p", strconv.Itoa(s.Port),
		"-c", "dynamic_shared_memory_type=mmap"} // in its folder: one that is killed leaves nothing in /dev/shm
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.command = s.program(t, "postgres", args...)
	s.command.Stdout, s.command.Stderr = log, log
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	s.ended = ended
	go func(c *exec.Cmd) { _ = c.Wait(); close(ended) }(s.command)
	return s.await(t)
}

// await waits until the server answers; false where it is to be started again.
func (s *Server) await(t testing.TB) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			_ = conn.Close(ctx)
			return true
		}
		select {
		case <-s.ended:
			if log := s.Log(); strings.Contains(log[max(0, len(log)-500):], "pre-existing shared memory") {
				return false
			}
			t.Fatalf("the server ended:\n%s", s.Log())
		case <-ctx.Done():
			t.Fatalf("the server does not answer: %v\n%s", err, s.Log())
		case <-time.After(20 * time.Millisecond): // a poll of another process
		}
	}
}

// Log returns what the server wrote.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.folder, "log"))
	return string(text)
}

// URL returns the address of a database of the server, or of whichever of several takes writes.
func (s *Server) URL(database string, others ...*Server) string {
	hosts := fmt.Sprintf("127.0.0.1:%d", s.Port)
	for _, other := range others {
		hosts += fmt.Sprintf(",127.0.0.1:%d", other.Port)
	}
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", role, hosts, database)
}

var databases atomic.Int64

// Database makes an empty database and returns its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	s.Exec(t, "postgres", "CREATE DATABASE "+name)
	if os.Getenv(throughBouncer) != "" {
		return s.Pooled(t, name)
	}
	return s.URL(name)
}

// Exec runs SQL in a database.
func (s *Server) Exec(t testing.TB, database, sql string) {
	t.Helper()
	if err := Exec(s.URL(database), sql); err != nil {
		t.Fatal(err)
	}
}

// Exec runs SQL in the database at an address.
func Exec(address, sql string) error {
	conn, err := pgx.Connect(context.Background(), address)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(context.Background(), sql)
	return err
}

// Kill ends the server and all its processes at once, as `kill -9` does.
func (s *Server) Kill() {
	if s.command == nil {
		return
	}
	_ = syscall.Kill(s.command.Process.Pid, syscall.SIGSTOP) // so that it begins no process meanwhile
	_ = s.Signal(syscall.SIGKILL)                            // it has ended
	<-s.ended
	s.command = nil
}

// Signal sends a signal to the server and all its processes, such as SIGSTOP. Each has a process group of its own.
func (s *Server) Signal(signal syscall.Signal) error {
	var failed error
	for _, pid := range append(childrenOf(s.command.Process.Pid), s.command.Process.Pid) {
		if err := syscall.Kill(pid, signal); !errors.Is(err, syscall.ESRCH) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// Processor is how much processor time the server and all its processes have used, also those that have ended.
func (s *Server) Processor(t testing.TB) (spent time.Duration) {
	t.Helper()
	for _, pid := range append(childrenOf(s.command.Process.Pid), s.command.Process.Pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended: the next time it counts with who began it
		}
		_, after, _ := strings.Cut(string(text), ") ")
		for _, field := range strings.Fields(after)[11:15] { // user and system, its own and of ended children
			hundredths, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			spent += time.Duration(hundredths) * 10 * time.Millisecond
		}
	}
	return spent
}

// childrenOf are the processes that a process began.
func childrenOf(pid int) (children []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(text), ") ") // behind the name, which may have spaces
		fields := strings.Fields(after)
		if child, err := strconv.Atoi(entry.Name()); err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			children = append(children, child)
		}
	}
	return children
}

// must runs a program of PostgreSQL to its end.
func (s *Server) must(t testing.TB, name string, args ...string) {
	t.Helper()
	c := s.program(t, name, args...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, said.String())
	}
}

// program is a command in a process group of its own, of a user that PostgreSQL takes.
func (s *Server) program(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, args...)
	c.Dir = s.folder
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid, gid, drops := dropsTo(); drops {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return c
}

func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob(filepath.Join(programs, name)) // of a pattern that is one
	if len(found) == 0 {
		return "", fmt.Errorf("%s is not there; want PostgreSQL: make deps installs it", name)
	}
	return found[len(found)-1], nil
}

// dropsTo is who runs the server where root may not: PostgreSQL's own user, or nobody.
func dropsTo() (uid, gid uint32, drops bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		u, errU := strconv.ParseUint(found.Uid, 10, 32)
		g, errG := strconv.ParseUint(found.Gid, 10, 32)
		if errors.Join(errU, errG) == nil {
			return uint32(u), uint32(g), true
		}
	}
	return 65534, 65534, true
}

func (s *Server) own(folder string) error {
	if uid, gid, drops := dropsTo(); drops {
		return os.Chown(folder, int(uid), int(gid))
	}
	return nil
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := ports.Free()
	if err != nil {
		t.Fatal(err)
	}
	return port
}
