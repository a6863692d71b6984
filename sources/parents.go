package sources

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"
)

// index finds the resources that have a place.
type index struct {
	byAddress map[resource.Address]*entry
	byID      map[string]*entry
	bySibling map[sibling]*entry
	byKind    map[resource.Kind]*kindIndex // made when the first draft names a parent of the kind
}

// sibling is a name under a parent, nil at the top.
type sibling struct {
	parent *entry
	kind   resource.Kind
	name   string
}

func newIndex(entries int) index {
	return index{
		byAddress: make(map[resource.Address]*entry, entries), byID: map[string]*entry{},
		bySibling: make(map[sibling]*entry, entries), byKind: map[resource.Kind]*kindIndex{},
	}
}

// scoped is a text under a parent; a nil parent stands for anywhere.
type scoped struct {
	parent *entry
	text   string
}

// kindIndex finds the resources of a kind by what a person may call them.
type kindIndex struct {
	byKey, byName, byFolded map[scoped][]*entry
}

// finder finds the resources that others name: parents, and what lists of ids name.
type finder struct {
	*findings
	schemas resource.Schemas
	entries []entry
	offsets []int // of each source's first entry
	index   index
	spares  map[resource.Kind]*kindIndex // of what may be named and is not read

	askFormer func() []config.Former // what the record calls its resources; nil for nothing
	// by kind and name in small letters; nil until a name is looked for that no source has
	former   map[string][]config.Former
	said     map[string]bool // findings that are said once
	compared int             // names that were compared with unknown ones
}

func (c *finder) kindIndex(kind resource.Kind) *kindIndex {
	if k := c.index.byKind[kind]; k != nil {
		return k
	}
	k := newKindIndex()
	for i := range c.entries {
		e := &c.entries[i]
		if e.draft.Schema.Kind != kind || e.row.adrift || e.row.left || c.index.byAddress[e.resource.Address] != e {
			continue
		}
		k.add(e, e.parent)
		if e.parent != nil {
			k.add(e, nil)
		}
	}
	c.index.byKind[kind] = k
	return k
}

func newKindIndex() *kindIndex {
	return &kindIndex{byKey: map[scoped][]*entry{}, byName: map[scoped][]*entry{}, byFolded: map[scoped][]*entry{}}
}

func (k *kindIndex) add(e, parent *entry) {
	put := func(m map[scoped][]*entry, text string) {
		m[scoped{parent, text}] = append(m[scoped{parent, text}], e)
	}
	put(k.byKey, e.resource.Address.Leaf())
	if name := e.draft.Schema.NameOf(e.resource); name != "" {
		put(k.byName, name)
		put(k.byFolded, strings.ToLower(name))
	}
}

// findParent follows what a draft names from the top of the tree down. It gives
// nil where that leads nowhere or to several, and says so.
func (c *finder) findParent(e *entry) *entry {
	parent := c.schemas.Of(e.draft.Schema.Parent)
	marks := e.draft.Parents
	if len(marks) == 0 || marks[len(marks)-1].Text == "" {
		c.reportOrphan(e, parent)
		return nil
	}
	chain := c.chain(parent)
	var scope *entry
	for i, m := range marks {
		if m.Text == "" {
			continue
		}
		kind := chain[len(chain)-len(marks)+i]
		// beneath what is left out nothing is looked for
		if scope = c.follow(e, kind, scope, m); scope == nil || scope.row.left {
			return scope
		}
	}
	return scope
}

func (c *finder) reportOrphan(e *entry, parent *resource.Schema) {
	for _, m := range e.draft.Parents {
		if e.draft.Failed && m.Text == "" && !m.Position.IsZero() {
			return // written, and refused where it was read
		}
	}
	c.report(e, e.draft.Position, resource.Finding{
		Code: diag.UnknownParent,
		Message: fmt.Sprintf("%s names no %s; want %s: and its key or name",
			strings.ToLower(e.draft.Schema.Title), strings.ToLower(parent.Title), parent.Kind),
	})
}

