package yamlfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// valueReader reads the values of attributes, and the entries of lists.
type valueReader struct {
	yamlnode.Walker
	in    draft.Input
	text  []byte         // of the file
	lines [][]byte       // of the text, once one is asked for
	notes []diag.Problem // warnings, which fail no row
}

// readAttribute reads one attribute, or the group of them a mapping holds.
func (y *valueReader) readAttribute(d *draft.Draft, key, node *yaml.Node, w *draft.Word) {
	if w.Group != nil && (node.Kind == yaml.MappingNode || w.Attribute == nil) {
		y.readGroup(d, node, w)
		return
	}
	before := len(y.Problems)
	y.readValue(d, key, node, w.Attribute)
	if found := len(y.Problems) - before; found > 0 {
		d.Rejected = append(d.Rejected, w.Path)
		d.Attributed += found
		d.OfCell(w.Attribute)
	}
}

func (y *valueReader) readGroup(d *draft.Draft, node *yaml.Node, w *draft.Word) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		shape := yamlnode.ShapeOf(node)
		if node.Kind == yaml.MappingNode {
			shape = "an empty mapping"
		}
		y.Report(node, diag.BadValue,
			fmt.Sprintf("%s is %s; want a mapping with %s", w.Path, shape, strings.Join(w.Group.Names, ", ")), "")
		for _, part := range w.Group.ByName {
			d.Rejected = append(d.Rejected, part.Path)
		}
		return
	}
	for key, value := range y.Entries(node) {
		part := w.Group.ByName[key.Value]
		if part == nil {
			y.Report(key, diag.UnknownKey, fmt.Sprintf("%q is no key of %s; want %s",
				key.Value, w.Path, strings.Join(w.Group.Names, ", ")), diag.DidYouMean(key.Value, w.Group.Names))
			continue
		}
		y.readAttribute(d, key, value, part)
	}
}

func (y *valueReader) readValue(d *draft.Draft, key, node *yaml.Node, a *resource.Attribute) {
	switch {
	case yamlnode.IsNothing(node):
		y.Report(key, diag.BadValue, fmt.Sprintf("%s has no value; "+
			"want one, or null to clear it, or no %s at all to leave it as it is", a.Name, a.Name), "")
	case yamlnode.IsNull(node), Clears(node, a):
		y.clear(d, node, a)
	case a.Type.IsList():
		y.readList(d, node, a)
	case node.Kind == yaml.MappingNode && a.Type == resource.TypeObject:
		y.readObject(d, node, a)
	case node.Kind != yaml.ScalarNode:
		y.Report(node, diag.BadValue, fmt.Sprintf("%s is %s; want one value", a.Name, yamlnode.ShapeOf(node)), "")
	default:
		y.readScalar(d, node, a)
	}
}

// Clears is true for the words that clear in every format (formats.md section 1).
func Clears(node *yaml.Node, a *resource.Attribute) bool {
	if node.Kind == yaml.SequenceNode {
		return len(node.Content) == 0 && a.Type.IsList()
	}
	freeText := a.Type == resource.TypeText || a.Type == resource.TypeHints
	return node.Value == "delete_value" || !freeText && (node.Value == "CLEAR" || node.Value == "remove_content")
}

func (y *valueReader) clear(d *draft.Draft, node *yaml.Node, a *resource.Attribute) {
	if !a.Clearable {
		y.Report(node, diag.NotClearable, fmt.Sprintf("%s is %s, and it cannot "+
			"be cleared; want a value, or no %s at all to leave it as it is", a.Name, writtenClear(node), a.Name), "")
		return
	}
	d.Attributes.Set(a.Name, resource.Null().At(y.At(node)))
}

func writtenClear(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.SequenceNode:
		return "an empty list"
	case yamlnode.IsNull(node):
		return "null"
	}
	return strconv.Quote(node.Value)
}

func (y *valueReader) readScalar(d *draft.Draft, node *yaml.Node, a *resource.Attribute) {
	if a.Type == resource.TypeMoney && ReadsTwoWays(node) {
		y.Report(node, diag.BadMoney, fmt.Sprintf("%s is %s, which "+
			"some take for an octal number; want digits without leading zeros", a.Name, node.Value), "")
		return
	}
	if a.Type == resource.TypeText {
		y.noteComment(node, a.Name)
	}
	v, finding := a.Parse(node.Value, y.in.Env)
	switch {
	case finding != nil:
		y.Problems = append(y.Problems, bounded.ProblemAt(y.At(node), *finding))
	case v.IsAbsent():
		y.Report(node, diag.BadValue,
			fmt.Sprintf("%s is empty; want a value, or no %s at all to leave it as it is", a.Name, a.Name), "")
	default:
		d.Attributes.Set(a.Name, v.At(y.At(node)))
	}
	if finding != nil {
		draft.CallName(d, a, node.Value)
	}
}

// ReadsTwoWays is true for a number without quotes that begins with a zero.
func ReadsTwoWays(node *yaml.Node) bool {
	return node.Style == 0 && len(node.Value) > 1 &&
		node.Value[0] == '0' && node.Value[1] >= '0' && node.Value[1] <= '9'
}

