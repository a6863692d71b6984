package workbook

import (
	"fmt"
	"strings"

	"adsync/internal/resource"
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

// choicesOf names the range of a column's drop-down, "" where it has none.
func (b *bookWriter) choicesOf(s *sheet, c *catalog.Column) string {
	switch c.Role {
	case catalog.RoleInclude:
		return b.choiceRange("choices_include", []string{"yes", "no"})
	case catalog.RoleUse:
		var words []string
		for _, use := range s.List.Uses {
			words = append(words, use.Word)
		}
		return b.choiceRange("choices_use_"+resource.Slug(s.Title), words)
	case catalog.RoleKind:
		return b.choiceRange("choices_kind_"+resource.Slug(s.Title), c.Words)
	case catalog.RoleParent:
		return b.parentRange(c)
	case catalog.RoleAttribute:
		if c.Attribute.Type != resource.TypeChoice {
			return ""
		}
		var values []string
		for _, choice := range c.Attribute.Choices {
			values = append(values, choice.Value)
		}
		return b.choiceRange("choices_"+string(s.Schema.Kind)+"_"+c.Attribute.Name, values)
	}
	return ""
}

func (b *bookWriter) choiceRange(name string, values []string) string {
	return b.choiceList(choiceList{name: strings.NewReplacer("-", "_", ".", "_").Replace(name), values: values})
}

// choiceList keeps a list once, by its name.
func (b *bookWriter) choiceList(l choiceList) string {
	for _, have := range b.choices {
		if have.name == l.name {
			return l.name
		}
	}
	b.choices = append(b.choices, l)
	return l.name
}

// parentRange is the names on the sheet of the kind a column names, as far down
// as there are any: rows that are added join it.
func (b *bookWriter) parentRange(c *catalog.Column) string {
	for _, s := range b.schemas {
		if s.Title != c.Title || s.Sheet == "" {
			continue
		}
		first, last := 2, max(ReadyRows, len(b.byKind[s.Kind]))+1
		if len(b.byKind[s.Kind]) == 0 {
			first = 3 // below the example
		}
		column := Letters(b.schemas.Depth(s.Kind))
		top := fmt.Sprintf("%s!$%s$%d", QuotedSheet(s.Sheet), column, first)
		all := fmt.Sprintf("%s:$%s$%d", top, column, last)
		return b.choiceList(choiceList{
			name:   "names_" + string(s.Kind),
			refers: fmt.Sprintf("%s:INDEX(%s,MAX(1,COUNTA(%s)))", top, all, all),
		})
	}
	return ""
}

// writeLists writes the named ranges, and the choices of those on the sheet
// Lists, one a column.
func (b *bookWriter) writeLists() error {
	column := 0
	for _, list := range b.choices {
		refers := list.refers
		if refers == "" {
			letter := Letters(column)
			column++
			values := append([]string{list.name}, list.values...)
			if err := b.file.SetSheetCol(listsTab, letter+"1", &values); err != nil {
				return err
			}
			refers = fmt.Sprintf("%s!$%s$2:$%s$%d", listsTab, letter, letter, len(list.values)+1)
		}
		if err := b.file.SetDefinedName(&excelize.DefinedName{Name: list.name, RefersTo: refers}); err != nil {
			return err
		}
	}
	return b.file.SetSheetVisible(listsTab, false)
}
