package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
)

// disturber stands before an emulator, counts the requests of a run from the
// first that changes something, and does something to the process at one of them.
type disturber struct {
	emulator http.Handler

	mu      sync.Mutex
	changes []int // the requests that changed something, by their number
	count   int
	read    map[string]bool // what was read: how often a job is asked for depends on the machine
	at      int             // the request it is done at; -1 at none
	do      func()          // before the request is carried out
}

// expect counts again, and disturbs at a request.
func (d *disturber) expect(at int, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes, d.count, d.at, d.do, d.read = nil, 0, at, do, map[string]bool{}
}

// since returns which requests changed something.
func (d *disturber) since() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.changes)
}

func (d *disturber) counted(r *http.Request, body []byte) (do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		return nil
	}
	changes := r.Method != http.MethodGet && !bytes.Contains(body, []byte(`"validate_only":true`))
	if !changes && (len(d.changes) == 0 || d.read[r.URL.String()]) {
		return nil
	}
	d.read[r.URL.String()] = !changes
	if changes {
		d.changes = append(d.changes, d.count)
	}
	d.count++
	if d.count-1 == d.at {
		return d.do
	}
	return nil
}

func (d *disturber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever spoke is dead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if do := d.counted(r, body); do != nil {
		do()
	}
	d.emulator.ServeHTTP(w, r)
}

// disturbed is an account as an earlier apply left it, and files that ask for a
// change in every wave.
func disturbed(t *testing.T) (*history, *disturber) {
	t.Helper()
	h := newHistory(t, rand.New(rand.NewPCG(4, 4)), generous)
	d := &disturber{emulator: h.before, at: -1, read: map[string]bool{}}
	h.line.Config.Handler = d
	campaign := func(n int, status string, budget int) *shopCampaign {
		ward := fmt.Sprintf("C%d", n)
		return &shopCampaign{
			ward: ward, status: status, budget: budget, groups: []*shopGroup{{ward: ward + "-G1",
				bid: 80, ads: []*shopAd{{ward: ward + "-G1-A1", status: "active"}}}},
		}
	}
	h.shop.campaigns = []*shopCampaign{campaign(1, "active", 80),
		campaign(2, "active", 80), campaign(3, "active", 80), campaign(4, "paused", 80)}
	h.shop.write(t, h.dir)
	h.finish()
	h.shop.campaigns[0].budget = 60
	h.shop.campaigns[1].budget = 90
	h.shop.campaigns[2].status = "paused"
	h.shop.campaigns[3].status = "active"
	h.shop.campaigns[1].groups[0].version++
	fresh := campaign(5, "active", 50)
	fresh.tracking, fresh.groups[0].ads[0].picture = "utm_source=chat", true
	h.shop.campaigns = append(h.shop.campaigns, fresh)
	h.shop.write(t, h.dir)
	return h, d
}

// listener is what a process says, and a signal for when it has said something.
type listener struct {
	mu    sync.Mutex
	text  bytes.Buffer
	word  string
	heard chan struct{}
	once  sync.Once
}

func listenFor(word string) *listener { return &listener{word: word, heard: make(chan struct{})} }

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.text.Write(p)
	if strings.Contains(l.text.String(), l.word) {
		l.once.Do(func() { close(l.heard) })
	}
	return n, err
}

func (l *listener) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// started runs a command and gives what to wait for.
func (h *history) started(l *listener, args ...string) (*exec.Cmd, *bytes.Buffer) {
	h.t.Helper()
	c, _ := h.command(args...)
	out := &bytes.Buffer{}
	c.Stdout, c.Stderr = out, l
	noError(h.t, c.Start())
	return c, out
}

// calm lets apply come to its end, and holds that everything is there once.
func (h *history) calm(d *disturber) {
	h.t.Helper()
	d.expect(-1, nil)
	h.finish()
	h.check()
}

// wavesSaid are the waves of the steps a process says are under way.
var wavesSaid = regexp.MustCompile(`(?m)^ *[^ /]+/([a-z-]+)/\S+  POST `)

