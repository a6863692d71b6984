package runview

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/planview"
	"adsync/state"
)

// halfWay is a run of 15,000 operations, eight jobs into its creates after a
// minute.
func halfWay() (*Meter, time.Time) {
	m := &Meter{Left: 412}
	m.Enter("check", 3, 16)
	m.Enter("apply", 0, 0)
	m.Count(15_000, evening)
	m.Step("lower", state.Step{ID: "1", Route: state.Single, Point: state.Bound})
	for i, point := range []state.Point{state.Bound, state.Bound,
		state.Bound, state.Terminal, state.Bound, state.Accepted, state.Accepted, state.Sent, state.Intent} {
		m.Step("create", state.Step{ID: string(rune('a' + i)), Route: state.Bulk, Point: point})
	}
	for range 5_000 {
		m.Settle()
	}
	return m, evening.Add(time.Minute)
}

// TestTheLineOfProgressFitsTheTerminal: whole where there is room, else short,
// else without what matters least.
func TestTheLineOfProgressFitsTheTerminal(t *testing.T) {
	m, now := halfWay()
	for _, row := range []struct {
		width int
		want  string
	}{
		{140, "create (wave 2) · 5,000/15,000 operations " +
			"· jobs: 1 submitted, 2 running, 5 done · 412 requests left this minute · about 2 min left"},
		{119, "create · 5,000/15,000 · jobs 1 sent 2 running 5 done · 412 requests left · about 2 min"},
		{72, "create · 5,000/15,000 · jobs 1 sent 2 running 5 done · about 2 min"},
		{40, "create · 5,000/15,000 · about 2 min"},
		{30, "create · 5,000/15,000"},
		{8, "create"},
		{3, "cre"},
		{0, ""},
	} {
		have := m.Line(row.width, now)
		if have != row.want || planview.Columns(have) > row.width {
			t.Errorf("Line(%d) = %q; want %q", row.width, have, row.want)
		}
	}
	if plain := m.Plain(now); !strings.Contains(plain, "5,000/15,000 operations") ||
		!strings.Contains(plain, "412 requests left this minute") {
		t.Errorf("Plain() = %q; want everything", plain)
	}
}

// TestAnEstimateIsMadeOnlyOfSomething: not in the first seconds, not of a
// handful, not when all is done.
func TestAnEstimateIsMadeOnlyOfSomething(t *testing.T) {
	for _, row := range []struct {
		name  string
		total int
		done  int
		after time.Duration
		want  string
	}{
		{"in the first seconds", 100, 50, 2 * time.Second, ""},
		{"of a handful", 1000, 10, time.Minute, ""},
		{"of nothing", 100, 0, time.Minute, ""},
		{"when all is done", 100, 100, time.Minute, ""},
		{"half way", 100, 50, time.Minute, "about 60 s left"},
		{"of long work", 1000, 100, 20 * time.Minute, "about 3 h left"},
		{"near the end", 1000, 990, time.Minute, "a few seconds left"},
	} {
		m := &Meter{Left: -1}
		m.Count(row.total, evening)
		for range row.done {
			m.Settle()
		}
		line := m.Plain(evening.Add(row.after))
		if have := strings.Contains(line, "left"); have != (row.want != "") || !strings.Contains(line, row.want) {
			t.Errorf("%s: %q; want the estimate %q", row.name, line, row.want)
		}
	}
}

// TestReadingHasNoJobs: a refresh counts what it reads, and nothing else.
func TestReadingHasNoJobs(t *testing.T) {
	m := &Meter{Left: 900}
	m.Enter("refresh", 1500, 0)
	if have := m.Line(80, evening); have != "refresh · 1,500" {
		t.Errorf("Line() = %q; want what is read alone", have)
	}
}
