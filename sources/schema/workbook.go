package schema

import (
	"strings"

	"adsync/internal/jsonschema"
	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/config"
)

// Workbook describes a workbook as an object of sheets, each a list of
// rows, each an object of cells by their headers. Sheets and columns adsync
// does not know are the user's own, so both stay open.
func Workbook(schemas resource.Schemas) *jsonschema.Schema {
	book := &jsonschema.Schema{
		Title: "adsync: a workbook",
		Description: "Sheets by their names; rows of a sheet " +
			"in order; cells of a row by their headers. An absent cell, or a blank one, leaves the attribute as it is.",
		Type: jsonschema.Types{"object"},
	}
	for _, f := range catalog.FormsOf(schemas) {
		sheet := &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, Items: rowOf(&f), Description: alsoRead("", f.Names()[1:]),
		}
		book.Properties.Add(f.Title, sheet)
	}
	lists := &jsonschema.Schema{Type: jsonschema.Types{"object"}, AdditionalProperties: named("One sentence.")}
	book.Properties.Add(config.HintListsTab, &jsonschema.Schema{
		Type: jsonschema.Types{"array"}, Items: lists,
		Description: "One list a column: its name is the header, its sentences stand below, one a cell.",
	})
	return book
}

// rowOf describes the rows of a sheet: of one kind, or of any of several.
func rowOf(f *catalog.Form) *jsonschema.Schema {
	if len(f.Tabs) == 1 {
		return rowSchema(&f.Tabs[0])
	}
	either := &jsonschema.Schema{}
	for i := range f.Tabs {
		either.AnyOf = append(either.AnyOf, rowSchema(&f.Tabs[i]))
	}
	return either
}

func rowSchema(t *catalog.Tab) *jsonschema.Schema {
	row := &jsonschema.Schema{Type: jsonschema.Types{"object"}}
	for i := range t.Columns {
		c := &t.Columns[i]
		s := cellSchema(c)
		s.Description = alsoRead(c.Help, c.Synonyms)
		row.Properties.Add(c.Title, s)
		if c.Required {
			row.Required = append(row.Required, c.Title)
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
func cellSchema(c *catalog.Column) *jsonschema.Schema {
	switch c.Role {
	case catalog.RoleAttribute:
		s := scalarSchema(c.Attribute)
		if c.Attribute.Type.IsList() || c.Attribute.Type == resource.TypeObject {
			s = named("")
		}
		if c.Attribute.Example != "" {
			s.Examples = []string{c.Attribute.Example}
		}
		if c.Attribute.Clearable {
			allowInCell(s)
		}
		return s
	case catalog.RoleKey:
		return keySchema("")
	case catalog.RoleKind:
		s := named("")
		s.Examples = c.Words
		return s
	case catalog.RoleInclude:
		return &jsonschema.Schema{Type: jsonschema.Types{"string", "boolean"}, Examples: []string{"no"}}
	case catalog.RoleOurs:
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
