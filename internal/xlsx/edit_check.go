package xlsx

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// checkRewritten reads the result as any workbook is read, and holds it against
// the original: the cells edited hold their values, all others what they held.
// The sheets that were put in, if any, hold what they held.
//
// sealed turns what was unsealed into the sum that stands in its place.
func checkRewritten(before, added *Book, rewritten []byte, bySheet [][]Edit, sealed *strings.Replacer,
	within Limits) error {
	after, err := openBook(rewritten, within)
	if err != nil {
		return fmt.Errorf("the rewritten workbook does not read: %w", err)
	}
	want := slices.Clone(before.Sheets)
	isPut := map[string]bool{}
	for _, sheet := range added.sheets() {
		got, err := checkAdded(before, added, after, sheet, sealed)
		if err != nil {
			return fmt.Errorf("the sheet %q that was added: %w", sheet.Name, err)
		}
		isPut[got.Part] = true
		if i := before.sheetNamed(sheet.Name); i >= 0 {
			want[i] = got
			continue
		}
		want = append(want, got)
	}
	if !slices.Equal(want, after.Sheets) || before.Date1904 != after.Date1904 {
		return fmt.Errorf("the rewritten workbook has other sheets than the original")
	}
	edits := map[string][]Edit{}
	for _, list := range bySheet {
		if len(list) > 0 {
			edits[list[0].Sheet] = list
		}
	}
	for _, sheet := range before.Sheets {
		if isPut[sheet.Part] {
			continue
		}
		if err := checkSheet(before, after, sheet.Part, edits[sheet.Name]); err != nil {
			return fmt.Errorf("sheet %q, rewritten: %w", sheet.Name, err)
		}
	}
	return nil
}

// checkAdded wants a sheet to hold what that of the other workbook holds, in the same number formats, and the
// numbers of the styles that were there to mean what they meant.
func checkAdded(before, added, after *Book, sheet Sheet, sealed *strings.Replacer) (put Sheet, err error) {
	i := after.sheetNamed(sheet.Name)
	if i < 0 {
		return Sheet{}, fmt.Errorf("it is not there")
	}
	if len(after.styles) < len(before.styles) || !slices.Equal(before.styles, after.styles[:len(before.styles)]) {
		return Sheet{}, fmt.Errorf("styles mean something else")
	}
	want, err := shownOn(added, sheet.Part, sealed)
	if err != nil {
		return Sheet{}, err
	}
	got, err := shownOn(after, after.Sheets[i].Part, sealed)
	if err == nil && want != got {
		err = fmt.Errorf("cells differ")
	}
	return after.Sheets[i], err
}

// shownOn is a sum of what a sheet holds, with its number formats.
func shownOn(b *Book, part string, sealed *strings.Replacer) ([sha256.Size]byte, error) {
	sum := sha256.New()
	_, err := Walk(b, part, func(row *Row) error {
		for _, c := range row.Cells {
			style, err := b.StyleOf(c.Style)
			if err != nil {
				return err
			}
			c.Style, c.Text = 0, sealed.Replace(c.Text)
			fmt.Fprintf(sum, "%d %v %#v %#v\n", row.Number, row.Hidden, c, style)
		}
		return nil
	})
	return [sha256.Size]byte(sum.Sum(nil)), err
}

func checkSheet(before, after *Book, part string, edits []Edit) error {
	if bytes.Equal(before.parts.content[part], after.parts.content[part]) && len(edits) == 0 {
		return nil
	}
	edited := map[At]EditValue{}
	for _, e := range edits {
		edited[e.at()] = e.Value
	}
	had, want, err := splitSheet(before, part, edited)
	if err != nil {
		return err
	}
	found, got, err := splitSheet(after, part, edited)
	if err != nil {
		return err
	}
	if want != got {
		return fmt.Errorf("cells differ that no edit names")
	}
	for at, value := range edited {
		if value.sort == keeps {
			value = kept(had[at])
		}
		if err := checkCell(after, at, value, found); err != nil {
			return err
		}
	}
	return nil
}

// kept is what a cell holds already.
func kept(c Cell) EditValue {
	if c == (Cell{}) {
		return Clear()
	}
	return EditValue{sort: writesStored, stored: c}
}

func checkCell(after *Book, at At, value EditValue, found map[At]Cell) error {
	got, there := found[at]
	looks, err := after.StyleOf(got.Style)
	if err != nil {
		return err
	}
	want, filled := value.result(after.Date1904, looks)
	if filled != there || got.Form != want.Form ||
		got.Text != want.Text || got.IsFormula != want.IsFormula || got.Formula != want.Formula {
		return fmt.Errorf("cell %s holds %q; want %q", at, got.Text, want.Text)
	}
	return nil
}

