package state

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/testing/syscalls"
)

var powerCuts = flag.Int("power-cuts", 0, "how often the "+
	"power fails at each system call of a writer, with other sectors left each time; 0 is once at every third call")

// S11, invariant 19: the power fails after each system call of real processes on
// a real SQLite file. Whatever of the bytes that were not durable is there
// afterwards, the state that is opened then holds everything acknowledged.
func TestPowerCutLosesNothingAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	if syscalls.Available() {
		t.Run("traced", func(t *testing.T) { failPower(t, recorded(t, nil), false) })
	}
	t.Run("watched", func(t *testing.T) { failPower(t, watched(t), true) })
}

// S7: a process that takes the state of an earlier version over dies, or the power
// fails, after each of its calls. What is left is the state of before or the one of
// after, with everything acknowledged, and the next process goes on from it.
func TestS7PowerCutWhileAStateIsTakenOver(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	if !syscalls.Available() {
		t.Fatal("no process may be traced here; want strace, and the right to use it")
	}
	taken := recorded(t, func(dir string) { setFormat(t, dir, 1) })
	if formats := failPower(t, taken, false); formats[1] == 0 || formats[formatVersion] == 0 {
		t.Errorf("states by format %v were left; want some of 1 and some of %d", formats, formatVersion)
	}
}

// failPower replays calls and cuts the power after each. Calls whose order is not
// known may leave what no power cut leaves: that may be refused, but is never
// taken for less than it was.
func failPower(t *testing.T, calls []syscalls.Call, mayRefuse bool) (formats map[int]int) {
	t.Helper()
	formats = map[int]int{}
	random := rand.New(rand.NewPCG(3, 4))
	d, said := newDisk(), newAcknowledged()
	cuts, dir := 0, filepath.Join(memoryFolder(t), "state")
	for i, c := range calls {
		if c.FD == 1 && c.Name == "write" {
			for line := range strings.Lines(string(c.Data)) {
				said.note(t, strings.TrimSpace(line))
			}
			continue
		}
		d.apply(c)
		if *powerCuts == 0 && i%3 != 0 {
			continue
		}
		for _, how := range []survival{allStays, noneStays, someStays} {
			for range max(*powerCuts, 1) {
				d.cutPower(t, dir, how, random)
				cuts++
				formats[leftFormat(t, dir)]++
				said.afterPowerCut(t, fmt.Sprintf("call %d, %s of %s; %s", i, c.Name, filepath.Base(c.Path), how),
					dir, mayRefuse)
				if how != someStays {
					break
				}
			}
		}
	}
	t.Logf("%d calls, %d power cuts; at the end %d steps begun, %d bound, %d closed",
		len(calls), cuts, len(said.begun), len(said.bound), len(said.closed))
	if len(said.closed) < 4 || cuts < 100 {
		t.Errorf("%d steps closed, %d power cuts; want some of both", len(said.closed), cuts)
	}
	return formats
}

// leftFormat is the format of the state a power cut left; 0 where there is none yet.
func leftFormat(t *testing.T, dir string) int {
	t.Helper()
	s, err := OpenReadOnly(t.Context(), dir)
	if err != nil {
		return 0
	}
	defer s.Close()
	return s.Header().Format
}

// memoryFolder is a folder in memory where the machine has one: what is laid out
// there is read once, by this test.
func memoryFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "adsync-power-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// afterPowerCut opens what is left, for reading and then for writing.
func (a *acknowledged) afterPowerCut(t *testing.T, when, dir string, mayRefuse bool) {
	t.Helper()
	for name, open := range map[string]func() (Store, error){
		"OpenReadOnly": func() (Store, error) { return OpenReadOnly(t.Context(), dir) },
		"Open":         func() (Store, error) { return Open(t.Context(), dir, Options{}) },
	} {
		s, err := open()
		if err != nil {
			if !mayRefuse || !refused(err) {
				t.Errorf("%s: %s = %v; want a state", when, name, err)
			}
			continue
		}
		if h := s.Header(); a.lineage != "" && h.Lineage != a.lineage {
			t.Errorf("%s: %s gives lineage %s; want %s", when, name, h.Lineage, a.lineage)
		}
		a.check(t, s)
		if next, err := s.NextSequence(t.Context()); name == "Open" && (err != nil || next <= a.taken) {
			t.Errorf("%s: the next number is %d, %v; want more than %d", when, next, err, a.taken)
		}
		must(t, s.Close())
		if t.Failed() {
			t.FailNow()
		}
	}
}

