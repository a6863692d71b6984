package sources

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// readDefaults reads what every resource of a kind takes over where neither it
// nor its templates say anything.
func (y *yamlReader) readDefaults(node *yaml.Node) { y.readInheritances(node, false) }

// readTemplate reads what a resource takes over that says `use: [name]`.
func (y *yamlReader) readTemplate(node *yaml.Node) { y.readInheritances(node, true) }

func (y *yamlReader) readInheritances(node *yaml.Node, named bool) {
	first := len(y.result.inherits)
	var name mark
	for key, value := range y.entries(node) {
		v := y.in.words[resource.Kind(key.Value)]
		switch {
		case key.Value == "kind":
		case key.Value == "key" && named:
			name = y.mark(value, "key")
		case v == nil:
			y.unknownDefinition(key, named)
		case value.Kind != yaml.MappingNode:
			y.report(value, diag.BadValue,
				fmt.Sprintf("%s is %s; want a mapping of attributes", key.Value, shapeOf(value)), "")
		default:
			y.result.inherits = append(y.result.inherits, y.readInheritance(value, v))
		}
	}
	if named && name.text == "" {
		y.report(node, diag.Required, "template has no key; want one, for use: [key]", "")
	}
	for i := range y.result.inherits[first:] {
		y.result.inherits[first+i].name = name
	}
	if len(y.result.inherits) == first {
		y.report(node, diag.BadValue,
			"document sets nothing; want a kind with attributes, such as ad: {status: active}", "")
	}
}

func (y *yamlReader) unknownDefinition(key *yaml.Node, named bool) {
	known := []string{}
	if named {
		known = append(known, "key")
	}
	for _, s := range y.in.schemas {
		known = append(known, string(s.Kind))
	}
	y.report(key, diag.UnknownKey, fmt.Sprintf("%q is no kind; want %s", key.Value, strings.Join(known, ", ")),
		diag.DidYouMean(key.Value, known))
}

func (y *yamlReader) readInheritance(node *yaml.Node, v *vocabulary) inheritance {
	d := draft{schema: v.schema}
	before := len(y.problems)
	for key, value := range y.entries(node) {
		if w := v.attributes.byName[key.Value]; w != nil {
			y.readAttribute(&d, key, value, w)
			continue
		}
		y.unknown(key, v.schema, &v.attributes)
	}
	problems := errorsOf(y.problems[before:])
	ofAny(&d, len(problems))
	return inheritance{
		problems: problems, effect: d.effect, schema: v.schema,
		attributes: d.attributes, hints: d.hints, position: y.at(node),
	}
}

// readHintList reads a list of hints that ad groups take in by name.
func (y *yamlReader) readHintList(node *yaml.Node) {
	var list hintList
	hints := false
	before := len(y.problems)
	for key, value := range y.entries(node) {
		switch key.Value {
		case "kind":
		case "key":
			list.name = y.mark(value, "key")
		case "hints":
			hints = true
			list.items = y.listItems(value)
		default:
			y.report(key, diag.UnknownKey, fmt.Sprintf("%q is no key of a hint list; want hints, key", key.Value),
				diag.DidYouMean(key.Value, []string{"hints", "key"}))
		}
	}
	if list.name.text == "" {
		y.report(node, diag.Required, "hint list has no key; want one, for {list: key}", "")
	}
	if !hints {
		y.report(node, diag.Required, "hint list has no hints; want at least one", "")
	}
	list.problems = errorsOf(y.problems[before:])
	y.result.lists = append(y.result.lists, list)
}

func (y *yamlReader) listItems(node *yaml.Node) []hint {
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		y.report(node, diag.BadValue, "hints is "+shapeOf(node)+"; want a list with at least one hint", "")
		return nil
	}
	var items []hint
	for _, child := range node.Content {
		for _, item := range y.item(child, "hints", true) {
			if item.isList {
				y.report(child, diag.BadValue, fmt.Sprintf("hint list takes "+
					"in list %q; want sentences and files, so that no list can take in itself", item.text), "")
				continue
			}
			items = append(items, item)
		}
	}
	return items
}
