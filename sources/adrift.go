package sources

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/draft"
)

// placeAdrift gives a row whose cells do not say which resource it is an address as
// near as they come, so that what is beneath it finds it and nothing else is taken for
// it. It names no resource of another row.
func (c *collection) placeAdrift(e *entry) {
	e.row.adrift = true
	kind, key := e.draft.Schema.Kind, e.resource.Address.Key
	if key == "" || !resource.ValidKey(key) {
		key = resource.Slug(cmp.Or(e.draft.Called, e.draft.Key.Text))
	}
	if !resource.ValidKey(key) {
		key = "row-" + strconv.Itoa(e.draft.Position.Line())
	}
	at := resource.Address{Kind: kind, Key: key}
	if e.draft.Schema.Parent != "" {
		at = c.aboveAdrift(e).Down(kind, key)
	}
	for n, free := 2, at; ; n++ {
		if c.index.byAddress[free] == nil {
			e.resource.Address = free
			break
		}
		free = resource.Address{Kind: at.Kind, Key: fmt.Sprintf("%s-row-%d-%d", at.Key, e.draft.Position.Line(), n)}
	}
	c.index.byAddress[e.resource.Address] = e
	c.enterSpare(e)
}

// enterSpare lets rows beneath find one that has no place among those that are read.
func (c *finder) enterSpare(e *entry) {
	scopes := []*entry{e.parent}
	if e.parent != nil {
		scopes = append(scopes, nil)
	}
	k := c.spare(e.draft.Schema.Kind)
	for _, scope := range scopes {
		k.add(e, scope)
		for _, text := range e.rawNames() {
			at := scoped{scope, text}
			k.byName[at] = append(k.byName[at], e)
		}
	}
}

// aboveAdrift is the parent, else an address of what the cells call it.
func (c *finder) aboveAdrift(e *entry) resource.Address {
	if e.parent != nil {
		return e.parent.resource.Address
	}
	var at resource.Address
	for i, kind := range c.chain(c.schemas.Of(e.draft.Schema.Parent)) {
		key := ""
		if i < len(e.draft.Parents) {
			key = resource.Slug(e.draft.Parents[i].Text)
		}
		if !resource.ValidKey(key) {
			key = "row-" + strconv.Itoa(e.draft.Position.Line())
		}
		if at.IsZero() {
			at = resource.Address{Kind: kind.Kind, Key: key}
			continue
		}
		at = at.Down(kind.Kind, key)
	}
	return at
}

// spare finds what a person may name and nothing is read of: rows adrift, and those
// that are left out.
func (c *finder) spare(kind resource.Kind) *kindIndex {
	if c.spares[kind] == nil {
		c.spares[kind] = newKindIndex()
	}
	return c.spares[kind]
}

// enterLeft lists the rows that say Include = no, kind by kind.
func (c *collection) enterLeft(results []draft.Result) {
	for source := range results {
		for i := range results[source].Left {
			d := &results[source].Left[i]
			r := &resource.Resource{Attributes: d.Attributes, Position: d.Position}
			c.left = append(c.left, &entry{draft: d, source: source, resource: r, row: rowState{left: true}})
		}
	}
}

// placeLeft lets what is beneath a row that is left out find it.
func (c *collection) placeLeft(schema *resource.Schema) {
	for _, e := range c.left {
		if e.draft.Schema.Kind != schema.Kind {
			continue
		}
		if key := cmp.Or(e.draft.Key.Text, resource.Slug(e.draft.Called)); resource.ValidKey(key) {
			e.resource.Address = resource.Address{Kind: schema.Kind, Key: key}
		}
		if schema.Parent != "" {
			e.parent = c.parentOf(e)
		}
		c.leave(e)
	}
}

// leave leaves a row out, with what is beneath it.
func (c *collection) leave(e *entry) {
	e.row.left = true
	c.enterSpare(e)
	e.resource.Address = resource.Address{}
}

// countLeft moves the row of an entry that is left out to the ignored ones.
func (e *entry) countLeft(r *draft.Rows) {
	if e.draft.Failed {
		r.Failed--
	} else {
		r.Used--
	}
	r.Ignored++
}

// names are the texts a row may be called by that are no key and no valid name.
func (e *entry) rawNames() []string {
	var raw []string
	for _, text := range []string{e.draft.Called, e.draft.Key.Text} {
		if text = strings.TrimSpace(text); text != "" {
			raw = append(raw, text)
		}
	}
	return raw
}

// attributeAt is the attribute a finding is of, nil where nobody can tell.
func (e *entry) attributeAt(position diag.Position, f resource.Finding) *resource.Attribute {
	if a, known := e.draft.Schema.Attribute(f.Attribute); known {
		return a
	}
	for i := range e.resource.Attributes {
		n := &e.resource.Attributes[i]
		if a, known := e.draft.Schema.Attribute(n.Name); known && isAt(n.Value, position) {
			return a
		}
	}
	return nil
}

func isAt(v resource.Value, position diag.Position) bool {
	if v.Position == position {
		return true
	}
	for i := range v.Items() {
		if v.ItemPosition(i) == position {
			return true
		}
	}
	return false
}
