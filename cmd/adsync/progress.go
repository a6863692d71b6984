package main

import (
	"os"
	"sync"
	"time"

	"adsync/reconcile"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far long work is: a live line on a terminal; elsewhere a
// plain line when a stage has taken a while.
func (a *app) progress() func(reconcile.Progress) {
	switch {
	case a.flags.quiet:
		return func(reconcile.Progress) {}
	case isTerminal(a.err):
		return a.liveProgress()
	}
	return a.plainProgress()
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// liveProgress keeps one bar a stage. The library draws it at most ten times a
// second; clearLine takes it away before something else is printed.
func (a *app) liveProgress() func(reconcile.Progress) {
	var mu sync.Mutex
	var bar *progressbar.ProgressBar
	stage := ""
	a.clear = func() {
		mu.Lock()
		defer mu.Unlock()
		if bar != nil {
			_ = bar.Clear()
		}
		bar, stage = nil, ""
	}
	return func(p reconcile.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if bar == nil || p.Stage != stage {
			stage = p.Stage
			bar = progressbar.NewOptions64(total(p), progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(p.Stage),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount())
		}
		_ = bar.Set(p.Done)
	}
}

// clearLine takes the live line away, where there is one.
func (a *app) clearLine() {
	if a.clear != nil {
		a.clear()
	}
}

func total(p reconcile.Progress) int64 {
	if p.Total == 0 {
		return -1
	}
	return int64(p.Total)
}

// plainEvery is how often a plain line says that work goes on.
const plainEvery = 5 * time.Second

func (a *app) plainProgress() func(reconcile.Progress) {
	var mu sync.Mutex
	last := time.Now()
	return func(p reconcile.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < plainEvery {
			return
		}
		last = time.Now()
		if p.Total > 0 {
			a.note("%s: %d of %d", p.Stage, p.Done, p.Total)
			return
		}
		a.note("%s: %d", p.Stage, p.Done)
	}
}
