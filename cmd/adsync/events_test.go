package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
)

var eventsSent = flag.Int("events", 2000, "how many conversion events are sent through a proxy that breaks answers")

// mostEventsMemory bounds the memory of sending, whatever the size of the file.
const mostEventsMemory = 120 << 20

// breaking is a proxy of the address of events that breaks one request in 20: half of those before
// they reach it, half after, so that the answer is lost.
type breaking struct {
	next http.Handler

	mu            sync.Mutex
	random        *rand.Rand
	whole         bool // nothing breaks
	before, after int
	kill          func() // of the process that sends; nil: it is left alone
	requests      int    // until it is killed
}

func (b *breaking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	events := r.URL.Path == "/_events/v1/events"
	b.mu.Lock()
	breaks, late := !b.whole && events && b.random.IntN(20) == 0, b.random.IntN(2) == 0
	switch {
	case breaks && late:
		b.after++
	case breaks:
		b.before++
	}
	kill := b.kill
	if b.requests--; !events || b.requests != 0 {
		kill = nil
	}
	b.mu.Unlock()
	if kill != nil && !late {
		kill()
	} else if kill != nil {
		defer kill() // before its answer goes out
	}
	if breaks && late {
		b.next.ServeHTTP(httptest.NewRecorder(), r)
	}
	if breaks {
		panic(http.ErrAbortHandler)
	}
	b.next.ServeHTTP(w, r)
}

// eventsAccount is an account with a pixel, a key for its events, and a file of them.
type eventsAccount struct {
	proxy       *breaking
	dir, file   string
	pixel       string
	environment []string
	perRequest  int
	served      *emulator.Server
}

func newEventsAccount(t *testing.T, profile string, events int, seed uint64) *eventsAccount {
	t.Helper()
	points, err := openpoint.Parse("profile:" + profile + "," + withoutWaits)
	noError(t, err)
	server, err := emulator.Open(emulator.Options{OpenPoints: points, Accounts: []emulator.Account{{
		ID: "adacct_events", Name: "Events", Currency: "USD", TimeZone: "UTC", Key: "sk-events",
		Features: emulator.AllFeatures(),
	}}})
	noError(t, err)
	a := &eventsAccount{proxy: &breaking{next: server, random: rand.New(rand.NewPCG(seed, 1))}, dir: t.TempDir(),
		perRequest: max(1, min(1000, events/100)), served: server}
	line := httptest.NewServer(a.proxy)
	t.Cleanup(func() { line.CloseClientConnections(); line.Close(); noError(t, server.Close()) })
	a.environment = []string{session.EnvBaseURL + "=" + line.URL + "/v1", session.EnvKey + "=sk-events",
		session.EnvKeyLag + "=0s", session.EnvOperator + "=" + filepath.Join(a.dir, "op.yaml")}
	q := filepath.Join(a.dir, "q")
	noError(t, os.Mkdir(q, 0o700))
	saveFile(t, filepath.Join(q, "adsync.yaml"), "account: {id: adacct_events, currency: USD, timezone: UTC}\n")
	saveFile(t, filepath.Join(a.dir, "op.yaml"), fmt.Sprintf(
		"events_url: %s/_events/v1/events\nevents_credentials: {file: e.key}\n", line.URL))
	var pixel struct {
		PixelID string `json:"pixel_id"`
	}
	a.ask(t, http.MethodPost, "/v1/conversions/pixels", `{"name":"Shop","client_type":"web"}`, &pixel)
	a.pixel = pixel.PixelID
	if code, said := a.adsync("conversions", "key", "events", "--yes", "--out", filepath.Join(a.dir, "e.key"),
		"--dir", q); code != console.ExitDone {
		t.Fatalf("a key: %d %s", code, said)
	}
	a.file = filepath.Join(a.dir, "events.csv")
	writeEvents(t, a.file, events)
	return a
}

func writeEvents(t *testing.T, name string, events int) {
	t.Helper()
	file, err := os.Create(name)
	noError(t, err)
	out := bufio.NewWriter(file)
	now := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	fmt.Fprintln(out, "id,type,time,action_source,email,phone,amount,currency")
	for i := range events {
		fmt.Fprintf(out, "order-%d,order_created,%s,offline,buyer%d@shop.example,+1555%07d,%d.99,USD\n",
			i, now, i, i, i%500)
	}
	noError(t, errors.Join(out.Flush(), file.Close()))
}

// ask is somebody else at the service.
func (a *eventsAccount) ask(t *testing.T, method, path, body string, into any) {
	t.Helper()
	request := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer sk-events")
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	a.served.ServeHTTP(answer, request)
	if err := json.Unmarshal(answer.Body.Bytes(), into); err != nil || answer.Code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
}

// arrived counts the events at the service, and those that are there twice.
func (a *eventsAccount) arrived(t *testing.T) (events, twice int) {
	t.Helper()
	var n struct{ Events, Twice int }
	a.ask(t, http.MethodGet, "/_emulator/events", "", &n)
	return n.Events, n.Twice
}

func (a *eventsAccount) command(args ...string) *exec.Cmd {
	c := asAdsync(args...)
	c.Env = append(c.Env, a.environment...)
	return c
}

