package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// record is one resource as a source says it, before other sources are asked:
// it can be compared where its parents or pictures are not at hand.
type record struct {
	title    string // of its kind: "Ads"
	schema   *resource.Schema
	id       string
	key      string // as written, else made from the name
	path     string // keys from the top of the tree down, as far as they can be told
	says     map[string]statement
	position diag.Position
}

// statement is what a record says of one attribute.
type statement struct {
	attribute *resource.Attribute // nil for what is no attribute: key, templates
	value     resource.Value
	items     []string // of a list, each as people read it
	isList    bool
	content   string // SHA-256 of the file it names, where that was read
	position  diag.Position
}

// recordsOf makes records of what the readers found.
func recordsOf(schemas resource.Schemas, results []result) []*record {
	m := recordMaker{schemas: schemas, byKind: map[resource.Kind]map[string][]*record{}}
	m.addDrafts(results)
	for i := range results {
		m.addItems(results[i].items)
	}
	m.addShared(results)
	return m.records
}

type recordMaker struct {
	schemas resource.Schemas
	records []*record
	byKind  map[resource.Kind]map[string][]*record // by key and by name, for the rows that name them
}

// addDrafts makes the records of all files, parents before children.
func (m *recordMaker) addDrafts(results []result) {
	byDraft := make([][]*record, len(results))
	for i := range results {
		byDraft[i] = make([]*record, len(results[i].drafts))
	}
	for _, schema := range m.schemas {
		for i := range results {
			for n := range results[i].drafts {
				if d := &results[i].drafts[n]; d.schema == schema {
					byDraft[i][n] = m.record(d, byDraft[i])
				}
			}
		}
	}
}

func (m *recordMaker) record(d *draft, byDraft []*record) *record {
	named := resource.Resource{Attributes: d.attributes}
	name := d.schema.NameOf(&named)
	r := &record{
		title: titleOf(d.schema), schema: d.schema, id: d.id.text, says: map[string]statement{}, position: d.position,
	}
	r.key = cmp.Or(d.key.text, d.schema.Only, resource.Slug(name), name)
	parent := m.parentPath(d)
	if d.within > 0 && byDraft[d.within-1] != nil {
		parent = byDraft[d.within-1].path
	}
	r.path = strings.TrimPrefix(parent+"/"+r.key, "/")
	for _, n := range d.attributes {
		a, _ := d.schema.Attribute(n.Name)
		r.says[n.Name] = statementOf(a, n.Value)
	}
	for _, list := range d.hints {
		a, _ := d.schema.Attribute(list.name.text)
		r.says[list.name.text] = statement{
			attribute: a, items: hintTexts(list.items), isList: true, position: list.name.position,
		}
	}
	r.sayWritten("key", d.key)
	r.sayWritten("id", d.id)
	for _, use := range d.use {
		s := r.says["use"]
		s.items, s.isList, s.position = append(s.items, use.text), true, use.position
		r.says["use"] = s
	}
	m.index(r, name)
	return r
}

func (r *record) sayWritten(what string, m mark) {
	if m.text != "" {
		r.says[what] = statement{value: resource.Text(m.text), position: m.position}
	}
}

func titleOf(s *resource.Schema) string { return cmp.Or(s.Sheet, s.Title) }

func statementOf(a *resource.Attribute, v resource.Value) statement {
	s := statement{attribute: a, value: v, position: v.Position}
	if a != nil && a.Type.IsList() && v.IsSet() {
		s.items, s.isList = v.Items(), true
	}
	return s
}

func hintTexts(items []hint) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.text
		if item.isList {
			texts[i] = "{list: " + item.text + "}"
		}
	}
	return texts
}

// index lets rows find the record by its path, its key or its name.
func (m *recordMaker) index(r *record, name string) {
	m.records = append(m.records, r)
	known := m.byKind[r.schema.Kind]
	if known == nil {
		known = map[string][]*record{}
		m.byKind[r.schema.Kind] = known
	}
	called := []string{r.path, r.key, strings.ToLower(name)}
	slices.Sort(called)
	for _, text := range slices.Compact(called) {
		known[text] = append(known[text], r)
	}
}

// parentPath follows the texts that name a draft's ancestors from the top down.
// What no record of these sources is called stands for itself.
func (m *recordMaker) parentPath(d *draft) string {
	return m.follow(m.schemas.Of(d.schema.Parent), d.parents)
}

func (m *recordMaker) follow(schema *resource.Schema, marks []mark) string {
	if schema == nil || len(marks) == 0 {
		return ""
	}
	last := marks[len(marks)-1].text
	above := m.follow(m.schemas.Of(schema.Parent), marks[:len(marks)-1])
	for _, text := range []string{strings.TrimPrefix(above+"/"+last, "/"), last, strings.ToLower(last)} {
		for _, r := range m.byKind[schema.Kind][text] {
			if above == "" || strings.HasPrefix(r.path, above+"/") {
				return r.path
			}
		}
	}
	return strings.TrimPrefix(above+"/"+cmp.Or(resource.Slug(last), last), "/")
}

// addItems puts entries that have rows of their own into the lists they fill.
func (m *recordMaker) addItems(items []listItem) {
	for _, item := range items {
		if item.attribute == nil || len(item.wrong) > 0 {
			continue
		}
		path := m.follow(item.schema, item.owner)
		r := m.ownerOf(item, path)
		s := r.says[item.attribute.Name]
		s.attribute, s.isList, s.position = item.attribute, true, cmp.Or(s.position, item.text.position)
		s.items = append(s.items, item.text.text)
		r.says[item.attribute.Name] = s
	}
}

// ownerOf is the record an entry belongs to; where it stands in another source,
// one of its own that says nothing else.
func (m *recordMaker) ownerOf(item listItem, path string) *record {
	for _, r := range m.byKind[item.schema.Kind][path] {
		if r.path == path {
			return r
		}
	}
	r := &record{
		title: titleOf(item.schema), schema: item.schema, path: path,
		key: path[strings.LastIndexByte(path, '/')+1:], says: map[string]statement{}, position: item.text.position,
	}
	m.index(r, "")
	return r
}

// addShared makes records of what sources define for each other.
func (m *recordMaker) addShared(results []result) {
	for i := range results {
		for _, list := range results[i].lists {
			m.shared(hintListsTab, list.name.text, list.name.position)["items"] = statement{
				items: hintTexts(list.items), isList: true, position: list.name.position,
			}
		}
		for _, in := range results[i].inherits {
			title, key := "Defaults", string(in.schema.Kind)
			if !in.name.position.IsZero() {
				title, key = "Templates", fmt.Sprintf("%s, %s", in.name.text, in.schema.Kind)
			}
			says := m.shared(title, key, in.position)
			for _, n := range in.attributes {
				a, _ := in.schema.Attribute(n.Name)
				says[n.Name] = statementOf(a, n.Value)
			}
			for _, list := range in.hints {
				says[list.name.text] = statement{
					items: hintTexts(list.items), isList: true, position: list.name.position,
				}
			}
		}
	}
}

func (m *recordMaker) shared(title, key string, position diag.Position) map[string]statement {
	r := &record{title: title, key: key, path: key, says: map[string]statement{}, position: position}
	m.records = append(m.records, r)
	return r.says
}
