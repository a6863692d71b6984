package yamlfmt

import (
	"fmt"
	"slices"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// same holds what was written against what was read: every document says the
// same, whatever the order of its keys, and no comment is lost or made. Both
// texts are parsed whole for it, as any other program would.
func same(before []*document, text, formatted string) error {
	after, err := parse(formatted)
	if err != nil {
		return fmt.Errorf("the text in order does not read again: %w", err)
	}
	said, says := nodes(text), nodes(formatted)
	if len(said) != len(says) || len(before) != len(after) {
		return &Problem{
			Message: "text cannot be put in order without changing where its documents end; it is left as it is",
		}
	}
	for i := range said {
		if !equal(said[i], says[i]) {
			return &Problem{
				Line: said[i].Line, Message: "document cannot " +
					"be put in order without changing what it says; it is left as it is",
			}
		}
	}
	var had, has []string
	for i, d := range before {
		if d.overlooked() {
			return &Problem{
				Line: d.first, Message: "comments of the document cannot be told from its texts; it is left as it is",
			}
		}
		had, has = append(had, d.texts()...), append(has, after[i].texts()...)
	}
	slices.Sort(had)
	slices.Sort(has)
	if !slices.Equal(had, has) {
		return &Problem{Message: "text cannot be put in order without losing a comment; it is left as it is"}
	}
	return nil
}

// nodes returns the documents of a text, to the first that does not parse.
func nodes(text string) []*yaml.Node {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var all []*yaml.Node
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			return all
		}
		all = append(all, &document)
	}
}

func (d *document) texts() []string {
	var texts []string
	for _, c := range d.comments {
		texts = append(texts, c.text)
	}
	return texts
}

// overlooked reports whether more # are written than stand in comments and texts: a
// comment was not found. It holds the search for comments by other means.
func (d *document) overlooked() bool {
	written, known := 0, 0
	for _, line := range d.lines {
		written += strings.Count(string(line), "#")
	}
	for _, c := range d.comments {
		known += strings.Count(c.text, "#")
	}
	if d.root != nil {
		known += sharps(d.root)
	}
	return written > known
}

func sharps(n *yaml.Node) int {
	count := strings.Count(n.Value, "#")
	for _, child := range n.Content {
		count += sharps(child)
	}
	return count
}

// equal reports whether two nodes mean the same.
func equal(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return a.Tag == b.Tag && a.Value == b.Value && isNothing(a) == isNothing(b)
	case yaml.MappingNode:
		return equalEntries(a, b)
	}
	return slices.EqualFunc(a.Content, b.Content, equal)
}

// equalEntries finds an equal entry for each; a key that stands twice is two.
func equalEntries(a, b *yaml.Node) bool {
	used := make([]bool, len(b.Content))
	for i := 0; i+1 < len(a.Content); i += 2 {
		found := false
		for j := 0; j+1 < len(b.Content) && !found; j += 2 {
			if !used[j] && equal(a.Content[i], b.Content[j]) && equal(a.Content[i+1], b.Content[j+1]) {
				used[j], found = true, true
			}
		}
		if !found {
			return false
		}
	}
	return true
}
