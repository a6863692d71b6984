// Package sentence says in one sentence what a change of a plan does, as a marketer would say it: Raise the daily
// budget of “Spring” from 80 to 200 USD. It knows no kind: names, words and amounts follow from the descriptions of
// kinds and attributes. It says nothing of why, of who and of what holds. Its texts are printable, and bounded however
// long the values are.
package sentence

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Teller says what the changes of a plan do.
type Teller struct {
	Schemas  resource.Schemas
	Names    *words.Names
	Currency string // of the account; "" where it is not known
}

// Sentence is what a change does.
type Sentence struct {
	Text  string // begins with a verb, and has no full stop
	Whole bool   // every value that changes is in it
}

// Of returns what a change does.
func (t *Teller) Of(c *plan.ChangeDocument) Sentence {
	s := t.does(c)
	s.Text = diag.Printable(words.Upper(s.Text))
	return s
}

func (t *Teller) does(c *plan.ChangeDocument) Sentence {
	switch c.Action {
	case plan.Create:
		return Sentence{t.created(c), false}
	case plan.Update:
		if s := t.clauses(c, t.subject(c.Address, t.before(c))); s.Text != "" {
			return s
		}
	}
	subject := t.subject(c.Address, "")
	if c.Action == plan.Adopt {
		if and := t.clauses(c, ""); and.Text != "" {
			return Sentence{catalogue.Fill("action.says.adopt.and", "what", subject, "does", and.Text), and.Whole}
		}
	}
	all := whole[c.Action] || c.Action == plan.Adopt && len(c.Fields) == 0
	return Sentence{acts("action.says."+string(c.Action), c.Action, subject), all}
}

// whole are the actions that have a text, and whether no value that changes is ever missing in it.
var whole = map[plan.Action]bool{
	plan.Create: false, plan.Update: false, plan.Replace: false, plan.Archive: true, plan.Adopt: false,
	plan.Forget: true, plan.Record: true,
}

// acts says what an action does to a resource, or to several.
func acts(text string, action plan.Action, what string) string {
	if _, known := whole[action]; !known {
		return catalogue.Fill("action.other", "does", words.Action(action), "what", what)
	}
	return catalogue.Fill(text, "what", what)
}

// Several says what is done to some more of a kind: Take over 57 more campaigns, which are already live.
func (t *Teller) Several(number string, action plan.Action, kind resource.Kind) string {
	more := catalogue.Fill("several.more", "n", number, "kind", t.kind(kind))
	return diag.Printable(words.Upper(acts("action.many."+string(action), action, more)))
}

// kind is what a kind is called, in small letters.
func (t *Teller) kind(kind resource.Kind) string {
	if s := t.Schemas.Of(kind); s != nil {
		return strings.ToLower(s.Title)
	}
	return string(kind)
}

// subject is what a change is about: “Spring”, the ad “Hero” of Runners, Spring. What has others beneath it and
// nothing above is known by its name alone. A name that is given takes the place of its own.
func (t *Teller) subject(address, name string) string {
	a, ok := resource.ParseAddress(address)
	s := t.Schemas.Of(a.Kind)
	if ok && s != nil && s.Only == "" && s.Parent == "" && len(t.Schemas.ChildrenOf(a.Kind)) > 0 {
		return quoted(cmp.Or(name, t.Names.Leaf(address)))
	}
	return t.named(address, name)
}

// named is a resource with its kind, its name and what it stands beneath.
func (t *Teller) named(address, name string) string {
	a, ok := resource.ParseAddress(address)
	schema := t.Schemas.Of(a.Kind)
	switch {
	case !ok || schema == nil:
		return quoted(address)
	case schema.Only != "":
		return catalogue.Fill("subject.only", "kind", t.kind(a.Kind))
	}
	name = cut(cmp.Or(name, t.Names.Leaf(address)), nameMost)
	var above []string
	for up := t.Schemas.Parent(a); !up.IsZero(); up = t.Schemas.Parent(up) {
		above = append(above, cut(t.Names.Leaf(up.String()), nameMost))
	}
	if len(above) == 0 {
		return catalogue.Fill("subject.named", "kind", t.kind(a.Kind), "name", name)
	}
	return catalogue.Fill("subject.beneath", "kind", t.kind(a.Kind), "name", name, "above", words.Commas(above))
}

// created says of a resource that it begins, with its amounts, and whether it delivers.
func (t *Teller) created(c *plan.ChangeDocument) string {
	what := t.named(c.Address, "")
	var with []string
	paused := false
	for i := range c.Fields {
		f := &c.Fields[i]
		a := t.attribute(c.Kind, f.Name)
		if f.Desired == nil || !f.Desired.IsSet() {
			continue
		}
		if a.Spend == resource.Amount && len(with) < clausesMost {
			with = append(with, t.amountOf(a, *f.Desired, t.label(c.Kind, f.Name)))
		}
		paused = paused || a.Spend == resource.Delivery && f.Desired.Text() == plan.Paused
	}
	switch {
	case len(with) > 0 && paused:
		return catalogue.Fill("action.says.create.with-paused", "what", what, "with", words.And(with))
	case len(with) > 0:
		return catalogue.Fill("action.says.create.with", "what", what, "with", words.And(with))
	case paused:
		return catalogue.Fill("action.says.create.paused", "what", what)
	}
	return acts("action.says."+string(plan.Create), plan.Create, what)
}

