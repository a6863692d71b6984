package main

import (
	"encoding/json"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

// memoryInto names the file into which a process that is adsync writes what it keeps, at each SIGUSR1.
const memoryInto = "ADSYNC_TEST_MEMORY"

// kept is what a process keeps once its garbage is collected.
type kept struct {
	Heap, Stacks, Objects, Goroutines uint64

	// What the runtime holds of the system beyond that: spans that are used in part, its own bookkeeping, and what the
	// profiles of tests take.
	Partly, Bookkeeping, Profiles uint64
}

// tellMemory has this process write what it keeps whenever it is asked, and beside that, for pprof, what keeps it.
func tellMemory(into string) {
	if into == "" {
		return
	}
	runtime.MemProfileRate = 4096
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			debug.FreeOSMemory()
			debug.FreeOSMemory() // what finalizers let go in the first one
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			for _, name := range []string{"heap", "goroutine"} {
				if file, err := os.Create(into + "." + name); err == nil {
					_ = pprof.Lookup(name).WriteTo(file, 0)
					_ = file.Close()
				}
			}
			text, _ := json.Marshal(kept{
				m.HeapAlloc, m.StackInuse, m.HeapObjects, uint64(runtime.NumGoroutine()),
				m.HeapInuse - m.HeapAlloc, m.MSpanSys + m.MCacheSys + m.GCSys + m.OtherSys, m.BuckHashSys,
			})
			_ = os.WriteFile(into+".new", text, 0o600)
			_ = os.Rename(into+".new", into)
		}
	}()
}

// keeps asks a process what it keeps.
func (p *process) keeps() (k kept) {
	p.t.Helper()
	into := ""
	for _, variable := range p.c.Env {
		if name, is := strings.CutPrefix(variable, memoryInto+"="); is {
			into = name
		}
	}
	_ = os.Remove(into)
	noError(p.t, p.c.Process.Signal(syscall.SIGUSR1))
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) { // another process works
		text, err := os.ReadFile(into)
		if err == nil {
			noError(p.t, json.Unmarshal(text, &k))
			return k
		}
	}
	p.t.Fatal("the process does not say what it keeps")
	return k
}
