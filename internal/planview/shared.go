package planview

import (
	"html/template"

	"adsync/internal/resource"
	"adsync/plan"
)

// What follows serves the forms of a run, which read like those of its plan.

// Amount writes micros as units with a comma before each three digits.
func Amount(micros int64) string { return amount(micros) }

// Sum writes an amount before and after in a currency, and by how much it moves.
func Sum(m plan.Moved, currency string) string { return newSum("", m, brief(currency)).text }

// Thousands writes a number with a comma before each three digits.
func Thousands(n int) string { return thousands(int64(n)) }

// Values writes what an attribute was and what it became; what begins has no
// value before.
func Values(schemas resource.Schemas, kind resource.Kind,
	name string, before, after resource.Value, begins bool) string {
	t := &teller{schemas: schemas, room: 80}
	c := &plan.ChangeDocument{Kind: kind, Action: plan.Update}
	if begins {
		c.Action = plan.Create
	}
	return t.values(c, &plan.FieldDocument{Name: name, Last: &before, Live: &before, Desired: &after})
}

// Symbol begins the line of an action.
func Symbol(action plan.Action) string { return symbols[action] }

// Wrap cuts a text into lines of at most so many columns, between words.
func Wrap(text string, most int) []string { return wrap(text, most) }

// Columns is how many columns of a terminal a printable text takes.
func Columns(s string) int { return columns(s) }

// Pad fills a text with spaces to so many columns.
func Pad(s string, to int) string { return pad(s, to) }

// Code makes a text inline code of Markdown.
func Code(text string) string { return code(text) }

// Cell makes a text inline code in a table of Markdown.
func Cell(text string) string { return cell(text) }

// Visible escapes, in a line of JSON, what a terminal would not show.
func Visible(line string) string { return visible(line) }

// Style is the look of a page.
func Style() template.CSS { return template.CSS(htmlStyle) }

// StylePolicy allows a page that look, and nothing else.
func StylePolicy() template.HTMLAttr {
	return template.HTMLAttr(`content="default-src 'none'; style-src '` +
		digest(htmlStyle) + `'; base-uri 'none'; form-action 'none'"`)
}
