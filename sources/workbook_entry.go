package sources

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"

	"golang.org/x/text/unicode/norm"
)

// listEntry is one row of a sheet of entries, before the row it belongs to is
// known.
type listEntry struct {
	list      *listTab
	schema    *resource.Schema
	attribute *resource.Attribute
	owner     []mark // the ancestors from the top down, then the row it belongs to
	text      mark
}

// readEntry reads one row of a sheet of entries.
func (r *tabReader) readEntry(row *xlsx.Row) {
	d := &draft{position: r.at(row.Number, 0), parents: r.emptyParents(row.Number)}
	e := listEntry{list: r.tab.list, schema: r.tab.schema}
	use := mark{}
	for _, c := range row.Cells {
		known := r.header.column(c.Column)
		if known == nil {
			continue
		}
		switch position := r.at(row.Number, c.Column); known.role {
		case roleParent:
			d.parents[known.depth] = r.markOf(d, position, c)
		case roleUse:
			use = r.markOf(d, position, c)
		case roleItem:
			e.text = r.entryMark(d, position, c)
		}
	}
	d.failed = d.failed || r.rowIsMerged(row.Number)
	r.wantParents(d, row)
	r.wantItem(d, &e, row)
	e.attribute = r.attributeOf(d, use)
	e.owner = d.parents
	if !d.failed {
		r.entries = append(r.entries, e)
	}
	r.count(d.failed)
}

// entryMark reads one entry in the form its list wants.
func (r *tabReader) entryMark(d *draft, position diag.Position, c xlsx.Cell) mark {
	typ := resource.TypeText
	if a, ok := r.tab.schema.Attribute(r.tab.list.uses[0].attribute); ok && a.Type == resource.TypeIDs {
		typ = a.Type
	}
	text, finding := r.cellText(c, typ)
	if finding != nil {
		r.fail(d, position, finding)
		return mark{position: position}
	}
	return mark{trimmed(text), position}
}

func (r *tabReader) wantItem(d *draft, e *listEntry, row *xlsx.Row) {
	number := r.header.columnOf(func(c *column) bool { return c.role == roleItem })
	if e.text.text != "" || r.rowIsMerged(row.Number) || refuses(row, number) {
		return
	}
	r.fail(d, r.at(row.Number, number), &resource.Finding{Code: diag.Required, Message: r.tab.list.item + " is missing; want one"})
}

// attributeOf reads the column Use.
func (r *tabReader) attributeOf(d *draft, use mark) *resource.Attribute {
	uses := r.tab.list.uses
	chosen := uses[0]
	if use.text != "" {
		i := slices.IndexFunc(uses, func(u listUse) bool { return resource.Fold(u.word) == resource.Fold(use.text) })
		if i < 0 {
			var words []string
			for _, u := range uses {
				words = append(words, u.word)
			}
			r.fail(d, use.position, &resource.Finding{Code: diag.BadChoice, Message: fmt.Sprintf("Use is %q; want %s", use.text, strings.Join(words, " or ")), Hint: diag.DidYouMean(use.text, words)})
			return nil
		}
		chosen = uses[i]
	}
	a, ok := r.tab.schema.Attribute(chosen.attribute)
	if !ok {
		r.fail(d, use.position, &resource.Finding{Code: diag.BadChoice, Message: fmt.Sprintf("Use is %q, which is not known here; want %s", use.text, uses[0].word)})
	}
	return a
}

// placeEntries puts the entries into the drafts of the rows they belong to.
func (r *bookReader) placeEntries() {
	if len(r.entries) == 0 {
		return
	}
	owners := indexDrafts(r.in.schemas, r.made.drafts)
	type place struct {
		draft     int
		attribute *resource.Attribute
	}
	byPlace := map[place][]listEntry{}
	var order []place
	unknown := map[string]bool{}
	for _, e := range r.entries {
		i, ok := owners.find(e)
		if !ok {
			r.reportOwner(e, unknown)
			continue
		}
		p := place{i, e.attribute}
		if byPlace[p] == nil {
			order = append(order, p)
		}
		byPlace[p] = append(byPlace[p], e)
	}
	for _, p := range order {
		r.fill(&r.made.drafts[p.draft], p.attribute, byPlace[p])
	}
}

