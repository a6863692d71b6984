package yamlfile

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/celltext"
	"adsync/sources/draft"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// items returns what a list holds, file by file and item by item; named says
// that one of them is a hint list of another place.
func (y *valueReader) items(node *yaml.Node, a *resource.Attribute) (items []draft.Hint, named, ok bool) {
	before := len(y.Problems)
	if node.Kind == yaml.ScalarNode {
		texts, finding := celltext.ListItems(a, node.Value)
		if finding != nil {
			y.Problems = append(y.Problems, bounded.ProblemAt(y.At(node), *finding))
			return nil, false, false
		}
		for _, text := range texts {
			items = append(items, draft.Hint{Mark: draft.Mark{Text: text, Position: y.At(node)}})
		}
		if len(items) == 0 {
			y.Report(node, diag.BadValue, a.Name+" is empty; want a list, or null to clear it", "")
		}
		return items, false, len(y.Problems) == before
	}
	if node.Kind != yaml.SequenceNode {
		y.Report(node, diag.BadValue, fmt.Sprintf("%s is %s; want a list", a.Name, yamlnode.ShapeOf(node)), "")
		return nil, false, false
	}
	items = make([]draft.Hint, 0, len(node.Content))
	for _, child := range node.Content {
		if text, position, ok := factorEntry(a, child); ok {
			items = append(items, draft.Hint{Mark: draft.Mark{Text: text, Position: y.At(position)}})
			continue
		}
		items = append(items, y.item(child, a.Name, a.Type == resource.TypeHints)...)
	}
	named = slices.ContainsFunc(items, func(h draft.Hint) bool { return h.IsList })
	return items, named, len(y.Problems) == before
}

// factorEntry takes what YAML reads as a mapping of one key, `audience/customers: 1.5`, for
// the entry it is meant for.
func factorEntry(a *resource.Attribute, node *yaml.Node) (text string, at *yaml.Node, ok bool) {
	if a.Type != resource.TypeFactors || node.Kind != yaml.MappingNode || len(node.Content) != 2 ||
		node.Content[1].Kind != yaml.ScalarNode {
		return "", nil, false
	}
	return node.Content[0].Value + " x " + node.Content[1].Value, node.Content[0], true
}

func (y *valueReader) item(node *yaml.Node, where string, hints bool) []draft.Hint {
	switch {
	case node.Kind == yaml.ScalarNode && !yamlnode.IsNull(node):
		if hints {
			y.noteComment(node, "an entry of "+where)
		}
		return []draft.Hint{{Mark: draft.Mark{Text: node.Value, Position: y.At(node)}}}
	case node.Kind == yaml.MappingNode && hints:
		return y.reference(node, where)
	}
	y.Report(node, diag.BadValue, fmt.Sprintf("an entry of %s is %s; want text", where, yamlnode.ShapeOf(node)),
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
func (y *valueReader) reference(node *yaml.Node, where string) []draft.Hint {
	if len(node.Content) == 2 && node.Content[1].Kind == yaml.ScalarNode {
		value := node.Content[1]
		switch node.Content[0].Value {
		case "list":
			return []draft.Hint{{Mark: y.mark(value, "list"), IsList: true}}
		case "file":
			hints, problems := y.in.HintFile(value.Value, y.At(value))
			y.Problems = append(y.Problems, problems...)
			return hints
		}
	}
	y.Report(node, diag.BadValue,
		fmt.Sprintf("an entry of %s is a mapping; want text, {list: name} or {file: path}", where), quoteColon(node))
	return nil
}
