package xlsx

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

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

// refuse lists the cells that cannot be changed alone.
func (p *packageEdit) refuse(part string, edits []Edit, facts Facts, raw *rawSheet) error {
	tables, err := p.book.tablesOn(part)
	if err != nil {
		return err
	}
	for _, e := range edits {
		reason := cmp.Or(mergedRefusal(e.at(), facts.Merges),
			sharedRefusal(e.at(), raw.shared), tableRefusal(e.at(), tables))
		if reason != "" {
			p.refused = append(p.refused, RefusedCell{e.Sheet, e.at(), reason})
		}
	}
	return nil
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