// recorded are the calls of two processes on one folder, one after the other:
// the second finds what the first left, and what was done to it in between, which
// is durable.
func recorded(t *testing.T, between func(dir string)) []syscalls.Call {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	var all []syscalls.Call
	for process := range 2 {
		if process == 1 && between != nil {
			between(dir)
			database, other := filepath.Join(dir, databaseName), filepath.Join(dir, "other")
			content, err := os.ReadFile(database)
			must(t, err)
			all = append(all, syscalls.Call{Name: "openat", Path: other, Creates: true},
				syscalls.Call{Name: "pwrite64", Path: other, Data: content},
				syscalls.Call{Name: "fsync", Path: other},
				syscalls.Call{Name: "rename", Path: other, To: database}, syscalls.Call{Name: "fsync", Path: dir})
		}
		log := filepath.Join(t.TempDir(), "calls")
		c := syscalls.Under(steps(dir, 4), log)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("the writer: %v\n%s", err, out)
		}
		calls, err := syscalls.Read(log)
		must(t, err)
		for _, call := range calls {
			ours := call.FD == 1 || filepath.Dir(call.Path) == dir || call.Path == dir
			if shared := strings.HasSuffix(call.Path, "-shm"); ours && !shared { // an index that is made anew
				all = append(all, call)
			}
		}
	}
	return all
}

// steps is a writer that ends by itself.
func steps(dir string, n int) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "ADSYNC_STATE_VICTIM="+dir, fmt.Sprintf("ADSYNC_STATE_STEPS=%d", n))
	return c
}

// watched is for machines on which no process may be traced: the folder is looked
// at after each call of a store in this process, and what differs is taken for
// one write a sector, durable at the end of the call.
func watched(t *testing.T) []syscalls.Call {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	w := &watcher{t: t, dir: dir, seen: map[string][]byte{}}
	for range 2 {
		s, err := Open(t.Context(), dir, Options{})
		must(t, err)
		w.look("ready " + s.Header().Lineage)
		must(t, s.Bind(t.Context(), acme))
		for range 4 {
			n, err := s.NextSequence(t.Context())
			must(t, err)
			w.look(fmt.Sprintf("taken %d", n))
			id := fmt.Sprint(n)
			must(t, s.Begin(t.Context(), job(id, 3)))
			w.look("begun " + id)
			must(t, s.Move(t.Context(), id, Sent, Update{SentAt: morning}))
			must(t, s.Finish(t.Context(), id, ads(int(n), 1), nil))
			w.look("bound " + id)
			must(t, s.Move(t.Context(), id, Closed, Update{}))
			w.look("closed " + id)
		}
		must(t, s.Close())
		w.look("")
	}
	return w.calls
}

type watcher struct {
	t     *testing.T
	dir   string
	seen  map[string][]byte
	calls []syscalls.Call
}

// look notes what differs in the folder, and then what was acknowledged.
func (w *watcher) look(said string) {
	w.t.Helper()
	entries, err := os.ReadDir(w.dir)
	must(w.t, err)
	now := map[string][]byte{}
	var synced []syscalls.Call
	for _, entry := range entries {
		path := filepath.Join(w.dir, entry.Name())
		if strings.HasSuffix(path, "-shm") {
			continue
		}
		now[entry.Name()], err = os.ReadFile(path)
		must(w.t, err)
		w.differs(path, w.seen[entry.Name()], now[entry.Name()])
		synced = append(synced, syscalls.Call{Name: "fsync", Path: path})
	}
	w.calls = append(append(w.calls, synced...), syscalls.Call{Name: "fsync", Path: w.dir})
	for name := range w.seen {
		if _, there := now[name]; !there {
			w.calls = append(w.calls, syscalls.Call{Name: "unlink", Path: filepath.Join(w.dir, name)})
		}
	}
	w.seen = now
	w.calls = append(w.calls, syscalls.Call{Name: "write", FD: 1, Data: []byte(said + "\n")})
}

func (w *watcher) differs(path string, before, now []byte) {
	w.calls = append(w.calls, syscalls.Call{Name: "openat", Path: path, Creates: true})
	if len(now) < len(before) {
		w.calls = append(w.calls, syscalls.Call{Name: "ftruncate", Path: path, Size: int64(len(now))})
	}
	for at := 0; at < len(now); at += sector {
		end := min(at+sector, len(now))
		if at < len(before) && bytes.Equal(now[at:end], before[at:min(end, len(before))]) {
			continue
		}
		w.calls = append(w.calls, syscalls.Call{Name: "pwrite64", Path: path, Data: now[at:end], Offset: int64(at)})
	}
}