// adsync runs to its end, and returns the exit code and what it said.
func (a *eventsAccount) adsync(args ...string) (code int, said string) {
	c := a.command(args...)
	out, _ := c.CombinedOutput() // the code says how it ended
	return c.ProcessState.ExitCode(), string(out)
}

// send is the command that sends the file.
func (a *eventsAccount) send(flags ...string) []string {
	return append([]string{"conversions", "send", a.file, "--pixel", a.pixel, "--yes",
		"--dir", filepath.Join(a.dir, "q"), "--per-request", strconv.Itoa(a.perRequest), "-o", "json"}, flags...)
}

// killed sends the file and kills the process as a request of it comes in, or is answered; false when
// it ended before.
func (a *eventsAccount) killed(t *testing.T, requests int, flags ...string) bool {
	t.Helper()
	c := a.command(a.send(flags...)...)
	noError(t, c.Start())
	a.proxy.mu.Lock()
	a.proxy.kill, a.proxy.requests = func() { _ = c.Process.Kill() }, requests
	a.proxy.mu.Unlock()
	_ = c.Wait() // its state says how it ended
	a.proxy.mu.Lock()
	a.proxy.kill = nil
	a.proxy.mu.Unlock()
	return c.ProcessState.ExitCode() == -1
}

// sent is what a run says of the events.
type sent struct{ Taken, Unknown, Refused, Late, Left, Waiting int }

// drain sends until nothing waits any more, with kills in between, and returns how many there were.
func (a *eventsAccount) drain(t *testing.T, random *rand.Rand, flags ...string) (last sent, code, kills int) {
	t.Helper()
	for range 10 {
		if a.killed(t, 1+random.IntN(12), flags...) {
			kills++
		}
	}
	for range 100 {
		c := a.command(a.send(flags...)...)
		var errs bytes.Buffer
		c.Stderr = &errs
		out, _ := c.Output() // the code says how it ended
		var d struct{ Events sent }
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatalf("send: %v\n%s\n%s", err, out, &errs)
		}
		last, code = d.Events, c.ProcessState.ExitCode()
		if last.Waiting+last.Refused == 0 && (last.Unknown == 0 || len(flags) == 0) {
			return last, code, kills
		}
	}
	t.Fatalf("after 100 runs: %+v, ends with %d", last, code)
	return last, code, kills
}

// Events through a proxy that breaks answers, sent by a process that is killed at random moments. Where
// the service counts an event once by its id, each arrives once after --again; where it does not, none
// arrives twice without it.
func TestEventsArriveThroughBrokenAnswers(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{openpoint.Published, "hostile"} {
		t.Run(profile, func(t *testing.T) {
			random := rand.New(rand.NewPCG(*killSeed, uint64(len(profile))))
			a := newEventsAccount(t, profile, *eventsSent, random.Uint64())
			begun := time.Now()
			plain, code, kills := a.drain(t, random)
			events, twice := a.arrived(t)
			t.Logf("%d events in %s, %d kills, %d requests broken before and %d after; "+
				"%d taken, %d unknown, %d arrived", *eventsSent, time.Since(begun).Round(time.Millisecond), kills,
				a.proxy.before, a.proxy.after,
				plain.Taken, plain.Unknown, events)
			if twice != 0 || events < plain.Taken || events > plain.Taken+plain.Unknown ||
				plain.Taken+plain.Unknown != *eventsSent {
				t.Errorf("%d events arrived, %d of them twice; want none twice, and between %d and %d", events, twice,
					plain.Taken, plain.Taken+plain.Unknown)
			}
			if kills == 0 || plain.Unknown == 0 || code != console.ExitUnknown || a.proxy.after == 0 {
				t.Errorf("%+v, ends with %d, and %d answers were lost; want some unknown, and %d",
					plain, code, a.proxy.after, console.ExitUnknown)
			}
			again, code, _ := a.drain(t, random, "--again", "all")
			events, twice = a.arrived(t)
			if again.Taken != *eventsSent || code != console.ExitDone {
				t.Errorf("--again all: %+v, ends with %d; want all taken", again, code)
			}
			if once := profile == openpoint.Published; once != (twice == 0) || events-twice != *eventsSent {
				t.Errorf("--again all: %d events arrived, %d of them twice; want each once: %t, and all of %d there",
					events, twice, once, *eventsSent)
			}
		})
	}
}

// The memory of sending follows the number of ids, not the size of the file.
func TestSendingManyEventsTakesLittleMemory(t *testing.T) {
	a := newEventsAccount(t, openpoint.Published, *eventsSent, 1)
	a.proxy.whole = true
	begun := time.Now()
	took := allocated(t, a.environment, a.send()...)
	about, err := os.Stat(a.file)
	noError(t, err)
	t.Logf("%d events, %d KiB of file: %d MiB, %s", *eventsSent, about.Size()>>10, took.Peak>>20,
		time.Since(begun).Round(time.Millisecond))
	if events, twice := a.arrived(t); events != *eventsSent || twice != 0 {
		t.Errorf("%d events arrived, %d of them twice; want %d once", events, twice, *eventsSent)
	}
	if took.Peak == 0 || took.Peak > mostEventsMemory {
		t.Errorf("it took %d MiB; want at most %d", took.Peak>>20, mostEventsMemory>>20)
	}
}
