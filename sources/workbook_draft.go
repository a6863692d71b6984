package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// rowDraft is a draft in the making, with what belongs to its row alone.
type rowDraft struct {
	draft
	lists    []hint // names of hint lists
	selected selection
}

// readDraft makes the draft of one row.
func (r *tabReader) readDraft(row *xlsx.Row) {
	s := r.tab.schema
	d := &rowDraft{draft: draft{schema: s, position: r.at(row.Number, 0)}}
	d.parents = r.emptyParents(row.Number)
	for _, c := range row.Cells {
		if known := r.header.column(c.Column); known != nil {
			r.readCell(d, known, row.Number, c)
			continue
		}
		r.refuseMisplaced(&d.draft, row.Number, c.Column)
	}
	r.readSelected(d, row.Number)
	r.readPictures(d, row.Number)
	if r.unsure {
		d.ofCell(nil)
	}
	d.failed = d.failed || r.unsure || r.rowIsMerged(row.Number)
	r.wantParents(&d.draft, row)
	r.noteBlanks(&d.draft, row.Number)
	d.placeHintLists(r.namedListAttribute())
	d.found = [2]int{r.from, len(r.made.problems)}
	r.made.drafts = append(r.made.drafts, d.draft)
	r.count(d.failed)
}

// noteBlanks takes note of the cells where required attributes are missing: a
// default or a template may still give them.
func (r *tabReader) noteBlanks(d *draft, row int) {
	for i := range d.schema.Attributes {
		a := &d.schema.Attributes[i]
		if !a.Required || !d.attributes.Value(a.Name).IsAbsent() || slices.Contains(d.rejected, a.Name) {
			continue
		}
		if number := r.header.columnOf(func(c *column) bool {
			return c.role == roleAttribute && c.attribute == a
		}); number > 0 {
			if d.blanks == nil {
				d.blanks = map[string]diag.Position{}
			}
			d.blanks[a.Name] = r.at(row, number)
		}
	}
}

// emptyParents returns each ancestor's cell, so that a missing one is reported there.
func (r *tabReader) emptyParents(row int) []mark {
	var parents []mark
	for i := range r.tab.columns {
		c := &r.tab.columns[i]
		if c.role == roleParent {
			parents = append(parents, mark{position: r.at(row, r.header.columnOf(func(have *column) bool {
				return have == c
			}))})
		}
	}
	return parents
}

// readCell reads one cell into the draft by the role of its column.
func (r *tabReader) readCell(d *rowDraft, known *column, row int, c xlsx.Cell) {
	position := r.at(row, c.Column)
	switch known.role {
	case roleAttribute:
		r.readValue(d, known.attribute, position, c, known.micros)
	case roleSelector:
		r.readSelector(d, known, position, c)
	case roleSelected:
		d.noteSelected(known, position, c)
	case roleParent:
		r.readParent(&d.draft, known, position, c)
	case roleKey, roleID:
		r.readExact(&d.draft, known.role, position, c)
	case roleLists:
		m := r.markOf(&d.draft, position, c)
		for _, name := range known.namedItems(m.text) {
			d.lists = append(d.lists, hint{mark: mark{name, position}, isList: true})
		}
	}
}

func (r *tabReader) markOf(d *draft, position diag.Position, c xlsx.Cell) mark {
	text, finding := r.text(c, resource.TypeText)
	if finding != nil {
		r.fail(d, position, finding)
		return mark{position: position}
	}
	return mark{trimmed(text), position}
}

// readExact reads a key or an id: a number has lost its zeros, and a formula's
// last value may be another row's.
func (r *tabReader) readExact(d *draft, role columnRole, position diag.Position, c xlsx.Cell) {
	into, typ := &d.key, typeKey
	if role == roleID {
		into, typ = &d.id, resource.TypeID
	}
	into.position = position
	text, finding := r.text(c, typ)
	if finding != nil {
		r.fail(d, position, finding)
		return
	}
	into.text = trimmed(text)
}

// readValue reads a value in the attribute's canonical form.
func (r *tabReader) readValue(d *rowDraft, a *resource.Attribute, position diag.Position, c xlsx.Cell, micros bool) {
	if a.Type == resource.TypeImage && r.readImageCell(d, a, position, c) {
		return
	}
	text, finding := r.text(c, a.Type)
	if finding != nil {
		r.reject(&d.draft, a, position, finding)
		return
	}
	callName(&d.draft, a, text)
	if c.Form == xlsx.TextCell && !c.IsFormula && asksToClear(text, a.Type) {
		r.clear(&d.draft, a, position)
		return
	}
	v, finding := r.valueOf(d, a, position, text, micros)
	if finding != nil {
		r.reject(&d.draft, a, position, finding)
		return
	}
	if first := d.attributes.Value(a.Name); !first.IsAbsent() && !v.IsAbsent() && !first.Equal(v) {
		r.reject(&d.draft, a, position, twiceInRow(a.Name, first.Position))
		return
	}
	d.attributes.Set(a.Name, v.At(position))
	r.noteShown(a, position, c)
	r.noteCalculated(position, c, v)
}

