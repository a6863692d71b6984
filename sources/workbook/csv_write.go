package workbook

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
)

// WriteCSV writes a snapshot as one CSV file with a column Kind, so that reading
// it gives the same snapshot. It is UTF-8 with a byte order mark and lines ended
// by CR LF, as spreadsheet programs want it. A text no cell can hold, or that a
// CSV file would not give back, is an error.
func WriteCSV(w io.Writer, schemas resource.Schemas, s *resource.Snapshot, a config.Account) error {
	f := table.AllKinds((&draft.Input{Schemas: schemas}))
	c := newCSVWriter(schemas, s, a)
	t, err := c.table(f)
	if err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	t.dropBlank()
	return t.write(w)
}

// WriteCSVFiles writes a snapshot as one CSV file a sheet, by the files' names:
// campaigns.csv, ad-groups.csv. A sheet without rows has no file.
func WriteCSVFiles(schemas resource.Schemas, s *resource.Snapshot, a config.Account) (map[string][]byte, error) {
	c := newCSVWriter(schemas, s, a)
	files := map[string][]byte{}
	for _, f := range catalog.FormsOf(schemas) {
		name := table.FileNameOf(f.Title)
		t, err := c.table(f)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
		if len(t.rows) == 0 {
			continue
		}
		var content bytes.Buffer
		if err := t.write(&content); err != nil {
			return nil, err
		}
		files[name] = content.Bytes()
	}
	return files, nil
}

// csvWriter writes the rows of a snapshot as fields.
type csvWriter struct {
	rowMaker
}

func newCSVWriter(schemas resource.Schemas, s *resource.Snapshot, a config.Account) *csvWriter {
	c := &csvWriter{rowMaker{schemas: schemas, snapshot: s, currency: a.Currency}}
	c.index()
	return c
}

// csvTable is one file: a column of each title of the form's tabs.
type csvTable struct {
	header []string
	rows   [][]string
}

// table makes the rows of a form, tab after tab: kinds come before the entries
// of their lists.
func (c *csvWriter) table(f catalog.Form) (*csvTable, error) {
	t := &csvTable{}
	places := map[string]int{}
	for i := range f.Tabs {
		for k := range f.Tabs[i].Columns {
			col := &f.Tabs[i].Columns[k]
			if _, there := places[resource.Fold(col.Title)]; there || !c.wantsColumn(&f.Tabs[i], col) {
				continue
			}
			places[resource.Fold(col.Title)] = len(t.header)
			t.header = append(t.header, c.headerOf(col))
		}
	}
	for i := range f.Tabs {
		if err := c.fill(t, &f.Tabs[i], places); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// wantsColumn leaves out what nobody reads but what the service said of a resource, and
// attributes without a header that no resource sets.
func (c *csvWriter) wantsColumn(t *catalog.Tab, col *catalog.Column) bool {
	if col.Ours == catalog.OursFact {
		return slices.ContainsFunc(c.byKind[t.Schema.Kind], func(r *resource.Resource) bool {
			return r.Facts.Value(col.Fact.Name).Text() != ""
		})
	}
	switch col.Role {
	case catalog.RoleOurs, catalog.RoleLists, catalog.RoleInclude:
		return false
	case catalog.RoleAttribute:
		return col.Attribute.Header != "" || c.sets(t.Schema.Kind, col.Attribute)
	}
	return true
}

// headerOf is a column's title with the currency of its amounts.
func (c *csvWriter) headerOf(col *catalog.Column) string {
	if col.Role == catalog.RoleAttribute && col.Attribute.Type == resource.TypeMoney && c.currency != "" {
		return col.Title + " (" + c.currency + ")"
	}
	return col.Title
}

// fill makes the rows of one tab.
func (c *csvWriter) fill(t *csvTable, of *catalog.Tab, places map[string]int) error {
	if of.List != nil {
		for _, e := range c.entries {
			if e.list.Title != of.List.Title {
				continue
			}
			row, err := c.row(t, of, places, func(col *catalog.Column) (string, error) {
				return c.entryText(of, col, e), nil
			})
			if err != nil {
				return fmt.Errorf("%s: %w", e.owner.Address, err)
			}
			t.rows = append(t.rows, row)
		}
		return nil
	}
	for _, r := range c.byKind[of.Schema.Kind] {
		row, err := c.row(t, of, places, func(col *catalog.Column) (string, error) {
			if col.Role == catalog.RoleAttribute {
				return c.attributeText(col.Attribute, r)
			}
			return c.plainText(of, col, r), nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", r.Address, err)
		}
		t.rows = append(t.rows, row)
	}
	return nil
}

// row makes the fields of one row. A first text that begins with # gets a space,
// so that it makes no remark of its row.
func (c *csvWriter) row(t *csvTable, of *catalog.Tab, places map[string]int,
	textOf func(*catalog.Column) (string, error)) ([]string, error) {
	row := make([]string, len(t.header))
	first, firstText := len(row), ""
	for i := range of.Columns {
		col := &of.Columns[i]
		place, there := places[resource.Fold(col.Title)]
		if !there || !c.wantsColumn(of, col) {
			continue
		}
		text, err := textOf(col)
		if err != nil {
			return nil, err
		}
		if row[place], err = fieldOf(text, col); err != nil {
			return nil, fmt.Errorf("%s %w", strings.ToLower(col.Title), err)
		}
		if text != "" && place < first {
			first, firstText = place, text
		}
	}
	if strings.HasPrefix(firstText, "#") {
		row[first] = " " + row[first]
	}
	return row, nil
}

// fieldOf is the field of a text, read again as the reader would.
func fieldOf(text string, col *catalog.Column) (string, error) {
	if text == "" {
		return "", nil
	}
	typ := resource.TypeText
	switch {
	case col.Role == catalog.RoleAttribute:
		typ = col.Attribute.Type
	case col.Role == catalog.RoleKey:
		typ = celltext.TypeKey
	case col.Role == catalog.RoleID:
		typ = resource.TypeID
	}
	field := csvfile.Exact(text)
	if typ == resource.TypeMoney || typ == resource.TypeDay || typ == resource.TypeLast {
		field = text
	}
	said, meaning, finding := table.ReadField(field, typ)
	if said != text || meaning == csvfile.Formula || finding != nil || strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("is %q, which a CSV file cannot say", diag.Printable(text))
	}
	return field, nil
}

// dropBlank takes away the columns that are blank in every row.
func (t *csvTable) dropBlank() {
	for i := len(t.header) - 1; i >= 0 && len(t.rows) > 0; i-- {
		if slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		t.header = slices.Delete(t.header, i, i+1)
		for n := range t.rows {
			t.rows[n] = slices.Delete(t.rows[n], i, i+1)
		}
	}
}

func (t *csvTable) write(w io.Writer) error {
	out := csvfile.NewWriter(w)
	out.Write(t.header)
	for _, row := range t.rows {
		out.Write(row)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
