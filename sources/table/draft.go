package table

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"
)

// rowDraft is a draft in the making, with what belongs to its row alone.
type rowDraft struct {
	draft.Draft
	lists    []draft.Hint // names of hint lists
	selected selection
}

// draftReader makes the drafts of rows that are resources.
type draftReader struct {
	*head
	parentCells
	calculations
	rowPictures
}

// readDraft makes the draft of one row.
func (r *draftReader) readDraft(row *xlsx.Row) {
	s := r.Tab.Schema
	d := &rowDraft{Draft: draft.Draft{Schema: s, Position: r.At(row.Number, 0)}}
	d.Parents = r.emptyParents(row.Number)
	for _, c := range row.Cells {
		if known := r.Header.Column(c.Column); known != nil {
			r.readCell(d, known, row.Number, c)
			continue
		}
		r.refuseMisplaced(&d.Draft, row.Number, c.Column)
	}
	r.readSelected(d, row.Number)
	r.readPictures(d, row.Number)
	if r.unsure {
		d.OfCell(nil)
	}
	d.Failed = d.Failed || r.unsure || r.rowIsMerged(row.Number)
	r.wantParents(&d.Draft, row)
	r.noteBlanks(&d.Draft, row.Number)
	d.placeHintLists(r.namedListAttribute())
	d.Found = [2]int{r.from, len(r.made.Problems)}
	r.made.Drafts = append(r.made.Drafts, d.Draft)
	r.count(d.Failed)
}

// noteBlanks takes note of the cells where required attributes are missing: a
// default or a template may still give them.
func (r *draftReader) noteBlanks(d *draft.Draft, row int) {
	for i := range d.Schema.Attributes {
		a := &d.Schema.Attributes[i]
		if !a.Required || !d.Attributes.Value(a.Name).IsAbsent() || slices.Contains(d.Rejected, a.Name) {
			continue
		}
		if number := r.Header.ColumnOf(func(c *catalog.Column) bool {
			return c.Role == catalog.RoleAttribute && c.Attribute == a
		}); number > 0 {
			if d.Blanks == nil {
				d.Blanks = map[string]diag.Position{}
			}
			d.Blanks[a.Name] = r.At(row, number)
		}
	}
}

// parentCells reads the cells that name the ancestors of a row.
type parentCells struct {
	*head
	*merges
}

// emptyParents returns each ancestor's cell, so that a missing one is reported there.
func (r *parentCells) emptyParents(row int) []draft.Mark {
	var parents []draft.Mark
	for i := range r.Tab.Columns {
		c := &r.Tab.Columns[i]
		if c.Role == catalog.RoleParent {
			parents = append(parents, draft.Mark{Position: r.At(row, r.Header.ColumnOf(func(have *catalog.Column) bool {
				return have == c
			}))})
		}
	}
	return parents
}

// readCell reads one cell into the draft by the role of its column.
func (r *draftReader) readCell(d *rowDraft, known *catalog.Column, row int, c xlsx.Cell) {
	position := r.At(row, c.Column)
	switch known.Role {
	case catalog.RoleAttribute:
		r.readValue(d, known.Attribute, position, c, known.Micros)
	case catalog.RoleSelector:
		r.readSelector(d, known, position, c)
	case catalog.RoleSelected:
		d.noteSelected(known, position, c)
	case catalog.RoleParent:
		r.readParent(&d.Draft, known, position, c)
	case catalog.RoleKey, catalog.RoleID:
		r.readExact(&d.Draft, known.Role, position, c)
	case catalog.RoleLists:
		m := r.markOf(&d.Draft, position, c)
		for _, name := range known.NamedItems(m.Text) {
			d.lists = append(d.lists, draft.Hint{Mark: draft.Mark{Text: name, Position: position}, IsList: true})
		}
	}
}

