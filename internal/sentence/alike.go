package sentence

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/plan"
)

// Alike returns what a change does to so many of its kind that are changed alike, without names and values: Raise the
// daily budget of 300 campaigns. Of an update it says those fields alone that are named; none are all of it.
func (t *Teller) Alike(number string, c *plan.ChangeDocument, fields []string) string {
	several := number + " " + t.plural(c.Kind)
	var said []string
	if c.Action == plan.Update {
		for _, f := range t.told(c) {
			if len(fields) == 0 || slices.Contains(fields, f.Name) {
				said = append(said, t.alike(c, f, several, len(said) > 0))
			}
		}
	}
	if len(said) == 0 {
		verb := verbOf(c.Action)
		return diag.Printable(verb[0] + several + verb[1])
	}
	if more := len(said) - clausesMost; more > 0 {
		said = append(said[:clausesMost], "change "+diag.Plural(more, "other value")+" of each")
	}
	return diag.Printable(words.Upper(andList(said)))
}

// alike is a clause about several, without its values.
func (t *Teller) alike(c *plan.ChangeDocument, f *plan.FieldDocument, several string, again bool) string {
	a, one := t.attribute(c.Kind, f.Name), t.clause(c, f)
	switch {
	case f.Counted != nil:
		return "change who is in " + several
	case a.Type.IsList() && of(f.Live).IsSet() && of(f.Desired).IsSet():
		one = clause{verb: "change", object: one.object}
	case t.removes(c.Kind, a, of(f.Desired)):
	default:
		one.rest = ""
	}
	switch {
	case again && one.object != "":
		one.object = "the " + one.object + " of each"
	case again:
		one.object = "each"
	case one.object != "":
		one.object = "the " + one.object + " of " + several
	default:
		one.object = several
	}
	return strings.TrimSpace(one.verb + " " + one.object + " " + one.rest)
}

// plural is what several of a kind are called.
func (t *Teller) plural(kind resource.Kind) string {
	if s := t.Schemas.Of(kind); s != nil {
		return strings.ToLower(s.Title) + "s"
	}
	return string(kind) + "s"
}

// verbOf returns what is done to several of a kind, around their number.
func verbOf(action plan.Action) [2]string {
	if verb, known := verbs[action]; known {
		return verb
	}
	return [2]string{words.Upper(string(action)) + " "}
}
