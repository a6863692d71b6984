package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// binary is the test binary with the mutants in it.
type binary struct {
	path, dir string
	scratch   string
	args      []string // what else every run is told
}

// measured is what one test takes and reaches without a mutant.
type measured struct {
	name    string
	took    time.Duration // of processor time
	reaches []int
}

// run runs tests with one mutant switched on, 0 for none, within so many seconds
// of processor time.
func (b binary) run(tests []string, mutant int, reached string,
	seconds int) (passed bool, took time.Duration, output []byte) {
	names := make([]string, len(tests))
	for i, name := range tests {
		names[i] = regexp.QuoteMeta(name)
	}
	args := append([]string{"-c", `ulimit -t "$1"; shift; exec "$@"`, "sh", strconv.Itoa(seconds),
		b.path, "-test.run", "^(" + strings.Join(names, "|") + ")$",
		"-test.failfast", "-test.timeout", "20m"}, b.args...)
	c := exec.Command("sh", args...)
	c.Dir = b.dir
	c.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(mutant), "MUTANT_REACHED="+reached)
	output, err := c.CombinedOutput()
	return err == nil, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), output
}

// tests lists the tests that match and not those to be left out.
func (b binary) tests(match, skip string) ([]string, error) {
	c := exec.Command(b.path, "-test.list", match)
	c.Dir = b.dir
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests: %w", err)
	}
	left, err := regexp.Compile(skip)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool {
		return !strings.HasPrefix(name, "Test") || skip != "" && left.MatchString(name)
	}), nil
}

// measure runs every test alone, without a mutant. One that takes longer than the
// bound, or fails, is left out and said.
func (b binary) measure(tests []string, bound time.Duration, say func(string, ...any)) []measured {
	var kept []measured
	for i, name := range tests {
		reached := filepath.Join(b.scratch, "reached-"+strconv.Itoa(i))
		passed, took, _ := b.run([]string{name}, 0, reached, int(bound/time.Second)+10)
		if !passed || took > bound {
			say("left out: %s fails or takes more than %v without a mutant (%v)",
				name, bound, took.Round(time.Millisecond))
			continue
		}
		m := measured{name: name, took: took}
		if text, err := os.ReadFile(reached); err == nil {
			for _, word := range strings.Fields(string(text)) {
				id, _ := strconv.Atoi(word)
				m.reaches = append(m.reaches, id)
			}
		}
		kept = append(kept, m)
	}
	slices.SortStableFunc(kept, func(x, y measured) int { return int(x.took - y.took) })
	return kept
}

// fate is what became of a mutant.
type fate string

const (
	killed    fate = "killed"
	survived  fate = "survived"
	unreached fate = "not reached"
)

// try runs the tests that reach a mutant, the quickest ten first.
func (b binary) try(id int, tests []measured) (fate, string) {
	var names []string
	var whole time.Duration
	for _, t := range tests {
		if slices.Contains(t.reaches, id) {
			names, whole = append(names, t.name), whole+t.took
		}
	}
	if len(names) == 0 {
		return unreached, ""
	}
	limit := 5 + int(10*whole/time.Second)
	for _, some := range [][]string{names[:min(len(names), 10)], names[min(len(names), 10):]} {
		if len(some) == 0 {
			continue
		}
		if passed, _, output := b.run(some, id, "", limit); !passed {
			return killed, failed(output)
		}
	}
	return survived, fmt.Sprintf("%d tests reach it", len(names))
}

// failed names the test that noticed.
func failed(output []byte) string {
	for line := range strings.Lines(string(output)) {
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ := strings.Cut(rest, " ")
			return name
		}
	}
	return "a panic, or its limit of time"
}