// noteShown warns of an amount that people see as something else: what a cell
// stores counts, and they cannot know.
func (r *tabReader) noteShown(a *resource.Attribute, position diag.Position, c xlsx.Cell) {
	if r.book == nil || a.Type != resource.TypeMoney || c.Form != xlsx.NumberCell {
		return
	}
	if format, err := r.book.StyleOf(c.Style); err == nil && format.Shows != "" {
		r.report(position, resource.Finding{
			Code: diag.ShownOtherwise, Severity: diag.Warning, Message: fmt.Sprintf("amount is %s, "+
				"and the cell shows %s; what it stores counts", c.Text, format.Shows),
			Hint: "give the cell the format of a currency",
		})
	}
}

func (r *tabReader) valueOf(d *rowDraft, a *resource.Attribute,
	position diag.Position, text string, micros bool) (resource.Value, *resource.Finding) {
	if a.Type.IsList() {
		return r.listValue(d, a, position, text)
	}
	if micros {
		units, finding := microsText(a, text)
		if finding != nil {
			return resource.Value{}, finding
		}
		text = units
	}
	return a.Parse(text, r.in.env)
}

// twiceInRow is for two columns that mean the same in a row of one kind and not
// in those of others: Campaign and Name.
func twiceInRow(what string, first diag.Position) *resource.Finding {
	return &resource.Finding{
		Code: diag.Conflicting, Message: fmt.Sprintf("%s is something else at %s; want it once, or the same",
			what, first),
	}
}

func (r *tabReader) readParent(d *draft, known *column, position diag.Position, c xlsx.Cell) {
	m, first := r.markOf(d, position, c), d.parents[known.depth]
	if first.text != "" && m.text != "" && first.text != m.text {
		r.fail(d, position, twiceInRow(known.title, first.position))
		return
	}
	d.parents[known.depth] = m
}

func (r *tabReader) clear(d *draft, a *resource.Attribute, position diag.Position) {
	if a.Clearable {
		d.attributes.Set(a.Name, resource.Null().At(position))
		return
	}
	r.reject(d, a, position, &resource.Finding{
		Code:    diag.NotClearable,
		Message: fmt.Sprintf("%s cannot be cleared; want a value, or a blank cell to leave it as it is", a.Name),
	})
}

// listValue reads the entries of a cell; what is wrong with one is reported
// with the others.
func (r *tabReader) listValue(d *rowDraft, a *resource.Attribute,
	position diag.Position, text string) (resource.Value, *resource.Finding) {
	items, finding := listItems(a, text)
	if finding != nil || len(items) == 0 {
		return resource.Value{}, finding
	}
	if a.Type == resource.TypeHints && strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), "\r") {
		r.report(position, resource.Finding{
			Code: diag.HiddenCharacter, Severity: diag.Warning,
			Message: fmt.Sprintf("%s holds a carriage return (U+000D), which cuts it into %s; want a line break there",
				a.Name, counted(len(items), "hint", "hints")),
			Hint: "type the cell again if one sentence was cut in two",
		})
	}
	hints := marked(items, position)
	if takesFiles(a, text) {
		var problems []diag.Problem
		if hints, problems = r.in.withHintFiles(hints); len(problems) > 0 {
			return r.rejectList(d, a, problems), nil
		}
	}
	v, problems := listValue(a, hints, position)
	if len(problems) > 0 {
		return r.rejectList(d, a, problems), nil
	}
	return v, nil
}

// rejectList reports what is wrong with a list, each entry where it stands, and
// gives the absent value.
func (r *tabReader) rejectList(d *rowDraft, a *resource.Attribute, problems []diag.Problem) resource.Value {
	r.made.problems = append(r.made.problems, problems...)
	d.failed = true
	d.rejected = append(d.rejected, a.Name)
	return resource.Value{}
}

// wantParents reports the ancestors a row does not name. One that was refused
// where it was read is not reported again.
func (r *tabReader) wantParents(d *draft, row *xlsx.Row) {
	for i := range r.tab.columns {
		c := &r.tab.columns[i]
		if c.role != roleParent || d.parents[c.depth].text != "" || r.rowIsMerged(row.Number) {
			continue
		}
		position := d.parents[c.depth].position
		if d.failed && refuses(row, position.Column()) {
			continue
		}
		r.fail(d, position, &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is missing; want its name", c.title),
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
func (r *tabReader) namedListAttribute() *resource.Attribute {
	if number := r.header.columnOf(func(c *column) bool { return c.role == roleLists }); number > 0 {
		return r.header.column(number).attribute
	}
	return nil
}

// placeHintLists puts the names of hint lists behind the row's own hints. A
// list that names others is resolved by whoever knows every source.
func (d *rowDraft) placeHintLists(a *resource.Attribute) {
	if a == nil || len(d.lists) == 0 {
		return
	}
	own := d.attributes.Value(a.Name)
	position := d.lists[0].position
	var items []hint
	if own.IsSet() {
		position = own.Position
		for i, text := range own.Items() {
			items = append(items, hint{mark: mark{text, own.ItemPosition(i)}})
		}
	}
	d.attributes.Set(a.Name, resource.Value{})
	d.hints = append(d.hints, hintList{name: mark{a.Name, position}, items: append(items, d.lists...)})
}
