package sources

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// items returns what a list holds, file by file and item by item; named says
// that one of them is a hint list of another place.
func (y *yamlReader) items(node *yaml.Node, a *resource.Attribute) (items []hint, named, ok bool) {
	before := len(y.problems)
	if node.Kind == yaml.ScalarNode {
		texts, finding := listItems(a, node.Value)
		if finding != nil {
			y.problems = append(y.problems, bounded.ProblemAt(y.at(node), *finding))
			return nil, false, false
		}
		for _, text := range texts {
			items = append(items, hint{mark: mark{text: text, position: y.at(node)}})
		}
		if len(items) == 0 {
			y.report(node, diag.BadValue, a.Name+" is empty; want a list, or null to clear it", "")
		}
		return items, false, len(y.problems) == before
	}
	if node.Kind != yaml.SequenceNode {
		y.report(node, diag.BadValue, fmt.Sprintf("%s is %s; want a list", a.Name, shapeOf(node)), "")
		return nil, false, false
	}
	items = make([]hint, 0, len(node.Content))
	for _, child := range node.Content {
		items = append(items, y.item(child, a.Name, a.Type == resource.TypeHints)...)
	}
	named = slices.ContainsFunc(items, func(h hint) bool { return h.isList })
	return items, named, len(y.problems) == before
}

func (y *yamlReader) item(node *yaml.Node, where string, hints bool) []hint {
	switch {
	case node.Kind == yaml.ScalarNode && !isNull(node):
		if hints {
			y.noteComment(node, "an entry of "+where)
		}
		return []hint{{mark: mark{text: node.Value, position: y.at(node)}}}
	case node.Kind == yaml.MappingNode && hints:
		return y.reference(node, where)
	}
	y.report(node, diag.BadValue, fmt.Sprintf("an entry of %s is %s; want text", where, shapeOf(node)),
		quoteColon(node))
	return nil
}

// quoteColon helps with a sentence that YAML takes for a mapping.
func quoteColon(node *yaml.Node) string {
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 {
		return "put a text that holds a colon in quotes"
	}
	return ""
}

// reference reads {list: name} and {file: path}.
func (y *yamlReader) reference(node *yaml.Node, where string) []hint {
	if len(node.Content) == 2 && node.Content[1].Kind == yaml.ScalarNode {
		value := node.Content[1]
		switch node.Content[0].Value {
		case "list":
			return []hint{{mark: y.mark(value, "list"), isList: true}}
		case "file":
			hints, problems := y.in.hintFile(value.Value, y.at(value))
			y.problems = append(y.problems, problems...)
			return hints
		}
	}
	y.report(node, diag.BadValue,
		fmt.Sprintf("an entry of %s is a mapping; want text, {list: name} or {file: path}", where), quoteColon(node))
	return nil
}
