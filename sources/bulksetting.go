package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/jsonschema"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Bulk is how bulk jobs are used: each setting is one of bulkChoices, "" where
// the file says nothing.
type Bulk struct {
	RepeatParent string
	Rehearse     string
}

// bulkChoices are the values of the settings. The first is what is meant where
// nothing is written.
var bulkChoices = map[string][]string{
	"repeat_parent": {"auto", "never"},
	"rehearse":      {"auto", "always", "never"},
}

func (p *Project) readBulk(w *walker, node *yaml.Node) {
	w.fields(node, "bulk", map[string]func(*yaml.Node){
		"repeat_parent": func(n *yaml.Node) { p.Bulk.RepeatParent = bulkSetting(w, n, "repeat_parent") },
		"rehearse":      func(n *yaml.Node) { p.Bulk.Rehearse = bulkSetting(w, n, "rehearse") },
	})
}

func bulkSetting(w *walker, node *yaml.Node, name string) string {
	value := w.setting(node, "bulk."+name).Value
	if choices := bulkChoices[name]; value != "" && !slices.Contains(choices, value) {
		w.report(node, diag.BadProject, fmt.Sprintf("bulk.%s is %q; want %s", name, diag.Printable(value), strings.Join(choices, " or ")), diag.DidYouMean(value, choices))
		return ""
	}
	return value
}

func bulkSchema() *jsonschema.Schema {
	return closed("How bulk jobs are used. What is absent is auto.", jsonschema.Properties{
		{Name: "repeat_parent", Schema: &jsonschema.Schema{Enum: bulkChoices["repeat_parent"], Description: "auto: a new tree larger than a job goes on in further jobs that repeat its parents, tried with one branch first. never: what does not fit goes through single requests."}},
		{Name: "rehearse", Schema: &jsonschema.Schema{Enum: bulkChoices["rehearse"], Description: "Creates that the service is asked to validate before the first change. auto: one job, of all where it holds them, else of one tree of every shape. always: all. never: none."}},
	})
}
