package insights

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
)

// Forms are the forms of a report.
var Forms = []string{"text", "csv", "xlsx", "json", "markdown", "html"}

// Write writes the report in a form, with a chart of some figures where any are named. Width
// is that of the terminal; 0: there is none.
func (r *Report) Write(w io.Writer, form string, charted []string, width int) error {
	write := map[string]func(io.Writer, []string, int) error{
		"text": textForm{r}.text, "csv": plainForm{r}.csv, "xlsx": bookForm{r}.xlsx, "json": jsonForm{r}.json,
		"markdown": plainForm{r}.markdown, "html": htmlForm{r}.html,
	}[form]
	if write == nil {
		return fmt.Errorf("no form is called %q", form)
	}
	return write(w, charted, width)
}

// The forms of a report, by what writes them.
type (
	textForm  struct{ *Report }
	plainForm struct{ *Report } // CSV and Markdown
	bookForm  struct{ *Report }
	jsonForm  struct{ *Report }
	htmlForm  struct{ *Report }
)

// partialNote says what a week that is marked is.
const partialNote = "not all days of the week are in the time that is shown"

// preliminaryNote says what is not final yet.
const preliminaryNote = "preliminary: the account's current day is among them, and its figures still change"

// summary is a line of what stands below the rows: sums, those before, the change.
type summary struct {
	name  string
	cells []string // by columns
}

// summaries are the lines below the rows, for people.
func (r *Report) summaries() []summary {
	var lines []summary
	for _, t := range r.Totals {
		of := ""
		if t.Segment != "" {
			of = " by " + t.Segment
		}
		name := "Total" + of
		if t.Preliminary {
			name += " *"
		}
		lines = append(lines, r.summary(name, func(c *Column) string { return c.metric.form.shown(t.Of(c)) }))
		if t.Before == nil {
			continue
		}
		lines = append(lines,
			r.summary("Before"+of, func(c *Column) string { return c.metric.form.shown(t.Before.Of(c)) }),
			r.summary("Change"+of, func(c *Column) string { return Signed(t.Change(c)) }))
	}
	return lines
}

func (r *Report) summary(name string, of func(*Column) string) summary {
	s := summary{name: name, cells: make([]string, len(r.Columns))}
	for i := range r.Columns {
		if r.Columns[i].metric != nil {
			s.cells[i] = of(&r.Columns[i])
		}
	}
	return s
}

// Signed returns a change as people read it: +12.5%.
func Signed(text string) string {
	n, ok := Millionths(text)
	if !ok || text == "" {
		return ""
	}
	switch share := fixed(n, 1, 10_000); {
	case share == "-0.0":
		return "0.0%"
	case n > 0 && share != "0.0":
		return "+" + share + "%"
	default:
		return share + "%"
	}
}

// shownCell is a cell as people read it.
func (r *Report) shownCell(row Row, i int) string {
	c := &r.Columns[i]
	switch {
	case c.change:
		return Signed(row.Cells[i])
	case c.beside != nil && row.Cells[i] != "":
		return c.beside.form.shown(row.Cells[i])
	case c.metric != nil && row.Cells[i] != "":
		return c.metric.form.shown(row.Cells[i])
	case c.Name == "time":
		text := row.Cells[i]
		if row.Partial {
			text += " (partial)"
		}
		if row.Preliminary {
			text += " *"
		}
		return text
	}
	return row.Cells[i]
}

// heading are the lines above the rows, for people.
func (r *Report) heading() (title, about string) {
	title = r.Title + ", " + r.Span.String()
	if r.By != "none" {
		title += ", by " + r.By
	}
	parts := []string{"account " + r.Account, "days of " + r.Zone.String(), "money in " + r.Currency}
	if r.By == "week" {
		parts = append(parts, "weeks by their first day, a Monday")
	}
	parts = append(parts, r.Settings...)
	if r.Before != (Span{}) {
		parts = append(parts, "change against "+r.Before.String())
	}
	return title, strings.Join(parts, " · ")
}

// footnotes are the lines below everything, for people.
func (r *Report) footnotes() []string {
	notes := append(lacking(r), r.Notes...)
	if r.gone > 0 {
		notes = append([]string{fmt.Sprintf("rows of the span before that have none now: %d; "+
			"they are in the totals before, and --zero shows most of them", r.gone)}, notes...)
	}
	if r.By == "week" && (partial(r.Span.From, time.Monday) || partial(r.Span.To, time.Sunday)) {
		notes = append([]string{"(partial) " + partialNote}, notes...)
	}
	if r.Preliminary() {
		notes = append([]string{"* " + preliminaryNote}, notes...)
	}
	return notes
}

// yes is a mark of a row in a column of its own.
var yes = map[bool]string{true: "yes"}

// csv writes rows alone: sums below them would be counted twice.
func (r plainForm) csv(w io.Writer, _ []string, _ int) error {
	out := csv.NewWriter(w)
	shown := r.visible()
	var line []string
	for _, i := range shown {
		line = append(line, r.Columns[i].Name)
	}
	line = append(line, "preliminary")
	if r.By == "week" {
		line = append(line, "partial")
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		line = line[:0]
		for _, i := range shown {
			if r.Columns[i].number() {
				line = append(line, row.Cells[i])
			} else {
				line = append(line, csvfile.Plain(row.Cells[i]))
			}
		}
		line = append(line, yes[row.Preliminary])
		if r.By == "week" {
			line = append(line, yes[row.Partial])
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// markdown writes a table whose cells cannot end it.
func (r plainForm) markdown(w io.Writer, charted []string, _ int) error {
	title, about := r.heading()
	fmt.Fprintf(w, "## %s\n\n%s\n\n", Markdown(title), Markdown(about))
	shown := r.forPeople()
	head, rule := "|", "|"
	for _, i := range shown {
		head += " " + Markdown(r.Columns[i].Header) + " |"
		rule += map[bool]string{true: "---:|", false: "---|"}[r.Columns[i].number()]
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		line := "|"
		for _, i := range shown {
			line += " " + Markdown(r.shownCell(row, i)) + " |"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	for _, s := range r.summaries() {
		line := "|"
		for n, i := range shown {
			cell := s.cells[i]
			if n == 0 {
				cell = s.name
			}
			if cell != "" {
				cell = "**" + Markdown(cell) + "**"
			}
			line += " " + cell + " |"
		}
		fmt.Fprintln(w, line)
	}
	if len(charted) > 0 {
		var drawn strings.Builder
		if err := r.drawText(&drawn, charted, 80); err != nil {
			return err
		}
		// Indented, as a name in it could end a fence.
		fmt.Fprintln(w, "\n    "+strings.ReplaceAll(strings.TrimRight(drawn.String(), "\n"), "\n", "\n    "))
	}
	for _, note := range r.footnotes() {
		if _, err := fmt.Fprintf(w, "\n%s\n", Markdown(note)); err != nil {
			return err
		}
	}
	return nil
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "\n", " ", "\r", " ")

// Markdown returns a text that is no markup, in one line.
func Markdown(text string) string { return markdownEscapes.Replace(diag.Printable(text)) }
