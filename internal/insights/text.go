package insights

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
)

// widest is how many characters of a text a terminal shows.
const widest = 32

// grid is a table for a terminal: which columns, and how wide each is.
type grid struct {
	columns []int
	width   []int
}

// textColumns are the columns a terminal shows: an address stands for an id.
func (r textForm) textColumns() []int {
	var shown []int
	for _, i := range r.forPeople() {
		if c := &r.Columns[i]; c.Name != "value_id" && (!c.id || c.Name == "item_id") {
			shown = append(shown, i)
		}
	}
	return shown
}

// textCell is a cell as a terminal shows it.
func (r textForm) textCell(row Row, i int) string {
	text := r.shownCell(row, i)
	if text == "" && r.Columns[i].Name == "address" {
		text = row.Cells[i+1] // the id, which stands behind it
	}
	return clipped(diag.Printable(text), r.Columns[i].Name)
}

func clipped(text, column string) string {
	if column == "address" || utf8.RuneCountInString(text) <= widest {
		return text
	}
	return string([]rune(text)[:widest-1]) + "…"
}

func (r textForm) text(w io.Writer, charted []string, width int) error {
	title, about := r.heading()
	fmt.Fprintf(w, "%s\n%s\n\n", diag.Printable(title), diag.Printable(about))
	if r.Len() == 0 {
		fmt.Fprintln(w, "the service has no figures for this time")
		return r.notes(w)
	}
	g := grid{columns: r.textColumns()}
	g.width = make([]int, len(g.columns))
	below := r.summaries()
	for n, i := range g.columns {
		g.widen(n, r.Columns[i].Header)
		for _, s := range below {
			g.widen(n, s.cells[i])
		}
	}
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		for n, i := range g.columns {
			g.widen(n, r.textCell(row, i))
		}
	}
	names := 0 // the columns before the first figure, in which the sums are named
	for ; names < len(g.columns) && r.Columns[g.columns[names]].metric == nil; names++ {
	}
	if err := r.textRows(w, g); err != nil {
		return err
	}
	if err := r.textSums(w, g, names, below); err != nil {
		return err
	}
	if len(charted) > 0 {
		fmt.Fprintln(w)
		if err := r.drawText(w, charted, width); err != nil {
			return err
		}
	}
	return r.notes(w)
}

func (r textForm) textRows(w io.Writer, g grid) error {
	if err := g.line(w, r.Report, func(i int) string { return r.Columns[i].Header }); err != nil {
		return err
	}
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		if err := g.line(w, r.Report, func(i int) string { return r.textCell(row, i) }); err != nil {
			return err
		}
	}
	return nil
}

// textSums names each sum across the columns before the first figure.
func (r textForm) textSums(w io.Writer, g grid, names int, below []summary) error {
	room := -2
	for n := range names {
		room += g.width[n] + 2
	}
	fmt.Fprintln(w)
	for _, s := range below {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", max(room, 0), s.name)
		for n := names; n < len(g.columns); n++ {
			fmt.Fprintf(&line, "  %*s", g.width[n], s.cells[g.columns[n]])
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

func (r textForm) notes(w io.Writer) error {
	for i, note := range r.footnotes() {
		if i == 0 {
			note = "\n" + note
		}
		if _, err := fmt.Fprintln(w, note); err != nil {
			return err
		}
	}
	return nil
}

func (g *grid) widen(n int, text string) { g.width[n] = max(g.width[n], utf8.RuneCountInString(text)) }

func (g *grid) line(w io.Writer, r *Report, cell func(i int) string) error {
	var line strings.Builder
	for n, i := range g.columns {
		text := cell(i)
		pad := strings.Repeat(" ", max(0, g.width[n]-utf8.RuneCountInString(text)))
		if n > 0 {
			line.WriteString("  ")
		}
		if r.Columns[i].number() {
			text = pad + text
		} else {
			text += pad
		}
		line.WriteString(text)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	return err
}
