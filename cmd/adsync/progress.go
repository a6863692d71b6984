package main

import (
	"io"
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
		return liveProgress(a.err)
	}
	return a.plainProgress()
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// liveProgress keeps one bar a stage. The library draws it at most ten times a
// second and takes it away when the stage is over.
func liveProgress(w io.Writer) func(reconcile.Progress) {
	var mu sync.Mutex
	var bar *progressbar.ProgressBar
	stage := ""
	return func(p reconcile.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Stage != stage {
			if bar != nil {
				_ = bar.Clear()
			}
			stage = p.Stage
			bar = progressbar.NewOptions64(total(p), progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(p.Stage),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount())
		}
		_ = bar.Set(p.Done)
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
