package sources

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// inOrder returns the keys of a mapping in the order people read them: what the
// resource is, what it is called, where it belongs, its attributes as the
// schema has them, what is beneath it last.
func (ws *words) inOrder(schemas resource.Schemas, s *resource.Schema) []string {
	return slices.SortedFunc(maps.Keys(ws.byName), func(a, b string) int {
		x, y := ws.byName[a], ws.byName[b]
		return cmp.Or(
			cmp.Compare(x.rank(s), y.rank(s)),
			cmp.Compare(x.place(schemas, s), y.place(schemas, s)),
			strings.Compare(a, b),
		)
	})
}

// rank orders the roles; the attribute that names a resource goes before its
// place in the tree.
func (w *word) rank(s *resource.Schema) int {
	switch w.role {
	case isKind:
		return 0
	case isKey:
		return 1
	case isID:
		return 2
	case isParent:
		return 4
	case isAttribute, isGroup:
		if slices.Contains(s.NameFrom, w.path) && s.Attributes[0].Name == w.path {
			return 3
		}
		return 6
	case isChildren:
		return 7
	}
	return 5
}

// place orders words of one role: ancestors from the top of the tree down,
// attributes and children as the schemas have them.
func (w *word) place(schemas resource.Schemas, s *resource.Schema) int {
	switch w.role {
	case isParent:
		return w.ancestor
	case isAttribute, isGroup:
		return slices.IndexFunc(s.Attributes, func(a resource.Attribute) bool {
			return a.Name == w.path || strings.HasPrefix(a.Name, w.path+".")
		})
	case isChildren:
		return slices.Index(schemas, w.child.schema)
	}
	return 0
}
