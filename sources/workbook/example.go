package workbook

import (
	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// exampleCells are one row that shows what goes where. It begins with #, so it
// is not read.
func (b *bookWriter) exampleCells(s *sheet) ([]any, error) {
	style, err := b.styles.Number(look.Look{Font: look.ColourQuiet, Italic: true, Wrap: true, Line: true})
	if err != nil {
		return nil, err
	}
	var cells []any
	shown := exampleOf(s.Schema)
	for i := range s.Columns {
		text := b.example(&s.Tab, &s.Columns[i], shown)
		if i == 0 {
			text = "# " + text
		}
		cells = append(cells, &excelize.Cell{StyleID: style, Value: text})
	}
	return cells, nil
}

func (b *bookWriter) example(t *catalog.Tab, c *catalog.Column, shown resource.Attributes) string {
	switch c.Role {
	case catalog.RoleAttribute:
		return c.Attribute.Format(shown.Value(c.Attribute.Name))
	case catalog.RoleKind:
		return c.Words[0]
	case catalog.RoleParent:
		for s := t.Schema; s != nil; s = b.schemas.Of(s.Parent) {
			if s.Title == c.Title && len(s.NameFrom) > 0 {
				a, _ := s.Attribute(s.NameFrom[0])
				return a.Example
			}
		}
	case catalog.RoleItem:
		if a, ok := t.Schema.Attribute(t.List.Uses[0].Attribute); ok {
			return a.Split(a.Example)[0]
		}
	case catalog.RoleUse:
		return t.List.Uses[0].Word
	case catalog.RoleInclude:
		return "yes"
	case catalog.RoleKey:
		return resource.Slug(b.nameExample(t.Schema))
	}
	return ""
}

// exampleOf is the resource the examples of a kind make together: without ids
// nobody has, and without what a rule refuses beside what stands before it.
func exampleOf(s *resource.Schema) resource.Attributes {
	var shown resource.Attributes
	taken := map[string]bool{}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		group, _ := s.Group(a)
		exclusive := group != nil && group.Exclusive
		if a.Example == "" || a.Type == resource.TypeID ||
			a.Type == resource.TypeIDs || a.Type == resource.TypeFactors ||
			a.Type == resource.TypeObject || exclusive && taken[group.Wire] {
			continue
		}
		if exclusive {
			taken[group.Wire] = true
		}
		shown.Set(a.Name, exampleValue(a))
	}
	return shown
}

func exampleValue(a *resource.Attribute) resource.Value {
	if !a.Type.IsList() {
		v, _ := a.Parse(a.Example, resource.Env{})
		return v
	}
	v, _ := a.ParseList(a.Split(a.Example))
	return v
}

func (b *bookWriter) nameExample(s *resource.Schema) string {
	for _, name := range s.NameFrom {
		if a, ok := s.Attribute(name); ok {
			return a.Example
		}
	}
	return ""
}
