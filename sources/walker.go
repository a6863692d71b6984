package sources

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

// walker goes through the nodes of one YAML file and keeps its problems. It
// reads text as it is written: what YAML takes a scalar for decides nothing.
type walker struct {
	origin   diag.Origin
	problems []diag.Problem
}

// documents returns each document that holds something, by its number from 0. A
// document that does not parse ends the file with a problem.
func (w *walker) documents(content []byte) iter.Seq2[int, *yaml.Node] {
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
			if len(document.Content) == 0 || isNull(document.Content[0]) {
				continue
			}
			number++
			if !yield(number-1, document.Content[0]) {
				return
			}
		}
	}
}

func (w *walker) ended(err error, content []byte, documents int) {
	switch {
	case errors.Is(err, io.EOF) && documents == 0:
		w.problems = append(w.problems, diag.Problem{
			Severity: diag.Error, Code: diag.Damaged, Position: w.origin.At(0, 0),
			Message: "file holds nothing but comments or null; want resources",
			Hint:    "delete the file if that is meant",
		})
	case !errors.Is(err, io.EOF):
		w.problems = append(w.problems, w.syntax(err, content))
	}
}

// syntax says why a text is no YAML, where it stops being it.
func (w *walker) syntax(err error, content []byte) diag.Problem {
	f := yamlfmt.FaultOf(err, content)
	code := diag.Syntax
	if f.Limit {
		code = diag.TooLarge
	}
	return bounded.ProblemAt(w.origin.At(f.Line, f.Column),
		resource.Finding{Code: code, Message: f.Message, Hint: f.Hint})
}

// sound refuses what would make a document mean more than what is written at
// each place: aliases, tags, and nesting without an end.
func (w *walker) sound(node *yaml.Node, most int) bool { return w.soundTo(node, most, most) }

func (w *walker) soundTo(node *yaml.Node, depth, most int) bool {
	switch {
	case depth == 0 && len(node.Content) > 0:
		w.problems = append(w.problems,
			bounded.ProblemAt(w.at(node), bounded.Limit("look for brackets or dashes too many",
				resource.Enough("depth", 2*int64(most)), "nesting is too deep; want at most %d levels", most)))
		return false
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		w.report(node, diag.BadValue, "an anchor or alias is written; want each value where it belongs",
			"put a text that "+
				"begins with & or * in quotes; kind: template, kind: defaults and kind: hint_list say a thing once")
		return false
	case node.Style&yaml.TaggedStyle != 0:
		w.report(node, diag.BadValue, fmt.Sprintf("tag %s is written; want a value without a tag", node.Tag),
			"put a text that begins with ! in quotes")
		return false
	}
	ok := true
	for _, child := range node.Content {
		ok = w.soundTo(child, depth-1, most) && ok
	}
	return ok
}

// entries returns each key of a mapping with its value. A key that is no text,
// that stands twice, or that differs from another in case alone is a problem
// and is left out.
func (w *walker) entries(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		var many map[string]*yaml.Node
		if len(node.Content) > 64 {
			many = make(map[string]*yaml.Node, len(node.Content)/2)
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag != strTag {
				w.report(key, diag.UnknownKey, "key is "+shapeOf(key)+"; want a name", commaHint(node, i))
				continue
			}
			if first := firstKey(node, i, many); first != nil {
				w.reportTwice(key, first)
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
	if node.Style&yaml.FlowStyle != 0 && i > 0 && node.Content[i].Tag == "!!int" && isNothing(node.Content[i+1]) {
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

func (w *walker) reportTwice(key, first *yaml.Node) {
	if key.Value == first.Value {
		w.report(key, diag.Duplicate,
			fmt.Sprintf("key %q stands twice, first in line %d; want it once", key.Value, first.Line), "")
		return
	}
	w.report(key, diag.Duplicate, fmt.Sprintf("key %q differs from %q in line %d in case alone; want one of them",
		key.Value, first.Value, first.Line), "")
}

func (w *walker) at(node *yaml.Node) diag.Position {
	return w.origin.At(node.Line, node.Column)
}

func (w *walker) report(node *yaml.Node, code diag.Code, message, hint string) {
	w.problems = append(w.problems, diag.Problem{
		Severity: diag.Error, Code: code, Position: w.at(node),
		Message: bounded.Shortened(message), Hint: bounded.Shortened(hint),
	})
}

const (
	strTag  = "!!str"
	nullTag = "!!null"
)

// isNull is true for `null`, `~` and for a key without a value.
func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == nullTag
}

// isNothing is true where no value is written at all.
func isNothing(node *yaml.Node) bool { return isNull(node) && node.Value == "" }

// shapeOf says what is written, for messages.
func shapeOf(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case isNothing(node):
		return "without a value"
	case isNull(node):
		return "null"
	case node.Tag == strTag:
		return strconv.Quote(node.Value)
	}
	return fmt.Sprintf("%s, which YAML takes for %s", node.Value, tagNames[node.Tag])
}

// tagNames says in words what YAML makes of a scalar without quotes.
var tagNames = map[string]string{
	"!!int": "a number", "!!float": "a number", "!!bool": "true or false",
	"!!timestamp": "a date", "!!merge": "a merge of mappings",
}
