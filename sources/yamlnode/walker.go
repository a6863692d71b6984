// Package yamlnode walks the nodes of one YAML file and keeps what is wrong with them.
// walker.go is all of it: documents, keys, positions, and the refusal of aliases and tags.
//
// It reads text as it is written; what YAML takes a scalar for decides nothing.
package yamlnode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/bounded"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Walker goes through the nodes of one YAML file and keeps its problems. It
// reads text as it is written: what YAML takes a scalar for decides nothing.
type Walker struct {
	Origin   diag.Origin
	Problems []diag.Problem
}

// Documents returns each document that holds something, by its number from 0. A
// document that does not parse ends the file with a problem.
func (w *Walker) Documents(content []byte) iter.Seq2[int, *yaml.Node] {
	return func(yield func(int, *yaml.Node) bool) {
		content = yamlfmt.Accepted(bytes.TrimPrefix(content, bounded.UTF8Mark))
		decoder := yaml.NewDecoder(bytes.NewReader(content))
		number := 0
		for {
			var document yaml.Node
			err := decoder.Decode(&document)
			if err != nil {
				w.ended(err, content, number)
				return
			}
			if len(document.Content) == 0 || IsNull(document.Content[0]) {
				continue
			}
			number++
			if !yield(number-1, document.Content[0]) {
				return
			}
		}
	}
}

func (w *Walker) ended(err error, content []byte, documents int) {
	switch {
	case errors.Is(err, io.EOF) && documents == 0:
		w.Problems = append(w.Problems, diag.Problem{
			Severity: diag.Error, Code: diag.Damaged, Position: w.Origin.At(0, 0),
			Message: "file holds nothing but comments or null; want resources",
			Hint:    "delete the file if that is meant",
		})
	case !errors.Is(err, io.EOF):
		w.Problems = append(w.Problems, w.syntax(err, content))
	}
}

// syntax returns why a text is no YAML, where it stops being it.
func (w *Walker) syntax(err error, content []byte) diag.Problem {
	f := yamlfmt.FaultOf(err, content)
	code := diag.Syntax
	if f.Limit {
		code = diag.TooLarge
	}
	return bounded.ProblemAt(w.Origin.At(f.Line, f.Column),
		resource.Finding{Code: code, Message: f.Message, Hint: f.Hint})
}

// Sound refuses what would make a document mean more than what is written at
// each place: aliases, tags, and nesting without an end.
func (w *Walker) Sound(node *yaml.Node, most int) bool { return w.soundTo(node, most, most) }

func (w *Walker) soundTo(node *yaml.Node, depth, most int) bool {
	switch {
	case depth == 0 && len(node.Content) > 0:
		w.Problems = append(w.Problems,
			bounded.ProblemAt(w.At(node), bounded.Limit("look for brackets or dashes too many",
				resource.Enough("depth", 2*int64(most)), "nesting is too deep; want at most %d levels", most)))
		return false
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		w.Report(node, diag.BadValue, "an anchor or alias is written; want each value where it belongs",
			"put a text that "+
				"begins with & or * in quotes; kind: template, kind: defaults and kind: hint_list say a thing once")
		return false
	case node.Style&yaml.TaggedStyle != 0:
		w.Report(node, diag.BadValue, fmt.Sprintf("tag %s is written; want a value without a tag", node.Tag),
			"put a text that begins with ! in quotes")
		return false
	}
	ok := true
	for _, child := range node.Content {
		ok = w.soundTo(child, depth-1, most) && ok
	}
	return ok
}

// Entries returns each key of a mapping with its value. A key that is no text,
// that stands twice, or that differs from another in case alone is a problem
// and is left out.
func (w *Walker) Entries(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		var many map[string]*yaml.Node
		if len(node.Content) > 64 {
			many = make(map[string]*yaml.Node, len(node.Content)/2)
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag != StrTag {
				w.Report(key, diag.UnknownKey, "key is "+ShapeOf(key)+"; want a name", commaHint(node, i))
				continue
			}
			if first := firstKey(node, i, many); first != nil {
				w.ReportTwice(key, first)
				continue
			}
			if !yield(key, node.Content[i+1]) {
				return
			}
		}
	}
}

// commaHint helps with {daily: 50,00}, which YAML takes for two entries.
func commaHint(node *yaml.Node, i int) string {
	if node.Style&yaml.FlowStyle != 0 && i > 0 && node.Content[i].Tag == "!!int" && IsNothing(node.Content[i+1]) {
		return fmt.Sprintf("write %s.%s: a comma ends an entry between braces",
			node.Content[i-1].Value, node.Content[i].Value)
	}
	return ""
}

// firstKey returns an earlier key of the mapping that is the same but for case.
func firstKey(node *yaml.Node, i int, many map[string]*yaml.Node) *yaml.Node {
	key := node.Content[i]
	if many != nil {
		folded := strings.ToLower(key.Value)
		first := many[folded]
		if first == nil {
			many[folded] = key
		}
		return first
	}
	for j := 0; j < i; j += 2 {
		if strings.EqualFold(node.Content[j].Value, key.Value) && node.Content[j].Kind == yaml.ScalarNode {
			return node.Content[j]
		}
	}
	return nil
}

// ReportTwice reports a key that stands twice.
func (w *Walker) ReportTwice(key, first *yaml.Node) {
	if key.Value == first.Value {
		w.Report(key, diag.Duplicate,
			fmt.Sprintf("key %q stands twice, first in line %d; want it once", key.Value, first.Line), "")
		return
	}
	w.Report(key, diag.Duplicate, fmt.Sprintf("key %q differs from %q in line %d in case alone; want one of them",
		key.Value, first.Value, first.Line), "")
}

// At returns the position of a node.
func (w *Walker) At(node *yaml.Node) diag.Position {
	return w.Origin.At(node.Line, node.Column)
}

// Report keeps a problem at a node.
func (w *Walker) Report(node *yaml.Node, code diag.Code, message, hint string) {
	w.Problems = append(w.Problems, diag.Problem{
		Severity: diag.Error, Code: code, Position: w.At(node),
		Message: bounded.Shortened(message), Hint: bounded.Shortened(hint),
	})
}

const (
	StrTag  = "!!str"
	nullTag = "!!null"
)

// IsNull is true for `null`, `~` and for a key without a value.
func IsNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == nullTag
}

// IsNothing is true where no value is written at all.
func IsNothing(node *yaml.Node) bool { return IsNull(node) && node.Value == "" }

// ShapeOf returns what is written, for messages.
func ShapeOf(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case IsNothing(node):
		return "without a value"
	case IsNull(node):
		return "null"
	case node.Tag == StrTag:
		return strconv.Quote(node.Value)
	}
	return fmt.Sprintf("%s, which YAML takes for %s", node.Value, tagNames[node.Tag])
}

// tagNames says in words what YAML makes of a scalar without quotes.
var tagNames = map[string]string{
	"!!int": "a number", "!!float": "a number", "!!bool": "true or false",
	"!!timestamp": "a date", "!!merge": "a merge of mappings",
}
