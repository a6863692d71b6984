package state

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/syscalls"

	"adsync/internal/testing/pgtest"

	"golang.org/x/sys/unix"
)

// openTwin opens a database in memory, which imports this package.
var openTwin func(testing.TB) *Server

// openBranch returns what opens a state on a git branch, which imports this package, too.
var openBranch func(testing.TB, Account, Options) (open func() Store)

// Main runs the tests, or lets the test binary be the process that is killed.
func Main(m *testing.M, twin func(testing.TB) *Server, branch func(testing.TB, Account, Options) (open func() Store)) {
	openTwin, openBranch = twin, branch
	switch dir := os.Getenv("ADSYNC_STATE_VICTIM"); {
	case dir != "":
		carry := victim
		if address := os.Getenv("ADSYNC_STATE_COPIES"); address != "" {
			carry = func(dir string) error { return copyVictim(dir, address) }
		}
		if err := carry(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	default:
		os.Exit(pgtest.Main(m))
	}
}

// victim applies without end, or so many steps: it begins a step, finishes it with a record, and
// says so on stdout once each is acknowledged.
func victim(dir string) error {
	runtime.LockOSThread() // strace counts the calls of each thread apart
	ctx := context.Background()
	if err := limitFiles(os.Getenv("ADSYNC_STATE_LIMIT")); err != nil {
		return err
	}
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		return err
	}
	fmt.Println("ready", s.Header().Lineage) // what Open made is there for good, before anything is written
	if err := s.Bind(ctx, acme); err != nil {
		return err
	}
	steps, err := strconv.Atoi(os.Getenv("ADSYNC_STATE_STEPS"))
	if err != nil {
		steps = math.MaxInt
	}
	for i := range steps {
		if os.Getenv("ADSYNC_STATE_SYNC_FAILS_AFTER") == strconv.Itoa(i) {
			if err := syscalls.FailSync(); err != nil {
				return err
			}
		}
		n, err := s.NextSequence(ctx)
		if err != nil {
			return errors.Join(err, suspectStays(s))
		}
		fmt.Println("taken", n)
		id := strconv.FormatInt(n, 10)
		if err := live(s, id, int(n)); err != nil {
			return errors.Join(err, suspectStays(s))
		}
	}
	return s.Close()
}

func live(s Store, id string, n int) error {
	ctx := context.Background()
	if err := s.Begin(ctx, job(id, 3)); err != nil {
		return err
	}
	fmt.Println("begun", id)
	if err := s.Move(ctx, id, Sent, Update{SentAt: morning}); err != nil {
		return err
	}
	if err := s.Finish(ctx, id, ads(n, 1), nil); err != nil {
		return err
	}
	fmt.Println("bound", id)
	if n%3 == 0 {
		return nil // stays open
	}
	if err := s.Move(ctx, id, Closed, Update{}); err != nil {
		return err
	}
	fmt.Println("closed", id)
	return nil
}

// limitFiles makes every file end at a number of bytes, as a full disk would.
func limitFiles(bytes string) error {
	if bytes == "" {
		return nil
	}
	signal.Ignore(unix.SIGXFSZ)
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n})
}

// suspectStays tries once more after a failure, as a careless caller would.
func suspectStays(s Store) error {
	if err := s.RecordFile(context.Background(), "a", "b"); !errors.Is(err, ErrSuspect) {
		return fmt.Errorf("a write after the failure = %w, want ErrSuspect", err)
	}
	return nil
}

// acknowledged is what the victims said, over all their lives.
type acknowledged struct {
	lineage              string
	taken                int64
	begun, bound, closed map[string]bool
}

// hear runs a victim, kills it after a while, and takes down what it said.
func (a *acknowledged) hear(t *testing.T, dir string, limit string, life time.Duration) (stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ADSYNC_STATE_VICTIM="+dir, "ADSYNC_STATE_LIMIT="+limit)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if life > 0 {
		defer time.AfterFunc(life, func() { cmd.Process.Kill() }).Stop()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		a.note(t, lines.Text())
	}
	cmd.Wait() // it was killed, or says why on stderr
	return complaints.String()
}

