package xlsx

import (
	"fmt"
	"strconv"
	"strings"
)

// refuse gives an error for a cell that cannot be changed alone.
func (p *packageEdit) refuse(part string, edits []Edit, facts Facts, raw *rawSheet) error {
	tables, err := p.book.tablesOn(part)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if err := mergedRefusal(e.at(), facts.Merges); err != nil {
			return err
		}
		if err := sharedRefusal(e.at(), raw.shared); err != nil {
			return err
		}
		for _, t := range tables {
			if t.fixed(e.Row) && t.area.Has(e.Row, e.Column) {
				return fmt.Errorf("cell %s is in the header or totals row of the table %q, which names its columns by it; want it changed in a spreadsheet program", e.at(), t.name)
			}
		}
	}
	return nil
}

// mergedRefusal: a merged cell keeps its value in its upper left corner; the
// cells under the rest of it are not shown.
func mergedRefusal(at At, merges []Area) error {
	for _, m := range merges {
		if m.Has(at.Row, at.Column) && at != (At{m.FromRow, m.FromColumn}) {
			return fmt.Errorf("cell %s lies inside the merged cells %s; want them unmerged", at, m)
		}
	}
	return nil
}

func sharedRefusal(at At, shared []sharedFormula) error {
	for _, f := range shared {
		switch {
		case f.array && f.area.Has(at.Row, at.Column):
			return fmt.Errorf("cell %s is part of the formula of %s, which fills %s; want that formula removed first", at, f.at, f.area)
		case !f.array && f.at == at:
			return fmt.Errorf("cell %s holds the formula that the cells %s share; want it changed in a spreadsheet program", at, f.area)
		}
	}
	return nil
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
