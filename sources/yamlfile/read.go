// Package yamlfile turns a YAML file into drafts.
// read.go goes through documents and resources, attribute.go reads values, define.go defaults,
// templates and lists, hints.go the entries of hints, comment.go what a comment leaves out.
//
// The keys come from draft.Vocabularies; no key is spelt here for one kind.
package yamlfile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/celltext"
	"adsync/sources/draft"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// yamlReader reads one YAML file: every document of it, every scalar as the
// text it is written as (formats.md section 2).
type yamlReader struct {
	valueReader
	ctx    context.Context
	result draft.Result
	room   resource.Attributes // of the resource that is read, used again for the next
	kept   resource.Attributes // room for what resources keep, so many at once
}

// bytesADraft is about the least a resource takes in YAML: it saves growing.
const bytesADraft = 192

// Read reads a YAML file: every document is a resource, defaults, a template or a list.
func Read(ctx context.Context, file string, content []byte, in draft.Input) draft.Result {
	values := valueReader{Walker: yamlnode.Walker{Origin: diag.OriginOf(file, "")}, in: in, text: content}
	y := &yamlReader{valueReader: values, ctx: ctx}
	if problem := bounded.BrokenText(content, file); problem != nil {
		return draft.Result{Problems: []diag.Problem{*problem}}
	}
	y.result.Drafts = make([]draft.Draft, 0, len(content)/bytesADraft)
	for _, document := range y.Documents(content) {
		if !y.Sound(document, in.Bounds.YAMLDepth) {
			y.result.Rows.Read++
			y.result.Rows.Failed++
			continue
		}
		y.readDocument(document)
	}
	if warning, found := bounded.Unended(content, file); found {
		y.notes = append(y.notes, warning)
	}
	y.result.Problems = append(y.Problems, y.notes...)
	// they stay until all files are read, and the room beside them would, too
	y.result.Drafts = slices.Clone(y.result.Drafts)
	return y.result
}

// Definitions are the documents that are no resources.
var Definitions = map[string]func(*yamlReader, *yaml.Node){
	"defaults":  (*yamlReader).readDefaults,
	"template":  (*yamlReader).readTemplate,
	"hint_list": (*yamlReader).readHintList,
}

func (y *yamlReader) readDocument(node *yaml.Node) {
	kind := DocumentKind(node)
	if kind == nil || kind.Kind != yaml.ScalarNode {
		y.fail(node, diag.UnknownKey, "document has no kind; want kind: and one of "+strings.Join(y.kinds(), ", "), "")
		return
	}
	if read, ok := Definitions[kind.Value]; ok {
		y.define(node, read)
		return
	}
	if v := y.in.Words[resource.Kind(kind.Value)]; v != nil {
		y.readResource(node, v, 0)
		return
	}
	message := fmt.Sprintf("kind is %q; this version reads %s", kind.Value, strings.Join(y.kinds(), ", "))
	y.fail(kind, diag.BadChoice, message, diag.DidYouMean(kind.Value, y.kinds()))
}

// DocumentKind returns the kind a document says it is of.
func DocumentKind(node *yaml.Node) *yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == "kind" {
			return node.Content[i+1]
		}
	}
	return nil
}

func (y *yamlReader) kinds() []string {
	var kinds []string
	for _, s := range y.in.Schemas {
		kinds = append(kinds, string(s.Kind))
	}
	return append(kinds, slices.Sorted(maps.Keys(Definitions))...)
}

// fail counts a row that is not read any further.
func (y *yamlReader) fail(node *yaml.Node, code diag.Code, message, hint string) {
	y.Report(node, code, message, hint)
	y.result.Rows.Read++
	y.result.Rows.Failed++
}

// define counts a document that defines something as one row.
func (y *yamlReader) define(node *yaml.Node, read func(*yamlReader, *yaml.Node)) {
	before := len(y.Problems)
	read(y, node)
	y.result.Rows.Read++
	if len(y.Problems) > before {
		y.result.Rows.Failed++
		return
	}
	y.result.Rows.Used++
}

// readResource reads a mapping and what is nested in it; within is as in draft.
func (y *yamlReader) readResource(node *yaml.Node, v *draft.Vocabulary, within int) {
	if node.Kind != yaml.MappingNode {
		y.fail(node, diag.BadValue,
			fmt.Sprintf("%s is %s; want a mapping", strings.ToLower(v.Schema.Title), yamlnode.ShapeOf(node)), "")
		return
	}
	if y.ctx.Err() != nil {
		tooLong := xlsx.TookLonger(y.in.Bounds.PerFile).Finding()
		y.fail(node, tooLong.Code, tooLong.Message, tooLong.Hint)
		return
	}
	y.result.Drafts = append(y.result.Drafts, draft.Draft{
		Schema: v.Schema, Within: within, Position: y.At(node), Attributes: y.room[:0],
	})
	index := len(y.result.Drafts)
	before := len(y.Problems)
	d := &y.result.Drafts[index-1] // until the children come
	nested := y.readFields(d, node, v)
	y.room, d.Attributes = d.Attributes, y.keep(d.Attributes)
	d.Found = [2]int{before, len(y.Problems)}
	y.result.Rows.Read++
	ofAny(d, len(y.Problems)-before)
	if d.Failed = len(y.Problems) > before; d.Failed {
		y.result.Rows.Failed++
	} else {
		y.result.Rows.Used++
	}
	for _, children := range nested {
		y.readChildren(children.list, children.vocabulary, index)
	}
}

// ofAny notes that of so many problems some are of no attribute: they may be of any.
func ofAny(d *draft.Draft, problems int) {
	if problems > d.Attributed {
		d.OfCell(nil)
	}
}