// chain returns the kinds from the top of the tree down to the schema's.
func (c *finder) chain(s *resource.Schema) []*resource.Schema {
	if s == nil {
		return nil
	}
	return append(c.chain(c.schemas.Of(s.Parent)), s)
}

func (c *finder) follow(e *entry, kind *resource.Schema, scope *entry, m draft.Mark) *entry {
	found := c.lookup(kind, scope, m.Text)
	switch len(found) {
	case 0:
		if former := c.wasCalled(e, kind, scope, m); former != nil {
			return former
		}
		c.reportNowhere(e, kind, scope, m)
		return nil
	case 1:
		return found[0]
	}
	c.report(e, m.Position, resource.Finding{
		Code: diag.AmbiguousName,
		Message: fmt.Sprintf("%s is %q, and %d have that name: %s; want one of their keys",
			kind.Kind, m.Text, len(found), addresses(found)),
		Hint: fmt.Sprintf("such as %s: %s", kind.Kind, found[0].resource.Address.Key),
	})
	return nil
}

func addresses(entries []*entry) string {
	var b strings.Builder
	for i, e := range entries[:min(3, len(entries))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s at %s", e.resource.Address, e.draft.Position)
	}
	if len(entries) > 3 {
		b.WriteString(", …")
	}
	return b.String()
}

// lookup tries a key, an exact name, a path of keys from the top, and a name
// without case, in this order.
func (c *finder) lookup(kind *resource.Schema, scope *entry, text string) []*entry {
	if found := c.lookIn(c.kindIndex(kind.Kind), kind, scope, text); len(found) > 0 {
		return found
	}
	if found := c.lookIn(c.spare(kind.Kind), kind, scope, text); len(found) > 0 {
		return found[:1]
	}
	return nil
}

func (c *finder) lookIn(k *kindIndex, kind *resource.Schema, scope *entry, text string) []*entry {
	at := scoped{scope, text}
	if found := k.byKey[at]; len(found) > 0 {
		return found
	}
	if found := k.byName[at]; len(found) > 0 {
		return found
	}
	if e := c.index.byAddress[resource.Address{Kind: kind.Kind, Key: text}]; e != nil && scope == nil {
		return []*entry{e}
	}
	return k.byFolded[scoped{scope, strings.ToLower(text)}]
}

func (c *finder) reportNowhere(e *entry, kind *resource.Schema, scope *entry, m draft.Mark) {
	under := ""
	if scope != nil {
		under = " of " + scope.resource.Address.String()
	}
	c.report(e, m.Position, resource.Finding{
		Code: diag.UnknownParent,
		Message: fmt.Sprintf("%s is %q, and no source has such %s%s; want its key or name",
			kind.Kind, m.Text, yamlfile.WithArticle(kind.Title), under),
		Hint: c.didYouMean(m.Text, func() []string { return c.known(kind, scope, strings.Contains(m.Text, "/")) }),
	})
}

// known lists what the resources of a kind are called, in a scope or anywhere.
func (c *finder) known(kind *resource.Schema, scope *entry, byPath bool) []string {
	var known []string
	for i := range c.entries {
		other := &c.entries[i]
		if other.draft.Schema.Kind != kind.Kind ||
			scope != nil && other.parent != scope || other.resource.Address.IsZero() {
			continue
		}
		key := other.resource.Address.Key
		if !byPath {
			key = other.resource.Address.Leaf()
		}
		known = append(known, key)
		if name := other.draft.Schema.NameOf(other.resource); name != "" {
			known = append(known, name)
		}
	}
	return known
}

// maxCompared is how many names are compared with unknown ones, for the nearest
// as a hint. What is behind many of them is mostly one mistake.
const maxCompared = 1_000_000

func (c *finder) didYouMean(word string, known func() []string) string {
	return diag.Suggest(c.nearest(word, known))
}

func (c *finder) nearest(word string, known func() []string) string {
	if c.compared > maxCompared {
		return ""
	}
	names := known()
	c.compared += len(names) + 1
	return diag.Nearest(word, names)
}
