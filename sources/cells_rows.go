package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// rowNames are what a row is known by; what it has not is "".
type rowNames struct {
	id    string // the service's
	key   string // the user's own, under its kind and parents
	loose string // the key under its kind alone: the parent may have another name now
	name  string // under its kind and parents; of an entry, the list and the entry
	path  string // for people: parents and own name
	label string // for people: the key, else the name; the path where that is not enough
}

// isBare reports whether only its place tells a row from others.
func (n rowNames) isBare() bool { return n.id == "" && n.key == "" && n.name == "" }

// nameRows finds what each row is known by.
func (s *cellSheet) nameRows() {
	seen := map[string]int{}
	for _, row := range s.rows {
		switch {
		case s.header == 0 || row.number < s.header:
		case row.number == s.header:
			row.names = rowNames{name: "header", path: "header", label: "header"}
		case isRemark(row):
			remark := trimmed(row.cells[0].Text)
			row.names = rowNames{name: remark, path: remark, label: remark}
		default:
			row.names = s.namesOf(row)
		}
		seen[row.names.label]++
	}
	for _, row := range s.rows {
		if seen[row.names.label] > 1 {
			row.names.label = row.names.path
		}
	}
}

func isRemark(row *cellRow) bool {
	return row.cells[0].Form == xlsx.TextCell && strings.HasPrefix(row.cells[0].Text, "#")
}

// sectionOf is the one the row's column Kind names, else the first.
func (s *cellSheet) sectionOf(row *cellRow) *section {
	for _, section := range s.sections {
		number := section.header.columnOf(func(c *column) bool { return c.role == roleKind })
		c, found := row.cell(number)
		if found && slices.ContainsFunc(section.tab.words(), func(word string) bool {
			return resource.Fold(word) == resource.Fold(c.Text)
		}) {
			return section
		}
	}
	return s.sections[0]
}

// namesOf reads the cells that say which resource, or which entry, a row is.
func (s *cellSheet) namesOf(row *cellRow) rowNames {
	section := s.sectionOf(row)
	said := func(matches func(*column) bool) (texts []string) {
		for _, c := range row.cells {
			if known := section.header.column(c.Column); known != nil && matches(known) && trimmed(c.Text) != "" {
				texts = append(texts, trimmed(c.Text))
			}
		}
		return texts
	}
	parents := said(func(c *column) bool { return c.role == roleParent })
	kind := string(section.tab.schema.Kind)
	under := kind + "\x00" + strings.Join(parents, "\x00") + "\x00"
	n := rowNames{id: first(said(func(c *column) bool { return c.role == roleID }))}
	if key := first(said(func(c *column) bool { return c.role == roleKey })); key != "" {
		n.key, n.loose, n.label = under+key, kind+"\x00"+key, key
	}
	own := s.ownName(section, said)
	if own != "" {
		n.name = under + own
	}
	n.label = cmp.Or(n.label, shownName(own), n.id)
	n.path = strings.Join(append(parents, n.label), "/")
	return n
}

// ownName is what the row says under its parents: the name of its resource, or
// its entry of a list.
func (s *cellSheet) ownName(section *section, said func(func(*column) bool) []string) string {
	if section.tab.list != nil {
		entry := said(func(c *column) bool { return c.role == roleItem })
		return strings.Join(append(entry, said(func(c *column) bool { return c.role == roleUse })...), "\x00")
	}
	for _, name := range section.tab.schema.NameFrom {
		if own := first(said(func(c *column) bool {
			return c.role == roleAttribute && c.attribute.Name == name
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

// place names a cell for people: Ads!E17 [hero-a] Title.
func (s *cellSheet) place(row *cellRow, column int) string {
	text := sheetLabel(s.name) + "!" + xlsx.At{Row: row.number, Column: column}.String()
	if row.names.label != "" {
		text += " [" + diag.Printable(row.names.label) + "]"
	}
	if s.header > 0 && row.number >= s.header {
		text += " " + s.columnName(column)
	}
	return text
}

// sheetLabel quotes a sheet's name that is more than words.
func sheetLabel(name string) string {
	if strings.ContainsAny(name, "!'\"[]:") || name != strings.TrimSpace(name) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