func (r *head) markOf(d *draft.Draft, position diag.Position, c xlsx.Cell) draft.Mark {
	text, finding := r.Text(c, resource.TypeText)
	if finding != nil {
		r.fail(d, position, finding)
		return draft.Mark{Position: position}
	}
	return draft.Mark{Text: celltext.Trimmed(text), Position: position}
}

// readExact reads a key or an id: a number has lost its zeros, and a formula's
// last value may be another row's.
func (r *draftReader) readExact(d *draft.Draft, role catalog.ColumnRole, position diag.Position, c xlsx.Cell) {
	into, typ := &d.Key, celltext.TypeKey
	if role == catalog.RoleID {
		into, typ = &d.ID, resource.TypeID
	}
	into.Position = position
	text, finding := r.Text(c, typ)
	if finding != nil {
		r.fail(d, position, finding)
		return
	}
	into.Text = celltext.Trimmed(text)
}

// readValue reads a value in the attribute's canonical form.
func (r *draftReader) readValue(d *rowDraft, a *resource.Attribute, position diag.Position, c xlsx.Cell, micros bool) {
	if a.Type == resource.TypeImage && r.readImageCell(d, a, position, c) {
		return
	}
	text, finding := r.Text(c, a.Type)
	if finding != nil {
		r.reject(&d.Draft, a, position, finding)
		return
	}
	draft.CallName(&d.Draft, a, text)
	if c.Form == xlsx.TextCell && !c.IsFormula && celltext.AsksToClear(text, a.Type) {
		r.clear(&d.Draft, a, position)
		return
	}
	v, finding := r.valueOf(d, a, position, text, micros)
	if finding != nil {
		r.reject(&d.Draft, a, position, finding)
		return
	}
	if first := d.Attributes.Value(a.Name); !first.IsAbsent() && !v.IsAbsent() && !first.Equal(v) {
		r.reject(&d.Draft, a, position, twiceInRow(a.Name, first.Position))
		return
	}
	d.Attributes.Set(a.Name, v.At(position))
	r.noteShown(a, position, c)
	r.noteCalculated(position, c, v)
}

// noteShown warns of an amount that people see as something else: what a cell
// stores counts, and they cannot know.
func (r *draftReader) noteShown(a *resource.Attribute, position diag.Position, c xlsx.Cell) {
	if r.Book == nil || a.Type != resource.TypeMoney || c.Form != xlsx.NumberCell {
		return
	}
	if format, err := r.Book.StyleOf(c.Style); err == nil && format.Shows != "" {
		r.report(position, resource.Finding{
			Code: diag.ShownOtherwise, Severity: diag.Warning, Message: fmt.Sprintf("amount is %s, "+
				"and the cell shows %s; what it stores counts", c.Text, format.Shows),
			Hint: "give the cell the format of a currency",
		})
	}
}

func (r *draftReader) valueOf(d *rowDraft, a *resource.Attribute,
	position diag.Position, text string, micros bool) (resource.Value, *resource.Finding) {
	if a.Type.IsList() {
		return r.listValue(d, a, position, text)
	}
	if micros {
		units, finding := catalog.MicrosText(a, text)
		if finding != nil {
			return resource.Value{}, finding
		}
		text = units
	}
	return a.Parse(text, r.In.Env)
}

// twiceInRow is for two columns that mean the same in a row of one kind and not
// in those of others: Campaign and Name.
func twiceInRow(what string, first diag.Position) *resource.Finding {
	return &resource.Finding{
		Code: diag.Conflicting, Message: fmt.Sprintf("%s is something else at %s; want it once, or the same",
			what, first),
	}
}

func (r *parentCells) readParent(d *draft.Draft, known *catalog.Column, position diag.Position, c xlsx.Cell) {
	m, first := r.markOf(d, position, c), d.Parents[known.Depth]
	if first.Text != "" && m.Text != "" && first.Text != m.Text {
		r.fail(d, position, twiceInRow(known.Title, first.Position))
		return
	}
	d.Parents[known.Depth] = m
}

