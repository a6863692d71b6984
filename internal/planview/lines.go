package planview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"adsync/internal/diag"
	"adsync/plan"
)

// What a line of NDJSON is about: its key type.
const (
	lineHead     = "plan"
	lineChange   = "change"
	lineAccident = "accident"
	lineKept     = "kept"
	lineProblem  = "problem"
	lineSummary  = "summary"
)

// Line is one line of NDJSON. What it holds beside its type and version is what
// the JSON form says at the same name.
type Line struct {
	Type          string `json:"type"`
	FormatVersion int    `json:"format_version"`
	Value         any
}

// MarshalJSON writes type and version first, then the value's own keys.
func (l Line) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(struct {
		Type          string `json:"type"`
		FormatVersion int    `json:"format_version"`
	}{l.Type, l.FormatVersion})
	if err != nil {
		return nil, err
	}
	value, err := json.Marshal(l.Value)
	if err != nil {
		return nil, err
	}
	if len(value) > 2 { // more than {}
		head = append(append(head[:len(head)-1], ','), value[1:]...)
	}
	return head, nil
}

// head is the first line: what the plan is of, and what it does to spend.
type head struct {
	Account   Account     `json:"account"`
	Service   *Service    `json:"service,omitempty"`
	InputHash string      `json:"input_hash"`
	PlanHash  string      `json:"plan_hash"`
	Revision  *Revision   `json:"revision,omitempty"`
	Spend     *plan.Spend `json:"spend,omitempty"` // absent where nothing could be planned, as Money
	Money     *plan.Money `json:"money,omitempty"`

	Without []plan.WithoutCount `json:"without,omitempty"`
	Unread  []diag.Unread       `json:"unread,omitempty"`
}

// kept is a resource that is no longer in the files and stays at the service.
type kept struct {
	Address string `json:"address"`
}

// tail is the last line; a form without it was cut.
type tail struct {
	Summary plan.Summary `json:"summary"`
	Error   string       `json:"error,omitempty"`
}

// LineTypes returns a value of what a line of each type holds, for its description.
func LineTypes() []Line {
	return []Line{
		{lineHead, formatVersion, head{}}, {lineProblem, formatVersion, diag.Problem{}},
		{lineAccident, formatVersion, plan.SuspiciousEditDocument{}},
		{lineChange, formatVersion, plan.ChangeDocument{}},
		{lineKept, formatVersion, kept{}}, {lineSummary, formatVersion, tail{}},
	}
}

// lines are those of a document, in order: the head, problems, accidents,
// changes, what is kept, the summary.
func (d *Document) lines() []Line {
	var lines []Line
	add := func(kind string, value any) { lines = append(lines, Line{kind, formatVersion, value}) }
	add(lineHead, head{d.Account, d.Service, d.InputHash,
		d.PlanHash, d.Revision, d.Spend, d.Money, d.Without, d.Unread})
	for i := range d.Problems {
		add(lineProblem, d.Problems[i])
	}
	for i := range d.SuspiciousEdits {
		add(lineAccident, d.SuspiciousEdits[i])
	}
	for i := range d.Changes {
		add(lineChange, d.Changes[i])
	}
	for _, address := range d.Kept {
		add(lineKept, kept{address})
	}
	add(lineSummary, tail{d.Summary, d.Error})
	return lines
}

// WriteNDJSON writes one JSON object a line, for programs that read a plan as a
// stream. The last line is the summary. Characters nobody sees are escaped.
func WriteNDJSON(w io.Writer, d *Document) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, l := range d.lines() {
		b.Reset()
		if err := encoder.Encode(l); err != nil {
			return err
		}
		if _, err := io.WriteString(w, Visible(b.String())); err != nil {
			return err
		}
	}
	return nil
}

// Visible escapes, in JSON, what a terminal would not show.
func Visible(line string) string {
	text := strings.TrimSuffix(line, "\n")
	if !diag.HasHidden(text) {
		return line
	}
	var b strings.Builder
	for _, r := range text {
		if !diag.HasHidden(string(r)) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String() + "\n"
}
