package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/bench"
)

var (
	measureUpTo = flag.Int("measure",
		0, "resources of the largest account of TestMeasure: 1500, 15000 or 150000; 0 leaves it out")
	measureFrom   = flag.Int("measure-from", 1_500, "resources of the smallest account of TestMeasure")
	measureBinary = flag.String("measure-binary", "../../bin/adsync", "the adsync whose processes TestMeasure measures")
	measureJSON   = flag.String("measure-json", "", "file for the figures of TestMeasure")
	measureRounds = flag.Int("measure-rounds", 3, "how often TestMeasure runs what takes seconds")
)

// TestMeasure runs every command as a process of its own over accounts of 1,500
// resources and ten times as many, up to -measure, and prints what each took
// beside the floor of the same run (make bench).
func TestMeasure(t *testing.T) {
	if *measureUpTo == 0 {
		return // make bench measures
	}
	began := time.Now()
	m := &measuring{t: t, binary: *measureBinary, spent: filepath.Join(t.TempDir(), "spent")}
	if said, err := exec.Command("go", "build", "-o",
		m.spent, "adsync/internal/testing/bench/spent").CombinedOutput(); err != nil {
		t.Fatalf("build what measures: %v\n%s", err, said)
	}
	m.start = m.runs(10*(*measureRounds), benchEnvironment(), nothing, "version")
	accounts := measuredAccounts()
	for i, of := range accounts {
		fmt.Fprintf(os.Stderr, "account %d of %d: %s, %s resources; %s so far\n",
			i+1, len(accounts), of.shape, thousands(uint64(of.shape.Resources())), time.Since(began).Round(time.Second))
		m.size, m.shape, m.family = of.size, of.shape, of.family
		m.account(writeMeasured(t, of.shape))
	}
	m.figures()
	m.print(os.Stdout)
	fmt.Printf("\nAll of it took %s by the clock, ended %s.\n",
		time.Since(began).Round(time.Minute), time.Now().UTC().Format("2 January 2006, 15:04"))
	if *measureJSON != "" {
		m.save(*measureJSON)
	}
	m.judge()
}

// measuredAccount is one of the accounts of TestMeasure; the first family is that of
// most figures.
type measuredAccount struct {
	size, family int
	shape        bench.Shape
}

// measuredAccounts are all of them, the small ones first.
func measuredAccounts() (all []measuredAccount) {
	for size := *measureFrom; size <= *measureUpTo; size *= 10 {
		for i, shape := range bench.Named(size) {
			if i == 0 || size <= 15_000 { // the others would wait for an hour, for the limits of the service
				all = append(all, measuredAccount{size, i, shape})
			}
		}
	}
	return all
}

// measuring collects the rows of the table.
type measuring struct {
	t      *testing.T
	binary string
	spent  string // the small program that starts it
	start  cost   // of a process that does nothing

	size   int
	shape  bench.Shape
	family int // which of the shapes; the first is that of most figures
	rows   []*figure

	service *measuredService // nil: none is asked
	sent    counts           // by the last process that was measured
}

// counts are requests, and those of them that were answered with 429.
type counts struct {
	Requests int64 `json:"requests"`
	Refused  int64 `json:"refused"`
}

func (s *measuredService) counts() counts {
	if s == nil {
		return counts{}
	}
	return s.counting.counts()
}

// figure is one row: what a command took and what it is measured against.
type figure struct {
	Size    int    `json:"size"` // of the account, about
	Shape   string `json:"shape"`
	Count   int    `json:"resources"`
	Command string `json:"command"`
	Took    cost   `json:"took"`
	Floor   cost   `json:"floor"` // zero: there is none
	FloorIs string `json:"floor_is,omitempty"`
	Bound   int    `json:"bound"` // of requests
	counts

	family int
}

