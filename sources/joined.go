package sources

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/tree"
)

// LoadJoined reads the sources of a project as they would be with further files
// beside them, or with files in another form, by their slash paths. A file that
// the project's sources leave out is an error: nobody would read it again.
func LoadJoined(p config.Project, ctx context.Context,
	schemas resource.Schemas, further map[string][]byte) (Desired, error) {
	t, err := tree.Open(p)
	if err != nil {
		return Desired{}, err
	}
	defer t.Close()
	contents := map[string][]byte{}
	for _, name := range t.List().Files {
		content, _, err := bounded.ReadRegular(t.Root, name, t.Bounds.OfSource(name))
		if err != nil {
			return Desired{}, fmt.Errorf("%s: %s", diag.Printable(name), bounded.Unreadable(err).Message)
		}
		contents[name] = content
	}
	for _, name := range slices.Sorted(maps.Keys(further)) {
		if !t.Includes(name) {
			return Desired{}, fmt.Errorf("%s is not among the sources of %s; want a name they include",
				diag.Printable(name), p.File)
		}
		contents[name] = further[name]
	}
	return LoadContents(ctx, p, schemas, contents), nil
}
