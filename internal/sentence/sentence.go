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
	s.Text = diag.Printable(s.Text)
	return s
}

func (t *Teller) does(c *plan.ChangeDocument) Sentence {
	subject := t.subject(c.Address, "")
	switch c.Action {
	case plan.Create:
		return Sentence{"Create " + t.created(c), false}
	case plan.Update:
		if s := t.altered(c); s.Text != "" {
			return s
		}
		return Sentence{"Change " + subject, false}
	case plan.Replace:
		return Sentence{"End " + subject + " for good and make it anew", false}
	case plan.Archive:
		return Sentence{"End " + subject + " for good", true}
	case plan.Adopt:
		s := Sentence{"Take over " + subject + ", which is already live", len(c.Fields) == 0}
		if and := t.clauses(c, ""); and.Text != "" {
			s = Sentence{s.Text + ", and " + and.Text, and.Whole}
		}
		return s
	case plan.Forget:
		return Sentence{"Forget " + subject + ", which is gone", true}
	case plan.Record:
		return Sentence{"Note that files and account agree on " + subject, true}
	}
	return Sentence{words.Upper(words.Action(c.Action)) + " " + subject, false}
}

// verbs are what is done to several of a kind, around their number.
var verbs = map[plan.Action][2]string{
	plan.Create: {"Create ", ""}, plan.Update: {"Change ", ""}, plan.Replace: {"End ", " for good and make them anew"},
	plan.Archive: {"End ", " for good"}, plan.Adopt: {"Take over ", ", which are already live"},
	plan.Forget: {"Forget ", ", which are gone"}, plan.Record: {"Note that files and account agree on ", ""},
}

// Several says what is done to some more of a kind: Take over 57 more campaigns, which are already live.
func (t *Teller) Several(number string, action plan.Action, kind resource.Kind) string {
	verb := verbOf(action)
	return diag.Printable(verb[0] + number + " more " + t.plural(kind) + verb[1])
}

// subject is what a change is about: “Spring”, the ad “Hero” of Runners, Spring. What has others beneath it and
// nothing above is known by its name alone. A name that is given takes the place of its own.
func (t *Teller) subject(address, name string) string {
	a, ok := resource.ParseAddress(address)
	schema := t.Schemas.Of(a.Kind)
	if !ok || schema == nil {
		return quoted(address)
	}
	title := "the " + strings.ToLower(schema.Title)
	if schema.Only != "" {
		return title
	}
	named := quoted(cmp.Or(name, t.Names.Leaf(address)))
	if schema.Parent == "" && len(t.Schemas.ChildrenOf(a.Kind)) > 0 {
		return named
	}
	return title + " " + named + t.above(a)
}

// above names what a resource stands beneath.
func (t *Teller) above(a resource.Address) string {
	var above []string
	for up := t.Schemas.Parent(a); !up.IsZero(); up = t.Schemas.Parent(up) {
		above = append(above, cut(t.Names.Leaf(up.String()), nameMost))
	}
	if len(above) == 0 {
		return ""
	}
	return " of " + strings.Join(above, ", ")
}

// created is a resource that begins, with its amounts, and whether it delivers.
func (t *Teller) created(c *plan.ChangeDocument) string {
	a, _ := resource.ParseAddress(c.Address)
	said := t.subject(c.Address, "")
	schema := t.Schemas.Of(a.Kind)
	if schema == nil {
		return said
	}
	if strings.HasPrefix(said, "“") {
		said = "the " + strings.ToLower(schema.Title) + " " + said
	}
	var with []string
	paused := false
	for i := range c.Fields {
		f := &c.Fields[i]
		attribute, known := schema.Attribute(f.Name)
		if !known || f.Desired == nil || !f.Desired.IsSet() {
			continue
		}
		if attribute.Spend == resource.Amount && len(with) < clausesMost {
			with = append(with, article(t.label(c.Kind, f.Name))+" of "+t.value(attribute, *f.Desired).text)
		}
		paused = paused || attribute.Spend == resource.Delivery && f.Desired.Text() == plan.Paused
	}
	if len(with) > 0 {
		said += " with " + andList(with)
	}
	if paused {
		said += ", paused"
	}
	return said
}

func article(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// altered is what a change does to what is there.
func (t *Teller) altered(c *plan.ChangeDocument) Sentence {
	s := t.clauses(c, t.subject(c.Address, t.before(c)))
	s.Text = words.Upper(s.Text)
	return s
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
			parts = append(parts, "change its "+t.labels(c.Kind, fields[i:]))
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
	s.Text = andList(parts)
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
		return "protection"
	case schema != nil && a.Header == schema.Title:
		return "name"
	case a.Header == "":
		_, below, nested := strings.Cut(name, ".")
		if nested {
			name = below
		}
		return cut(strings.NewReplacer(".", " ", "_", " ").Replace(name), nameMost)
	}
	return strings.ToLower(a.Header[:1]) + a.Header[1:]
}

// labelsMost is how many attributes are named that a sentence does not say.
const labelsMost = 4

func (t *Teller) labels(kind resource.Kind, fields []*plan.FieldDocument) string {
	var all []string
	for _, f := range fields[:min(labelsMost, len(fields))] {
		all = append(all, t.label(kind, f.Name))
	}
	if more := len(fields) - labelsMost; more > 0 {
		all = append(all, diag.Plural(more, "other value"))
	}
	return andList(all)
}