// of adds a row for what is measured now, with the requests of the last process.
func (m *measuring) of(command string, bound int, took cost, floors ...namedFloor) {
	f := &figure{
		Size: m.size, Shape: m.shape.String(), Count: m.shape.Resources(),
		Command: command, Took: took, Bound: bound, counts: m.sent, family: m.family,
	}
	var names []string
	for _, floor := range floors {
		f.Floor.CPU += floor.CPU
		f.Floor.Allocations += floor.Allocations
		names = append(names, floor.name)
	}
	f.FloorIs = strings.Join(names, " + ")
	m.rows = append(m.rows, f)
	fmt.Fprintln(os.Stderr, m.line(f))
}

// namedFloor is the cost of a floor.
type namedFloor struct {
	name string
	cost
}

func (m *measuring) floor(name string, paths ...string) namedFloor {
	m.t.Helper()
	var least cost
	for range *measureRounds {
		least = least.least(floorOf(m.t, name, paths...))
	}
	return namedFloor{name, least}
}

// runs measures a command some rounds, and counts once what it allocates. before
// prepares each round.
func (m *measuring) runs(rounds int, environment []string, before func(), args ...string) cost {
	m.t.Helper()
	var least cost
	for range rounds {
		least = least.least(m.once(environment, before, args...))
	}
	before()
	counted := m.count(m.service, environment, args...)
	least.Allocations, least.Bytes = counted.Allocations, counted.Bytes
	return least
}

// count runs a command as the test binary, which counts what it allocates, and
// notes what it sends: it sleeps by moving the service's clock, so that how often
// it asks for a job does not depend on the machine. Where the emulator is within, it
// waits, and counts itself.
func (m *measuring) count(s *measuredService, environment []string, args ...string) cost {
	m.t.Helper()
	sent := s.counts()
	took := allocated(m.t, environment, args...)
	now := s.counts()
	m.sent = counts{now.Requests - sent.Requests + took.Served.Requests,
		now.Refused - sent.Refused + took.Served.Refused}
	return took
}

func (m *measuring) once(environment []string, before func(), args ...string) cost {
	m.t.Helper()
	before()
	refused := m.service.counts().Refused
	took := measured(m.t, environment, m.spent, m.binary, args...)
	if now := m.service.counts().Refused; now > refused {
		m.t.Errorf("adsync %s: %d answers of 429; want none", args[0], now-refused)
	}
	return took
}

func nothing() {}

// account measures every command with the files of one account.
func (m *measuring) account(f measuredFiles) {
	nodes := m.floor("yaml-nodes", f.parts...)
	m.of("validate, YAML in many files",
		0, m.runs(*measureRounds, benchEnvironment(), nothing, "validate", f.many), nodes)
	if m.family == 0 {
		m.offline(f, nodes)
	}
	m.online(f, nodes)
}

// offline measures what asks no service.
func (m *measuring) offline(f measuredFiles, nodes namedFloor) {
	rows, records := m.floor("rows", f.workbook), m.floor("csv-records", f.csv)
	validate := func(dir string) cost {
		return m.runs(*measureRounds, benchEnvironment(), nothing, "validate", dir)
	}
	m.of("validate, YAML in one file", 0, validate(f.one), m.floor("yaml-nodes", f.yaml...))
	m.of("validate, workbook", 0, validate(f.book), rows)
	m.of("validate, CSV", 0, validate(f.table), records)
	out := m.t.TempDir()
	convert := func(to, from, into string) cost {
		into = filepath.Join(out, into)
		before := func() { noError(m.t, os.RemoveAll(into)) }
		return m.runs(*measureRounds, benchEnvironment(), before, "convert", "--to", to, "--out", into, from)
	}
	book, table := filepath.Join(out, "book.xlsx"), filepath.Join(out, "account.csv")
	took := convert("xlsx", f.many, "book.xlsx")
	m.of("convert, YAML to a workbook", 0, took, nodes, m.floor("stream", book), m.floor("rows", book))
	m.of("convert, workbook to YAML", 0, convert("yaml", f.book, "yaml"), rows, nodes)
	took = convert("csv", f.many, "account.csv")
	m.of("convert, YAML to CSV", 0, took, nodes, m.floor("csv-records", table))
}