// splitSheet walks a sheet and parts its cells: the edited ones as they are, the
// others as one sum.
func splitSheet(b *Book, part string, edited map[At]EditValue) (found map[At]Cell, rest [sha256.Size]byte, err error) {
	found = map[At]Cell{}
	sum := sha256.New()
	_, err = Walk(b, part, func(row *Row) error {
		for _, c := range row.Cells {
			at := At{row.Number, c.Column}
			if _, ok := edited[at]; ok {
				found[at] = c
				continue
			}
			fmt.Fprintf(sum, "%d %v %#v\n", row.Number, row.Hidden, c)
		}
		return nil
	})
	return found, [sha256.Size]byte(sum.Sum(nil)), err
}

// Refused is the error of edits that would damage the workbook or lose
// something: every such cell, with the reason.
type Refused struct{ Cells []RefusedCell }

// RefusedCell is a cell that cannot be changed alone.
type RefusedCell struct {
	Sheet  string
	At     At
	Reason string // with the cell's name in it
}

// Error returns the first reason, and how many there are.
func (r *Refused) Error() string {
	text := fmt.Sprintf("sheet %q: %s", r.Cells[0].Sheet, r.Cells[0].Reason)
	if more := len(r.Cells) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// refuse lists the cells that cannot be changed alone, and returns the edits that are made. Looks lose nothing.
func (p *packageEdit) refuse(part string, edits []Edit, facts Facts, raw *rawSheet) (made []Edit, err error) {
	tables, err := p.book.tablesOn(part)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		reason := ""
		if e.Value.sort != keeps {
			reason = cmp.Or(mergedRefusal(e.at(), facts.Merges),
				sharedRefusal(e.at(), raw.shared), tableRefusal(e.at(), tables))
		}
		switch {
		case reason == "":
			made = append(made, e)
		case !e.IfFree:
			p.refused = append(p.refused, RefusedCell{e.Sheet, e.at(), reason})
		}
	}
	return made, nil
}

// mergedRefusal: a merged cell keeps its value in its upper left corner; the
// cells under the rest of it are not shown.
func mergedRefusal(at At, merges []Area) string {
	for _, m := range merges {
		if m.Has(at.Row, at.Column) && at != (At{m.FromRow, m.FromColumn}) {
			return fmt.Sprintf("cell %s lies inside the merged cells %s; want them unmerged", at, m)
		}
	}
	return ""
}

func sharedRefusal(at At, shared []sharedFormula) string {
	for _, f := range shared {
		switch {
		case f.array && f.area.Has(at.Row, at.Column):
			return fmt.Sprintf("cell %s is part of the formula of %s, which fills %s; want that formula removed first",
				at, f.at, f.area)
		case !f.array && f.at == at:
			return fmt.Sprintf("cell %s holds the formula "+
				"that the cells %s share; want it changed in a spreadsheet program", at, f.area)
		}
	}
	return ""
}

func tableRefusal(at At, tables []table) string {
	for _, t := range tables {
		if t.fixed(at.Row) && t.area.Has(at.Row, at.Column) {
			return fmt.Sprintf("cell %s is in the header or totals row of "+
				"the table %q, which names its columns by it; want it changed in a spreadsheet program", at, t.name)
		}
	}
	return ""
}

// table is a range a program treats as a list, with headers it knows by name.
type table struct {
	name            string
	area            Area
	headers, totals int
}

func (t table) fixed(row int) bool {
	return row < t.area.FromRow+t.headers || row > t.area.ToRow-t.totals
}

// tablesOn reads the tables of a sheet.
func (b *Book) tablesOn(part string) ([]table, error) {
	rels, err := relations(b.parts, part)
	if err != nil {
		return nil, err
	}
	var tables []table
	for _, r := range rels {
		if !strings.HasSuffix(r.typ, "/table") {
			continue
		}
		t, err := readTable(b.parts.content[r.target])
		if err != nil {
			return nil, fmt.Errorf("table %q: %w", r.target, err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func readTable(part []byte) (table, error) {
	t := table{headers: 1}
	err := elements(part, func(s *xmlScanner) error {
		if len(s.open) != 1 {
			return nil
		}
		var err error
		if t.area, err = parseArea(string(s.attr("ref"))); err != nil {
			return fmt.Errorf("it covers %q; want a range such as A1:B2", s.attr("ref"))
		}
		if given := s.attr("headerRowCount"); given != nil {
			t.headers, _ = strconv.Atoi(string(given))
		}
		if given := s.attr("totalsRowCount"); given != nil {
			t.totals, _ = strconv.Atoi(string(given))
		}
		t.name, err = s.attrText("displayName")
		return err
	})
	return t, err
}
