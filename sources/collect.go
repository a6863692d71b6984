package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/table"
	"adsync/sources/tree"
)

// collection puts the drafts of every source into one tree.
type collection struct {
	*findings
	*finder
	*inheritor
	*checker
	across
	repeats   map[int]int // resources of a source, by its number, that another file has too
	left      []*entry    // rows that say Include = no
	listItems []draft.ListItem
	tooMany   string // why no row may wait, where that is their number
	inDraft   bool   // a draft is left out, so that nothing may be left
}

// findings are what is wrong with resources.
type findings struct{ problems diag.List }

// entry is a draft on its way to a resource.
type entry struct {
	draft    *draft.Draft
	source   int
	parent   *entry
	resource *resource.Resource // its address is zero while it has no place
	bad      bool               // has a problem of its own, found here
	row      rowState
}

func newCollection(schemas resource.Schemas, t *tree.Tree) *collection {
	found := &findings{}
	names := &finder{
		findings: found, schemas: schemas, askFormer: t.Project.Former,
		said: map[string]bool{}, spares: map[resource.Kind]*kindIndex{},
	}
	return &collection{
		findings: found, finder: names,
		inheritor: &inheritor{
			finder: names, hints: t.Hints, shared: map[diag.Problem]bool{}, whole: map[string]resource.Value{},
		},
		checker: &checker{attachments: &attachments{
			findings: found, tree: t, images: map[string]attach.Picture{},
			members: map[attach.MembersKey]attach.MembersFile{},
		}},
		across: across{finder: names}, repeats: map[int]int{},
	}
}

// collect makes resources of drafts: it takes over defaults and templates,
// finds keys and parents, and holds every resource against its schema. What is
// found does not depend on the order of the files: they come sorted by name.
func (c *collection) collect(files []tree.File, results []draft.Result) Desired {
	c.setMembersAside(files, results)
	shared := c.share(results)
	c.enter(results)
	c.enterLeft(results)
	for i := range c.entries {
		c.inherit(&c.entries[i], shared)
		c.name(&c.entries[i])
		c.checkID(&c.entries[i])
	}
	for _, schema := range c.schemas {
		c.placeAll(schema, results)
	}
	c.placeItems(results)
	for i := range c.entries {
		if e := &c.entries[i]; !e.row.left {
			c.resolveHints(e, shared)
			c.check(e)
			c.address(e, results)
		}
	}
	c.checkNames()
	c.checkAcross()
	table.PasteLines(results, c.tree.Project.Layout)
	c.keepOwn(results)
	return c.desired(files, results)
}

// enter lists every draft, source by source.
func (c *collection) enter(results []draft.Result) {
	count := 0
	for i := range results {
		c.offsets = append(c.offsets, count)
		count += len(results[i].Drafts)
	}
	c.entries = make([]entry, 0, count)
	c.index = newIndex(count)
	resources := make([]resource.Resource, count)
	for source := range results {
		for i := range results[source].Drafts {
			d := &results[source].Drafts[i]
			r := &resources[len(c.entries)]
			*r = resource.Resource{
				ID: d.ID.Text, IDAt: d.ID.Position, Attributes: slices.Clip(d.Attributes), Position: d.Position,
			}
			c.entries = append(c.entries, entry{draft: d, source: source, resource: r})
		}
	}
}

// address tells the problems a reader found in a row which resource it is.
func (c *collection) address(e *entry, results []draft.Result) {
	if e.resource.Address.IsZero() {
		return
	}
	own := results[e.source].Problems[e.draft.Found[0]:e.draft.Found[1]]
	for i := range own {
		own[i].Address = e.resource.Address.String()
	}
}

// report puts a finding about a resource on the list.
func (c *findings) report(e *entry, position diag.Position, f resource.Finding) {
	problem := c.problemOf(e, position, f)
	c.problems.Add(problem)
	if problem.Severity == diag.Error {
		e.bad = true
		e.row.OfCell(e.attributeAt(position, f))
		e.wrong([]diag.Problem{problem}, true)
	}
}

// refuse puts a finding on the list that is no row's alone: nothing goes.
func (c *findings) refuse(e *entry, position diag.Position, f resource.Finding) {
	problem := c.problemOf(e, position, f)
	c.problems.Add(problem)
	e.bad = e.bad || problem.Severity == diag.Error
}

func (c *findings) problemOf(e *entry, position diag.Position, f resource.Finding) diag.Problem {
	problem := bounded.ProblemAt(position, f)
	if !e.resource.Address.IsZero() && !e.row.adrift {
		problem.Address = e.resource.Address.String()
	}
	return problem
}

