package sources

import (
	"fmt"
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"
)

// shared is what the sources define for each other.
type shared struct {
	lists     map[string]draft.HintList
	defaults  map[resource.Kind][]draft.Inheritance // one entry a document
	templates map[string]map[resource.Kind]draft.Inheritance
}

// inheritor lets resources take over what sources define for each other.
type inheritor struct {
	*finder
	hints  *draft.HintFiles
	shared map[diag.Problem]bool     // errors of what rows take over: those rows wait
	whole  map[string]resource.Value // what an attribute is that takes in one hint list and nothing else
}

// share gathers what every source defines. A name or a default that stands
// twice is a problem that names both places.
func (c *inheritor) share(results []draft.Result) shared {
	s := shared{
		lists:     map[string]draft.HintList{},
		defaults:  map[resource.Kind][]draft.Inheritance{},
		templates: map[string]map[resource.Kind]draft.Inheritance{},
	}
	for i := range results {
		for _, list := range results[i].Lists {
			c.shareList(s, list)
		}
	}
	first := map[string]diag.Position{} // of templates and their kinds
	for i := range results {
		for _, in := range results[i].Inherits {
			c.shareInheritance(s, first, in)
		}
	}
	return s
}

func (c *inheritor) shareList(s shared, list draft.HintList) {
	if list.Name.Text == "" {
		return
	}
	if first, taken := s.lists[list.Name.Text]; taken {
		c.twice(list.Name.Position, fmt.Sprintf("hint list %q", list.Name.Text), first.Name.Position)
		return
	}
	s.lists[list.Name.Text] = list
	c.shareProblems(list.Problems)
}

// shareProblems notes errors of what rows take over: those rows wait, and no other.
func (c *inheritor) shareProblems(problems []diag.Problem) {
	for _, p := range problems {
		c.shared[p] = true
	}
}

func (c *inheritor) twice(at diag.Position, what string, first diag.Position) {
	c.problems.Add(diag.Problem{
		Code: diag.Duplicate, Position: at,
		Message: fmt.Sprintf("%s is written twice, first at %s; want it once", what, first),
	})
}

func (c *inheritor) shareInheritance(s shared, first map[string]diag.Position, in draft.Inheritance) {
	in.Attributes = slices.Clone(in.Attributes)
	for _, list := range in.Hints {
		v, problems := c.resolve(s, in.Schema, list)
		in.Attributes.Set(list.Name.Text, v)
		in.Problems = append(in.Problems, problems...)
	}
	c.shareProblems(in.Problems)
	if in.Name.Position.IsZero() {
		c.shareDefaults(s, in)
		return
	}
	name, kind := in.Name.Text, in.Schema.Kind
	id := name + "/" + string(kind)
	if at, taken := first[id]; taken {
		c.twice(in.Position, fmt.Sprintf("template %q for %s", name, kind), at)
		return
	}
	first[id] = in.Position
	if s.templates[name] == nil {
		s.templates[name] = map[resource.Kind]draft.Inheritance{}
	}
	s.templates[name][kind] = in
}

func (c *inheritor) shareDefaults(s shared, in draft.Inheritance) {
	kind := in.Schema.Kind
	for _, before := range s.defaults[kind] {
		for _, n := range in.Attributes {
			if v := before.Attributes.Value(n.Name); !v.IsAbsent() {
				c.twice(n.Value.Position, fmt.Sprintf("default of %s for %s", n.Name, kind), v.Position)
			}
		}
	}
	s.defaults[kind] = append(s.defaults[kind], in)
}

// inherit fills in what a draft does not say: from its templates, the later
// over the earlier, then from the defaults of its kind.
func (c *inheritor) inherit(e *entry, s shared) {
	for _, use := range slices.Backward(e.draft.Use) {
		template, known := s.templates[use.Text]
		taken, fits := template[e.draft.Schema.Kind]
		switch {
		case use.Text == "":
		case !known:
			c.report(e, use.Position, resource.Finding{
				Code:    diag.BadValue,
				Message: fmt.Sprintf("template is %q, and no source has it; want the key of a template", use.Text),
				Hint:    c.didYouMean(use.Text, func() []string { return slices.Sorted(maps.Keys(s.templates)) }),
			})
		case !fits:
			c.report(e, use.Position, resource.Finding{
				Code: diag.BadValue, Message: fmt.Sprintf("template %q sets nothing for %s; want one that does",
					use.Text, e.draft.Schema.Kind),
			})
		default:
			c.takeOver(e, taken)
		}
	}
	for _, defaults := range s.defaults[e.draft.Schema.Kind] {
		c.takeOver(e, defaults)
	}
}

