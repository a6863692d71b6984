package tidy

import (
	"context"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/draft"
	"adsync/sources/table"
	"adsync/sources/workbook"
)

// formatCells writes the cells of a workbook or a CSV file the one way adsync
// would: choices and countries in their own words, days and amounts as such,
// texts without space around them. What a cell says stays the same.
func formatCells(ctx context.Context, w *rewriter, r *Rewrite) {
	if bounded.InPrivate(r.File) {
		return
	}
	result := w.read(ctx, r.File, r.Before)
	switch {
	case result.Stray != nil: // a table of something else
		return
	case result.Rows.Read == 0 && diag.HasErrors(result.Problems):
		r.Problems = result.Problems
		return
	}
	f, err := w.openCells(ctx, r.File, r.Before)
	if err != nil {
		r.fail(resource.Finding{Code: diag.Damaged, Message: err.Error()})
		return
	}
	edits := map[*table.Reader][]cellEdit{}
	for _, t := range f.tables {
		if edits[t], err = (&cellFormatter{Reader: t, like: map[int]*looks{}}).formatEdits(); err != nil {
			r.fail(resource.Finding{Code: diag.Damaged, Message: err.Error()})
			return
		}
	}
	w.apply(ctx, r, f, edits, nil)
}

// apply makes the edits if the file then says what wanted makes of what it says
// now; nil wants it to say the same.
func (w *rewriter) apply(ctx context.Context, r *Rewrite,
	f *cellFile, edits map[*table.Reader][]cellEdit, wanted func(before, after draft.Result) bool) {
	count := 0
	for _, own := range edits {
		count += len(own)
	}
	if count == 0 {
		return
	}
	after, err := f.rewrite(edits)
	if err != nil {
		r.fail(resource.Finding{Code: diag.Unreadable, Message: err.Error() + "; the file is left as it is"})
		return
	}
	before, again := w.read(ctx, r.File, r.Before), w.read(ctx, r.File, after)
	if wanted == nil && draft.MeaningOf(before) != draft.MeaningOf(again) || wanted != nil && !wanted(before, again) {
		r.fail(changesMeaning)
		return
	}
	r.After = after
	for _, t := range f.tables {
		for _, e := range edits[t] {
			r.Fixes = append(r.Fixes, Fix{Position: t.At(e.Row, e.Column), Was: e.was, Is: e.text, Why: e.why})
		}
	}
}

// looks are cells of a column whose format fits a day, or an amount.
type looks struct{ day, amount xlsx.At }

// cellFormatter finds the one way of writing the cells of a table.
type cellFormatter struct {
	*table.Reader
	like map[int]*looks // by column
}

// formatEdits returns the cells of a table that can be written a better way.
func (r *cellFormatter) formatEdits() ([]cellEdit, error) {
	err := r.Visit(func(_ *catalog.Column, at xlsx.At, c xlsx.Cell) { r.noteLooks(at, c) })
	if err != nil {
		return nil, err
	}
	var edits []cellEdit
	err = r.Visit(func(known *catalog.Column, at xlsx.At, c xlsx.Cell) {
		if c.IsFormula || c.Form != xlsx.TextCell || c.Meta > 0 || known.Micros {
			return
		}
		e, better := r.better(known, c, r.like[at.Column])
		if better && (e.text != c.Text || e.form == asNumber || e.form == asDay) {
			e.At, e.was = at, c.Text
			edits = append(edits, e)
		}
	})
	return edits, err
}

func (r *cellFormatter) noteLooks(at xlsx.At, c xlsx.Cell) {
	if r.like[at.Column] == nil {
		r.like[at.Column] = &looks{}
	}
	if r.Book == nil || c.Form != xlsx.NumberCell || c.IsFormula {
		return
	}
	style, err := r.Book.StyleOf(c.Style)
	switch l := r.like[at.Column]; {
	case err != nil || style.Percent:
	case style.Date && l.day == (xlsx.At{}):
		l.day = at
	case !style.Date && l.amount == (xlsx.At{}):
		l.amount = at
	}
}

