package sentence

import (
	"slices"
	"strconv"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// clause is what happens to one value: raise the daily budget of “Spring” from 80 to 200 USD.
type clause struct {
	does     string // its text
	what     string // the value is called
	from, to string // what it was and becomes; of a list what it loses and gains, of people how many
	whole    bool   // both values are said whole
}

// of puts a clause about a subject, or where there is none about “it”.
func (c clause) of(subject string) string {
	if subject == "" {
		return c.say(c.does+".its", "")
	}
	return c.say(c.does, subject)
}

func (c clause) say(text, subject string) string {
	return catalogue.Fill("change."+text,
		"what", c.what, "whose", subject, "from", c.from, "to", c.to, "n", c.to)
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
		return clause{does: delivers[to.Text()], whole: true}
	case t.removes(c.Kind, a, to):
		return clause{does: "end", whole: true}
	case t.names(c.Kind, a.Name) && to.IsSet():
		return clause{does: "rename", to: quoted(to.Text()), whole: len([]rune(to.Text())) <= nameMost}
	case !to.IsSet() && from.IsSet() && before.text != "":
		return clause{does: "remove-was", what: label, from: before.text, whole: before.whole}
	case !to.IsSet():
		return clause{does: "remove", what: label, whole: before.whole}
	case after.text == "" && from.IsSet():
		return clause{does: "replace", what: label}
	case after.text == "":
		return clause{does: "set", what: label}
	case !from.IsSet():
		return clause{does: "set-to", what: label, to: after.text, whole: after.whole}
	case a.Type.IsList():
		return lists(a, label, from, to)
	}
	if n, is := from.Number(); is && a.Type == resource.TypeMoney {
		before.text = amount(n) // one currency is said for both
	}
	return clause{t.verb(a, from, to), label, before.text, after.text, before.whole && after.whole}
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

// counted says how many people a file adds or takes out.
func counted(c *plan.Counted, inFile resource.Value) clause {
	people, _ := inFile.Number()
	does := "gain"
	if c.Does == "remove" {
		does = "lose"
	}
	return clause{does: does, to: strconv.FormatInt(people, 10)}
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
		text = catalogue.Fill("name.quoted", "name", text)
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
			short = catalogue.Fill("name.quoted", "name", short)
		case resource.TypeSet:
			short = spaced(short)
		}
		all = append(all, short)
	}
	if more := len(items) - entriesMost; more > 0 {
		all = append(all, catalogue.Say("list.more", "n", more))
	}
	return words.And(all), whole
}

// lists says what a list gains and loses.
func lists(a *resource.Attribute, label string, from, to resource.Value) clause {
	gained, lost := missingFrom(a.Shown(from), a.Shown(to)), missingFrom(a.Shown(to), a.Shown(from))
	gains, all := entries(a, gained)
	loses, both := entries(a, lost)
	switch {
	case gains != "" && loses != "":
		return clause{"exchange", label, loses, gains, all && both}
	case gains != "":
		return clause{"add", label, "", gains, all}
	case loses != "":
		return clause{"take-out", label, loses, "", both}
	}
	return clause{does: "reorder", what: label}
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

func quoted(name string) string { return catalogue.Fill("name.quoted", "name", cut(name, nameMost)) }

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