// keptFrom is how many attributes room is made for at once.
const keptFrom = 256

// keep returns a resource room of its own for its attributes, and no more.
func (y *yamlReader) keep(read resource.Attributes) resource.Attributes {
	if len(y.kept)+len(read) > cap(y.kept) {
		y.kept = make(resource.Attributes, 0, max(keptFrom, len(read)))
	}
	from := len(y.kept)
	y.kept = append(y.kept, read...)
	return slices.Clip(y.kept[from:])
}

// nestedList is the value of `ad_groups:`, to be read after its parent.
type nestedList struct {
	list       *yaml.Node
	vocabulary *draft.Vocabulary
}

func (y *yamlReader) readFields(d *draft.Draft, node *yaml.Node, v *draft.Vocabulary) []nestedList {
	var nested []nestedList
	for key, value := range y.Entries(node) {
		w := v.Document.ByName[key.Value]
		switch {
		case w == nil:
			y.unknown(key, v.Schema, &v.Document)
		case w.Role == draft.IsChildren:
			nested = append(nested, nestedList{value, w.Child})
		default:
			y.readField(d, key, value, w)
		}
	}
	return nested
}

func (y *yamlReader) readField(d *draft.Draft, key, value *yaml.Node, w *draft.Word) {
	switch w.Role {
	case draft.IsKind:
		if d.Within > 0 {
			y.Report(key, diag.UnknownKey, "kind is given where the list already says it; want no kind here", "")
		}
	case draft.IsKey:
		d.Key = y.mark(value, "key")
	case draft.IsID:
		d.ID = y.mark(value, "id")
	case draft.IsUse:
		d.Use = y.marks(value, "use")
	case draft.IsParent:
		y.readParent(d, key, value, w)
	default:
		y.readAttribute(d, key, value, w)
	}
}

// readParent keeps what names an ancestor at its level of the tree, whatever
// the order of the keys.
func (y *yamlReader) readParent(d *draft.Draft, key, value *yaml.Node, w *draft.Word) {
	if d.Within > 0 {
		y.Report(key, diag.UnknownKey,
			fmt.Sprintf("%s is given where the nesting already says it; want no %s here", key.Value, key.Value), "")
		return
	}
	if d.Parents == nil {
		d.Parents = make([]draft.Mark, y.in.Words[d.Schema.Kind].Depth)
	}
	d.Parents[w.Ancestor] = y.mark(value, key.Value)
}

func (y *yamlReader) readChildren(list *yaml.Node, v *draft.Vocabulary, within int) {
	if list.Kind != yaml.SequenceNode {
		y.Report(list, diag.BadValue,
			fmt.Sprintf("%s is %s; want a list", v.Schema.Children, yamlnode.ShapeOf(list)), "")
		return
	}
	for _, child := range list.Content {
		y.readResource(child, v, within)
	}
}

// mark reads a name. A number, date or word like true is not one unless it is
// in quotes: another YAML reader would take 010 for 8 (fault Y17).
func (y *valueReader) mark(node *yaml.Node, what string) draft.Mark {
	m := draft.Mark{Position: y.At(node)}
	if node.Kind != yaml.ScalarNode || node.Tag != yamlnode.StrTag {
		hint := ""
		if node.Kind == yaml.ScalarNode && !yamlnode.IsNull(node) {
			hint = fmt.Sprintf("write it in quotes: %s: %q", what, node.Value)
		}
		message := fmt.Sprintf("%s is %s; want text", what, yamlnode.ShapeOf(node))
		if f := resource.RuinedID(node.Value); f != nil && what == "id" && hint != "" {
			message, hint = f.Message, f.Hint
		}
		y.Report(node, diag.BadValue, message, hint)
		return m
	}
	m.Text = celltext.Trimmed(node.Value)
	y.noteComment(node, what)
	if m.Text == "" {
		y.Report(node, diag.BadValue, what+" is empty; want text, or no "+what, "")
	}
	return m
}

func (y *yamlReader) marks(node *yaml.Node, what string) []draft.Mark {
	if node.Kind != yaml.SequenceNode {
		y.Report(node, diag.BadValue, fmt.Sprintf("%s is %s; want a list", what, yamlnode.ShapeOf(node)), "")
		return nil
	}
	marks := make([]draft.Mark, 0, len(node.Content))
	for _, child := range node.Content {
		marks = append(marks, y.mark(child, what))
	}
	return marks
}

// unknown reports a key nobody knows, with the nearest name or the way to
// write a dotted one.
func (y *yamlReader) unknown(key *yaml.Node, s *resource.Schema, known *draft.Words) {
	hint := diag.DidYouMean(key.Value, known.Names)
	if clean := celltext.Trimmed(key.Value); clean != key.Value && slices.Contains(known.Names, clean) {
		hint = fmt.Sprintf("type %s and the spaces beside it again: one of them is no space to YAML", clean)
	}
	if _, dotted := s.Attribute(key.Value); dotted && strings.Contains(key.Value, ".") {
		hint = "write it nested: " + strings.ReplaceAll(key.Value, ".", ": {") +
			": …" + strings.Repeat("}", strings.Count(key.Value, "."))
	}
	y.Report(key, diag.UnknownKey, fmt.Sprintf("%q is no key of %s; want %s",
		key.Value, WithArticle(s.Title), strings.Join(known.Names, ", ")), hint)
}

// WithArticle returns a noun with a or an.
func WithArticle(title string) string {
	lower := strings.ToLower(title)
	if strings.ContainsRune("aeiou", rune(lower[0])) {
		return "an " + lower
	}
	return "a " + lower
}