// better returns the one way of writing what a cell says, false where there is
// nothing to be said for it.
func (r *cellFormatter) better(known *catalog.Column, c xlsx.Cell, like *looks) (cellEdit, bool) {
	switch known.Role {
	case catalog.RoleAttribute:
		return r.betterValue(known.Attribute, c, like)
	case catalog.RoleParent, catalog.RoleUse, catalog.RoleItem, catalog.RoleKind, catalog.RoleLists:
		return trimmedCell(c, asText)
	case catalog.RoleKey, catalog.RoleID:
		return trimmedCell(c, asExact)
	}
	return cellEdit{}, false
}

// trimmedCell takes off space around a text. A first text that would begin with
// # keeps it: it would make a remark of its row.
func trimmedCell(c xlsx.Cell, form editForm) (cellEdit, bool) {
	text := celltext.Trimmed(c.Text)
	return cellEdit{form: form, text: text, why: "space around the text says nothing"}, text != "" && text[0] != '#'
}

func (r *cellFormatter) betterValue(a *resource.Attribute, c xlsx.Cell, like *looks) (cellEdit, bool) {
	text, finding := r.Text(c, a.Type)
	if finding != nil || celltext.AsksToClear(text, a.Type) {
		return cellEdit{}, false
	}
	switch a.Type {
	case resource.TypeChoice:
		v, finding := a.Parse(text, r.In.Env)
		return cellEdit{text: v.Text(), why: "the choice in its own word"}, finding == nil && v.IsSet()
	case resource.TypeRegion, resource.TypeSet:
		return r.betterList(a, text)
	case resource.TypeMoney:
		return r.betterAmount(a, text, like)
	case resource.TypeDay, resource.TypeLast:
		return r.betterDay(a, c, text, like)
	case resource.TypeID, resource.TypeIDs:
		return trimmedCell(c, asExact)
	case resource.TypeHints, resource.TypeObject:
		return cellEdit{}, false
	}
	return trimmedCell(c, asText)
}

// betterList writes each entry in its own word, in the order they stand.
func (r *cellFormatter) betterList(a *resource.Attribute, text string) (cellEdit, bool) {
	items, finding := celltext.ListItems(a, text)
	if finding != nil {
		return cellEdit{}, false
	}
	var own []string
	for _, item := range items {
		v, findings := a.ParseList([]string{item})
		if len(findings) > 0 || len(v.Items()) != 1 {
			return cellEdit{}, false
		}
		own = append(own, v.Items()[0])
	}
	return cellEdit{text: strings.Join(own, ", "), why: "each entry in its own word"}, len(own) > 0
}

func (r *cellFormatter) betterAmount(a *resource.Attribute, text string, like *looks) (cellEdit, bool) {
	v, finding := a.Parse(text, r.In.Env)
	micros, isNumber := v.Number()
	if finding != nil || !isNumber {
		return cellEdit{}, false
	}
	digits := resource.FormatMoney(micros)
	if r.Book == nil { // in a CSV file an amount is its digits
		return cellEdit{form: asNumber, text: plainDigits(text, digits), why: "an amount is its digits"},
			plainDigits(text, digits) != text
	}
	return cellEdit{form: asNumber, text: digits, like: like.amount, why: "an amount is a number"},
		len(digits) <= celltext.MaxExactDigits
}

// plainDigits leaves an amount that is written as digits alone.
func plainDigits(text, digits string) string {
	if celltext.PlainAmount(strings.TrimSpace(text)) {
		return strings.TrimSpace(text)
	}
	return digits
}

func (r *cellFormatter) betterDay(a *resource.Attribute, c xlsx.Cell, text string, like *looks) (cellEdit, bool) {
	v, finding := a.Parse(text, r.In.Env)
	_, whole := workbook.SerialOf(v.Text())
	if finding != nil || !whole {
		return cellEdit{}, false
	}
	if r.Book == nil {
		return trimmedCell(c, asText)
	}
	style, err := r.Book.StyleOf(c.Style)
	own := err == nil && style.Date
	from := like.day
	if own {
		from = xlsx.At{}
	}
	return cellEdit{form: asDay, text: v.Text(), like: from, why: "a day is a date"}, own || from != (xlsx.At{})
}
