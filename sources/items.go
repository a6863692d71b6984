package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// itemPlace is a list of one resource.
type itemPlace struct {
	owner     *entry
	attribute *resource.Attribute
}

// placeItems puts the entries that have rows of their own into the resources
// they belong to. Every resource has its place by now.
func (c *collection) placeItems(results []result) {
	owners := map[string]*entry{}
	byPlace, cut := map[itemPlace][]hint{}, map[itemPlace]bool{}
	var order []itemPlace
	for source := range results {
		for _, item := range results[source].items {
			c.listItems = append(c.listItems, item)
			p := itemPlace{c.ownerOf(item, owners), item.attribute}
			switch r := &results[source].rows; {
			case p.owner != nil && p.owner.row.left:
				item.count(r, -1)
				r.Ignored++
				continue
			case len(item.wrong) > 0:
				if holdOwner(p.owner, item); p.owner != nil {
					cut[p] = true
				}
				continue
			case p.owner == nil:
				r.Used--
				r.Failed++
				continue
			}
			if byPlace[p] == nil {
				order = append(order, p)
			}
			byPlace[p] = append(byPlace[p], hint{mark: item.text})
		}
	}
	for _, p := range order {
		c.fill(p, byPlace[p])
	}
	for p := range cut {
		if p.attribute != nil {
			p.owner.draft.rejected = append(p.owner.draft.rejected, p.attribute.Name)
		}
	}
}

// holdOwner lets a resource wait for an entry that is not valid: a list is sent whole.
// Where the owner is not known, nothing goes: any list may lack the entry.
func holdOwner(owner *entry, item listItem) {
	if owner == nil {
		return
	}
	owner.bad = true
	owner.wrong(item.wrong, false)
}

// ownerOf finds the resource an entry belongs to. What is not found is reported
// once, however many entries name it.
func (c *collection) ownerOf(item listItem, owners map[string]*entry) *entry {
	path := string(item.schema.Kind)
	for _, m := range item.owner {
		path += "\x00" + m.text
	}
	owner, known := owners[path]
	if known {
		return owner
	}
	row := &entry{draft: &draft{schema: item.schema}, resource: &resource.Resource{}}
	for i, kind := range c.chain(item.schema) {
		if owner = c.follow(row, kind, owner, item.owner[i]); owner == nil {
			break
		}
	}
	owners[path] = owner
	return owner
}

// fill returns a resource the entries of its list. A list is written in one
// place: with its resource, or in rows of their own of one file.
func (c *collection) fill(p itemPlace, items []hint) {
	e, name := p.owner, p.attribute.Name
	if other, twice := writtenElsewhere(e.draft, name, items); twice {
		c.report(e, items[0].position, resource.Finding{
			Code: diag.Conflicting,
			Message: fmt.Sprintf("%s of %s are here and at %s; want them in one place",
				strings.ToLower(p.attribute.Header), e.resource.Address, other),
		})
		return
	}
	if i := slices.IndexFunc(e.draft.hints, func(l hintList) bool { return l.name.text == name }); i >= 0 {
		e.draft.hints[i].items = append(items, e.draft.hints[i].items...)
		return
	}
	v, problems := listValue(p.attribute, items, items[0].position)
	c.problems.AddAll(problems)
	e.wrong(problems, true)
	e.bad = e.bad || len(problems) > 0
	e.resource.Set(name, v)
}

// writtenElsewhere finds another place that says a list: the draft itself, but
// for names of hint lists, which entries join, or another file of entries.
func writtenElsewhere(d *draft, attribute string, items []hint) (diag.Position, bool) {
	if own := d.attributes.Value(attribute); !own.IsAbsent() {
		return own.Position, true
	}
	for _, list := range d.hints {
		for _, item := range list.items {
			if list.name.text == attribute && !item.isList {
				return item.position, true
			}
		}
	}
	for _, item := range items {
		if item.position.File() != items[0].position.File() {
			return item.position, true
		}
	}
	return d.position, slices.Contains(d.rejected, attribute)
}