// readObject takes a mapping for the JSON it stands for.
func (y *valueReader) readObject(d *draft.Draft, node *yaml.Node, a *resource.Attribute) {
	before := len(y.Problems)
	text := y.appendJSON(nil, node)
	if len(y.Problems) > before {
		return
	}
	v, finding := a.Parse(string(text), y.in.Env)
	if finding != nil {
		y.Problems = append(y.Problems, bounded.ProblemAt(y.At(node), *finding))
		return
	}
	d.Attributes.Set(a.Name, v.At(y.At(node)))
}

func (y *valueReader) appendJSON(text []byte, node *yaml.Node) []byte {
	switch node.Kind {
	case yaml.MappingNode:
		text = append(text, '{')
		for i := 0; i+1 < len(node.Content); i += 2 {
			text = appendSeparator(text, '{')
			text = append(appendQuoted(text, y.objectKey(node, i)), ':')
			text = y.appendJSON(text, node.Content[i+1])
		}
		return append(text, '}')
	case yaml.SequenceNode:
		text = append(text, '[')
		for _, child := range node.Content {
			text = appendSeparator(text, '[')
			text = y.appendJSON(text, child)
		}
		return append(text, ']')
	}
	return y.appendJSONScalar(text, node)
}

// objectKey returns a key of an object; keys that differ in case are two, as in JSON.
func (y *valueReader) objectKey(node *yaml.Node, i int) string {
	key := node.Content[i]
	if key.Kind != yaml.ScalarNode || key.Tag != yamlnode.StrTag {
		y.Report(key, diag.BadValue, "key of an object is "+yamlnode.ShapeOf(key)+"; want text", "")
	}
	for j := 0; j < i; j += 2 {
		if node.Content[j].Value == key.Value {
			y.ReportTwice(key, node.Content[j])
		}
	}
	return key.Value
}

func appendSeparator(text []byte, open byte) []byte {
	if last := text[len(text)-1]; last != open {
		return append(text, ',')
	}
	return text
}

func appendQuoted(text []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		return append(text, `""`...)
	}
	return append(text, quoted...)
}

// appendJSONScalar takes a plain scalar for a number, true, false or null only
// where JSON would write it the same way.
func (y *valueReader) appendJSONScalar(text []byte, node *yaml.Node) []byte {
	switch {
	case node.Tag == yamlnode.StrTag || node.Tag == "!!timestamp":
		return appendQuoted(text, node.Value)
	case yamlnode.IsNothing(node):
		y.Report(node, diag.BadValue, "a key of the object has no value; want one, or null", "")
	case json.Valid([]byte(node.Value)):
		return append(text, node.Value...)
	case yamlnode.IsNull(node):
		return append(text, "null"...)
	default:
		y.Report(node, diag.BadValue,
			fmt.Sprintf("value is %s; want it as JSON writes it, or in quotes", yamlnode.ShapeOf(node)), "")
	}
	return append(text, "null"...)
}

// readList reads the items of a list, or the one text that holds them.
func (y *valueReader) readList(d *draft.Draft, node *yaml.Node, a *resource.Attribute) {
	if bracketClear(node) {
		y.Report(node, diag.BadValue,
			fmt.Sprintf("%s is [clear], which clears in a workbook; want null to clear it", a.Name), "")
		return
	}
	items, named, ok := y.items(node, a)
	if !ok {
		return
	}
	if named {
		d.Hints = append(d.Hints, draft.HintList{Name: draft.Mark{Text: a.Name, Position: y.At(node)}, Items: items})
		return
	}
	v, problems := ListValue(a, items, y.At(node))
	y.Problems = append(y.Problems, problems...)
	if len(problems) == 0 {
		d.Attributes.Set(a.Name, v)
	}
}

func bracketClear(node *yaml.Node) bool {
	return node.Kind == yaml.SequenceNode && len(node.Content) == 1 && node.Style&yaml.FlowStyle != 0 &&
		node.Content[0].Style == 0 && strings.EqualFold(node.Content[0].Value, "clear")
}

// ListValue makes the canonical list of items, each with its position where
// the canonical list has them in the order they are written.
func ListValue(a *resource.Attribute, items []draft.Hint, at diag.Position) (resource.Value, []diag.Problem) {
	texts := make([]string, len(items))
	positions := make([]diag.Position, len(items))
	for i, item := range items {
		texts[i], positions[i] = item.Text, item.Position
	}
	v, findings := a.ParseList(texts)
	var problems []diag.Problem
	for _, f := range findings {
		position := at
		switch over := int(a.Max); {
		case f.Index >= 0:
			position = positions[f.Index]
		case over > 0 && over < len(positions) && positions[over].File() != at.File():
			position = positions[over] // the first one too many is of a file the list names
		}
		problems = append(problems, bounded.ProblemAt(position, f.Finding))
	}
	return v.At(at).ItemsAt(positionsOf(v.Items(), texts, positions)), problems
}

// positionsOf returns for each item of a canonical list the position it is written at,
// none where the list is in another order. One that stands twice is kept once.
func positionsOf(items, texts []string, positions []diag.Position) []diag.Position {
	if slices.Equal(items, texts) {
		return positions
	}
	kept, next := make([]diag.Position, 0, len(items)), 0
	for _, item := range items {
		i := slices.Index(texts[next:], item)
		if i < 0 {
			return nil
		}
		kept = append(kept, positions[next+i])
		next += i + 1
	}
	return kept
}
