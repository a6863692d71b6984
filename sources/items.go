package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"
)

// itemPlace is a list of one resource.
type itemPlace struct {
	owner     *entry
	attribute *resource.Attribute
}

// placeItems puts the entries that have rows of their own into the resources
// they belong to. Every resource has its place by now.
func (c *collection) placeItems(results []draft.Result) {
	owners := map[string]*entry{}
	byPlace, cut := map[itemPlace][]draft.Hint{}, map[itemPlace]bool{}
	var order []itemPlace
	for source := range results {
		for _, item := range results[source].Items {
			c.listItems = append(c.listItems, item)
			p := itemPlace{c.ownerOf(item, owners), item.Attribute}
			switch r := &results[source].Rows; {
			case p.owner != nil && p.owner.row.left:
				item.Count(r, -1)
				r.Ignored++
				continue
			case len(item.Wrong) > 0:
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
			byPlace[p] = append(byPlace[p], draft.Hint{Mark: item.Text})
		}
	}
	for _, p := range order {
		c.fill(p, byPlace[p])
	}
	for p := range cut {
		if p.attribute != nil {
			p.owner.draft.Rejected = append(p.owner.draft.Rejected, p.attribute.Name)
		}
	}
}

// holdOwner lets a resource wait for an entry that is not valid: a list is sent whole.
// Where the owner is not known, nothing goes: any list may lack the entry.
func holdOwner(owner *entry, item draft.ListItem) {
	if owner == nil {
		return
	}
	owner.bad = true
	owner.wrong(item.Wrong, false)
}

// ownerOf finds the resource an entry belongs to. What is not found is reported
// once, however many entries name it.
func (c *collection) ownerOf(item draft.ListItem, owners map[string]*entry) *entry {
	path := string(item.Schema.Kind)
	for _, m := range item.Owner {
		path += "\x00" + m.Text
	}
	owner, known := owners[path]
	if known {
		return owner
	}
	row := &entry{draft: &draft.Draft{Schema: item.Schema}, resource: &resource.Resource{}}
	for i, kind := range c.chain(item.Schema) {
		if owner = c.follow(row, kind, owner, item.Owner[i]); owner == nil {
			break
		}
	}
	owners[path] = owner
	return owner
}

// fill gives a resource the entries of its list. A list is written in one
// place: with its resource, or in rows of their own of one file.
func (c *collection) fill(p itemPlace, items []draft.Hint) {
	e, name := p.owner, p.attribute.Name
	if other, twice := writtenElsewhere(e.draft, name, items); twice {
		c.report(e, items[0].Position, resource.Finding{
			Code: diag.Conflicting,
			Message: fmt.Sprintf("%s of %s are here and at %s; want them in one place",
				strings.ToLower(p.attribute.Header), e.resource.Address, other),
		})
		return
	}
	if i := slices.IndexFunc(e.draft.Hints, func(l draft.HintList) bool { return l.Name.Text == name }); i >= 0 {
		e.draft.Hints[i].Items = append(items, e.draft.Hints[i].Items...)
		return
	}
	v, problems := yamlfile.ListValue(p.attribute, items, items[0].Position)
	c.problems.AddAll(problems)
	e.wrong(problems, true)
	e.bad = e.bad || len(problems) > 0
	e.resource.Set(name, v)
}

// writtenElsewhere finds another place that says a list: the draft itself, but
// for names of hint lists, which entries join, or another file of entries.
func writtenElsewhere(d *draft.Draft, attribute string, items []draft.Hint) (diag.Position, bool) {
	if own := d.Attributes.Value(attribute); !own.IsAbsent() {
		return own.Position, true
	}
	for _, list := range d.Hints {
		for _, item := range list.Items {
			if list.Name.Text == attribute && !item.IsList {
				return item.Position, true
			}
		}
	}
	for _, item := range items {
		if item.Position.File() != items[0].Position.File() {
			return item.Position, true
		}
	}
	return d.Position, slices.Contains(d.Rejected, attribute)
}
