package runview

import (
	"fmt"
	"io"
	"strings"

	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/state"
)

// commentSize is how many bytes a comment takes at most: what GitHub holds, less
// a little.
const commentSize = 64_000

// WriteMarkdown writes a run as one comment: spend, counts, what went wrong as a
// table with its cells, and what was applied, folded. It is cut, aloud, below
// the size of a comment. Text of files and service stands in code only.
func WriteMarkdown(w io.Writer, schemas resource.Schemas, d *Document) error {
	m := &comment{}
	sums := d.sums()
	m.line("### %s\n\n%s\n", planview.Code(d.title()), planview.Code(d.about()))
	for _, s := range sums {
		m.line("- %s: %s", s.label, planview.Code(s.text))
	}
	for _, said := range append(d.caveats(), d.how(), d.recovery()) {
		if said != "" {
			m.line("- %s", planview.Code(said))
		}
	}
	m.line("\n**%s.**\n", d.counts())
	if d.Error != "" {
		m.line("**%s**\n", planview.Code(printable(d.Error)))
	}
	for _, outcome := range outcomes {
		if outcome != state.OutcomeApplied {
			m.trouble(d.of(outcome), outcome)
		}
	}
	m.applied(schemas, d.of(state.OutcomeApplied))
	m.line("%s verified %s/%s", planview.Code(printable(d.Run)),
		planview.Thousands(d.Verified), planview.Thousands(d.Touched))
	if d.Next != "" {
		m.line("\nNext: %s", planview.Code(printable(d.Next)))
	}
	_, err := io.WriteString(w, m.text.String())
	return err
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// comment is a text that grows up to a size.
type comment struct{ text strings.Builder }

func (m *comment) line(format string, arguments ...any) {
	fmt.Fprintf(&m.text, format+"\n", arguments...)
}

// tailRoom is what is left for the last lines.
const tailRoom = 2_000

func (m *comment) fits(more string) bool { return m.text.Len()+len(more) <= commentSize-tailRoom }

func (m *comment) trouble(some []*Outcome, outcome state.Outcome) {
	if len(some) == 0 {
		return
	}
	m.line("**%s** (%s)\n\n| at | change | why | what to do |\n|---|---|---|---|",
		titles[outcome], planview.Thousands(len(some)))
	for i, o := range some {
		row := fmt.Sprintf("| %s | %s | %s | %s |",
			planview.Cell(o.Cell.String()), planview.Cell(printable(string(o.Action)+" "+o.Address)),
			planview.Cell(o.coded()), planview.Cell(orDash(o.Do)))
		if !m.fits(row) {
			m.line("\n… and %s more", planview.Thousands(len(some)-i))
			break
		}
		m.line("%s", row)
	}
	m.line("")
}

func (m *comment) applied(schemas resource.Schemas, some []*Outcome) {
	if len(some) == 0 {
		return
	}
	m.line("<details><summary>%s applied</summary>\n", planview.Thousands(len(some)))
	for i, o := range some {
		text := fmt.Sprintf("- %s", planview.Code(printable(string(o.Action)+" "+o.Address)))
		if o.ID != "" {
			text += " " + planview.Code(printable(o.ID))
		}
		if said := o.coded(); said != "" {
			text += ": " + planview.Code(said)
		}
		for _, line := range o.lines(schemas) {
			text += "\n  - " + planview.Code(line)
		}
		if !m.fits(text) {
			m.line("\n… and %s more", planview.Thousands(len(some)-i))
			break
		}
		m.line("%s", text)
	}
	m.line("\n</details>\n")
}