// TestS21InterruptInEveryWave signals the real binary at every request that
// changes something, and while it reads back: it ends with 130 and a whole
// report, sends nothing more, and adsync resume and apply complete it.
func TestS21InterruptInEveryWave(t *testing.T) {
	h, d := disturbed(t)
	d.expect(-1, nil)
	h.finish()
	moments := d.since()
	moments = append(moments, moments[len(moments)-1]+1) // reading back
	// Where the tests themselves run without regard to hangups, as beneath nohup,
	// a process would inherit that; what is caught here is the default there.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	var mu sync.Mutex
	waves := map[string]int{}
	t.Run("at", func(t *testing.T) {
		for i, at := range moments {
			t.Run(fmt.Sprint(at), func(t *testing.T) {
				t.Parallel()
				h, d := disturbed(t)
				said := listenFor("interrupted:")
				process := make(chan *os.Process, 1)
				d.expect(at, func() {
					p := <-process
					_ = p.Signal(signals[i%len(signals)])
					select {
					case <-said.heard:
					case <-time.After(30 * time.Second):
					}
				})
				c, out := h.started(said, "apply", "--yes", "-o", "json")
				process <- c.Process
				_ = c.Wait()
				if code := c.ProcessState.ExitCode(); code != console.ExitInterrupted {
					t.Fatalf("%s at request %d: code %d; want %d\n%s",
						signals[i%len(signals)], at, code, console.ExitInterrupted, said)
				}
				d.mu.Lock()
				sent := len(d.changes)
				d.mu.Unlock()
				if want := min(i+1, len(moments)-1); sent != want {
					t.Errorf("%d requests change something; want %d, and none after the signal", sent, want)
				}
				if !bytes.Contains(out.Bytes(), []byte(`"ended": "interrupted"`)) ||
					!bytes.HasSuffix(bytes.TrimSpace(out.Bytes()), []byte("}")) {
					t.Errorf("the report is not whole:\n%s", out)
				}
				mu.Lock()
				for _, m := range wavesSaid.FindAllStringSubmatch(said.String(), -1) {
					waves[m[1]]++
				}
				mu.Unlock()
				if i%2 == 0 {
					d.expect(-1, nil)
					resume, errors := h.command("resume")
					if err := resume.Run(); err != nil {
						t.Errorf("resume: %v\n%s", err, errors)
					}
				}
				h.calm(d)
			})
		}
	})
	t.Logf("%d requests; waves under way: %s", len(moments), perKind(waves))
	if len(waves) < 6 {
		t.Errorf("signals came in the waves %s; want six at least", perKind(waves))
	}
}

// TestS21ReaderOfTheOutputGoesAway closes the pipe that a plan or an apply writes
// to after its first byte: the plan ends quietly, the apply goes on to its end.
func TestS21ReaderOfTheOutputGoesAway(t *testing.T) {
	for _, row := range []struct {
		name    string
		args    []string
		changes int
	}{
		{name: "plan", args: []string{"plan", "--full", "-o", "json"}},
		{name: "apply", args: []string{"apply", "--yes", "-o", "ndjson"}, changes: 8},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h, d := disturbed(t)
			d.expect(-1, nil)
			c, said := h.command(row.args...)
			read, write, err := os.Pipe()
			noError(t, err)
			_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, write.Fd(), syscall.F_SETPIPE_SZ, 4096)
			if errno != 0 {
				t.Fatal(errno)
			}
			c.Stdout = write
			noError(t, c.Start())
			write.Close()
			_, err = io.ReadFull(read, make([]byte, 1))
			noError(t, err)
			read.Close()
			if err := c.Wait(); err != nil || strings.Contains(said.String(), "pipe") {
				t.Errorf("%v; want it to end well, and quietly\n%s", err, said)
			}
			if sent := len(d.since()); sent != row.changes {
				t.Errorf("%d requests changed something; want %d", sent, row.changes)
			}
			h.calm(d)
		})
	}
}

// TestS19StoppedProcessSendsNothingMore stops the real binary in the middle of its
// first job for twenty hours of its clock: it sends nothing more, and says so.
func TestS19StoppedProcessSendsNothingMore(t *testing.T) {
	h, d := disturbed(t)
	said, process := listenFor("\x00"), make(chan *os.Process, 1)
	d.expect(0, func() {
		p := <-process
		noError(t, p.Signal(syscall.SIGSTOP))
		noError(t, emulatorClock(h.line.URL+clockPath).Sleep(t.Context(), 20*time.Hour))
		noError(t, p.Signal(syscall.SIGCONT))
	})
	c, _ := h.started(said, "apply", "--yes")
	process <- c.Process
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code == 0 ||
		code > console.ExitUnavailable || !strings.Contains(said.String(), "stood still") {
		t.Errorf("code %d; want it to say that it stood still\n%s", code, said)
	}
	if sent := len(d.since()); sent != 1 {
		t.Errorf("%d requests change something; want the first alone", sent)
	}
	h.calm(d)
}

// TestS21SecondSignalEndsAtOnce holds a request back, signals twice, and wants the
// process gone while the request is still under way; what it left is completed.
func TestS21SecondSignalEndsAtOnce(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			h, d := disturbed(t)
			said, process := listenFor("interrupted:"), make(chan *os.Process, 1)
			gone, atOnce := make(chan bool), make(chan bool, 1)
			d.expect(0, func() {
				p := <-process
				_ = p.Signal(signal)
				select {
				case <-said.heard:
				case <-gone:
				}
				_ = p.Signal(signal)
				select {
				case <-gone:
					atOnce <- true
				case <-time.After(20 * time.Second): // the grace after one signal is 30
					atOnce <- false
				}
			})
			c, _ := h.started(said, "apply", "--yes")
			process <- c.Process
			_ = c.Wait()
			close(gone)
			if code := c.ProcessState.ExitCode(); code != console.ExitInterrupted {
				t.Errorf("two signals end with %d; want %d\n%s", code, console.ExitInterrupted, said)
			}
			if !<-atOnce {
				t.Error("the process waited for the request that was under way")
			}
			h.calm(d)
		})
	}
}
