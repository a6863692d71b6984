package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/bench"
)

// online measures what asks a service over loopback.
func (m *measuring) online(f measuredFiles, nodes namedFloor) {
	m.t.Helper()
	s := startMeasured(m.t, m.size)
	m.service = s
	defer func() { m.service, m.sent = nil, counts{}; s.stop() }()
	first := m.runs(*measureRounds, s.environment(), nothing, "plan", f.many)
	m.of("first plan", bench.Shape{}.Plan(), first, nodes)
	m.create(f, s, nodes)
	answers := filepath.Join(m.t.TempDir(), "pages.json")
	s.pages(m.t, answers)
	pages := m.floor("json-pages", answers)
	whole := []namedFloor{nodes, pages, m.state(answers)[1]}
	m.of("no-change plan", m.shape.Plan(), m.runs(*measureRounds, s.environment(), nothing, "plan", f.many), whole...)
	if m.family > 0 {
		return
	}
	m.update(f, s, whole)
	m.daemon(f, s, whole)
	m.export(f, s, pages)
}

// create measures a full create, which waits for the limits of the service: one
// process does, and the one that counts lives by the service's clock.
func (m *measuring) create(f measuredFiles, s *measuredService, nodes namedFloor) {
	m.t.Helper()
	state := filepath.Join(f.many, ".adsync")
	other := startMeasured(m.t, m.size)
	counted := m.count(other, other.environment(), "apply", "--yes", f.many)
	answers := filepath.Join(m.t.TempDir(), "pages.json")
	other.pages(m.t, answers)
	other.stop()
	noError(m.t, os.RemoveAll(state))
	took := m.once(s.environment(), nothing, "apply", "--yes", f.many)
	took.Allocations, took.Bytes = counted.Allocations, counted.Bytes
	m.of("full create", m.shape.FullCreate(), took, nodes, m.floor("json-pages", answers), m.state(answers)[0])
}

// state is the floor of recording the account, a hundred resources in a
// transaction, and of loading it.
func (m *measuring) state(answers string) [2]namedFloor {
	m.t.Helper()
	lines := filepath.Join(m.t.TempDir(), "lines")
	content, err := os.Open(answers)
	noError(m.t, err)
	defer content.Close()
	var out bytes.Buffer
	for pages := json.NewDecoder(content); pages.More(); {
		var list struct{ Data []json.RawMessage }
		noError(m.t, pages.Decode(&list))
		for _, r := range list.Data {
			noError(m.t, json.Compact(&out, r))
			out.WriteByte('\n')
		}
	}
	noError(m.t, os.WriteFile(lines, out.Bytes(), 0o600))
	var both [2]namedFloor
	for i, name := range []string{"sqlite-write", "sqlite-load"} {
		both[i].name = name
		for range *measureRounds {
			if i == 0 {
				noError(m.t, os.RemoveAll(lines+".db"))
			}
			both[i].cost = both[i].cost.least(floorOf(m.t, name, lines))
		}
	}
	return both
}

// update measures 1 resource in 100 that is edited, and edited back.
func (m *measuring) update(f measuredFiles, s *measuredService, floors []namedFloor) {
	m.t.Helper()
	edited, round := 0, 0
	edit := func() {
		var err error
		if round++; round%2 == 0 {
			_, err = m.shape.WriteYAML(f.many, campaignsOfAFile)
		} else {
			edited, err = m.shape.EditYAML(f.many, campaignsOfAFile)
		}
		noError(m.t, err)
	}
	took := m.runs(*measureRounds, s.environment(), edit, "apply", "--yes", f.many)
	m.of("apply, 1 in 100 updated", m.shape.Edit(edited), took, floors...)
}

// daemon measures the first run of a daemon, and its looks at an account in which
// nothing has changed since.
func (m *measuring) daemon(f measuredFiles, s *measuredService, floors []namedFloor) {
	m.t.Helper()
	once := m.runs(*measureRounds, s.environment(), nothing, "daemon", "--once", f.many)
	m.of("daemon, its first run", m.shape.FirstRun(), once, floors...)
	c := exec.Command(m.binary, "daemon", "--listen", "none", "--every", "1s", f.many)
	c.Env = append(os.Environ(), s.environment()...)
	log, err := os.Create(filepath.Join(m.t.TempDir(), "log"))
	noError(m.t, err)
	defer log.Close()
	c.Stderr = log
	noError(m.t, c.Start())
	defer func() { noError(m.t, c.Process.Signal(os.Interrupt)); _ = c.Wait() }()
	await(m.t, "the daemon's first run", func() bool {
		said, err := os.ReadFile(log.Name())
		return err == nil && strings.Contains(string(said), "run ended")
	})
	const looks = 10
	sent := s.requests.Load()
	await(m.t, "a look", func() bool { return s.requests.Load() > sent })
	before, sent, began := scheduled(m.t, c.Process.Pid), s.requests.Load(), time.Now()
	await(m.t, "ten looks", func() bool { return s.requests.Load() >= sent+looks })
	took := cost{CPU: (scheduled(m.t, c.Process.Pid) - before) / looks, Clock: time.Since(began) / looks, Peak: peakOf(m.t, c.Process.Pid)}
	m.sent = counts{Requests: (s.requests.Load() - sent) / looks}
	m.of("daemon, a look: nothing changed", 1, took)
}

func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Minute); !happened(); {
		if time.Now().After(until) {
			t.Fatalf("%s does not come", what)
		}
		time.Sleep(20 * time.Millisecond) // what is measured is another process
	}
}

// scheduled is the processor time of the threads a process has, exact.
func scheduled(t *testing.T, pid int) (spent time.Duration) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	noError(t, err)
	for _, thread := range threads {
		content, err := os.ReadFile(thread)
		noError(t, err)
		ns, err := strconv.ParseInt(strings.Fields(string(content))[0], 10, 64)
		noError(t, err)
		spent += time.Duration(ns)
	}
	return spent
}

func peakOf(t *testing.T, pid int) int64 {
	t.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	noError(t, err)
	_, rest, _ := strings.Cut(string(content), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	noError(t, err)
	return kib * 1024
}

func (m *measuring) export(f measuredFiles, s *measuredService, pages namedFloor) {
	m.t.Helper()
	out := m.t.TempDir()
	to := func(form, name string) cost {
		into := filepath.Join(out, name)
		before := func() { noError(m.t, os.RemoveAll(into)) }
		return m.runs(*measureRounds, s.environment(), before, "export", "-o", form, "--out", into, f.many)
	}
	book := to("xlsx", "book.xlsx")
	m.of("export, workbook", m.shape.Export(), book, pages, m.floor("stream", filepath.Join(out, "book.xlsx")))
	m.of("export, YAML", m.shape.Export(), to("yaml", "yaml"), pages)
	m.of("export, CSV", m.shape.Export(), to("csv", "account.csv"), pages)
}

// embedded measures a project that has the emulator in the same process, on disk.
func (m *measuring) embedded(f measuredFiles, nodes namedFloor) {
	m.t.Helper()
	noError(m.t, os.RemoveAll(filepath.Join(f.many, ".adsync")))
	noError(m.t, bench.WriteProject(f.many, "service: emulator\n"))
	for _, args := range [][]string{{"plan"}, {"apply", "--yes"}, {"plan"}} {
		took := m.once(benchEnvironment(), nothing, append(args, f.many)...)
		m.of(args[0]+", the emulator within", 0, took, nodes)
	}
}