// takeOver sets what is not decided yet. Of settings that exclude each other,
// such as the halves of a budget, the nearer decides alone. What is not valid of it
// lets the row wait.
func (c *inheritor) takeOver(e *entry, in draft.Inheritance) {
	if len(in.Problems) > 0 {
		e.wrong(in.Problems, false)
		e.row.And(in.Effect)
		e.bad = true
	}
	decided := slices.Clone(e.resource.Attributes)
	for _, n := range in.Attributes {
		if !c.decides(e, decided, n.Name) {
			e.resource.Set(n.Name, n.Value)
		}
	}
}

func (c *inheritor) decides(e *entry, decided resource.Attributes, name string) bool {
	if !decided.Value(name).IsAbsent() || slices.Contains(e.draft.Rejected, name) || namesLists(e.draft, name) {
		return true
	}
	schema := e.draft.Schema
	own, known := schema.Attribute(name)
	if !known {
		return true
	}
	group, grouped := schema.Group(own)
	if !grouped || !group.Exclusive {
		return false
	}
	for i := range schema.Attributes {
		other := &schema.Attributes[i]
		if g, ok := schema.Group(other); ok && g == group &&
			(!decided.Value(other.Name).IsAbsent() || slices.Contains(e.draft.Rejected, other.Name)) {
			return true
		}
	}
	return false
}

// resolveHints puts the sentences of every list a draft names into its
// attributes.
func (c *inheritor) resolveHints(e *entry, s shared) {
	for _, list := range e.draft.Hints {
		v, problems := c.resolve(s, e.draft.Schema, list)
		e.resource.Set(list.Name.Text, v)
		if len(problems) > 0 {
			e.bad = true
			e.draft.Rejected = append(e.draft.Rejected, list.Name.Text)
			e.wrong(problems, !c.shared[problems[0]])
		}
	}
}

// namesLists reports whether hint lists stand in an attribute.
func namesLists(d *draft.Draft, attribute string) bool {
	return slices.ContainsFunc(d.Hints, func(l draft.HintList) bool { return l.Name.Text == attribute })
}

// resolve puts the sentences of named lists where the names stand, and gives what is
// wrong with them, or with the lists.
func (c *inheritor) resolve(s shared, schema *resource.Schema, list draft.HintList) (resource.Value, []diag.Problem) {
	whole := ""
	if len(list.Items) == 1 {
		whole = fmt.Sprintf("%s %s %s", schema.Kind, list.Name.Text, list.Items[0].Text)
	}
	if v, known := c.whole[whole]; known {
		return v.At(list.Name.Position), nil
	}
	var problems []diag.Problem
	var items []draft.Hint
	for _, item := range list.Items {
		named, known := s.lists[item.Text]
		switch {
		case !item.IsList:
			items = append(items, item)
		case known && len(named.Problems) > 0:
			problems = append(problems, named.Problems...)
		case known && c.hints.Takes(len(named.Items)):
			items = append(items, named.Items...)
		case known:
		case item.Text != "":
			problems = append(problems, bounded.ProblemAt(item.Position, resource.Finding{
				Code: diag.BadValue, Message: fmt.Sprintf("hint list is "+
					"%q, and no source has it; want the key of a hint list", item.Text),
				Hint: c.didYouMean(item.Text, func() []string { return slices.Sorted(maps.Keys(s.lists)) }),
			}))
		}
	}
	attribute, _ := schema.Attribute(list.Name.Text)
	value, wrong := yamlfile.ListValue(attribute, items, list.Name.Position)
	problems = append(problems, wrong...)
	c.problems.AddAll(problems)
	if len(problems) > 0 {
		return resource.Value{}, problems
	}
	if whole != "" {
		c.whole[whole] = value
	}
	return value, nil
}
