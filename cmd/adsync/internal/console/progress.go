package console

import (
	"io"
	"os"
	"sync"
	"time"

	"adsync/internal/runview"
	"adsync/reconcile"

	"golang.org/x/term"
)

// How often the live line is drawn at most, and a plain line printed.
const (
	liveEvery  = 100 * time.Millisecond
	tickEvery  = time.Second
	plainEvery = 5 * time.Second
)

// progressLine shows how far long work is: one live line on a terminal;
// elsewhere a plain line when something has taken a while.
type progressLine struct {
	out   io.Writer
	now   func() time.Time
	width func() int            // columns of the terminal; 0 where there is none
	left  func() (left, of int) // requests that may go out at once

	mu      sync.Mutex
	meter   runview.Meter
	drawn   bool // a live line stands there
	last    time.Time
	began   time.Time
	stage   string // of the last plain line
	stopped chan struct{}
	ticking sync.WaitGroup
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// WatchProgress begins to show progress, and gives what ends it.
func (c *Console) WatchProgress(left func() (left, of int)) (end func()) {
	if c.Flags.Quiet {
		return func() {}
	}
	p := &progressLine{
		out: c.Err, now: time.Now, left: left, width: func() int { return 0 }, stopped: make(chan struct{}),
	}
	if IsTerminal(c.Err) && c.Getenv("TERM") != "dumb" {
		p.width = func() int { return WidthOf(c.Err) }
	}
	p.last, p.began = p.now(), p.now()
	c.line = p
	p.ticking.Go(p.tick)
	return func() {
		close(p.stopped)
		p.ticking.Wait()
		p.clear()
		c.line = nil
	}
}

// tick has the estimate and the plain lines go on while nothing happens.
func (p *progressLine) tick() {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.stopped:
			return
		case <-ticker.C:
			p.change(func(*runview.Meter) {})
		}
	}
}

// change changes what is known and shows it, where it is time to.
func (p *progressLine) change(to func(*runview.Meter)) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	to(&p.meter)
	if p.meter.Stage == "" {
		return
	}
	now := p.now()
	if width := p.width(); width > 0 {
		p.draw(width, now)
		return
	}
	entered := p.meter.Number > 0 && p.meter.Stage != p.stage && now.Sub(p.began) >= plainEvery
	if !entered && now.Sub(p.last) < plainEvery {
		return
	}
	p.last, p.stage = now, p.meter.Stage
	p.meter.Left, _ = p.left()
	_, _ = io.WriteString(p.out, p.meter.Plain(now)+"\n") // progress that cannot be shown stops nothing
}

func (p *progressLine) draw(width int, now time.Time) {
	if p.drawn && now.Sub(p.last) < liveEvery {
		return
	}
	p.last, p.drawn = now, true
	p.meter.Left, _ = p.left()
	_, _ = io.WriteString(p.out, "\r\x1b[K"+p.meter.Line(width-1, now))
}

// clear takes the live line away before something else is printed.
func (p *progressLine) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
	p.drawn = false
}

// Progress takes how far reading and checking are.
func (c *Console) Progress(p reconcile.Progress) {
	c.line.change(func(m *runview.Meter) {
		if !m.Counting() {
			m.Enter(p.Stage, p.Done, p.Total)
		}
	})
}

// Moved takes what happens in an apply.
func (c *Console) Moved(e reconcile.Event) {
	c.line.change(func(m *runview.Meter) {
		switch e.Kind {
		case reconcile.RunCounted:
			m.Enter("apply", 0, 0)
			m.Count(e.Operations, c.line.now())
		case reconcile.StepMoved:
			m.Step(e.Wave, e.Step)
		case reconcile.OpSettled:
			m.Settle()
		case reconcile.WaveStarted:
			if e.Wave == "read back" {
				m.Stage = e.Wave
			}
		}
	})
}
