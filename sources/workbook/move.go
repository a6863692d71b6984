package workbook

import (
	"path"
	"path/filepath"
	"slices"

	"adsync/internal/resource"
	"adsync/sources/attach"
)

// Moved returns a snapshot whose paths are those of files that stand elsewhere: a
// slash path from the project's folder becomes one from the folder given, itself
// a slash path from there. An image named so far only by its content keeps it.
func Moved(schemas resource.Schemas, s *resource.Snapshot, folder string) *resource.Snapshot {
	moved := &resource.Snapshot{}
	for r := range s.All() {
		copied := *r
		copied.Attributes = slices.Clone(r.Attributes)
		for i := range copied.Attributes {
			n := &copied.Attributes[i]
			if a, known := schemas.Of(r.Address.Kind).Attribute(n.Name); known {
				n.Value = movedPath(a, n.Value, folder)
			}
		}
		moved.Add(&copied)
	}
	return moved
}

func movedPath(a *resource.Attribute, v resource.Value, folder string) resource.Value {
	_, _, stored := attach.StoredIn(v.Written())
	if a.Type != resource.TypeImage && a.Type != resource.TypeMembers || v.Written() == v.Text() || stored {
		return v
	}
	near, err := filepath.Rel(filepath.FromSlash(path.Clean(folder)), filepath.FromSlash(v.Written()))
	if err != nil {
		return v
	}
	return v.As(filepath.ToSlash(near))
}

// Paths returns every path of a file that a snapshot's values are written as, with
// the attribute that has it.
func Paths(schemas resource.Schemas, s *resource.Snapshot) []PathUse {
	var all []PathUse
	for r := range s.All() {
		for _, n := range r.Attributes {
			a, known := schemas.Of(r.Address.Kind).Attribute(n.Name)
			if known && (a.Type == resource.TypeImage || a.Type == resource.TypeMembers) &&
				n.Value.Written() != n.Value.Text() {
				all = append(all, PathUse{r.Address, a, n.Value})
			}
		}
	}
	return all
}

// PathUse is a value that is written as the path of a file.
type PathUse struct {
	Address   resource.Address
	Attribute *resource.Attribute
	Value     resource.Value
}