func (r *draftReader) clear(d *draft.Draft, a *resource.Attribute, position diag.Position) {
	if a.Clearable {
		d.Attributes.Set(a.Name, resource.Null().At(position))
		return
	}
	r.reject(d, a, position, &resource.Finding{
		Code:    diag.NotClearable,
		Message: fmt.Sprintf("%s cannot be cleared; want a value, or a blank cell to leave it as it is", a.Name),
	})
}

// listValue reads the entries of a cell; what is wrong with one is reported
// with the others.
func (r *draftReader) listValue(d *rowDraft, a *resource.Attribute,
	position diag.Position, text string) (resource.Value, *resource.Finding) {
	items, finding := celltext.ListItems(a, text)
	if finding != nil || len(items) == 0 {
		return resource.Value{}, finding
	}
	if a.Type == resource.TypeHints && strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), "\r") {
		r.report(position, resource.Finding{
			Code: diag.HiddenCharacter, Severity: diag.Warning,
			Message: fmt.Sprintf("%s holds a carriage return (U+000D), which cuts it into %s; want a line break there",
				a.Name, diag.Counted(len(items), "hint", "hints")),
			Hint: "type the cell again if one sentence was cut in two",
		})
	}
	hints := draft.Marked(items, position)
	if draft.TakesFiles(a, text) {
		var problems []diag.Problem
		if hints, problems = r.In.WithHintFiles(hints); len(problems) > 0 {
			return r.rejectList(d, a, problems), nil
		}
	}
	v, problems := yamlfile.ListValue(a, hints, position)
	if len(problems) > 0 {
		return r.rejectList(d, a, problems), nil
	}
	return v, nil
}

// rejectList reports what is wrong with a list, each entry where it stands, and
// gives the absent value.
func (r *draftReader) rejectList(d *rowDraft, a *resource.Attribute, problems []diag.Problem) resource.Value {
	r.made.Problems = append(r.made.Problems, problems...)
	d.Failed = true
	d.Rejected = append(d.Rejected, a.Name)
	return resource.Value{}
}

// wantParents reports the ancestors a row does not name. One that was refused
// where it was read is not reported again.
func (r *parentCells) wantParents(d *draft.Draft, row *xlsx.Row) {
	for i := range r.Tab.Columns {
		c := &r.Tab.Columns[i]
		if c.Role != catalog.RoleParent || d.Parents[c.Depth].Text != "" || r.rowIsMerged(row.Number) {
			continue
		}
		position := d.Parents[c.Depth].Position
		if d.Failed && refuses(row, position.Column()) {
			continue
		}
		r.fail(d, position, &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is missing; want its name", c.Title),
		})
	}
}

// refuses reports whether a column holds something that is no text.
func refuses(row *xlsx.Row, column int) bool {
	return slices.ContainsFunc(row.Cells, func(c xlsx.Cell) bool {
		return c.Column == column && (c.Form != xlsx.TextCell || c.IsFormula)
	})
}

// namedListAttribute is the attribute the names of hint lists add to, nil where
// the sheet has no such column.
func (r *draftReader) namedListAttribute() *resource.Attribute {
	if number := r.Header.ColumnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleLists }); number > 0 {
		return r.Header.Column(number).Attribute
	}
	return nil
}

// placeHintLists puts the names of hint lists behind the row's own hints. A
// list that names others is resolved by whoever knows every source.
func (d *rowDraft) placeHintLists(a *resource.Attribute) {
	if a == nil || len(d.lists) == 0 {
		return
	}
	own := d.Attributes.Value(a.Name)
	position := d.lists[0].Position
	var items []draft.Hint
	if own.IsSet() {
		position = own.Position
		for i, text := range own.Items() {
			items = append(items, draft.Hint{Mark: draft.Mark{Text: text, Position: own.ItemPosition(i)}})
		}
	}
	d.Attributes.Set(a.Name, resource.Value{})
	d.Hints = append(d.Hints, draft.HintList{
		Name: draft.Mark{Text: a.Name, Position: position}, Items: append(items, d.lists...),
	})
}
