package sources

import (
	"fmt"
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// shared is what the sources define for each other.
type shared struct {
	lists     map[string]hintList
	defaults  map[resource.Kind][]inheritance // one entry a document
	templates map[string]map[resource.Kind]inheritance
}

// share gathers what every source defines. A name or a default that stands
// twice is a problem that names both places.
func (c *collection) share(results []result) shared {
	s := shared{
		lists:     map[string]hintList{},
		defaults:  map[resource.Kind][]inheritance{},
		templates: map[string]map[resource.Kind]inheritance{},
	}
	for i := range results {
		for _, list := range results[i].lists {
			c.shareList(s, list)
		}
	}
	first := map[string]diag.Position{} // of templates and their kinds
	for i := range results {
		for _, in := range results[i].inherits {
			c.shareInheritance(s, first, in)
		}
	}
	return s
}

func (c *collection) shareList(s shared, list hintList) {
	if list.name.text == "" {
		return
	}
	if first, taken := s.lists[list.name.text]; taken {
		c.twice(list.name.position, fmt.Sprintf("hint list %q", list.name.text), first.name.position)
		return
	}
	s.lists[list.name.text] = list
	c.shareProblems(list.problems)
}

// shareProblems notes errors of what rows take over: those rows wait, and no other.
func (c *collection) shareProblems(problems []diag.Problem) {
	for _, p := range problems {
		c.shared[p] = true
	}
}

func (c *collection) twice(at diag.Position, what string, first diag.Position) {
	c.problems.Add(diag.Problem{
		Code: diag.Duplicate, Position: at,
		Message: fmt.Sprintf("%s is written twice, first at %s; want it once", what, first),
	})
}

func (c *collection) shareInheritance(s shared, first map[string]diag.Position, in inheritance) {
	in.attributes = slices.Clone(in.attributes)
	for _, list := range in.hints {
		v, problems := c.resolve(s, in.schema, list)
		in.attributes.Set(list.name.text, v)
		in.problems = append(in.problems, problems...)
	}
	c.shareProblems(in.problems)
	if in.name.position.IsZero() {
		c.shareDefaults(s, in)
		return
	}
	name, kind := in.name.text, in.schema.Kind
	id := name + "/" + string(kind)
	if at, taken := first[id]; taken {
		c.twice(in.position, fmt.Sprintf("template %q for %s", name, kind), at)
		return
	}
	first[id] = in.position
	if s.templates[name] == nil {
		s.templates[name] = map[resource.Kind]inheritance{}
	}
	s.templates[name][kind] = in
}

func (c *collection) shareDefaults(s shared, in inheritance) {
	kind := in.schema.Kind
	for _, before := range s.defaults[kind] {
		for _, n := range in.attributes {
			if v := before.attributes.Value(n.Name); !v.IsAbsent() {
				c.twice(n.Value.Position, fmt.Sprintf("default of %s for %s", n.Name, kind), v.Position)
			}
		}
	}
	s.defaults[kind] = append(s.defaults[kind], in)
}

// inherit fills in what a draft does not say: from its templates, the later
// over the earlier, then from the defaults of its kind.
func (c *collection) inherit(e *entry, s shared) {
	for _, use := range slices.Backward(e.draft.use) {
		template, known := s.templates[use.text]
		taken, fits := template[e.draft.schema.Kind]
		switch {
		case use.text == "":
		case !known:
			c.report(e, use.position, resource.Finding{
				Code:    diag.BadValue,
				Message: fmt.Sprintf("template is %q, and no source has it; want the key of a template", use.text),
				Hint:    c.didYouMean(use.text, func() []string { return slices.Sorted(maps.Keys(s.templates)) }),
			})
		case !fits:
			c.report(e, use.position, resource.Finding{
				Code: diag.BadValue, Message: fmt.Sprintf("template %q sets nothing for %s; want one that does",
					use.text, e.draft.schema.Kind),
			})
		default:
			c.takeOver(e, taken)
		}
	}
	for _, defaults := range s.defaults[e.draft.schema.Kind] {
		c.takeOver(e, defaults)
	}
}

// takeOver sets what is not decided yet. Of settings that exclude each other,
// such as the halves of a budget, the nearer decides alone. What is not valid of it
// lets the row wait.
func (c *collection) takeOver(e *entry, in inheritance) {
	if len(in.problems) > 0 {
		e.wrong(in.problems, false)
		e.row.and(in.effect)
		e.bad = true
	}
	decided := slices.Clone(e.resource.Attributes)
	for _, n := range in.attributes {
		if !c.decides(e, decided, n.Name) {
			e.resource.Set(n.Name, n.Value)
		}
	}
}

func (c *collection) decides(e *entry, decided resource.Attributes, name string) bool {
	if !decided.Value(name).IsAbsent() || slices.Contains(e.draft.rejected, name) || namesLists(e.draft, name) {
		return true
	}
	schema := e.draft.schema
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
			(!decided.Value(other.Name).IsAbsent() || slices.Contains(e.draft.rejected, other.Name)) {
			return true
		}
	}
	return false
}

// resolveHints puts the sentences of every list a draft names into its
// attributes.
func (c *collection) resolveHints(e *entry, s shared) {
	for _, list := range e.draft.hints {
		v, problems := c.resolve(s, e.draft.schema, list)
		e.resource.Set(list.name.text, v)
		if len(problems) > 0 {
			e.bad = true
			e.draft.rejected = append(e.draft.rejected, list.name.text)
			e.wrong(problems, !c.shared[problems[0]])
		}
	}
}

// namesLists reports whether hint lists stand in an attribute.
func namesLists(d *draft, attribute string) bool {
	return slices.ContainsFunc(d.hints, func(l hintList) bool { return l.name.text == attribute })
}

// resolve puts the sentences of named lists where the names stand, and gives what is
// wrong with them, or with the lists.
func (c *collection) resolve(s shared, schema *resource.Schema, list hintList) (resource.Value, []diag.Problem) {
	whole := ""
	if len(list.items) == 1 {
		whole = fmt.Sprintf("%s %s %s", schema.Kind, list.name.text, list.items[0].text)
	}
	if v, known := c.whole[whole]; known {
		return v.At(list.name.position), nil
	}
	var problems []diag.Problem
	var items []hint
	for _, item := range list.items {
		named, known := s.lists[item.text]
		switch {
		case !item.isList:
			items = append(items, item)
		case known && len(named.problems) > 0:
			problems = append(problems, named.problems...)
		case known && c.tree.hints.takes(len(named.items)):
			items = append(items, named.items...)
		case known:
		case item.text != "":
			problems = append(problems, bounded.ProblemAt(item.position, resource.Finding{
				Code: diag.BadValue, Message: fmt.Sprintf("hint list is "+
					"%q, and no source has it; want the key of a hint list", item.text),
				Hint: c.didYouMean(item.text, func() []string { return slices.Sorted(maps.Keys(s.lists)) }),
			}))
		}
	}
	attribute, _ := schema.Attribute(list.name.text)
	value, wrong := listValue(attribute, items, list.name.position)
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