// amountOf is an amount that a resource begins with: a daily budget of 50 USD.
func (t *Teller) amountOf(a *resource.Attribute, v resource.Value, label string) string {
	if strings.ContainsAny(label[:min(1, len(label))], "aeiou") {
		return catalogue.Fill("amount.an", "what", label, "amount", t.value(a, v).text)
	}
	return catalogue.Fill("amount.a", "what", label, "amount", t.value(a, v).text)
}

// before is the name of a resource that gets another one.
func (t *Teller) before(c *plan.ChangeDocument) string {
	for i := range c.Fields {
		if f := &c.Fields[i]; t.names(c.Kind, f.Name) && f.Live != nil && f.Live.IsSet() {
			return f.Live.Text()
		}
	}
	return ""
}

// names reports whether an attribute is the name of its kind.
func (t *Teller) names(kind resource.Kind, attribute string) bool {
	s := t.Schemas.Of(kind)
	return s != nil && len(s.NameFrom) > 0 && s.NameFrom[0] == attribute &&
		t.attribute(kind, attribute).Type == resource.TypeText
}

// clausesMost is how many values a sentence says; of more it says the first, and names the others.
const clausesMost = 3

// clauses join what happens to each value, the first of a subject and the others of it. Without a subject all are.
func (t *Teller) clauses(c *plan.ChangeDocument, subject string) Sentence {
	fields := t.told(c)
	if len(fields) == 0 {
		return Sentence{}
	}
	s := Sentence{Whole: true}
	var parts []string
	for i := range fields {
		if len(fields) > clausesMost && i > 0 {
			parts = append(parts, catalogue.Fill("change.rest", "what", t.labels(c.Kind, fields[i:])))
			s.Whole = false
			break
		}
		one := t.clause(c, fields[i])
		s.Whole = s.Whole && one.whole
		if i > 0 {
			parts = append(parts, one.of(""))
		} else {
			parts = append(parts, one.of(subject))
		}
	}
	s.Text = words.And(parts)
	return s
}

// told are the values a sentence is about, what matters most first.
func (t *Teller) told(c *plan.ChangeDocument) []*plan.FieldDocument {
	var fields []*plan.FieldDocument
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Cause != plan.SentAlong {
			fields = append(fields, f)
		}
	}
	slices.SortStableFunc(fields, func(a, b *plan.FieldDocument) int {
		return cmp.Compare(t.weight(c.Kind, a.Name), t.weight(c.Kind, b.Name))
	})
	return fields
}

// weights put in order what a sentence says first.
var weights = map[resource.Spend]int{
	resource.Delivery: 0, resource.Amount: 1, resource.Mode: 2, resource.Scale: 2, resource.Cover: 3, resource.Reach: 4,
}

func (t *Teller) weight(kind resource.Kind, name string) int {
	if weight, known := weights[t.attribute(kind, name).Spend]; known {
		return weight
	}
	return len(weights)
}

// attribute describes an attribute; one no kind has is text.
func (t *Teller) attribute(kind resource.Kind, name string) *resource.Attribute {
	if s := t.Schemas.Of(kind); s != nil {
		if a, known := s.Attribute(name); known {
			return a
		}
	}
	return &resource.Attribute{Name: name, Type: resource.TypeText}
}

// label is what people call an attribute within a sentence: daily budget, target URL. The column of a name is called
// as its kind, and what has no column goes by the last part of its path.
func (t *Teller) label(kind resource.Kind, name string) string {
	schema, a := t.Schemas.Of(kind), t.attribute(kind, name)
	switch {
	case a.Protects:
		return catalogue.Say("label.protection")
	case schema != nil && a.Header == schema.Title:
		return catalogue.Say("label.name")
	case a.Header == "":
		_, below, nested := strings.Cut(name, ".")
		if nested {
			name = below
		}
		return cut(strings.NewReplacer(".", " ", "_", " ").Replace(name), nameMost)
	}
	return words.Lower(a.Header)
}

// labelsMost is how many attributes are named that a sentence does not say.
const labelsMost = 4

func (t *Teller) labels(kind resource.Kind, fields []*plan.FieldDocument) string {
	var all []string
	for _, f := range fields[:min(labelsMost, len(fields))] {
		all = append(all, t.label(kind, f.Name))
	}
	if more := len(fields) - labelsMost; more > 0 {
		all = append(all, catalogue.Say("several.values", "n", more))
	}
	return words.And(all)
}
