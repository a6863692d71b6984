package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"adsync/internal/testing/bench"
)

// asFloor makes the test binary be a floor of the benchmarks; a file named by
// allocationsInto gets what this or an adsync allocates, as JSON.
const (
	asFloor         = "ADSYNC_TEST_FLOOR"
	allocationsInto = "ADSYNC_TEST_ALLOCATIONS"
)

// cost is what a process, or a part of one, took.
type cost struct {
	CPU         time.Duration `json:"cpu_ns"`   // of the user and of the system, all threads
	Clock       time.Duration `json:"clock_ns"` // by the clock on the wall
	Peak        int64         `json:"peak_bytes"`
	Allocations uint64        `json:"allocations"`
	Bytes       uint64        `json:"allocated_bytes"`
	Served      counts        `json:"served,omitzero"` // by the emulator in the process, where it counts
}

// least is the cost of several rounds: of each figure the least, as noise only
// adds.
func (c cost) least(other cost) cost {
	if c == (cost{}) {
		return other
	}
	return cost{min(c.CPU, other.CPU), min(c.Clock, other.Clock),
		min(c.Peak, other.Peak), min(c.Allocations, other.Allocations), min(c.Bytes, other.Bytes), other.Served}
}

func processor(u *syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// counting counts what an emulator is asked.
type counting struct {
	requests, refused atomic.Int64 // refused: answered with 429
}

func (c *counting) counts() counts { return counts{c.requests.Load(), c.refused.Load()} }

// before returns the service that counts.
func (c *counting) before(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.requests.Add(1)
		status := &statusOf{ResponseWriter: w}
		service.ServeHTTP(status, r)
		if status.code == http.StatusTooManyRequests {
			c.refused.Add(1)
		}
	})
}

func writeCost(into string, c cost) {
	content, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(into, content, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// tellAllocations writes what this process has allocated so far, and what its emulator
// was asked, where a file is named.
func tellAllocations(into string, served *counting) {
	if into == "" {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	writeCost(into, cost{Peak: ownPeak(), Allocations: m.Mallocs, Bytes: m.TotalAlloc, Served: served.counts()})
}

// ownPeak is the most memory this process has had since it was started, without that of
// the one which started it; 0 where the system does not say.
func ownPeak() int64 {
	content, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kib int64
	_, rest, _ := strings.Cut(string(content), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib * 1024
}

// runFloor does what the libraries alone need for some files, and writes what of
// this process's cost is theirs.
func runFloor(name string, paths []string) int {
	do := func() error { return bench.Floors[name](paths...) }
	if prepare := bench.Timed[name]; prepare != nil {
		run, err := prepare(paths[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		do = run
	}
	runtime.GC()
	before, began := ownCost(), time.Now()
	err := do()
	after := ownCost()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	writeCost(os.Getenv(allocationsInto), cost{
		CPU: after.CPU - before.CPU, Clock: time.Since(began),
		Peak: after.Peak, Allocations: after.Allocations - before.Allocations, Bytes: after.Bytes - before.Bytes,
	})
	return 0
}

func ownCost() cost {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return cost{CPU: processor(&u), Peak: u.Maxrss * 1024, Allocations: m.Mallocs, Bytes: m.TotalAlloc}
}

// measured runs a program beneath another, small one, which notes what it takes.
func measured(t *testing.T, environment []string, spent, program string, args ...string) cost {
	t.Helper()
	into := filepath.Join(t.TempDir(), "cost.json")
	c := exec.Command(spent, append([]string{into, program}, args...)...)
	c.Env = append(os.Environ(), environment...)
	return costOf(t, c, into)
}

// allocated runs adsync as the test binary, at the emulator's clock where there is
// one, and gives what it allocates.
func allocated(t *testing.T, environment []string, args ...string) cost {
	t.Helper()
	into := filepath.Join(t.TempDir(), "cost.json")
	c := asItself(args...)
	c.Env = append(append(c.Env, allocationsInto+"="+into), environment...)
	return costOf(t, c, into)
}

func floorOf(t *testing.T, name string, paths ...string) cost {
	t.Helper()
	into := filepath.Join(t.TempDir(), "cost.json")
	c := exec.Command(os.Args[0], paths...)
	c.Env = append(os.Environ(), asFloor+"="+name, allocationsInto+"="+into)
	return costOf(t, c, into)
}

func costOf(t *testing.T, c *exec.Cmd, into string) (took cost) {
	t.Helper()
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%.4000s", strings.Join(c.Args[1:], " "), err, said.String())
	}
	content, err := os.ReadFile(into)
	noError(t, err)
	noError(t, json.Unmarshal(content, &took))
	return took
}
