package sentence

import (
	"cmp"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Alike returns what a change does to so many of its kind that are changed alike, without names and values: Raise the
// daily budget of 300 campaigns. Of an update it says those fields alone that are named; none are all of it.
func (t *Teller) Alike(number string, c *plan.ChangeDocument, fields []string) string {
	several := catalogue.Fill("several.all", "n", number, "kind", t.kind(c.Kind))
	var said []string
	if c.Action == plan.Update {
		for _, f := range t.told(c) {
			if len(fields) == 0 || slices.Contains(fields, f.Name) {
				said = append(said, t.alike(c, f, several, len(said) > 0))
			}
		}
	}
	if len(said) == 0 {
		return diag.Printable(words.Upper(acts("action.many."+string(c.Action), c.Action, several)))
	}
	if more := len(said) - clausesMost; more > 0 {
		said = append(said[:clausesMost], catalogue.Say("change.rest.each", "n", more))
	}
	return diag.Printable(words.Upper(words.And(said)))
}

// alikes are the clauses that are another without their values.
var alikes = map[string]string{
	"set-to": "set", "remove-was": "remove", "add": "change", "take-out": "change", "exchange": "change",
	"reorder": "change", "gain": "people", "lose": "people",
}

// alike is a clause about several, without its values.
func (t *Teller) alike(c *plan.ChangeDocument, f *plan.FieldDocument, several string, again bool) string {
	one := t.clause(c, f)
	does := cmp.Or(alikes[one.does], one.does)
	if again {
		return one.say(does+".each", several)
	}
	return one.say(does+".many", several)
}
