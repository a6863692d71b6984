package sources

import (
	"fmt"
	"strings"

	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// addNote puts a note on a header: what the column is, which values it takes,
// what a blank cell means, and an example.
func (b *bookWriter) addNote(s *sheet, cell string, c *column) error {
	return b.file.AddComment(s.title, noteAt(cell, b.noteText(s, c)))
}

// noteAt makes a note large enough for its text.
func noteAt(cell, text string) excelize.Comment {
	const width, charactersALine = 320, 46
	lines := 1
	for line := range strings.Lines(text) {
		lines += linesOf(line, charactersALine)
	}
	return excelize.Comment{Cell: cell, Author: noteAuthor, Text: text, Width: width, Height: uint(24 + 19*lines)}
}

func (b *bookWriter) noteText(s *sheet, c *column) string {
	lines := []string{c.help}
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

func (b *bookWriter) noteExample(s *sheet, c *column) string {
	switch c.role {
	case roleAttribute:
		return c.attribute.Example
	case roleLists:
		return "trail-basics, winter-basics"
	case roleInclude:
		return "no"
	}
	return b.example(&s.tab, c, nil)
}

// valuesOf says what a column takes beyond its help.
func (b *bookWriter) valuesOf(c *column) string {
	if c.role != roleAttribute {
		return ""
	}
	a := c.attribute
	switch {
	case len(a.Choices) > 0:
		var values []string
		for _, choice := range a.Choices {
			values = append(values, choice.Value)
		}
		return "Values: " + strings.Join(values, ", ") + "."
	case a.Type == resource.TypeMoney && b.Account.Currency != "":
		return "Values: an amount in " + b.Account.Currency + ", such as 25.00, with at most 6 decimals."
	case a.Type == resource.TypeText && a.Max > 0 && a.Max <= maxCounted:
		return fmt.Sprintf("Values: text of %d to %d characters.", max(a.Min, 1), a.Max)
	}
	return ""
}

// blankMeaning says what a blank cell means, where the help does not.
func blankMeaning(c *column) string {
	switch {
	case c.required:
		return "Every row needs it."
	case c.role == roleAttribute && !strings.Contains(c.help, "Blank:"):
		return "Blank: left as it is."
	case c.role == roleLists:
		return "Blank: none."
	case c.role == roleID:
		return "Blank: a new row."
	}
	return ""
}

// noteAuthor signs the notes adsync writes.
const noteAuthor = "adsync"
