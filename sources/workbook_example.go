package sources

import (
	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// exampleCells are one row that shows what goes where. It begins with #, so it
// is not read.
func (b *bookWriter) exampleCells(s *sheet) ([]any, error) {
	style, err := b.styles.number(look{font: colourQuiet, italic: true, wrap: true, line: true})
	if err != nil {
		return nil, err
	}
	var cells []any
	shown := exampleOf(s.schema)
	for i := range s.columns {
		text := b.example(&s.tab, &s.columns[i], shown)
		if i == 0 {
			text = "# " + text
		}
		cells = append(cells, &excelize.Cell{StyleID: style, Value: text})
	}
	return cells, nil
}

func (b *bookWriter) example(t *tab, c *column, shown resource.Attributes) string {
	switch c.role {
	case roleAttribute:
		return c.attribute.Format(shown.Value(c.attribute.Name))
	case roleKind:
		return c.words[0]
	case roleParent:
		for s := t.schema; s != nil; s = b.schemas.Of(s.Parent) {
			if s.Title == c.title && len(s.NameFrom) > 0 {
				a, _ := s.Attribute(s.NameFrom[0])
				return a.Example
			}
		}
	case roleItem:
		if a, ok := t.schema.Attribute(t.list.uses[0].attribute); ok {
			return a.Split(a.Example)[0]
		}
	case roleUse:
		return t.list.uses[0].word
	case roleInclude:
		return "yes"
	case roleKey:
		return resource.Slug(b.nameExample(t.schema))
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
			a.Type == resource.TypeIDs || a.Type == resource.TypeObject || exclusive && taken[group.Wire] {
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
