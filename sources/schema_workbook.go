package sources

import (
	"strings"

	"adsync/internal/jsonschema"
	"adsync/internal/resource"
)

// WorkbookSchema describes a workbook as an object of sheets, each a list of
// rows, each an object of cells by their headers. Sheets and columns adsync
// does not know are the user's own, so both stay open.
func WorkbookSchema(schemas resource.Schemas) *jsonschema.Schema {
	book := &jsonschema.Schema{
		Title: "adsync: a workbook",
		Description: "Sheets by their names; rows of a sheet " +
			"in order; cells of a row by their headers. An absent cell, or a blank one, leaves the attribute as it is.",
		Type: jsonschema.Types{"object"},
	}
	for _, f := range formsOf(schemas) {
		sheet := &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, Items: rowOf(&f), Description: alsoRead("", f.names()[1:]),
		}
		book.Properties.Add(f.title, sheet)
	}
	lists := &jsonschema.Schema{Type: jsonschema.Types{"object"}, AdditionalProperties: named("One sentence.")}
	book.Properties.Add(hintListsTab, &jsonschema.Schema{
		Type: jsonschema.Types{"array"}, Items: lists,
		Description: "One list a column: its name is the header, its sentences stand below, one a cell.",
	})
	return book
}

// rowOf describes the rows of a sheet: of one kind, or of any of several.
func rowOf(f *form) *jsonschema.Schema {
	if len(f.tabs) == 1 {
		return rowSchema(&f.tabs[0])
	}
	either := &jsonschema.Schema{}
	for i := range f.tabs {
		either.AnyOf = append(either.AnyOf, rowSchema(&f.tabs[i]))
	}
	return either
}

func rowSchema(t *tab) *jsonschema.Schema {
	row := &jsonschema.Schema{Type: jsonschema.Types{"object"}}
	for i := range t.columns {
		c := &t.columns[i]
		s := cellSchema(c)
		s.Description = alsoRead(c.help, c.synonyms)
		row.Properties.Add(c.title, s)
		if c.required {
			row.Required = append(row.Required, c.title)
		}
	}
	return row
}

func alsoRead(help string, synonyms []string) string {
	if len(synonyms) == 0 {
		return help
	}
	return strings.TrimSpace(help + " Also read as: " + strings.Join(synonyms, ", ") + ".")
}

// cellSchema describes what a cell may hold; lists are one text.
func cellSchema(c *column) *jsonschema.Schema {
	switch c.role {
	case roleAttribute:
		s := scalarSchema(c.attribute)
		if c.attribute.Type.IsList() || c.attribute.Type == resource.TypeObject {
			s = named("")
		}
		if c.attribute.Example != "" {
			s.Examples = []string{c.attribute.Example}
		}
		if c.attribute.Clearable {
			allowInCell(s)
		}
		return s
	case roleKey:
		return keySchema("")
	case roleKind:
		s := named("")
		s.Examples = c.words
		return s
	case roleInclude:
		return &jsonschema.Schema{Type: jsonschema.Types{"string", "boolean"}, Examples: []string{"no"}}
	case roleOurs:
		return &jsonschema.Schema{ReadOnly: true}
	}
	return named("")
}

// cellClears are the texts that clear in a cell (formats.md section 1).
const cellClears = `^\s*(?:\[[cC][lL][eE][aA][rR]\]|\[\]|delete_value|CLEAR|remove_content)\s*$`

func allowInCell(s *jsonschema.Schema) {
	if s.Type == nil {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: jsonschema.Types{"string"}, Pattern: cellClears})
		return
	}
	if s.Pattern != visible {
		s.Pattern = cellClears + "|" + s.Pattern
	}
}
