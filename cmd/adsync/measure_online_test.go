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

	"adsync/internal/testing/bench"
)

// inForm is a folder with the account in one format.
type inForm struct {
	form   string // after the command's name; "" for YAML in many files
	dir    string
	floor  namedFloor // of reading it
	write  func(bench.Shape) error
	within bool // also with the emulator within
}

// forms are the formats the whole commands are measured with. The shapes that are not
// that of most figures, and what is larger, have one.
func (m *measuring) forms(f measuredFiles, nodes namedFloor) []inForm {
	yaml := func(dir string, campaigns int) func(bench.Shape) error {
		return func(s bench.Shape) error { _, err := s.WriteYAML(dir, campaigns); return err }
	}
	forms := []inForm{{"", f.many, nodes, yaml(f.many, campaignsOfAFile), true}}
	if m.family > 0 || m.size > 15_000 {
		return forms
	}
	return append(forms,
		inForm{", one file", f.one, m.floor("yaml-nodes", f.yaml...), yaml(f.one, 0), false},
		inForm{", workbook", f.book, m.floor("rows", f.workbook), func(s bench.Shape) error {
			_, err := s.WriteWorkbook(f.book)
			return err
		}, true},
		inForm{", CSV", f.table, m.floor("csv-records", f.csv), func(s bench.Shape) error {
			_, err := s.WriteCSV(f.table)
			return err
		}, true})
}

// online measures what asks a service over loopback, a service for each format.
func (m *measuring) online(f measuredFiles, nodes namedFloor) {
	m.t.Helper()
	defer func() { m.service, m.sent = nil, counts{} }()
	for i, of := range m.forms(f, nodes) {
		s := startMeasured(m.t, m.size)
		m.service = s
		m.of("first plan"+of.form, bench.Shape{}.Plan(),
			m.runs(*measureRounds, s.environment(), nothing, "plan", of.dir), of.floor)
		pages, state := m.create(of, s)
		whole := []namedFloor{of.floor, pages, state[1]}
		m.of("no-change plan"+of.form, m.shape.Plan(),
			m.runs(*measureRounds, s.environment(), nothing, "plan", of.dir), whole...)
		m.update("apply, 1 in 100 updated"+of.form, of, s.environment(), whole)
		if i == 0 {
			m.daemon(f, s, whole)
			m.export(f, s, pages)
		}
		s.stop()
		if of.within && m.size <= 15_000 { // the emulator of a project has the published 5,000 campaigns
			m.service = nil
			m.embedded(of, pages, state)
		}
	}
}

// create measures a full create, which waits for the limits of the service: one
// process does, and the one that counts lives by the service's clock. It gives the
// floors of the account's pages and of its state.
func (m *measuring) create(of inForm, s *measuredService) (pages namedFloor, state [2]namedFloor) {
	m.t.Helper()
	other := startMeasured(m.t, m.size)
	counted := m.count(other, other.environment(), "apply", "--yes", of.dir)
	answers := filepath.Join(m.t.TempDir(), "pages.json")
	other.pages(m.t, answers)
	other.stop()
	noError(m.t, os.RemoveAll(filepath.Join(of.dir, ".adsync")))
	took := m.once(s.environment(), nothing, "apply", "--yes", of.dir)
	took.Allocations, took.Bytes = counted.Allocations, counted.Bytes
	pages, state = m.floor("json-pages", answers), m.state(answers)
	m.of("full create"+of.form, m.shape.FullCreate(), took, of.floor, pages, state[0])
	return pages, state
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
func (m *measuring) update(name string, of inForm, environment []string, floors []namedFloor) {
	m.t.Helper()
	shape := m.shape
	edit := func() {
		shape.Edited = !shape.Edited
		noError(m.t, of.write(shape))
	}
	took := m.runs(*measureRounds, environment, edit, "apply", "--yes", of.dir)
	m.of(name, m.shape.Edit(), took, floors...)
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
	took := cost{
		CPU:   (scheduled(m.t, c.Process.Pid) - before) / looks,
		Clock: time.Since(began) / looks, Peak: peakOf(m.t, c.Process.Pid),
	}
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

// embedded measures a project that has the emulator in the same process, on disk: what
// that takes is in the figures, and in no floor. Each command waits for its limits, so
// that it runs once, and counts itself.
func (m *measuring) embedded(of inForm, pages namedFloor, state [2]namedFloor) {
	m.t.Helper()
	write := of.write
	edit := func(s bench.Shape) {
		noError(m.t, write(s))
		noError(m.t, bench.WriteProject(of.dir, "service: emulator\n"))
	}
	edit(m.shape)
	kept, out := filepath.Join(of.dir, ".adsync"), of.dir+"-out"
	noError(m.t, os.RemoveAll(kept))
	measure := func(name string, bound int, floors []namedFloor, args ...string) {
		m.of(name+of.form+", the emulator within", bound, m.counted(append(args, of.dir)...), floors...)
	}
	whole := []namedFloor{of.floor, pages, state[1]}
	measure("first plan", bench.Shape{}.Plan(), []namedFloor{of.floor}, "plan")
	noError(m.t, os.RemoveAll(kept))
	measure("full create", m.shape.FullCreate(), []namedFloor{of.floor, pages, state[0]}, "apply", "--yes")
	measure("no-change plan", m.shape.Plan(), whole, "plan")
	other := m.shape
	other.Edited = true
	edit(other)
	measure("apply, 1 in 100 updated", m.shape.Edit(), whole, "apply", "--yes")
	if of.form == "" && m.family == 0 {
		// another process of it asks, which nobody counts
		measure("daemon, its first run", 0, whole, "daemon", "--once")
		measure("export, YAML", m.shape.Export(), []namedFloor{pages}, "export", "-o", "yaml", "--out", out)
	}
}

// counted runs a command once as the test binary, which counts what it allocates and
// what its own emulator is asked, beneath the program that notes the rest.
func (m *measuring) counted(args ...string) cost {
	m.t.Helper()
	into := filepath.Join(m.t.TempDir(), "cost.json")
	took := measured(m.t, append(benchEnvironment(), asCommand+"=1", allocationsInto+"="+into),
		m.spent, os.Args[0], args...)
	content, err := os.ReadFile(into)
	noError(m.t, err)
	var own cost
	noError(m.t, json.Unmarshal(content, &own))
	m.sent = own.Served
	took.Allocations, took.Bytes = own.Allocations, own.Bytes
	return took
}
