package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"

	"github.com/spf13/cobra"
)

func (a *app) convert() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "convert --to json [FOLDER]",
		Short: "Print the desired snapshot the files make",
		RunE: func(c *cobra.Command, args []string) error {
			if to != "json" {
				return usage(c, fmt.Errorf("--to is %q; want json", to))
			}
			return a.runConvert(c, args)
		},
	}
	c.Flags().StringVar(&to, "to", "json", "format: json")
	return c
}

// snapshotDocument is the JSON form of the desired snapshot: money in micros,
// cleared attributes null, absent ones left out.
type snapshotDocument struct {
	FormatVersion int                `json:"format_version"`
	Resources     []resourceDocument `json:"resources"`
	Problems      []diag.Problem     `json:"problems"`
}

type resourceDocument struct {
	Address    string         `json:"address"`
	Kind       resource.Kind  `json:"kind"`
	ID         string         `json:"id,omitempty"`
	Attributes map[string]any `json:"attributes"`
	Position   diag.Position  `json:"position"`
}

func (a *app) runConvert(c *cobra.Command, args []string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	l := a.load(c.Context(), dir)
	document := snapshotDocument{formatVersion, []resourceDocument{}, listed(l.desired.Problems)}
	for r := range l.desired.Snapshot.All() {
		document.Resources = append(document.Resources, resourceDocument{r.Address.String(), r.Address.Kind, r.ID, nested(r.Attributes), r.Position})
	}
	if err := a.printJSON(document); err != nil {
		return err
	}
	a.flags.output = "text"
	return a.invalid(l, l.desired.Problems)
}

// nested writes dotted attribute names the way YAML nests them.
func nested(attributes resource.Attributes) map[string]any {
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

// document gives a value for encoding: an image as its path in the tree.
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