// name gives a resource its key: the one written, else the slug of its name.
func (c *collection) name(e *entry) {
	key := e.draft.Key
	if only := e.draft.Schema.Only; only != "" && (key.Text == "" || key.Text == only) {
		key.Text = only
	} else if only != "" {
		c.report(e, key.Position, resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("key is %q; want none, because there is one %s",
				key.Text, strings.ToLower(e.draft.Schema.Title)),
		})
		return
	}
	if key.Text == "" {
		if e.draft.Failed && !key.Position.IsZero() {
			return // refused where it was read
		}
		name := e.draft.Schema.NameOf(e.resource)
		if name == "" {
			return
		}
		key = draft.Mark{Text: resource.Slug(name), Position: c.nameOf(e).Position}
		if !resource.ValidKey(key.Text) {
			c.report(e, key.Position, resource.Finding{
				Code:    diag.Required,
				Message: fmt.Sprintf("name %q gives no key; want a key of letters, digits, '-', '_' and '.'", name),
			})
			return
		}
	}
	if !resource.ValidKey(key.Text) {
		c.refuseKey(e, key)
		return
	}
	e.resource.Address = resource.Address{Kind: e.draft.Schema.Kind, Key: key.Text}
}

func (c *collection) refuseKey(e *entry, key draft.Mark) {
	f := resource.Finding{
		Code:    diag.BadValue,
		Message: fmt.Sprintf("key is %q; want letters, digits, '-', '_' and '.', at most 200", key.Text),
	}
	if slug := resource.Slug(key.Text); resource.ValidKey(slug) {
		f.Hint = fmt.Sprintf("such as %q", slug)
	}
	if diag.HasHidden(key.Text) {
		f.Code, f.Hint = diag.HiddenCharacter, "it holds a character that cannot be seen"
	}
	c.report(e, key.Position, f)
}

// nameOf is the value that names a resource.
func (c *collection) nameOf(e *entry) resource.Value {
	for _, attribute := range e.draft.Schema.NameFrom {
		if v := e.resource.Value(attribute); v.IsSet() {
			return v
		}
	}
	return resource.Value{}
}

// placeAll gives the resources of a kind their addresses; the kinds above have
// theirs. What is beneath a row that is left out is left out with it.
func (c *collection) placeAll(schema *resource.Schema, results []draft.Result) {
	var adrift []*entry
	for i := range c.entries {
		if e := &c.entries[i]; e.draft.Schema.Kind == schema.Kind && !c.place(e) {
			adrift = append(adrift, e)
		}
	}
	for _, e := range adrift {
		if e.row.left {
			c.leave(e)
			e.countLeft(&results[e.source].Rows)
			continue
		}
		e.bad = true
		c.placeAdrift(e)
	}
	c.placeLeft(schema)
}

// place reports whether the row says which resource it is and is read.
func (c *collection) place(e *entry) bool {
	key := e.resource.Address.Key
	if e.draft.Schema.Parent != "" {
		e.parent = c.parentOf(e)
		if e.parent != nil && e.parent.row.left {
			e.row.left = true
			return false
		}
		if e.parent == nil || e.parent.row.adrift || key == "" {
			return false
		}
		e.resource.Address = e.parent.resource.Address.Down(e.draft.Schema.Kind, key)
	}
	if key == "" {
		return false
	}
	c.enterIndex(e)
	return true
}

func (c *finder) parentOf(e *entry) *entry {
	if e.draft.Within > 0 {
		return &c.entries[c.offsets[e.source]+e.draft.Within-1]
	}
	return c.findParent(e)
}

// enterIndex refuses a second resource of the same address, name or id.
func (c *collection) enterIndex(e *entry) {
	if first := c.index.byAddress[e.resource.Address]; first != nil {
		c.reportTwice(e, first, e.draft.Position, first.draft.Position, "is written twice")
		return
	}
	c.index.byAddress[e.resource.Address] = e
	if own := e.draft.Schema.NameFrom[0]; e.resource.Value(own).IsSet() {
		c.refuseTwin(e, own)
	}
	if e.draft.ID.Text != "" {
		if first := c.index.byID[e.draft.ID.Text]; first != nil {
			c.reportTwice(e, first, e.draft.ID.Position,
				first.draft.ID.Position, fmt.Sprintf("has the id %q, which another has", e.draft.ID.Text))
			return
		}
		c.index.byID[e.draft.ID.Text] = e
	}
}

// refuseTwin refuses a second name beneath one parent. Two with ids are two
// resources that somebody has called the same, and stay apart by their ids.
func (c *collection) refuseTwin(e *entry, attribute string) {
	name := e.resource.Value(attribute)
	twin := sibling{e.parent, e.draft.Schema.Kind, name.Text()}
	first := c.index.bySibling[twin]
	if first == nil {
		c.index.bySibling[twin] = e
		return
	}
	if e.draft.ID.Text != "" && first.draft.ID.Text != "" {
		return
	}
	c.reportTwice(e, first, name.Position, first.resource.Value(attribute).Position,
		fmt.Sprintf("is named %q, as another %s beside it", name.Text(), strings.ToLower(e.draft.Schema.Title)))
}

func (c *collection) reportTwice(e, first *entry, at, firstAt diag.Position, what string) {
	f := resource.Finding{
		Code: diag.Duplicate, Message: fmt.Sprintf("%s %s, first at %s; want it once",
			e.resource.Address, what, firstAt),
	}
	if e.draft.Key.Text == "" && first.resource.Address == e.resource.Address {
		f.Hint = "give one of them a key of its own"
	}
	if first.resource.Address == e.resource.Address && first.source != e.source {
		c.repeats[e.source]++
	}
	c.refuse(e, at, f)
}