// reportOwner reports, once an owner, entries of a row that is not there.
func (r *bookReader) reportOwner(e listEntry, told map[string]bool) {
	r.made.rows.Used--
	r.made.rows.Failed++
	var names []string
	for _, m := range e.owner {
		names = append(names, m.text)
	}
	path := strings.Join(names, " / ")
	if told[path] {
		return
	}
	told[path] = true
	last := e.owner[len(e.owner)-1]
	r.report(last.position, resource.Finding{
		Code:    diag.UnknownParent,
		Message: fmt.Sprintf("%s %q has no row in the sheet %s; want one", strings.ToLower(e.schema.Title), path, e.schema.Sheet),
	})
}

// fill gives a row the entries of its list. A list is written in one place: in
// its column, or on its sheet.
func (r *bookReader) fill(d *draft, a *resource.Attribute, entries []listEntry) {
	var items []hint
	for _, e := range entries {
		items = append(items, hint{mark: e.text})
	}
	named := slices.IndexFunc(d.hints, func(l hintList) bool { return l.name.text == a.Name })
	column := d.attributes.Value(a.Name)
	if named >= 0 && !d.hints[named].items[0].isList {
		column = resource.Null().At(d.hints[named].name.position)
	}
	switch {
	case !column.IsAbsent() || slices.Contains(d.rejected, a.Name):
		r.failDraft(d)
		r.report(items[0].position, resource.Finding{
			Code:    diag.Conflicting,
			Message: fmt.Sprintf("%s are on this sheet and in the column %s of row %d; want them in one place", a.Header, a.Header, d.position.Line),
		})
	case named >= 0:
		d.hints[named].items = append(items, d.hints[named].items...)
	default:
		v, problems := listValue(a, items, items[0].position)
		r.made.problems = append(r.made.problems, problems...)
		if len(problems) > 0 {
			r.failDraft(d)
			return
		}
		d.attributes.Set(a.Name, v)
	}
}

// failDraft makes a row that was used a failed one.
func (r *bookReader) failDraft(d *draft) {
	if !d.failed {
		d.failed = true
		r.made.rows.Used--
		r.made.rows.Failed++
	}
}

// draftIndex finds rows by what people call them: their tree's names or keys.
type draftIndex struct {
	schemas resource.Schemas
	byName  map[string]int
}

func indexDrafts(schemas resource.Schemas, drafts []draft) draftIndex {
	index := draftIndex{schemas: schemas, byName: map[string]int{}}
	for i := range drafts {
		d := &drafts[i]
		above := index.token(d.schema.Parent, d.parents)
		for _, name := range []string{d.key.text, nameOf(d), resource.Slug(nameOf(d))} {
			if name != "" {
				index.put(placeOf(above, d.schema.Kind, name), i)
				index.put(placeOf(above, d.schema.Kind, strings.ToLower(name)), i)
			}
		}
	}
	return index
}

// put keeps the first of several drafts with one name; whoever collects the
// drafts reports the others.
func (x draftIndex) put(place string, i int) {
	if _, taken := x.byName[place]; !taken {
		x.byName[place] = i
	}
}

func placeOf(above string, kind resource.Kind, name string) string {
	return above + "\x00" + string(kind) + "\x00" + normal(name)
}

// at finds a draft under what stands above it, by its name as written, else
// without case.
func (x draftIndex) at(above string, kind resource.Kind, name string) (int, bool) {
	if i, ok := x.byName[placeOf(above, kind, name)]; ok {
		return i, true
	}
	i, ok := x.byName[placeOf(above, kind, strings.ToLower(name))]
	return i, ok
}

func nameOf(d *draft) string {
	for _, name := range d.schema.NameFrom {
		if v := d.attributes.Value(name); v.IsSet() {
			return v.Text()
		}
	}
	return ""
}

func normal(name string) string { return norm.NFC.String(trimmed(name)) }

// token stands for an ancestor: its draft where the workbook has its row, else
// what it is called. Rows of ancestors stand before those of their children.
func (x draftIndex) token(kind resource.Kind, path []mark) string {
	if len(path) == 0 {
		return ""
	}
	last := len(path) - 1
	above := x.token(x.schemas.Of(kind).Parent, path[:last])
	if i, ok := x.at(above, kind, path[last].text); ok {
		return strconv.Itoa(i)
	}
	return placeOf(above, kind, path[last].text)
}

// find gives the draft an entry belongs to.
func (x draftIndex) find(e listEntry) (int, bool) {
	last := len(e.owner) - 1
	above := x.token(e.schema.Parent, e.owner[:last])
	return x.at(above, e.schema.Kind, e.owner[last].text)
}
