package yamlfile

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/draft"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// readDefaults reads what every resource of a kind takes over where neither it
// nor its templates say anything.
func (y *yamlReader) readDefaults(node *yaml.Node) { y.readInheritances(node, false) }

// readTemplate reads what a resource takes over that says `use: [name]`.
func (y *yamlReader) readTemplate(node *yaml.Node) { y.readInheritances(node, true) }

func (y *yamlReader) readInheritances(node *yaml.Node, named bool) {
	first := len(y.result.Inherits)
	var name draft.Mark
	for key, value := range y.Entries(node) {
		v := y.in.Words[resource.Kind(key.Value)]
		switch {
		case key.Value == "kind":
		case key.Value == "key" && named:
			name = y.mark(value, "key")
		case v == nil:
			y.unknownDefinition(key, named)
		case value.Kind != yaml.MappingNode:
			y.Report(value, diag.BadValue,
				fmt.Sprintf("%s is %s; want a mapping of attributes", key.Value, yamlnode.ShapeOf(value)), "")
		default:
			y.result.Inherits = append(y.result.Inherits, y.readInheritance(value, v))
		}
	}
	if named && name.Text == "" {
		y.Report(node, diag.Required, "template has no key; want one, for use: [key]", "")
	}
	for i := range y.result.Inherits[first:] {
		y.result.Inherits[first+i].Name = name
	}
	if len(y.result.Inherits) == first {
		y.Report(node, diag.BadValue,
			"document sets nothing; want a kind with attributes, such as ad: {status: active}", "")
	}
}

func (y *yamlReader) unknownDefinition(key *yaml.Node, named bool) {
	known := []string{}
	if named {
		known = append(known, "key")
	}
	for _, s := range y.in.Schemas {
		known = append(known, string(s.Kind))
	}
	y.Report(key, diag.UnknownKey, fmt.Sprintf("%q is no kind; want %s", key.Value, strings.Join(known, ", ")),
		diag.DidYouMean(key.Value, known))
}

func (y *yamlReader) readInheritance(node *yaml.Node, v *draft.Vocabulary) draft.Inheritance {
	d := draft.Draft{Schema: v.Schema}
	before := len(y.Problems)
	for key, value := range y.Entries(node) {
		if w := v.Attributes.ByName[key.Value]; w != nil {
			y.readAttribute(&d, key, value, w)
			continue
		}
		y.unknown(key, v.Schema, &v.Attributes)
	}
	problems := draft.ErrorsOf(y.Problems[before:])
	ofAny(&d, len(problems))
	return draft.Inheritance{
		Problems: problems, Effect: d.Effect, Schema: v.Schema,
		Attributes: d.Attributes, Hints: d.Hints, Position: y.At(node),
	}
}

// readHintList reads a list of hints that ad groups take in by name.
func (y *yamlReader) readHintList(node *yaml.Node) {
	var list draft.HintList
	hints := false
	before := len(y.Problems)
	for key, value := range y.Entries(node) {
		switch key.Value {
		case "kind":
		case "key":
			list.Name = y.mark(value, "key")
		case "hints":
			hints = true
			list.Items = y.listItems(value)
		default:
			y.Report(key, diag.UnknownKey, fmt.Sprintf("%q is no key of a hint list; want hints, key", key.Value),
				diag.DidYouMean(key.Value, []string{"hints", "key"}))
		}
	}
	if list.Name.Text == "" {
		y.Report(node, diag.Required, "hint list has no key; want one, for {list: key}", "")
	}
	if !hints {
		y.Report(node, diag.Required, "hint list has no hints; want at least one", "")
	}
	list.Problems = draft.ErrorsOf(y.Problems[before:])
	y.result.Lists = append(y.result.Lists, list)
}

func (y *yamlReader) listItems(node *yaml.Node) []draft.Hint {
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		y.Report(node, diag.BadValue, "hints is "+yamlnode.ShapeOf(node)+"; want a list with at least one hint", "")
		return nil
	}
	var items []draft.Hint
	for _, child := range node.Content {
		for _, item := range y.item(child, "hints", true) {
			if item.IsList {
				y.Report(child, diag.BadValue, fmt.Sprintf("hint list takes "+
					"in list %q; want sentences and files, so that no list can take in itself", item.Text), "")
				continue
			}
			items = append(items, item)
		}
	}
	return items
}
