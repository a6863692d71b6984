package runview

import (
	"fmt"
	"strings"
	"time"

	"adsync/internal/planview"
	"adsync/state"
)

// Meter is how far a run is. It is told what happens and the time; it has no
// clock.
type Meter struct {
	Stage       string // what is under way: refresh, check, or the name of a wave
	Number      int    // of the waves that had something to send, from 1; 0 before the first
	Done, Total int    // operations; Total 0 where it is not known
	Left        int    // requests that may go out at once; negative where it is not known

	began time.Time // when the first operation could be sent
	first int       // operations that were done then
	jobs  map[string]state.Point
}

// Enter begins a stage of its own count.
func (m *Meter) Enter(stage string, done, total int) {
	m.Stage, m.Done, m.Total = stage, done, total
	m.Number, m.began, m.jobs = 0, time.Time{}, nil
}

// Count begins the count of a run's operations.
func (m *Meter) Count(total int, now time.Time) {
	m.Done, m.Total, m.began, m.first, m.jobs = 0, total, now, 0, map[string]state.Point{}
}

// Counting reports whether a run's operations are counted: what it reads on its way is
// no stage of its own.
func (m *Meter) Counting() bool { return m.jobs != nil }

// Step takes a request that reached a point.
func (m *Meter) Step(wave string, step state.Step) {
	if wave != m.Stage {
		m.Stage = wave
		m.Number++
	}
	if step.Route == state.Bulk && m.jobs != nil {
		m.jobs[step.ID] = step.Point
	}
}

// Settle takes an operation whose outcome is known.
func (m *Meter) Settle() { m.Done = min(m.Done+1, max(m.Total, m.Done)) }

// jobsAt counts jobs: sent and not answered for, running, and ended.
func (m *Meter) jobsAt() (sent, running, done int) {
	for _, point := range m.jobs {
		switch point {
		case state.Intent:
		case state.Sent:
			sent++
		case state.Accepted:
			running++
		default:
			done++
		}
	}
	return sent, running, done
}

// Least that must be done before the time left is worth an estimate.
const (
	leastTime = 3 * time.Second
	leastDone = 20 // in a hundred operations, one in so many
)

// remaining estimates the time left from what was done so far.
func (m *Meter) remaining(now time.Time) (time.Duration, bool) {
	took, done := now.Sub(m.began), m.Done-m.first
	if m.began.IsZero() || took < leastTime || done == 0 || done*leastDone < m.Total || m.Done >= m.Total {
		return 0, false
	}
	return took * time.Duration(m.Total-m.Done) / time.Duration(done), true
}

// piece is a part of a line, whole and short.
type piece struct {
	whole, short string
	rank         int // the highest goes first where there is no room
}

func (m *Meter) pieces(now time.Time) []piece {
	stage := m.Stage
	if m.Number > 0 {
		stage = fmt.Sprintf("%s (wave %d)", m.Stage, m.Number)
	}
	pieces := []piece{{stage, m.Stage, 0}}
	switch {
	case m.Total > 0:
		count := planview.Thousands(m.Done) + "/" + planview.Thousands(m.Total)
		what := " operations"
		if m.jobs == nil {
			what = ""
		}
		pieces = append(pieces, piece{count + what, count, 1})
	case m.Done > 0:
		count := planview.Thousands(m.Done)
		pieces = append(pieces, piece{count, count, 1})
	}
	if sent, running, done := m.jobsAt(); sent+running+done > 0 {
		pieces = append(pieces, piece{fmt.Sprintf("jobs: %d submitted, %d running, %d done", sent, running, done),
			fmt.Sprintf("jobs %d sent %d running %d done", sent, running, done), 3})
	}
	if m.Left >= 0 && m.jobs != nil {
		left := planview.Thousands(m.Left) + " requests left"
		pieces = append(pieces, piece{left + " this minute", left, 4})
	}
	if d, known := m.remaining(now); known {
		pieces = append(pieces, piece{about(d), strings.TrimSuffix(about(d), " left"), 2})
	}
	return pieces
}

// about rounds a time up to what an estimate is worth.
func about(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "a few seconds left"
	case d < 90*time.Second:
		return fmt.Sprintf("about %d s left", (d+9*time.Second).Truncate(10*time.Second)/time.Second)
	case d < 90*time.Minute:
		return fmt.Sprintf("about %d min left", (d+30*time.Second)/time.Minute)
	}
	return fmt.Sprintf("about %d h left", (d+30*time.Minute)/time.Hour)
}

// Line is the state of the run in at most so many columns: whole where there is
// room, else short, else without what matters least.
func (m *Meter) Line(width int, now time.Time) string {
	pieces := m.pieces(now)
	if line := join(pieces, func(p piece) string { return p.whole }); planview.Columns(line) <= width {
		return line
	}
	for {
		line := join(pieces, func(p piece) string { return p.short })
		if planview.Columns(line) <= width || len(pieces) == 1 {
			return cut(line, width)
		}
		least := 0
		for i := range pieces {
			if pieces[i].rank > pieces[least].rank {
				least = i
			}
		}
		pieces = append(pieces[:least:least], pieces[least+1:]...)
	}
}

// Plain is the state of the run as a line of a log.
func (m *Meter) Plain(now time.Time) string {
	return join(m.pieces(now), func(p piece) string { return p.whole })
}

func join(pieces []piece, text func(piece) string) string {
	parts := make([]string, len(pieces))
	for i, p := range pieces {
		parts[i] = text(p)
	}
	return strings.Join(parts, " · ")
}

func cut(line string, width int) string {
	letters := []rune(line)
	return string(letters[:min(len(letters), max(width, 0))])
}
