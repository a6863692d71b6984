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
)

// entryReader reads rows that are one entry of a list.
type entryReader struct {
	*head
	parentCells
}

// readEntry reads one row of a sheet of entries.
func (r *entryReader) readEntry(row *xlsx.Row) {
	d := &draft.Draft{Position: r.At(row.Number, 0), Parents: r.emptyParents(row.Number)}
	e := draft.ListItem{Schema: r.Tab.Schema}
	use := draft.Mark{}
	for _, c := range row.Cells {
		known := r.Header.Column(c.Column)
		if known == nil {
			r.refuseMisplaced(d, row.Number, c.Column)
			continue
		}
		switch position := r.At(row.Number, c.Column); known.Role {
		case catalog.RoleParent:
			r.readParent(d, known, position, c)
		case catalog.RoleUse:
			use = r.markOf(d, position, c)
		case catalog.RoleItem:
			e.Text = r.entryMark(d, position, c)
		}
	}
	d.Failed = d.Failed || r.unsure || r.rowIsMerged(row.Number)
	r.wantParents(d, row)
	r.wantItem(d, &e, row)
	e.Attribute = r.attributeOf(d, use)
	e.Owner = d.Parents
	e.Wrong = draft.ErrorsOf(r.made.Problems[r.from:])
	if !d.Failed || len(e.Wrong) > 0 {
		r.made.Items = append(r.made.Items, e)
	}
	r.count(d.Failed)
}

// entryMark reads one entry in the form its list wants.
func (r *entryReader) entryMark(d *draft.Draft, position diag.Position, c xlsx.Cell) draft.Mark {
	typ := resource.TypeText
	if a, ok := r.Tab.Schema.Attribute(r.Tab.List.Uses[0].Attribute); ok && a.Type == resource.TypeIDs {
		typ = a.Type
	}
	text, finding := r.Text(c, typ)
	if finding != nil {
		r.fail(d, position, finding)
		return draft.Mark{Position: position}
	}
	if typ == resource.TypeText && draft.FileOfHints.MatchString(celltext.Trimmed(text)) {
		r.fail(d, position, &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("%s names a file; want one sentence a row", r.Tab.List.Item),
			Hint: fmt.Sprintf("write it in the column %s of the sheet %s", r.Tab.List.Title, r.Tab.Schema.Sheet),
		})
	}
	return draft.Mark{Text: celltext.Trimmed(text), Position: position}
}

func (r *entryReader) wantItem(d *draft.Draft, e *draft.ListItem, row *xlsx.Row) {
	number := r.Header.ColumnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleItem })
	if e.Text.Text != "" || r.rowIsMerged(row.Number) || refuses(row, number) {
		return
	}
	r.fail(d, r.At(row.Number, number), &resource.Finding{
		Code: diag.Required, Message: r.Tab.List.Item + " is missing; want one",
	})
}

// attributeOf reads the column Use.
func (r *entryReader) attributeOf(d *draft.Draft, use draft.Mark) *resource.Attribute {
	uses := r.Tab.List.Uses
	chosen := uses[0]
	if use.Text != "" {
		i := slices.IndexFunc(uses, func(u catalog.ListUse) bool {
			return resource.Fold(u.Word) == resource.Fold(use.Text)
		})
		if i < 0 {
			var words []string
			for _, u := range uses {
				words = append(words, u.Word)
			}
			r.fail(d, use.Position, &resource.Finding{
				Code: diag.BadChoice, Message: fmt.Sprintf("Use is %q; want %s", use.Text, strings.Join(words, " or ")),
				Hint: diag.DidYouMean(use.Text, words),
			})
			return nil
		}
		chosen = uses[i]
	}
	a, ok := r.Tab.Schema.Attribute(chosen.Attribute)
	if !ok {
		r.fail(d, use.Position, &resource.Finding{
			Code: diag.BadChoice, Message: fmt.Sprintf("Use is %q, which is not known here; want %s",
				use.Text, uses[0].Word),
		})
	}
	return a
}
