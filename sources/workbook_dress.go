package sources

import (
	"fmt"
	"strings"

	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// dressTab adds notes, drop-downs, checks and the filter, down to the last row.
func (b *bookWriter) dressTab(t *tab, last int) error {
	for i := range t.columns {
		c := &t.columns[i]
		letter, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		text := noteText(c)
		note := excelize.Comment{Cell: letter + "1", Author: "adsync", Text: text, Width: 320, Height: uint(50 + 20*(len(text)/45+strings.Count(text, "\n")))}
		if err := b.file.AddComment(t.title, note); err != nil {
			return err
		}
		if err := b.addCheck(t, c, fmt.Sprintf("%s2:%s%d", letter, letter, last)); err != nil {
			return err
		}
	}
	end, err := excelize.CoordinatesToCellName(len(t.columns), last)
	if err != nil {
		return err
	}
	if err := b.fitPage(t); err != nil {
		return err
	}
	return b.file.AutoFilter(t.title, "A1:"+end, nil)
}

// pageWidth is how many characters of a row fit a printed page.
const pageWidth = 120

// fitPage prints a sheet small enough for its columns to stand on one page, if
// that can still be read. A stream drops the setting that fits it exactly.
func (b *bookWriter) fitPage(t *tab) error {
	width := 0.0
	for i := range t.columns {
		width += widthOf(&t.columns[i])
	}
	scale := uint(min(max(100*pageWidth/width, 30), 100))
	return b.file.SetPageLayout(t.title, &excelize.PageLayoutOptions{Orientation: new("landscape"), AdjustTo: &scale})
}

// addCheck warns while a cell is typed; it never refuses, because reading is
// more tolerant than any drop-down.
func (b *bookWriter) addCheck(t *tab, c *column, cells string) error {
	check := excelize.NewDataValidation(true)
	check.SetSqref(cells)
	check.SetError(excelize.DataValidationErrorStyleWarning, c.title, "adsync may not know this value. Keep it all the same?")
	source := b.choicesOf(t, c)
	switch {
	case source != "":
		check.SetSqrefDropList(source)
	case c.role == roleAttribute && c.attribute.Type == resource.TypeText && c.attribute.Max > 0 && c.attribute.Max <= maxCounted:
		check.SetError(excelize.DataValidationErrorStyleWarning, c.title, fmt.Sprintf("This is longer than %d characters. Keep it all the same?", c.attribute.Max))
		if err := check.SetRange(0, int(c.attribute.Max), excelize.DataValidationTypeTextLength, excelize.DataValidationOperatorBetween); err != nil {
			return err
		}
		if err := b.markTooLong(t, c, cells); err != nil {
			return err
		}
	default:
		return nil
	}
	return b.file.AddDataValidation(t.title, check)
}

// markTooLong turns a text red as soon as it is too long.
func (b *bookWriter) markTooLong(t *tab, c *column, cells string) error {
	red, err := b.file.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "9C0006"}, Fill: solid("FFC7CE")})
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(cells, ":")
	return b.file.SetConditionalFormat(t.title, cells, []excelize.ConditionalFormatOptions{{
		Type: "formula", Criteria: fmt.Sprintf("LEN(%s)>%d", first, c.attribute.Max), Format: &red,
	}})
}

// choicesOf names the range of a column's drop-down, "" where it has none.
func (b *bookWriter) choicesOf(t *tab, c *column) string {
	switch c.role {
	case roleInclude:
		return b.choiceRange("choices_include", []string{"yes", "no"})
	case roleUse:
		var words []string
		for _, use := range t.list.uses {
			words = append(words, use.word)
		}
		return b.choiceRange("choices_use_"+resource.Slug(t.title), words)
	case roleParent:
		return b.parentRange(c)
	case roleAttribute:
		if c.attribute.Type != resource.TypeChoice {
			return ""
		}
		var values []string
		for _, choice := range c.attribute.Choices {
			values = append(values, choice.Value)
		}
		return b.choiceRange("choices_"+strings.ReplaceAll(string(t.schema.Kind)+"_"+c.attribute.Name, ".", "_"), values)
	}
	return ""
}

func (b *bookWriter) choiceRange(name string, values []string) string {
	name = strings.ReplaceAll(name, "-", "_")
	for _, list := range b.choices {
		if list.name == name {
			return name
		}
	}
	b.choices = append(b.choices, choiceList{name, values})
	return name
}

// parentRange is the names on the sheet of the kind a column names.
func (b *bookWriter) parentRange(c *column) string {
	for _, s := range b.schemas {
		if s.Title != c.title || s.Sheet == "" {
			continue
		}
		letter, _ := excelize.ColumnNumberToName(b.schemas.Depth(s.Kind) + 1)
		sheet := "'" + s.Sheet + "'"
		return fmt.Sprintf("%s!$%s$2:$%s$%d", sheet, letter, letter, readyRows+1)
	}
	return ""
}
