package workbook

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/attach"
)

// WriteYAML writes a snapshot as one YAML file that Load reads back to the same
// snapshot: one document a resource without a parent in the snapshot, what is
// below it nested, attributes in the order of their schemas. The same snapshot
// gives the same bytes. env is named in a comment at the top, and a remark in the facts
// of a resource above it. The paths of
// local images are written as the snapshot has them, from the project's folder.
func WriteYAML(w io.Writer, schemas resource.Schemas, s *resource.Snapshot, env resource.Env) error {
	y := &YAMLWriter{Out: bufio.NewWriter(w), schemas: schemas, children: map[resource.Address][]*resource.Resource{}}
	for r := range s.All() {
		parent := schemas.Parent(r.Address)
		if s.Get(parent) == nil {
			parent = resource.Address{}
		}
		y.children[parent] = append(y.children[parent], r)
	}
	y.head(env)
	for i, r := range y.children[resource.Address{}] {
		if i > 0 {
			y.line(0, "---")
		}
		y.document(r)
	}
	return y.Out.Flush()
}

// YAMLWriter keeps the first error of its output in out.
type YAMLWriter struct {
	Out      *bufio.Writer
	schemas  resource.Schemas
	children map[resource.Address][]*resource.Resource // in order; the zero address has the documents
	item     bool                                      // the next line begins an item of a list
}

func (y *YAMLWriter) head(env resource.Env) {
	if env.Currency == "" || env.Zone == nil {
		return
	}
	y.line(0, fmt.Sprintf("# Amounts are in %s, days in %s.", env.Currency, env.Zone))
}

// line writes one line; the first of a list's item carries the dash.
func (y *YAMLWriter) line(indent int, text string) {
	if y.item {
		y.item = false
		text = strings.Repeat(" ", indent-2) + "- " + text
	} else {
		text = strings.Repeat(" ", indent) + text
	}
	y.Out.WriteString(text)
	y.Out.WriteByte('\n')
}

// remark writes what is said of a resource as a comment above it.
func (y *YAMLWriter) remark(indent int, r *resource.Resource) {
	if text := r.Facts.Value(resource.Remark).Text(); text != "" {
		y.line(indent, "# "+CutText(diag.Printable(text)))
	}
}

func (y *YAMLWriter) document(r *resource.Resource) {
	y.remark(0, r)
	schema := y.schemas.Of(r.Address.Kind)
	y.line(0, "kind: "+string(schema.Kind))
	y.resource(0, schema, r)
}

// resource writes the keys of a mapping in the order Format gives them.
func (y *YAMLWriter) resource(indent int, schema *resource.Schema, r *resource.Resource) {
	y.line(indent, "key: "+yamlfmt.Scalar(r.Address.Leaf(), false))
	if r.ID != "" {
		y.line(indent, "id: "+yamlfmt.Scalar(r.ID, false))
	}
	naming := 0
	if slices.Contains(schema.NameFrom, schema.Attributes[0].Name) {
		naming = 1
	}
	y.attributes(indent, schema.Attributes[:naming], r, "")
	if indent == 0 && schema.Parent != "" {
		y.line(0, string(schema.Parent)+": "+yamlfmt.Scalar(r.Address.Up(schema.Parent).Key, false))
	}
	y.attributes(indent, schema.Attributes[naming:], r, "")
	for _, kind := range y.schemas.ChildrenOf(schema.Kind) {
		y.list(indent, kind, r.Address)
	}
}

func (y *YAMLWriter) list(indent int, kind *resource.Schema, parent resource.Address) {
	first := true
	for _, child := range y.children[parent] {
		if child.Address.Kind != kind.Kind {
			continue
		}
		if first {
			y.line(indent, kind.Children+":")
			first = false
		}
		y.remark(indent+2, child)
		y.item = true
		y.resource(indent+4, kind, child)
	}
}

// attributes writes those whose names begin with the prefix, each group of a
// further segment where its first attribute stands.
func (y *YAMLWriter) attributes(indent int, attributes []resource.Attribute, r *resource.Resource, prefix string) {
	written := map[string]bool{}
	for i := range attributes {
		a := &attributes[i]
		rest, below := strings.CutPrefix(a.Name, prefix)
		segment, _, deeper := strings.Cut(rest, ".")
		v := r.Value(a.Name)
		if !below || v.IsAbsent() && !deeper || written[segment] {
			continue
		}
		if deeper {
			written[segment] = true
			if !anyBelow(attributes, r, prefix+segment+".") {
				continue
			}
			y.line(indent, segment+":")
			y.attributes(indent+2, attributes, r, prefix+segment+".")
			continue
		}
		y.Value(indent, segment, a, v)
	}
}

// anyBelow reports whether one of the attributes whose names begin with the prefix is there.
func anyBelow(attributes []resource.Attribute, r *resource.Resource, prefix string) bool {
	return slices.ContainsFunc(attributes, func(a resource.Attribute) bool {
		return strings.HasPrefix(a.Name, prefix) && !r.Value(a.Name).IsAbsent()
	})
}

// Value writes a value the way the reader takes it.
func (y *YAMLWriter) Value(indent int, name string, a *resource.Attribute, v resource.Value) {
	if v.IsNull() {
		y.line(indent, name+": null")
		return
	}
	n, isNumber := v.Number()
	switch {
	case isNumber && a.Type == resource.TypeMoney:
		y.line(indent, name+": "+resource.FormatMoney(n))
	case isNumber:
		y.line(indent, fmt.Sprintf("%s: %d", name, n))
	case a.Type == resource.TypeHints && len(v.Items()) > 0:
		y.line(indent, name+":")
		for _, item := range v.Items() {
			y.line(indent, "  - "+yamlfmt.Scalar(item, false))
		}
	case a.Type.IsList():
		y.line(indent, name+": ["+FlowItems(v.Items())+"]")
	case a.Type == resource.TypeMembers:
		y.line(indent, name+": "+yamlfmt.Scalar(v.Written(), false))
	case a.Type == resource.TypeImage:
		y.line(indent, name+": "+yamlfmt.Scalar(attach.ImageText(v), false))
	case a.Type == resource.TypeObject:
		y.line(indent, name+": "+objectText(v.Text()))
	case a.Type == resource.TypeDay || a.Type == resource.TypeLast:
		y.line(indent, name+": "+v.Text())
	default:
		y.line(indent, name+": "+yamlfmt.Scalar(v.Text(), false))
	}
}

// objectText writes an object between braces where every character of it
// shows, else as the text it is.
func objectText(json string) string {
	if text, ok := yamlfmt.Inline(json); ok && yamlfmt.IsPlain(text) {
		return text
	}
	return yamlfmt.Scalar(json, false)
}

// FlowItems writes items on one line between brackets.
func FlowItems(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = yamlfmt.Scalar(item, true)
	}
	return strings.Join(quoted, ", ")
}
