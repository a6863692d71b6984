package insights

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"adsync/internal/diag"
)

const htmlHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%[1]s</title>
<style>
:root { color-scheme: light dark; --line: #d9dce1; --soft: #f4f5f7; --ink: #1c2430; --dim: #5d6776; --bar: #2f6fdb }
@media (prefers-color-scheme: dark) {
  :root { --line: #343b47; --soft: #20252e; --ink: #e4e8ee; --dim: #9aa5b5; --bar: #6ea0f5 } body { background: #15191f }
}
body { font: 14px/1.5 system-ui, sans-serif; color: var(--ink); margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1rem; margin: 2rem 0 .5rem } p { color: var(--dim); margin: .3rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap }
td.t { white-space: normal; overflow-wrap: anywhere; min-width: 8rem }
th { background: var(--soft); position: sticky; top: 0 } .n { text-align: right }
.sum td { font-weight: 600; background: var(--soft) }
svg { max-width: 100%%; height: auto; display: block } svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
</style></head><body>
<h1>%[1]s</h1>
<p>%[2]s</p>
`

// escaped is a text in HTML: nothing in it is markup.
func escaped(text string) string { return template.HTMLEscapeString(diag.Printable(text)) }

// html writes one page without scripts and without anything of another address.
func (r htmlForm) html(w io.Writer, charted []string, _ int) error {
	title, about := r.heading()
	fmt.Fprintf(w, htmlHead, escaped(title), escaped(about))
	for _, note := range r.footnotes() {
		fmt.Fprintf(w, "<p>%s</p>\n", escaped(note))
	}
	if len(charted) > 0 {
		if err := r.drawSVG(w, charted); err != nil {
			return err
		}
	}
	r.htmlSums(w)
	fmt.Fprint(w, "<h2>Rows</h2>\n<div class=\"wide\"><table><thead><tr>")
	shown := r.forPeople()
	for _, i := range shown {
		fmt.Fprintf(w, "<th%s>%s</th>", r.class(i), escaped(r.Columns[i].Header))
	}
	fmt.Fprint(w, "</tr></thead><tbody>\n")
	for row, err := range r.Rows() {
		if err != nil {
			return err
		}
		var line strings.Builder
		line.WriteString("<tr>")
		for _, i := range shown {
			fmt.Fprintf(&line, "<td%s>%s</td>", r.class(i), escaped(r.shownCell(row, i)))
		}
		if _, err := fmt.Fprintln(w, line.String()+"</tr>"); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(w, "</tbody></table></div>\n</body></html>\n")
	return err
}

// class is how a column's cells are set.
func (r htmlForm) class(i int) string {
	switch c := &r.Columns[i]; {
	case c.number():
		return ` class="n"`
	case c.names:
		return ` class="t"`
	}
	return ""
}

// htmlSums writes the totals, those before and the change, which stand above the rows.
func (r htmlForm) htmlSums(w io.Writer) {
	fmt.Fprint(w, "<h2>Totals</h2>\n<div class=\"wide\"><table><thead><tr><th></th>")
	for i := range r.Columns {
		if c := &r.Columns[i]; c.metric != nil && !c.hidden {
			fmt.Fprintf(w, `<th class="n">%s</th>`, escaped(c.Header))
		}
	}
	fmt.Fprint(w, "</tr></thead><tbody>\n")
	for _, s := range r.summaries() {
		fmt.Fprintf(w, `<tr class="sum"><td>%s</td>`, escaped(s.name))
		for i := range r.Columns {
			if c := &r.Columns[i]; c.metric != nil && !c.hidden {
				fmt.Fprintf(w, `<td class="n">%s</td>`, escaped(s.cells[i]))
			}
		}
		fmt.Fprintln(w, "</tr>")
	}
	fmt.Fprint(w, "</tbody></table></div>\n")
}
