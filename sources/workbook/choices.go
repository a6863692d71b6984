package workbook

import (
	"fmt"
	"strings"

	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/catalog"

	"github.com/xuri/excelize/v2"
)

// choiceList is a named range of the drop-downs: a column of the hidden sheet
// Lists, or the names on a sheet of the workbook.
type choiceList struct {
	name   string
	values []string // on the sheet Lists, nil where refers says what the range is
	refers string
}

// dropDowns are the ranges that the drop-downs of a workbook choose from.
type dropDowns struct {
	file    *excelize.File
	rows    *rowMaker
	choices []choiceList
}

// choicesOf names the range of a column's drop-down, "" where it has none.
func (d *dropDowns) choicesOf(s *sheet, c *catalog.Column) string {
	switch c.Role {
	case catalog.RoleInclude:
		return d.choiceRange("choices_include", []string{"yes", "no"})
	case catalog.RoleUse:
		var words []string
		for _, use := range s.List.Uses {
			words = append(words, use.Word)
		}
		return d.choiceRange("choices_use_"+resource.Slug(s.Title), words)
	case catalog.RoleKind:
		return d.choiceRange("choices_kind_"+resource.Slug(s.Title), c.Words)
	case catalog.RoleParent:
		return d.parentRange(c)
	case catalog.RoleAttribute:
		if c.Attribute.Type != resource.TypeChoice {
			return ""
		}
		var values []string
		for _, choice := range c.Attribute.Choices {
			values = append(values, choice.Value)
		}
		return d.choiceRange("choices_"+string(s.Schema.Kind)+"_"+c.Attribute.Name, values)
	}
	return ""
}

func (d *dropDowns) choiceRange(name string, values []string) string {
	return d.choiceList(choiceList{name: strings.NewReplacer("-", "_", ".", "_").Replace(name), values: values})
}

// choiceList keeps a list once, by its name.
func (d *dropDowns) choiceList(l choiceList) string {
	for _, have := range d.choices {
		if have.name == l.name {
			return l.name
		}
	}
	d.choices = append(d.choices, l)
	return l.name
}

// parentRange is the names on the sheet of the kind a column names, as far down
// as there are any: rows that are added join it.
func (d *dropDowns) parentRange(c *catalog.Column) string {
	for _, s := range d.rows.schemas {
		if s.Title != c.Title || s.Sheet == "" {
			continue
		}
		first, last := 2, max(bounded.Defaults().SheetRows, len(d.rows.byKind[s.Kind]))+1
		if len(d.rows.byKind[s.Kind]) == 0 {
			first = 3 // below the example
		}
		column := Letters(d.rows.schemas.Depth(s.Kind))
		top := fmt.Sprintf("%s!$%s$%d", QuotedSheet(s.Sheet), column, first)
		all := fmt.Sprintf("%s:$%s$%d", top, column, last)
		return d.choiceList(choiceList{
			name: "names_" + string(s.Kind),
			// Gnumeric takes no INDEX behind a colon, and would save an error in its place.
			refers: fmt.Sprintf("OFFSET(%s,0,0,MAX(1,COUNTA(%s)),1)", top, all),
		})
	}
	return ""
}

// writeLists writes the named ranges, and the choices of those on the sheet
// Lists, one a column.
func (d *dropDowns) writeLists() error {
	column := 0
	for _, list := range d.choices {
		refers := list.refers
		if refers == "" {
			letter := Letters(column)
			column++
			values := append([]string{list.name}, list.values...)
			if err := d.file.SetSheetCol(listsTab, letter+"1", &values); err != nil {
				return err
			}
			refers = fmt.Sprintf("%s!$%s$2:$%s$%d", listsTab, letter, letter, len(list.values)+1)
		}
		if err := d.file.SetDefinedName(&excelize.DefinedName{Name: list.name, RefersTo: refers}); err != nil {
			return err
		}
	}
	return d.file.SetSheetVisible(listsTab, false)
}
