package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// readEntry reads one row of a sheet of entries.
func (r *tabReader) readEntry(row *xlsx.Row) {
	d := &draft{position: r.at(row.Number, 0), parents: r.emptyParents(row.Number)}
	e := listItem{schema: r.tab.schema}
	use := mark{}
	for _, c := range row.Cells {
		known := r.header.column(c.Column)
		if known == nil {
			r.refuseMisplaced(d, row.Number, c.Column)
			continue
		}
		switch position := r.at(row.Number, c.Column); known.role {
		case roleParent:
			r.readParent(d, known, position, c)
		case roleUse:
			use = r.markOf(d, position, c)
		case roleItem:
			e.text = r.entryMark(d, position, c)
		}
	}
	d.failed = d.failed || r.unsure || r.rowIsMerged(row.Number)
	r.wantParents(d, row)
	r.wantItem(d, &e, row)
	e.attribute = r.attributeOf(d, use)
	e.owner = d.parents
	e.wrong = errorsOf(r.made.problems[r.from:])
	if !d.failed || len(e.wrong) > 0 {
		r.made.items = append(r.made.items, e)
	}
	r.count(d.failed)
}

// entryMark reads one entry in the form its list wants.
func (r *tabReader) entryMark(d *draft, position diag.Position, c xlsx.Cell) mark {
	typ := resource.TypeText
	if a, ok := r.tab.schema.Attribute(r.tab.list.uses[0].attribute); ok && a.Type == resource.TypeIDs {
		typ = a.Type
	}
	text, finding := r.text(c, typ)
	if finding != nil {
		r.fail(d, position, finding)
		return mark{position: position}
	}
	if typ == resource.TypeText && fileOfHints.MatchString(trimmed(text)) {
		r.fail(d, position, &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("%s names a file; want one sentence a row", r.tab.list.item),
			Hint: fmt.Sprintf("write it in the column %s of the sheet %s", r.tab.list.title, r.tab.schema.Sheet),
		})
	}
	return mark{trimmed(text), position}
}

func (r *tabReader) wantItem(d *draft, e *listItem, row *xlsx.Row) {
	number := r.header.columnOf(func(c *column) bool { return c.role == roleItem })
	if e.text.text != "" || r.rowIsMerged(row.Number) || refuses(row, number) {
		return
	}
	r.fail(d, r.at(row.Number, number), &resource.Finding{
		Code: diag.Required, Message: r.tab.list.item + " is missing; want one",
	})
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
			r.fail(d, use.position, &resource.Finding{
				Code: diag.BadChoice, Message: fmt.Sprintf("Use is %q; want %s", use.text, strings.Join(words, " or ")),
				Hint: diag.DidYouMean(use.text, words),
			})
			return nil
		}
		chosen = uses[i]
	}
	a, ok := r.tab.schema.Attribute(chosen.attribute)
	if !ok {
		r.fail(d, use.position, &resource.Finding{
			Code: diag.BadChoice, Message: fmt.Sprintf("Use is %q, which is not known here; want %s",
				use.text, uses[0].word),
		})
	}
	return a
}