func (a *acknowledged) note(t *testing.T, line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "ready":
		if a.lineage != "" && a.lineage != rest {
			t.Errorf("lineage went from %s to %s, want one for ever", a.lineage, rest)
		}
		a.lineage = rest
	case "taken":
		n, err := strconv.ParseInt(rest, 10, 64)
		must(t, err)
		if n <= a.taken {
			t.Errorf("sequence gave %d after %d, want each number once", n, a.taken)
		}
		a.taken = n
	case "begun":
		a.begun[rest] = true
	case "bound":
		a.bound[rest] = true
	case "closed":
		a.closed[rest] = true
	}
}

// check holds the state against what was acknowledged.
func (a *acknowledged) check(t *testing.T, s Store) {
	t.Helper()
	last, err := s.Last(t.Context())
	must(t, err)
	steps, err := s.Open(t.Context())
	must(t, err)
	open := map[string]Point{}
	for _, step := range steps {
		open[step.ID] = step.Point
		if want := job(step.ID, 3); string(step.Body) != string(want.Body) || len(step.Operations) != 3 {
			t.Errorf("step %s came back with %q and %d operations", step.ID, step.Body, len(step.Operations))
		}
	}
	for id := range a.begun {
		n, err := strconv.Atoi(id)
		must(t, err)
		r := last.Get(ads(n, 1)[0].Address)
		point, isOpen := open[id]
		switch {
		case a.bound[id] && r == nil:
			t.Errorf("step %s was bound and its record is gone", id)
		case !a.bound[id] && !isOpen && r == nil:
			t.Errorf("step %s was begun and is gone", id)
		case a.bound[id] && isOpen && point != Bound:
			t.Errorf("step %s was bound and stands at %s", id, point)
		case a.closed[id] && isOpen:
			t.Errorf("step %s was closed and is open", id)
		}
	}
}

func newAcknowledged() *acknowledged {
	return &acknowledged{begun: map[string]bool{}, bound: map[string]bool{}, closed: map[string]bool{}}
}

// ADSYNC_STATE_KILLS sets the number of kills; 12 by default.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	kills, err := strconv.Atoi(os.Getenv("ADSYNC_STATE_KILLS"))
	if err != nil {
		kills = 12
	}
	dir := t.TempDir()
	a := newAcknowledged()
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		a.hear(t, dir, "", time.Duration(5+random.IntN(120))*time.Millisecond)
		reader, err := OpenReadOnly(t.Context(), dir)
		must(t, err)
		a.check(t, reader)
	}
	a.hear(t, dir, "", 2*time.Second)
	s, err := Open(t.Context(), dir, Options{})
	must(t, err)
	defer s.Close()
	a.check(t, s)
	if len(a.closed) == 0 {
		t.Error("no victim came as far as closing a step; want some that do")
	}
	t.Logf("%d kills, %d steps begun, %d bound, %d closed", kills+1, len(a.begun), len(a.bound), len(a.closed))
}

func TestFullDiskStopsTheStoreAndLosesNothing(t *testing.T) {
	for _, limit := range []int{300_000, 500_000, 1_000_000} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			dir := t.TempDir()
			a := newAcknowledged()
			complaint := a.hear(t, dir, strconv.Itoa(limit), 0)
			if !strings.Contains(complaint, ErrSuspect.Error()) || strings.Contains(complaint, "want ErrSuspect") {
				t.Errorf("the process ended with %q, want %q and no write after it", complaint, ErrSuspect)
			}
			if len(a.begun) == 0 {
				t.Error("no step was begun before the disk was full; want some")
			}
			a.check(t, openFolder(t, dir))
		})
	}
}
