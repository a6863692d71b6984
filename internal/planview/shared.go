package planview

import (
	"html/template"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// What follows serves the forms of a run, which read like those of its plan.

// Sum writes an amount before and after in a currency, and by how much it moves.
func Sum(m plan.Moved, currency string) string { return newSum("", m, brief(currency)).text }

// Semicolons joins texts that may have commas.
func Semicolons(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return catalogue.Fill("list.semicolon", "list", Semicolons(texts[:last]), "last", texts[last])
}

// Severity returns how grave a problem is.
func Severity(s diag.Severity) string {
	switch s {
	case diag.Error, diag.Warning, diag.Note:
		return catalogue.Say("problems." + string(s))
	}
	return string(s)
}

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

// Style is the look of a page.
func Style() template.CSS { return template.CSS(htmlStyle) }

// StylePolicy allows a page that look, and nothing else.
func StylePolicy() template.HTMLAttr {
	return template.HTMLAttr(`content="default-src 'none'; style-src '` +
		digest(htmlStyle) + `'; base-uri 'none'; form-action 'none'"`)
}
