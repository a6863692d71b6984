package sources

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

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// yamlReader reads one YAML file: every document of it, every scalar as the
// text it is written as (formats.md section 2).
type yamlReader struct {
	walker
	ctx    context.Context
	in     input
	result result
	text   []byte
	lines  [][]byte            // of the text, once one is asked for
	notes  []diag.Problem      // warnings, which fail no row
	room   resource.Attributes // of the resource that is read, used again for the next
	kept   resource.Attributes // room for what resources keep, so many at once
}

// bytesADraft is about the least a resource takes in YAML: it saves growing.
const bytesADraft = 192

func readYAML(ctx context.Context, file string, content []byte, in input) result {
	y := &yamlReader{walker: walker{origin: diag.OriginOf(file, "")}, ctx: ctx, in: in, text: content}
	if problem := bounded.BrokenText(content, file); problem != nil {
		return result{problems: []diag.Problem{*problem}}
	}
	y.result.drafts = make([]draft, 0, len(content)/bytesADraft)
	for _, document := range y.documents(content) {
		if !y.sound(document, in.bounds.YAMLDepth) {
			y.result.rows.Read++
			y.result.rows.Failed++
			continue
		}
		y.readDocument(document)
	}
	if warning, found := bounded.Unended(content, file); found {
		y.notes = append(y.notes, warning)
	}
	y.result.problems = append(y.problems, y.notes...)
	// they stay until all files are read, and the room beside them would, too
	y.result.drafts = slices.Clone(y.result.drafts)
	return y.result
}

// definitions are the documents that are no resources.
var definitions = map[string]func(*yamlReader, *yaml.Node){
	"defaults":  (*yamlReader).readDefaults,
	"template":  (*yamlReader).readTemplate,
	"hint_list": (*yamlReader).readHintList,
}

func (y *yamlReader) readDocument(node *yaml.Node) {
	kind := documentKind(node)
	if kind == nil || kind.Kind != yaml.ScalarNode {
		y.fail(node, diag.UnknownKey, "document has no kind; want kind: and one of "+strings.Join(y.kinds(), ", "), "")
		return
	}
	if read, ok := definitions[kind.Value]; ok {
		y.define(node, read)
		return
	}
	if v := y.in.words[resource.Kind(kind.Value)]; v != nil {
		y.readResource(node, v, 0)
		return
	}
	message := fmt.Sprintf("kind is %q; this version reads %s", kind.Value, strings.Join(y.kinds(), ", "))
	y.fail(kind, diag.BadChoice, message, diag.DidYouMean(kind.Value, y.kinds()))
}

func documentKind(node *yaml.Node) *yaml.Node {
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
	for _, s := range y.in.schemas {
		kinds = append(kinds, string(s.Kind))
	}
	return append(kinds, slices.Sorted(maps.Keys(definitions))...)
}

// fail counts a row that is not read any further.
func (y *yamlReader) fail(node *yaml.Node, code diag.Code, message, hint string) {
	y.report(node, code, message, hint)
	y.result.rows.Read++
	y.result.rows.Failed++
}

// define counts a document that defines something as one row.
func (y *yamlReader) define(node *yaml.Node, read func(*yamlReader, *yaml.Node)) {
	before := len(y.problems)
	read(y, node)
	y.result.rows.Read++
	if len(y.problems) > before {
		y.result.rows.Failed++
		return
	}
	y.result.rows.Used++
}

// readResource reads a mapping and what is nested in it; within is as in draft.
func (y *yamlReader) readResource(node *yaml.Node, v *vocabulary, within int) {
	if node.Kind != yaml.MappingNode {
		y.fail(node, diag.BadValue,
			fmt.Sprintf("%s is %s; want a mapping", strings.ToLower(v.schema.Title), shapeOf(node)), "")
		return
	}
	if y.ctx.Err() != nil {
		tooLong := xlsx.TookLonger(y.in.bounds.PerFile).Finding()
		y.fail(node, tooLong.Code, tooLong.Message, tooLong.Hint)
		return
	}
	y.result.drafts = append(y.result.drafts, draft{
		schema: v.schema, within: within, position: y.at(node), attributes: y.room[:0],
	})
	index := len(y.result.drafts)
	before := len(y.problems)
	d := &y.result.drafts[index-1] // until the children come
	nested := y.readFields(d, node, v)
	y.room, d.attributes = d.attributes, y.keep(d.attributes)
	d.found = [2]int{before, len(y.problems)}
	y.result.rows.Read++
	ofAny(d, len(y.problems)-before)
	if d.failed = len(y.problems) > before; d.failed {
		y.result.rows.Failed++
	} else {
		y.result.rows.Used++
	}
	for _, children := range nested {
		y.readChildren(children.list, children.vocabulary, index)
	}
}

