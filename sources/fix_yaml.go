package sources

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// faults are the problems of the files by where they are.
type faults map[diag.Position][]diag.Problem

func faultsOf(problems []diag.Problem) faults {
	all := faults{}
	for _, p := range problems {
		all[p.Position] = append(all[p.Position], p)
	}
	return all
}

// have reports whether a problem of one of the codes stands at a position; of any
// code where none is given.
func (f faults) have(at diag.Position, codes ...diag.Code) bool {
	return slices.ContainsFunc(f[at], func(p diag.Problem) bool {
		return len(codes) == 0 || slices.Contains(codes, p.Code)
	})
}

// yamlFixer looks for repairs where a YAML file has problems, and nowhere else.
type yamlFixer struct {
	walker
	in     input
	faults faults
	edits  []yamlfmt.Edit
	fixes  []Fix // of the same edits
}

// fixYAML returns the file with what has one reading put right.
func fixYAML(ctx context.Context, w *rewriter, r *Rewrite, content []byte, found faults) []byte {
	y := &yamlFixer{walker: walker{origin: diag.OriginOf(r.File, "")}, in: w.in, faults: found}
	for _, document := range y.documents(content) {
		y.document(document)
	}
	y.dropTwins(w.read(ctx, r.File, content))
	after, made, err := yamlfmt.Change(content, y.edits)
	if err != nil || len(made) == 0 {
		return content // what does not parse has its problem already
	}
	for i, e := range y.edits {
		if slices.Contains(made, e) {
			r.Fixes = append(r.Fixes, y.fixes[i])
		}
	}
	return after
}

// put notes an edit of a text.
func (y *yamlFixer) put(node *yaml.Node, text, why string, quoted bool) {
	y.edits = append(y.edits, yamlfmt.Edit{Line: node.Line, Column: node.Column, Text: text, Quoted: quoted})
	y.fixes = append(y.fixes, Fix{Position: y.at(node), Was: node.Value, Is: text, Why: why})
}

// dropTwins takes away resources that say, to the last attribute, what one
// before them in the file says.
func (y *yamlFixer) dropTwins(r result) {
	first := map[string]*draft{}
	gone := map[int]bool{}
	for i := range r.drafts {
		d := &r.drafts[i]
		if d.schema == nil || gone[d.within] {
			gone[i+1] = d.schema != nil
			continue
		}
		says := fmt.Sprint(d.within, " ", resourceSaid(r, i))
		before := first[says]
		if before == nil {
			first[says] = d
			continue
		}
		if y.faults.have(d.position, diag.Duplicate) {
			gone[i+1] = true
			y.edits = append(y.edits, yamlfmt.Edit{Line: d.position.Line(), Column: d.position.Column(), Drop: true})
			y.fixes = append(y.fixes, Fix{
				Position: d.position, Was: strings.ToLower(d.schema.Title) + " written twice",
				Is: "", Why: fmt.Sprintf("it says to the last attribute what line %d says", before.position.Line()),
			})
		}
	}
}

func (y *yamlFixer) document(node *yaml.Node) {
	kind := documentKind(node)
	if kind == nil {
		return
	}
	if v := y.in.words[resource.Kind(kind.Value)]; v != nil {
		y.mapping(node, v, &v.document)
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if v := y.in.words[resource.Kind(node.Content[i].Value)]; v != nil &&
			node.Content[i+1].Kind == yaml.MappingNode {
			y.mapping(node.Content[i+1], v, &v.attributes)
		} else if node.Content[i].Value == "key" {
			y.text(node.Content[i+1], func(string) (repair, bool) { return repair{}, false })
		}
	}
}

func (y *yamlFixer) mapping(node *yaml.Node, v *vocabulary, ws *words) {
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		w := ws.byName[key.Value]
		if w == nil {
			y.key(node, key, value, v, ws)
			continue
		}
		y.word(value, v, w)
	}
}

func (y *yamlFixer) word(value *yaml.Node, v *vocabulary, w *word) {
	switch w.role {
	case isKey:
		y.text(value, repairedKey)
	case isID, isParent:
		y.text(value, repairedName)
	case isUse:
		for _, item := range value.Content {
			y.text(item, repairedName)
		}
	case isChildren:
		for _, child := range value.Content {
			y.mapping(child, w.child, &w.child.document)
		}
	case isAttribute, isGroup:
		if w.group != nil && value.Kind == yaml.MappingNode {
			y.mapping(value, v, w.group)
		} else if w.attribute != nil {
			y.value(value, v, w.attribute)
		}
	}
}

// text repairs a name of something: a number is put in quotes as it is written.
func (y *yamlFixer) text(node *yaml.Node, better func(string) (repair, bool)) {
	if node.Kind != yaml.ScalarNode || isNull(node) || !y.faults.have(y.at(node)) {
		return
	}
	if node.Tag != strTag {
		y.put(node, node.Value, whyAsText, true)
		return
	}
	if r, ok := better(node.Value); ok {
		y.put(node, r.text, r.why, false)
	}
}

func (y *yamlFixer) value(node *yaml.Node, v *vocabulary, a *resource.Attribute) {
	switch {
	case node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			y.value(item, v, a)
		}
	case node.Kind != yaml.ScalarNode || isNull(node) || !y.faults.have(y.at(node)) || readsTwoWays(node):
	default:
		if r, ok := repaired(a, naming(v.schema, a), node.Value, y.in.env); ok {
			y.put(node, r.text, r.why, false)
			y.edits[len(y.edits)-1].Plain = r.why == whyOneDay
		}
	}
}

// key repairs a misspelt key, if one letter is wrong, no other key is as near,
// the key that is meant is not there, and what stands under it fits.
func (y *yamlFixer) key(mapping, key, value *yaml.Node, v *vocabulary, ws *words) {
	if !y.faults.have(y.at(key), diag.UnknownKey) {
		return
	}
	meant, ok := diag.Misspelt(key.Value, ws.names)
	if !ok || !y.fits(value, ws.byName[meant]) {
		return
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if other := mapping.Content[i]; other != key && strings.EqualFold(other.Value, meant) {
			return
		}
	}
	y.put(key, meant, fmt.Sprintf("no other key of %s is as near, and the value fits",
		withArticle(v.schema.Title)), false)
	y.word(value, v, ws.byName[meant])
}

// fits reports whether a value is one a key can have.
func (y *yamlFixer) fits(value *yaml.Node, w *word) bool {
	switch {
	case w.role == isChildren:
		return value.Kind == yaml.SequenceNode
	case w.role != isAttribute && w.role != isGroup:
		return false
	case value.Kind == yaml.MappingNode && w.group != nil:
		for i := 0; i+1 < len(value.Content); i += 2 {
			if part := w.group.byName[value.Content[i].Value]; part == nil || !y.fits(value.Content[i+1], part) {
				return false
			}
		}
		return len(value.Content) > 0
	case w.attribute == nil:
		return false
	case value.Kind == yaml.SequenceNode && w.attribute.Type.IsList():
		return len(value.Content) > 0 && !slices.ContainsFunc(value.Content, func(item *yaml.Node) bool {
			return !y.fits(item, w)
		})
	case value.Kind == yaml.MappingNode:
		return w.attribute.Type == resource.TypeObject || w.attribute.Type == resource.TypeHints
	}
	return value.Kind == yaml.ScalarNode && !isNull(value) &&
		!readsTwoWays(value) && reads(w.attribute, value.Value, y.in.env)
}
