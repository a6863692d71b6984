package runview

import (
	"bytes"
	"encoding/json"
	"io"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/state"
)

// What a line of a run's NDJSON is about: its key type.
const (
	LineRun      = "run"
	LineProblem  = "problem"
	LineWave     = "wave"
	LineStep     = "step"
	LineOutcome  = "outcome"
	LineVerified = "verified"
	LineFinished = "finished"
)

// Begun is the first line of a run: what it is about to do.
type Begun struct {
	Head
	InputHash string `json:"input_hash"`
	PlanHash  string `json:"plan_hash"`
	Changes   int    `json:"changes"` // that go ahead
	Held      int    `json:"held"`    // that wait for somebody's yes
}

// Wave says that steps begin which may run side by side. Those before them are
// confirmed.
type Wave struct {
	Wave string `json:"wave"`
}

// Step is a request, at a point of its life that the journal holds.
type Step struct {
	Wave       string      `json:"wave"`
	Step       string      `json:"step"`
	Route      state.Route `json:"route"`
	Path       string      `json:"path"`
	Operations int         `json:"operations"`
	Point      state.Point `json:"point"`
	Job        string      `json:"job,omitempty"`
	Note       string      `json:"note,omitempty"`
}

// Settled is the outcome of one operation of a wave. A change may have several.
type Settled struct {
	Wave     string        `json:"wave,omitempty"` // absent where a run that ended is told again
	Address  string        `json:"address"`
	Action   plan.Action   `json:"action"`
	Outcome  state.Outcome `json:"outcome"`
	ID       string        `json:"id"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Do       string        `json:"do,omitempty"` // what to do about it
	Position diag.Position `json:"position"`
	Cell     diag.Position `json:"at"`
}

// Verified is what reading back has shown so far.
type Verified struct {
	Wave     string `json:"wave"`
	Verified int    `json:"verified"`
	Touched  int    `json:"touched"`
}

// Tail is the last line, whatever happened; a stream without it was cut.
type Tail struct {
	Head
	Next string `json:"next,omitempty"`
}

// LineTypes returns a value of what a line of each type holds, for its description.
func LineTypes() []planview.Line {
	line := func(kind string, value any) planview.Line {
		return planview.Line{Type: kind, FormatVersion: FormatVersion, Value: value}
	}
	return []planview.Line{
		line(LineRun, Begun{}), line(LineProblem, diag.Problem{}), line(LineWave, Wave{}), line(LineStep, Step{}),
		line(LineOutcome, Settled{}), line(LineOutcome, Outcome{}), // as it happens, and of a run that is shown
		line(LineVerified, Verified{}), line(LineFinished, Tail{}),
	}
}

// WriteLine writes one line of NDJSON in one piece. Characters nobody sees are
// escaped.
func WriteLine(w io.Writer, kind string, value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(planview.Line{Type: kind, FormatVersion: FormatVersion, Value: value}); err != nil {
		return err
	}
	_, err := io.WriteString(w, planview.Visible(b.String()))
	return err
}

// Begins is the first line of a document.
func (d *Document) Begins() Begun {
	return Begun{Head: d.Head, InputHash: d.InputHash, PlanHash: d.PlanHash, Changes: d.going(), Held: d.count(Held)}
}

// WriteNDJSON writes a run that has ended as lines: its beginning, its problems,
// an outcome a change, and its end.
func WriteNDJSON(w io.Writer, d *Document) error {
	if err := WriteLine(w, LineRun, d.Begins()); err != nil {
		return err
	}
	for _, p := range d.Problems {
		if err := WriteLine(w, LineProblem, p); err != nil {
			return err
		}
	}
	for i := range d.Outcomes {
		if err := WriteLine(w, LineOutcome, d.Outcomes[i]); err != nil {
			return err
		}
	}
	return WriteLine(w, LineFinished, Tail{d.Head, d.Next})
}
