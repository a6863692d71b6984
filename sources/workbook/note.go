package workbook

import (
	"fmt"
	"strings"

	"adsync/internal/resource"
	"adsync/sources/catalog"

	"github.com/xuri/excelize/v2"
)

// addNote puts a note on a header: what the column is, which values it takes,
// what a blank cell means, and an example.
func (b *bookWriter) addNote(s *sheet, cell string, c *catalog.Column) error {
	return b.file.AddComment(s.Title, NoteAt(cell, b.noteText(s, c)))
}

// NoteAt makes a note large enough for its text.
func NoteAt(cell, text string) excelize.Comment {
	const width, charactersALine = 320, 46
	lines := 1
	for line := range strings.Lines(text) {
		lines += linesOf(line, charactersALine)
	}
	return excelize.Comment{Cell: cell, Author: noteAuthor, Text: text, Width: width, Height: uint(24 + 19*lines)}
}

func (b *bookWriter) noteText(s *sheet, c *catalog.Column) string {
	lines := []string{c.Help}
	if values := b.valuesOf(c); values != "" {
		lines = append(lines, values)
	}
	if blank := blankMeaning(c); blank != "" {
		lines = append(lines, blank)
	}
	if example := b.noteExample(s, c); example != "" {
		lines = append(lines, "Example: "+example)
	}
	return strings.Join(lines, "\n")
}

func (b *bookWriter) noteExample(s *sheet, c *catalog.Column) string {
	switch c.Role {
	case catalog.RoleAttribute:
		return c.Attribute.Example
	case catalog.RoleLists:
		return "trail-basics, winter-basics"
	case catalog.RoleInclude:
		return "no"
	}
	return b.example(&s.Tab, c, nil)
}

// valuesOf returns what a column takes beyond its help.
func (b *bookWriter) valuesOf(c *catalog.Column) string {
	if c.Role != catalog.RoleAttribute {
		return ""
	}
	a := c.Attribute
	switch {
	case len(a.Choices) > 0:
		var values []string
		for _, choice := range a.Choices {
			values = append(values, choice.Value)
		}
		return "Values: " + strings.Join(values, ", ") + "."
	case a.Type == resource.TypeMoney && b.Account.Currency != "":
		return "Values: an amount in " + b.Account.Currency + ", such as 25.00, with at most 6 decimals."
	case a.Type == resource.TypeText && a.Max > 0 && a.Max <= catalog.MaxCounted:
		return fmt.Sprintf("Values: text of %d to %d characters.", max(a.Min, 1), a.Max)
	}
	return ""
}

// blankMeaning returns what a blank cell means, where the help does not.
func blankMeaning(c *catalog.Column) string {
	switch {
	case c.Required:
		return "Every row needs it."
	case c.Role == catalog.RoleAttribute && !strings.Contains(c.Help, "Blank:"):
		return "Blank: left as it is."
	case c.Role == catalog.RoleLists:
		return "Blank: none."
	case c.Role == catalog.RoleID:
		return "Blank: a new row."
	}
	return ""
}

// noteAuthor signs the notes adsync writes.
const noteAuthor = "adsync"
