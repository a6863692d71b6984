// Package diag holds problems: what is wrong, where it is written, what is
// wanted instead, and a code that can be looked up.
//
// It refuses to decide anything: it neither reads files nor knows a kind. Its
// invariant is that every problem is one sentence a person can act on, and that
// the same problems print in the same order whatever order they were found in.
//
// codes.go lists the codes, explain.go what each means and what helps; render.go prints a
// problem at its place, position.go says where that is, nearest.go what may have been meant,
// unread.go what was left out. count.go writes numbers with their nouns: 1 change, 2 changes.
package diag

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Severity says whether a problem stops a run.
type Severity string

// The severities. Only errors stop a run; a warning may be a mistake, and a note
// says how something that is right was read.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Problem is one thing that is wrong, at one position.
type Problem struct {
	Severity Severity
	Code     Code
	Position Position
	Address  string // address of the resource concerned, "" where there is none
	Message  string // what is there; what is wanted
	Hint     string // what to do, or the nearest name; may be empty
}

// String renders "position: message (CODE)", the form of design.md section 10.
func (p Problem) String() string {
	var b strings.Builder
	if !p.Position.IsZero() {
		b.WriteString(p.Position.String())
		b.WriteString(": ")
	}
	if p.Severity == Warning || p.Severity == Note {
		b.WriteString(string(p.Severity) + ": ")
	}
	b.WriteString(Printable(p.Message))
	b.WriteString(" (" + string(p.Code) + ")")
	return b.String()
}

// MarshalJSON writes the problem object that every JSON output shares.
func (p Problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(problemJSON{p.Severity, p.Code, p.Position.wire(), p.Address, p.Message, p.Hint})
}

type problemJSON struct {
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	positionJSON
	Address string `json:"address"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Problem) UnmarshalJSON(data []byte) error {
	var w problemJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*p = Problem{
		Severity: w.Severity, Code: w.Code, Position: Cell(w.File, w.Sheet, w.Line, w.Column),
		Address: w.Address, Message: w.Message, Hint: w.Hint,
	}
	return nil
}

// List collects problems; it is safe for concurrent use. The zero List is ready.
type List struct {
	mu       sync.Mutex
	problems []Problem
}

// Add puts a problem on the list.
func (l *List) Add(p Problem) {
	if p.Severity == "" {
		p.Severity = Error
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problems = append(l.problems, p)
}

// AddAll puts several problems on the list.
func (l *List) AddAll(problems []Problem) {
	for _, p := range problems {
		l.Add(p)
	}
}

// Sorted returns the problems by file, sheet, line, column, code and message,
// each once.
func (l *List) Sorted() []Problem {
	sorted := l.all()
	slices.SortFunc(sorted, compare)
	return slices.Compact(sorted)
}

func (l *List) all() []Problem {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.problems)
}

func compare(a, b Problem) int {
	if c := a.Position.Compare(b.Position); c != 0 {
		return c
	}
	if c := strings.Compare(string(a.Code), string(b.Code)); c != 0 {
		return c
	}
	if c := strings.Compare(a.Address, b.Address); c != 0 {
		return c
	}
	return strings.Compare(a.Message, b.Message)
}

// HasErrors reports whether any of the problems stops a run.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}
