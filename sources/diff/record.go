package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/draft"
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
func recordsOf(schemas resource.Schemas, results []draft.Result) []*record {
	m := recordMaker{schemas: schemas, byKind: map[resource.Kind]map[string][]*record{}}
	m.addDrafts(results)
	for i := range results {
		m.addItems(results[i].Items)
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
func (m *recordMaker) addDrafts(results []draft.Result) {
	byDraft := make([][]*record, len(results))
	for i := range results {
		byDraft[i] = make([]*record, len(results[i].Drafts))
	}
	for _, schema := range m.schemas {
		for i := range results {
			for n := range results[i].Drafts {
				if d := &results[i].Drafts[n]; d.Schema == schema {
					byDraft[i][n] = m.record(d, byDraft[i])
				}
			}
		}
	}
}

func (m *recordMaker) record(d *draft.Draft, byDraft []*record) *record {
	named := resource.Resource{Attributes: d.Attributes}
	name := d.Schema.NameOf(&named)
	r := &record{
		title: titleOf(d.Schema), schema: d.Schema, id: d.ID.Text, says: map[string]statement{}, position: d.Position,
	}
	r.key = cmp.Or(d.Key.Text, d.Schema.Only, resource.Slug(name), name)
	parent := m.parentPath(d)
	if d.Within > 0 && byDraft[d.Within-1] != nil {
		parent = byDraft[d.Within-1].path
	}
	r.path = strings.TrimPrefix(parent+"/"+r.key, "/")
	for _, n := range d.Attributes {
		a, _ := d.Schema.Attribute(n.Name)
		r.says[n.Name] = statementOf(a, n.Value)
	}
	for _, list := range d.Hints {
		a, _ := d.Schema.Attribute(list.Name.Text)
		r.says[list.Name.Text] = statement{
			attribute: a, items: hintTexts(list.Items), isList: true, position: list.Name.Position,
		}
	}
	r.sayWritten("key", d.Key)
	r.sayWritten("id", d.ID)
	for _, use := range d.Use {
		s := r.says["use"]
		s.items, s.isList, s.position = append(s.items, use.Text), true, use.Position
		r.says["use"] = s
	}
	m.index(r, name)
	return r
}

func (r *record) sayWritten(what string, m draft.Mark) {
	if m.Text != "" {
		r.says[what] = statement{value: resource.Text(m.Text), position: m.Position}
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

func hintTexts(items []draft.Hint) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Text
		if item.IsList {
			texts[i] = "{list: " + item.Text + "}"
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
func (m *recordMaker) parentPath(d *draft.Draft) string {
	return m.follow(m.schemas.Of(d.Schema.Parent), d.Parents)
}

func (m *recordMaker) follow(schema *resource.Schema, marks []draft.Mark) string {
	if schema == nil || len(marks) == 0 {
		return ""
	}
	last := marks[len(marks)-1].Text
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
func (m *recordMaker) addItems(items []draft.ListItem) {
	for _, item := range items {
		if item.Attribute == nil || len(item.Wrong) > 0 {
			continue
		}
		path := m.follow(item.Schema, item.Owner)
		r := m.ownerOf(item, path)
		s := r.says[item.Attribute.Name]
		s.attribute, s.isList, s.position = item.Attribute, true, cmp.Or(s.position, item.Text.Position)
		s.items = append(s.items, item.Text.Text)
		r.says[item.Attribute.Name] = s
	}
}

// ownerOf is the record an entry belongs to; where it stands in another source,
// one of its own that says nothing else.
func (m *recordMaker) ownerOf(item draft.ListItem, path string) *record {
	for _, r := range m.byKind[item.Schema.Kind][path] {
		if r.path == path {
			return r
		}
	}
	r := &record{
		title: titleOf(item.Schema), schema: item.Schema, path: path,
		key: path[strings.LastIndexByte(path, '/')+1:], says: map[string]statement{}, position: item.Text.Position,
	}
	m.index(r, "")
	return r
}

// addShared makes records of what sources define for each other.
func (m *recordMaker) addShared(results []draft.Result) {
	for i := range results {
		for _, list := range results[i].Lists {
			m.shared(config.HintListsTab, list.Name.Text, list.Name.Position)["items"] = statement{
				items: hintTexts(list.Items), isList: true, position: list.Name.Position,
			}
		}
		for _, in := range results[i].Inherits {
			title, key := "Defaults", string(in.Schema.Kind)
			if !in.Name.Position.IsZero() {
				title, key = "Templates", fmt.Sprintf("%s, %s", in.Name.Text, in.Schema.Kind)
			}
			says := m.shared(title, key, in.Position)
			for _, n := range in.Attributes {
				a, _ := in.Schema.Attribute(n.Name)
				says[n.Name] = statementOf(a, n.Value)
			}
			for _, list := range in.Hints {
				says[list.Name.Text] = statement{
					items: hintTexts(list.Items), isList: true, position: list.Name.Position,
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
