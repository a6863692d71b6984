package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// settingReader reads the settings of a file: adsync.yaml, or one of the operator's.
type settingReader struct{ yamlnode.Walker }

// fields hands each key of a mapping of the project file to its reader.
func (w *settingReader) fields(node *yaml.Node, where string, readers map[string]func(*yaml.Node)) {
	if node.Kind != yaml.MappingNode {
		w.Report(node, diag.BadProject, where+" is "+yamlnode.ShapeOf(node)+"; want a mapping", "")
		return
	}
	for key, value := range w.Entries(node) {
		if read, known := readers[key.Value]; known {
			read(value)
			continue
		}
		w.unknownSetting(key, where, slices.Sorted(maps.Keys(readers)))
	}
}

// unknownSetting names the nearest setting. Where the key looks like a
// credential its line is not shown: it may hold one.
func (w *settingReader) unknownSetting(key *yaml.Node, where string, known []string) {
	for _, word := range []string{"key", "secret", "token", "password", "credential", "url", "address"} {
		if strings.Contains(strings.ToLower(key.Value), word) {
			w.reportUnseen(key, fmt.Sprintf("%s has %q; want no address and no credential in a file that is shared",
				where, key.Value), operatorSide)
			return
		}
	}
	w.Report(key, diag.BadProject, fmt.Sprintf("%s has %q; want %s", where, key.Value, strings.Join(known, ", ")),
		diag.DidYouMean(key.Value, known))
}

// reportUnseen reports a problem without the line it stands in, which a
// rendering would quote.
func (w *settingReader) reportUnseen(node *yaml.Node, message, hint string) {
	w.Problems = append(w.Problems, diag.Problem{
		Severity: diag.Error, Code: diag.BadProject, Position: w.Origin.At(0, 0),
		Message: fmt.Sprintf("line %d: %s", node.Line, message), Hint: hint,
	})
}

// setting is a text of the project file.
func (w *settingReader) setting(node *yaml.Node, where string) Setting {
	if node.Kind != yaml.ScalarNode || yamlnode.IsNull(node) || node.Value == "" {
		w.Report(node, diag.BadProject, where+" is "+yamlnode.ShapeOf(node)+"; want a text", "")
		return Setting{}
	}
	return Setting{Value: node.Value, Position: w.At(node)}
}

func (w *settingReader) settings(node *yaml.Node, where string) []Setting {
	if node.Kind != yaml.SequenceNode {
		w.Report(node, diag.BadProject, where+" is "+yamlnode.ShapeOf(node)+"; want a list", "")
		return nil
	}
	var settings []Setting
	for _, child := range node.Content {
		if s := w.setting(child, where); s.Value != "" {
			settings = append(settings, s)
		}
	}
	return settings
}

func (w *settingReader) choice(node *yaml.Node, where string, choices ...string) Setting {
	s := w.setting(node, where)
	if s.Value != "" && !slices.Contains(choices, s.Value) {
		w.Report(node, diag.BadProject, fmt.Sprintf("%s is %q; want %s", where, s.Value, strings.Join(choices, ", ")),
			diag.DidYouMean(s.Value, choices))
		return Setting{}
	}
	return s
}
