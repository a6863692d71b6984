package runview

import (
	"fmt"
	"io"
	"strings"

	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/state"
)

// TextOptions says how a run is written for a terminal.
type TextOptions struct {
	Color  bool
	Width  int  // columns; 0 is 100
	Full   bool // every outcome and its fields
	Header bool // begin with which run it is, where no plan stands before it
}

// How many outcomes a text lists of one sort, unless it lists all.
const (
	listed  = 40
	trouble = 100
)

// WriteText writes a run for people: what happened to spend; how many changes
// have which outcome; what went wrong, at its cell, with the service's words and
// what to do; a line for each that was applied; what reading back showed; and
// the command to run next. What is left out is said.
func WriteText(w io.Writer, schemas resource.Schemas, d *Document, o TextOptions) error {
	if o.Width == 0 {
		o.Width = 100
	}
	o.Width = min(max(o.Width, 60), 140)
	t := &printer{TextOptions: o, schemas: schemas}
	t.headline(d)
	for _, outcome := range outcomes {
		if outcome != state.OutcomeApplied {
			t.trouble(d.of(outcome), outcome)
		}
	}
	t.applied(d.of(state.OutcomeApplied))
	t.ending(d)
	_, err := io.WriteString(w, strings.TrimRight(t.text.String(), "\n")+"\n")
	return err
}

// printer writes one run.
type printer struct {
	TextOptions
	schemas resource.Schemas
	text    strings.Builder
}

func (t *printer) line(text string) {
	t.text.WriteString(strings.TrimRight(text, " "))
	t.text.WriteByte('\n')
}

// put writes a text between words, at an indent.
func (t *printer) put(style string, indent int, text string) {
	for _, line := range planview.Wrap(text, max(t.Width-indent, 30)) {
		t.line(strings.Repeat(" ", indent) + t.styled(style, line))
	}
}

// The ANSI codes of the styles.
const (
	plainStyle = ""
	bold       = "1"
	dim        = "2"
	red        = "31"
	yellow     = "33"
)

func (t *printer) styled(style, text string) string {
	if !t.Color || style == plainStyle {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (t *printer) headline(d *Document) {
	if t.Header {
		t.put(bold, 0, d.title()+": "+d.about())
	}
	sums, label := d.sums(), 0
	for _, s := range sums {
		label = max(label, planview.Columns(s.label)+2)
	}
	for _, s := range sums {
		t.put(bold, 0, planview.Pad(s.label+":", label)+s.text)
	}
	for _, said := range append(d.caveats(), d.how(), d.recovery()) {
		if said != "" {
			t.put(yellow, 0, said)
		}
	}
	t.line(d.counts() + ".")
	if d.Error != "" {
		t.put(red, 0, printable(d.Error))
	}
	t.line("")
}

// trouble lists what was not applied: its cell first, then why and what to do.
func (t *printer) trouble(some []*Outcome, outcome state.Outcome) {
	if len(some) == 0 {
		return
	}
	style, most := red, trouble
	if outcome == Held || outcome == state.OutcomeSkipped {
		style, most = yellow, listed
	}
	t.put(style, 0, fmt.Sprintf("%s (%s):", titles[outcome], planview.Thousands(len(some))))
	for i, o := range some {
		if i == most && !t.Full {
			t.line(fmt.Sprintf("  … and %s more", planview.Thousands(len(some)-i)))
			break
		}
		t.line("  " + t.at(o) + printable(string(o.Action)) + " " + printable(o.Address))
		if text := o.coded(); text != "" {
			t.put(plainStyle, 6, text)
		}
		if o.Do != "" {
			t.put(dim, 6, o.Do)
		}
		t.fields(o)
	}
	t.line("")
}

func (t *printer) at(o *Outcome) string {
	at := o.Cell
	if at.IsZero() {
		at = o.Position
	}
	if at.IsZero() {
		return ""
	}
	return t.styled(bold, at.String()) + "  "
}

// applied is a line a change: outcome, action, address, id and row.
func (t *printer) applied(some []*Outcome) {
	shown := some
	if len(some) > listed && !t.Full {
		shown = some[:listed]
	}
	widths := [4]int{}
	var rows [][5]string
	for _, o := range shown {
		row := [5]string{string(o.Outcome), printable(string(o.Action)),
			printable(o.Address), printable(o.ID), o.Position.String()}
		for i := range widths {
			widths[i] = max(widths[i], planview.Columns(row[i]))
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		text := ""
		for k, w := range widths {
			text += planview.Pad(row[k], w) + "  "
		}
		t.line(text + row[4])
		if said := shown[i].coded(); said != "" {
			t.put(plainStyle, 10, said)
		}
		t.fields(shown[i])
	}
	if left := len(some) - len(shown); left > 0 {
		t.line(fmt.Sprintf("… and %s more applied; --full lists them", planview.Thousands(left)))
	}
	if len(some) > 0 {
		t.line("")
	}
}

// fields are what each attribute was and became, where everything is listed.
func (t *printer) fields(o *Outcome) {
	if !t.Full {
		return
	}
	for _, line := range o.lines(t.schemas) {
		t.put(plainStyle, 10, line)
	}
}

// lines are the fields of an outcome as people read them.
func (o *Outcome) lines(schemas resource.Schemas) []string {
	address, _ := resource.ParseAddress(o.Address)
	var lines []string
	for _, f := range o.Fields {
		value := planview.Values(schemas, address.Kind, f.Name, f.Before, f.After, o.Action == plan.Create)
		if !f.Applied && o.Outcome != Held {
			value = catalogue.Say("run.not-applied", "value", value)
		}
		lines = append(lines, printable(f.Name+": "+value))
	}
	return lines
}

func (t *printer) ending(d *Document) {
	if d.Run != "" {
		t.put(plainStyle, 0, printable(d.Run+": "+d.Result()))
	}
	if d.Next != "" {
		t.line("Next: " + printable(d.Next))
	}
}
