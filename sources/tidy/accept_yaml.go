package tidy

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/workbook"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// acceptYAML writes one value into the mapping of its row.
func (a *accepter) acceptYAML(content []byte, row *resource.Resource,
	attribute *resource.Attribute, v resource.Value) ([]byte, error) {
	var mapping *yaml.Node
	w := &yamlnode.Walker{Origin: diag.OriginOf(a.file.File, "")}
	for _, document := range w.Documents(content) {
		if found := mappingAt(document, row.Position.Line(), row.Position.Column()); found != nil {
			mapping = found
		}
	}
	if mapping == nil {
		return nil, refuse(row, attribute.Name, "its row is not found again")
	}
	segments := strings.Split(attribute.Name, ".")
	for i, segment := range segments {
		value := underKey(mapping, segment)
		switch {
		case value == nil:
			return insertYAML(content, row, mapping, attribute, segments[i:], v)
		case i == len(segments)-1:
			return replaceYAML(content, row, value, attribute, v)
		case value.Kind != yaml.MappingNode:
			return nil, refuse(row, attribute.Name, segment+" is no mapping")
		}
		mapping = value
	}
	return content, nil
}

func mappingAt(node *yaml.Node, line, column int) *yaml.Node {
	if node.Kind == yaml.MappingNode && node.Line == line && node.Column == column {
		return node
	}
	for _, child := range node.Content {
		if found := mappingAt(child, line, column); found != nil {
			return found
		}
	}
	return nil
}

func underKey(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// yamlValue is a value in one line, as it stands behind its key.
func yamlValue(a *resource.Attribute, v resource.Value, flow bool) string {
	_, isNumber := v.Number()
	switch {
	case !v.IsSet():
		return "null"
	case a.Type.IsList():
		return "[" + workbook.FlowItems(v.Items()) + "]"
	case flow && !isNumber && a.Type != resource.TypeObject &&
		a.Type != resource.TypeDay && a.Type != resource.TypeLast:
		return yamlfmt.Scalar(v.Text(), true)
	}
	var b bytes.Buffer
	y := &workbook.YAMLWriter{Out: bufio.NewWriter(&b)}
	y.Value(0, "x", a, v)
	y.Out.Flush()
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), "x: "), "\n")
}

// insertYAML puts a line of its own below the row's key, or an entry into the
// brackets.
func insertYAML(content []byte, row *resource.Resource,
	mapping *yaml.Node, a *resource.Attribute, segments []string, v resource.Value) ([]byte, error) {
	flow := mapping.Style&yaml.FlowStyle != 0
	text := segments[0] + ": " + yamlValue(a, v, flow || len(segments) > 1)
	if len(segments) > 1 {
		text = segments[0] + ": {" + strings.Join(segments[1:], ": {") +
			": " + yamlValue(a, v, true) + strings.Repeat("}", len(segments)-1)
	}
	lines := strings.SplitAfter(string(content), "\n")
	if flow {
		line := []rune(lines[mapping.Line-1])
		if len(line) < mapping.Column || line[mapping.Column-1] != '{' || len(mapping.Content) == 0 {
			return nil, refuse(row, a.Name, "the brackets are not found")
		}
		lines[mapping.Line-1] = string(line[:mapping.Column]) + text + ", " + string(line[mapping.Column:])
		return []byte(strings.Join(lines, "")), nil
	}
	key, below := mapping.Content[0], mapping.Content[1]
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == "key" {
			key, below = mapping.Content[i], mapping.Content[i+1]
		}
	}
	if below.Kind != yaml.ScalarNode || below.Line != key.Line ||
		below.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return nil, refuse(row, a.Name, "its first line is not of one value")
	}
	at := lines[key.Line-1]
	end := "\n"
	if strings.HasSuffix(at, "\r\n") {
		end = "\r\n"
	}
	added := strings.Repeat(" ", key.Column-1) + text + end
	if !strings.HasSuffix(at, "\n") {
		lines[key.Line-1], added = at+end, strings.TrimSuffix(added, end)
	}
	return []byte(strings.Join(slices.Insert(lines, key.Line, added), "")), nil
}

// replaceYAML puts another value in the place of one.
func replaceYAML(content []byte, row *resource.Resource,
	value *yaml.Node, a *resource.Attribute, v resource.Value) ([]byte, error) {
	if value.Kind == yaml.SequenceNode {
		return replaceList(content, row, value, a, v)
	}
	if value.Kind != yaml.ScalarNode {
		return nil, refuse(row, a.Name, "it is "+yamlnode.ShapeOf(value))
	}
	edit := yamlfmt.Edit{Line: value.Line, Column: value.Column, Text: yamlValue(a, v, false), Plain: true}
	if _, isNumber := v.Number(); v.IsSet() && !isNumber &&
		!a.Type.IsList() && a.Type != resource.TypeDay && a.Type != resource.TypeLast && a.Type != resource.TypeObject {
		edit.Text, edit.Plain = v.Text(), false
	}
	after, made, err := yamlfmt.Change(content, []yamlfmt.Edit{edit})
	if err != nil || len(made) == 0 {
		return nil, refuse(row, a.Name, "it goes over several lines")
	}
	return after, nil
}

// replaceList puts other entries in the place of a list: in its brackets, or in
// the lines it has. A comment among the lines is somebody's, and stays.
func replaceList(content []byte, row *resource.Resource,
	list *yaml.Node, a *resource.Attribute, v resource.Value) ([]byte, error) {
	lines := strings.SplitAfter(string(content), "\n")
	last := list.Line
	for _, item := range list.Content {
		if item.Kind != yaml.ScalarNode || item.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return nil, refuse(row, a.Name, "it names a file or a list of hints, which others may share")
		}
		last = item.Line
	}
	if list.Style&yaml.FlowStyle != 0 {
		line := []rune(lines[list.Line-1])
		end := slices.Index(line[list.Column-1:], ']')
		if last != list.Line || end < 0 || slices.ContainsFunc(list.Content, func(n *yaml.Node) bool {
			return strings.ContainsAny(n.Value, "[]")
		}) {
			return nil, refuse(row, a.Name, "its brackets go over several lines")
		}
		lines[list.Line-1] = string(line[:list.Column-1]) + yamlValue(a, v, true) + string(line[list.Column+end:])
		return []byte(strings.Join(lines, "")), nil
	}
	for _, line := range lines[list.Line-1 : last] {
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "- ") || strings.Contains(line, " #") {
			return nil, refuse(row, a.Name, "a comment or a text over several lines stands among its entries")
		}
	}
	if len(v.Items()) == 0 {
		return nil, refuse(row, a.Name, "nothing is left of it at the service")
	}
	indent := strings.Repeat(" ", list.Column-1)
	var fresh []string
	for _, item := range v.Items() {
		fresh = append(fresh, indent+"- "+yamlfmt.Scalar(item, false)+"\n")
	}
	return []byte(strings.Join(slices.Replace(lines, list.Line-1, last, fresh...), "")), nil
}