// ofAny notes that of so many problems some are of no attribute: they may be of any.
func ofAny(d *draft, problems int) {
	if problems > d.attributed {
		d.ofCell(nil)
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
	vocabulary *vocabulary
}

func (y *yamlReader) readFields(d *draft, node *yaml.Node, v *vocabulary) []nestedList {
	var nested []nestedList
	for key, value := range y.entries(node) {
		w := v.document.byName[key.Value]
		switch {
		case w == nil:
			y.unknown(key, v.schema, &v.document)
		case w.role == isChildren:
			nested = append(nested, nestedList{value, w.child})
		default:
			y.readField(d, key, value, w)
		}
	}
	return nested
}

func (y *yamlReader) readField(d *draft, key, value *yaml.Node, w *word) {
	switch w.role {
	case isKind:
		if d.within > 0 {
			y.report(key, diag.UnknownKey, "kind is given where the list already says it; want no kind here", "")
		}
	case isKey:
		d.key = y.mark(value, "key")
	case isID:
		d.id = y.mark(value, "id")
	case isUse:
		d.use = y.marks(value, "use")
	case isParent:
		y.readParent(d, key, value, w)
	default:
		y.readAttribute(d, key, value, w)
	}
}

// readParent keeps what names an ancestor at its level of the tree, whatever
// the order of the keys.
func (y *yamlReader) readParent(d *draft, key, value *yaml.Node, w *word) {
	if d.within > 0 {
		y.report(key, diag.UnknownKey,
			fmt.Sprintf("%s is given where the nesting already says it; want no %s here", key.Value, key.Value), "")
		return
	}
	if d.parents == nil {
		d.parents = make([]mark, y.in.words[d.schema.Kind].depth)
	}
	d.parents[w.ancestor] = y.mark(value, key.Value)
}

func (y *yamlReader) readChildren(list *yaml.Node, v *vocabulary, within int) {
	if list.Kind != yaml.SequenceNode {
		y.report(list, diag.BadValue, fmt.Sprintf("%s is %s; want a list", v.schema.Children, shapeOf(list)), "")
		return
	}
	for _, child := range list.Content {
		y.readResource(child, v, within)
	}
}

// mark reads a name. A number, date or word like true is not one unless it is
// in quotes: another YAML reader would take 010 for 8 (fault Y17).
func (y *yamlReader) mark(node *yaml.Node, what string) mark {
	m := mark{position: y.at(node)}
	if node.Kind != yaml.ScalarNode || node.Tag != strTag {
		hint := ""
		if node.Kind == yaml.ScalarNode && !isNull(node) {
			hint = fmt.Sprintf("write it in quotes: %s: %q", what, node.Value)
		}
		message := fmt.Sprintf("%s is %s; want text", what, shapeOf(node))
		if f := resource.RuinedID(node.Value); f != nil && what == "id" && hint != "" {
			message, hint = f.Message, f.Hint
		}
		y.report(node, diag.BadValue, message, hint)
		return m
	}
	m.text = trimmed(node.Value)
	y.noteComment(node, what)
	if m.text == "" {
		y.report(node, diag.BadValue, what+" is empty; want text, or no "+what, "")
	}
	return m
}

func (y *yamlReader) marks(node *yaml.Node, what string) []mark {
	if node.Kind != yaml.SequenceNode {
		y.report(node, diag.BadValue, fmt.Sprintf("%s is %s; want a list", what, shapeOf(node)), "")
		return nil
	}
	marks := make([]mark, 0, len(node.Content))
	for _, child := range node.Content {
		marks = append(marks, y.mark(child, what))
	}
	return marks
}

// unknown reports a key nobody knows, with the nearest name or the way to
// write a dotted one.
func (y *yamlReader) unknown(key *yaml.Node, s *resource.Schema, known *words) {
	hint := diag.DidYouMean(key.Value, known.names)
	if clean := trimmed(key.Value); clean != key.Value && slices.Contains(known.names, clean) {
		hint = fmt.Sprintf("type %s and the spaces beside it again: one of them is no space to YAML", clean)
	}
	if _, dotted := s.Attribute(key.Value); dotted && strings.Contains(key.Value, ".") {
		hint = "write it nested: " + strings.ReplaceAll(key.Value, ".", ": {") +
			": …" + strings.Repeat("}", strings.Count(key.Value, "."))
	}
	y.report(key, diag.UnknownKey, fmt.Sprintf("%q is no key of %s; want %s",
		key.Value, withArticle(s.Title), strings.Join(known.names, ", ")), hint)
}

func withArticle(title string) string {
	lower := strings.ToLower(title)
	if strings.ContainsRune("aeiou", rune(lower[0])) {
		return "an " + lower
	}
	return "a " + lower
}
