package plan

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Identify gives each live resource its address.
func Identify(schemas resource.Schemas, last, desired *resource.Snapshot, live []*resource.Resource) (*resource.Snapshot, []diag.Problem) {
	return &resource.Snapshot{}, nil
}
