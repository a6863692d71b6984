package draft

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// InOrder returns the keys of a mapping in the order people read them: what the
// resource is, what it is called, where it belongs, its attributes as the
// schema has them, what is beneath it last.
func (ws *Words) InOrder(schemas resource.Schemas, s *resource.Schema) []string {
	return slices.SortedFunc(maps.Keys(ws.ByName), func(a, b string) int {
		x, y := ws.ByName[a], ws.ByName[b]
		return cmp.Or(
			cmp.Compare(x.rank(s), y.rank(s)),
			cmp.Compare(x.place(schemas, s), y.place(schemas, s)),
			strings.Compare(a, b),
		)
	})
}

// rank orders the roles; the attribute that names a resource goes before its
// place in the tree.
func (w *Word) rank(s *resource.Schema) int {
	switch w.Role {
	case IsKind:
		return 0
	case IsKey:
		return 1
	case IsID:
		return 2
	case IsParent:
		return 4
	case IsAttribute, IsGroup:
		if slices.Contains(s.NameFrom, w.Path) && s.Attributes[0].Name == w.Path {
			return 3
		}
		return 6
	case IsChildren:
		return 7
	}
	return 5
}

// place orders words of one role: ancestors from the top of the tree down,
// attributes and children as the schemas have them.
func (w *Word) place(schemas resource.Schemas, s *resource.Schema) int {
	switch w.Role {
	case IsParent:
		return w.Ancestor
	case IsAttribute, IsGroup:
		return slices.IndexFunc(s.Attributes, func(a resource.Attribute) bool {
			return a.Name == w.Path || strings.HasPrefix(a.Name, w.Path+".")
		})
	case IsChildren:
		return slices.Index(schemas, w.Child.Schema)
	}
	return 0
}
