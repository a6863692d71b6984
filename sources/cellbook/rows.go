package cellbook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/table"
)

// rowNames are what a row is known by; what it has not is "".
type rowNames struct {
	ID    string // the service's
	key   string // the user's own, under its kind and parents
	loose string // the key under its kind alone: the parent may have another name now
	name  string // under its kind and parents; of an entry, the list and the entry
	Path  string // for people: parents and own name
	Label string // for people: the key, else the name; the path where that is not enough
}

// isBare reports whether only its place tells a row from others.
func (n rowNames) isBare() bool { return n.ID == "" && n.key == "" && n.name == "" }

// nameRows finds what each row is known by.
func (s *Sheet) nameRows() {
	seen := map[string]int{}
	for _, row := range s.Rows {
		switch {
		case s.Header == 0 || row.Number < s.Header:
		case row.Number == s.Header:
			row.Names = rowNames{name: "header", Path: "header", Label: "header"}
		case IsRemark(row):
			remark := celltext.Trimmed(row.Cells[0].Text)
			row.Names = rowNames{name: remark, Path: remark, Label: remark}
		default:
			row.Names = s.namesOf(row)
		}
		seen[row.Names.Label]++
	}
	for _, row := range s.Rows {
		if seen[row.Names.Label] > 1 {
			row.Names.Label = row.Names.Path
		}
	}
}

// IsRemark reports whether a row is a remark, which begins with #.
func IsRemark(row *Row) bool {
	return row.Cells[0].Form == xlsx.TextCell && strings.HasPrefix(row.Cells[0].Text, "#")
}

// sectionOf is the one the row's column Kind names, else the first.
func (s *Sheet) sectionOf(row *Row) *table.Section {
	for _, section := range s.Sections {
		number := section.Header.ColumnOf(func(c *catalog.Column) bool { return c.Role == catalog.RoleKind })
		c, found := row.Cell(number)
		if found && slices.ContainsFunc(section.Tab.Words(), func(word string) bool {
			return resource.Fold(word) == resource.Fold(c.Text)
		}) {
			return section
		}
	}
	return s.Sections[0]
}

// namesOf reads the cells that say which resource, or which entry, a row is.
func (s *Sheet) namesOf(row *Row) rowNames {
	section := s.sectionOf(row)
	said := func(matches func(*catalog.Column) bool) (texts []string) {
		for _, c := range row.Cells {
			if known := section.Header.Column(c.Column); known != nil &&
				matches(known) && celltext.Trimmed(c.Text) != "" {
				texts = append(texts, celltext.Trimmed(c.Text))
			}
		}
		return texts
	}
	parents := said(func(c *catalog.Column) bool { return c.Role == catalog.RoleParent })
	kind := string(section.Tab.Schema.Kind)
	under := kind + "\x00" + strings.Join(parents, "\x00") + "\x00"
	n := rowNames{ID: first(said(func(c *catalog.Column) bool { return c.Role == catalog.RoleID }))}
	if key := first(said(func(c *catalog.Column) bool { return c.Role == catalog.RoleKey })); key != "" {
		n.key, n.loose, n.Label = under+key, kind+"\x00"+key, key
	}
	own := s.ownName(section, said)
	if own != "" {
		n.name = under + own
	}
	n.Label = cmp.Or(n.Label, shownName(own), n.ID)
	n.Path = strings.Join(append(parents, n.Label), "/")
	return n
}

// ownName is what the row says under its parents: the name of its resource, or
// its entry of a list.
func (s *Sheet) ownName(section *table.Section, said func(func(*catalog.Column) bool) []string) string {
	if section.Tab.List != nil {
		entry := said(func(c *catalog.Column) bool { return c.Role == catalog.RoleItem })
		return strings.Join(append(entry, said(func(c *catalog.Column) bool { return c.Role == catalog.RoleUse })...),
			"\x00")
	}
	for _, name := range section.Tab.Schema.NameFrom {
		if own := first(said(func(c *catalog.Column) bool {
			return c.Role == catalog.RoleAttribute && c.Attribute.Name == name
		})); own != "" {
			return own
		}
	}
	return ""
}

func shownName(own string) string {
	name, _, _ := strings.Cut(own, "\x00")
	return name
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

// Place names a cell for people: Ads!E17 [hero-a] Title; in a CSV file line 17 [hero-a] Title.
func (s *Sheet) Place(row *Row, column int) string {
	return s.place(row, column, s.ColumnName(column))
}

// PlaceAsWritten names a cell by the header that the sheet itself has.
func (s *Sheet) PlaceAsWritten(row *Row, column int) string {
	return s.place(row, column, s.HeaderOf(column))
}

// HeaderOf is the header of a column as the sheet has it, without the mark of what is required.
func (s *Sheet) HeaderOf(column int) string {
	if s.Header > 0 && column < len(s.Sections[0].Header.Written) {
		if written := strings.TrimRight(s.Sections[0].Header.Written[column], " *"); written != "" {
			return diag.Printable(written)
		}
	}
	return s.ColumnName(column)
}

func (s *Sheet) place(row *Row, column int, name string) string {
	text := SheetLabel(s.Name) + "!" + xlsx.At{Row: row.Number, Column: column}.String()
	switch {
	case row.Line > 0 && s.Header == 0:
		text = fmt.Sprintf("line %d, column %s", row.Line, diag.ColumnName(column))
	case row.Line > 0:
		text = fmt.Sprintf("line %d", row.Line)
	}
	if row.Names.Label != "" {
		text += " [" + diag.Printable(row.Names.Label) + "]"
	}
	if s.Header > 0 && row.Number >= s.Header {
		text += " " + name
	}
	return text
}

// RowPlace names a row for people: Ads!17 [hero-a].
func (s *Sheet) RowPlace(row *Row) string {
	text := fmt.Sprintf("%s!%d", SheetLabel(s.Name), row.Number)
	if row.Line > 0 {
		text = fmt.Sprintf("line %d", row.Line)
	}
	if row.Names.Label != "" {
		text += " [" + diag.Printable(row.Names.Label) + "]"
	}
	return text
}

// SheetLabel quotes a sheet's name that is more than words.
func SheetLabel(name string) string {
	if strings.ContainsAny(name, "!'\"[]:") || name != strings.TrimSpace(name) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
