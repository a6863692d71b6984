package reconcile

import (
	"slices"

	"adsync/internal/resource"
)

// Supersedes compares what two versions of the files say of a resource.
func Supersedes(newer, files *resource.Snapshot, address resource.Address) bool {
	a, b := newer.Get(address), files.Get(address)
	if a == nil || b == nil {
		return a != b
	}
	return !slices.EqualFunc(a.Attributes, b.Attributes, func(x, y resource.Named) bool {
		return x.Name == y.Name && x.Value.Equal(y.Value)
	})
}
