package sentence

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// clause is what happens to one value: Raise · daily budget · from 80 to 200 USD.
type clause struct {
	verb, object, rest string
	whole              bool // both values are said whole
}

// of puts a clause about a subject, or where there is none about “it”.
func (c clause) of(subject string) string {
	said := c.verb
	switch {
	case c.object == "" && subject == "":
		said += " it"
	case c.object == "":
		said += " " + subject
	case subject == "":
		said += " its " + c.object
	default:
		said += " the " + c.object + " of " + subject
	}
	return strings.TrimSpace(said + " " + c.rest)
}

// clause says what happens to a value.
func (t *Teller) clause(c *plan.ChangeDocument, f *plan.FieldDocument) clause {
	a, label := t.attribute(c.Kind, f.Name), t.label(c.Kind, f.Name)
	from, to := of(f.Live), of(f.Desired)
	if !plan.Readable(a) {
		from = of(f.Last)
	}
	before, after := t.value(a, from), t.value(a, to)
	switch {
	case f.Counted != nil:
		return counted(f.Counted, to)
	case a.Spend == resource.Delivery && delivers[to.Text()] != "":
		return clause{verb: delivers[to.Text()], whole: true}
	case t.removes(c.Kind, a, to):
		return clause{verb: "end", rest: "for good", whole: true}
	case t.names(c.Kind, a.Name) && to.IsSet():
		return clause{verb: "rename", rest: "to " + quoted(to.Text()), whole: len([]rune(to.Text())) <= nameMost}
	case !to.IsSet():
		said := clause{verb: "remove", object: label, whole: before.whole}
		if from.IsSet() && before.text != "" {
			said.rest = "(it was " + before.text + ")"
		}
		return said
	case after.text == "" && from.IsSet():
		return clause{verb: "replace", object: label}
	case after.text == "":
		return clause{verb: "set", object: label}
	case !from.IsSet():
		return clause{verb: "set", object: label, rest: "to " + after.text, whole: after.whole}
	case a.Type.IsList():
		return lists(a, label, from, to)
	}
	return clause{verb: t.verb(a, from, to), object: label, rest: "from " + t.pair(a, from, to),
		whole: before.whole && after.whole}
}

// delivers are the verbs of an attribute that governs delivery.
var delivers = map[string]string{plan.Active: "start", plan.Paused: "pause"}

// removes reports whether a value ends its resource.
func (t *Teller) removes(kind resource.Kind, a *resource.Attribute, to resource.Value) bool {
	s := t.Schemas.Of(kind)
	return s != nil && s.Removal != "" && a.Type == resource.TypeChoice && to.Text() == s.Removal
}

func (t *Teller) verb(a *resource.Attribute, from, to resource.Value) string {
	before, was := from.Number()
	after, is := to.Number()
	switch {
	case was && is && after > before:
		return "raise"
	case was && is && after < before:
		return "lower"
	case a.Type == resource.TypeDay || a.Type == resource.TypeLast:
		return "move"
	}
	return "change"
}

// pair are both values, with one currency: 80 to 200 USD.
func (t *Teller) pair(a *resource.Attribute, from, to resource.Value) string {
	if before, is := from.Number(); is && a.Type == resource.TypeMoney {
		return amount(before) + " to " + t.value(a, to).text
	}
	return t.value(a, from).text + " to " + t.value(a, to).text
}

// counted says how many people a file adds or takes out.
func counted(c *plan.Counted, inFile resource.Value) clause {
	people, _ := inFile.Number()
	rest := "get " + diag.Counted(people, "person", "people") + " more"
	if c.Does == "remove" {
		rest = "lose " + diag.Counted(people, "person", "people")
	}
	return clause{verb: "let", rest: rest}
}

// shown is a value as a sentence has it; "" where it is nothing that one reads.
type shown struct {
	text  string
	whole bool
}

// valueMost is how many characters of a text a sentence has.
const valueMost = 60

func (t *Teller) value(a *resource.Attribute, v resource.Value) shown {
	if n, is := v.Number(); is && a.Type == resource.TypeMoney {
		return shown{strings.TrimSpace(amount(n) + " " + t.Currency), true}
	}
	switch a.Type {
	case resource.TypeImage, resource.TypeObject, resource.TypeMembers:
		return shown{}
	}
	if !v.IsSet() {
		return shown{whole: true}
	}
	if a.Type.IsList() {
		text, whole := entries(a, a.Shown(v))
		return shown{text, whole}
	}
	all := strings.Join(a.Shown(v), ", ")
	if a.Type == resource.TypeChoice {
		all = spaced(all)
	}
	if all == "" {
		all = a.Format(v)
	}
	text := cut(all, valueMost)
	whole := text == all
	switch a.Type {
	case resource.TypeText, resource.TypeQuery:
		text = "“" + text + "”"
	}
	return shown{text, whole}
}

// spaced is a choice as people read it.
func spaced(choice string) string { return strings.ReplaceAll(choice, "_", " ") }

// entriesMost is how many entries of a list a sentence names.
const entriesMost = 4

// entries names entries of a list.
func entries(a *resource.Attribute, items []string) (string, bool) {
	whole := len(items) <= entriesMost
	var all []string
	for _, item := range items[:min(entriesMost, len(items))] {
		short := cut(item, valueMost)
		whole = whole && short == item
		switch a.Type {
		case resource.TypeHints:
			short = "“" + short + "”"
		case resource.TypeSet:
			short = spaced(short)
		}
		all = append(all, short)
	}
	if more := len(items) - entriesMost; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return andList(all), whole
}

// lists says what a list gains and loses.
func lists(a *resource.Attribute, label string, from, to resource.Value) clause {
	gained, lost := missingFrom(a.Shown(from), a.Shown(to)), missingFrom(a.Shown(to), a.Shown(from))
	gains, all := entries(a, gained)
	loses, both := entries(a, lost)
	switch {
	case gains != "" && loses != "":
		return clause{"change", label, "(add " + gains + "; take out " + loses + ")", all && both}
	case gains != "":
		return clause{"add " + gains + " to", label, "", all}
	case loses != "":
		return clause{"take " + loses + " out of", label, "", both}
	}
	return clause{verb: "reorder", object: label}
}

// missingFrom returns the entries of some that all does not hold.
func missingFrom(all, some []string) []string {
	has := make(map[string]bool, len(all))
	for _, item := range all {
		has[item] = true
	}
	return slices.DeleteFunc(slices.Clone(some), func(item string) bool { return has[item] })
}

func of(v *resource.Value) resource.Value {
	if v == nil {
		return resource.Value{}
	}
	return *v
}

// nameMost is how many characters of a name a sentence has.
const nameMost = 60

func quoted(name string) string { return "“" + cut(name, nameMost) + "”" }

// cut bounds a text.
func cut(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}

// amount writes micros as people say them: 1,200 and 0.50.
func amount(micros int64) string {
	whole, fraction, _ := strings.Cut(resource.FormatMoney(micros), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if strings.Trim(fraction, "0") == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}

// andList joins texts: a, b and c.
func andList(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
