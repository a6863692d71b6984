package runs

import (
	"encoding/json"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// SnapshotDocument is the JSON form of the desired snapshot: money in micros,
// cleared attributes null, absent ones left out.
type SnapshotDocument struct {
	FormatVersion int                `json:"format_version"`
	Resources     []ResourceDocument `json:"resources"`
	Problems      []diag.Problem     `json:"problems"`
}

type ResourceDocument struct {
	Address    string         `json:"address"`
	Kind       resource.Kind  `json:"kind"`
	ID         string         `json:"id,omitempty"`
	Attributes map[string]any `json:"attributes"`
	Position   diag.Position  `json:"position"`
}

// Nested writes dotted attribute names the way YAML nests them.
func Nested(attributes resource.Attributes) map[string]any {
	tree := map[string]any{}
	for _, n := range attributes {
		holder, rest := tree, n.Name
		for {
			key, below, dotted := strings.Cut(rest, ".")
			if !dotted {
				holder[key] = document(n.Value)
				break
			}
			inner, ok := holder[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				holder[key] = inner
			}
			holder, rest = inner, below
		}
	}
	return tree
}

// document returns a value for encoding: an image as its path in the tree.
func document(v resource.Value) any {
	if strings.HasPrefix(v.Text(), "sha256:") {
		return v.Written()
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return json.RawMessage(raw)
}
