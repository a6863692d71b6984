package sources

import (
	"adsync/internal/resource"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// Collect makes the snapshot of results, as Load does once files are read.
func Collect(schemas resource.Schemas, t *tree.Tree, files []tree.File, results []draft.Result) Desired {
	return newCollection(schemas, t).collect(files, results)
}
