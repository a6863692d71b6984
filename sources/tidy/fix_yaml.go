package tidy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"
	"adsync/sources/yamlnode"

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
	yamlnode.Walker
	in     draft.Input
	faults faults
	edits  []yamlfmt.Edit
	fixes  []Fix // of the same edits
}

// fixYAML returns the file with what has one reading put right.
func fixYAML(ctx context.Context, w *rewriter, r *Rewrite, content []byte, found faults) []byte {
	y := &yamlFixer{Walker: yamlnode.Walker{Origin: diag.OriginOf(r.File, "")}, in: w.in, faults: found}
	for _, document := range y.Documents(content) {
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
	y.fixes = append(y.fixes, Fix{Position: y.At(node), Was: node.Value, Is: text, Why: why})
}

// dropTwins takes away resources that say, to the last attribute, what one
// before them in the file says.
func (y *yamlFixer) dropTwins(r draft.Result) {
	first := map[string]*draft.Draft{}
	gone := map[int]bool{}
	for i := range r.Drafts {
		d := &r.Drafts[i]
		if d.Schema == nil || gone[d.Within] {
			gone[i+1] = d.Schema != nil
			continue
		}
		says := fmt.Sprint(d.Within, " ", draft.ResourceSaid(r, i))
		before := first[says]
		if before == nil {
			first[says] = d
			continue
		}
		if y.faults.have(d.Position, diag.Duplicate) {
			gone[i+1] = true
			y.edits = append(y.edits, yamlfmt.Edit{Line: d.Position.Line(), Column: d.Position.Column(), Drop: true})
			y.fixes = append(y.fixes, Fix{
				Position: d.Position, Was: strings.ToLower(d.Schema.Title) + " written twice",
				Is: "", Why: fmt.Sprintf("it says to the last attribute what line %d says", before.Position.Line()),
			})
		}
	}
}

func (y *yamlFixer) document(node *yaml.Node) {
	kind := yamlfile.DocumentKind(node)
	if kind == nil {
		return
	}
	if v := y.in.Words[resource.Kind(kind.Value)]; v != nil {
		y.mapping(node, v, &v.Document)
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if v := y.in.Words[resource.Kind(node.Content[i].Value)]; v != nil &&
			node.Content[i+1].Kind == yaml.MappingNode {
			y.mapping(node.Content[i+1], v, &v.Attributes)
		} else if node.Content[i].Value == "key" {
			y.text(node.Content[i+1], func(string) (repair, bool) { return repair{}, false })
		}
	}
}

func (y *yamlFixer) mapping(node *yaml.Node, v *draft.Vocabulary, ws *draft.Words) {
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		w := ws.ByName[key.Value]
		if w == nil {
			y.key(node, key, value, v, ws)
			continue
		}
		y.word(value, v, w)
	}
}

func (y *yamlFixer) word(value *yaml.Node, v *draft.Vocabulary, w *draft.Word) {
	switch w.Role {
	case draft.IsKey:
		y.text(value, repairedKey)
	case draft.IsID, draft.IsParent:
		y.text(value, repairedName)
	case draft.IsUse:
		for _, item := range value.Content {
			y.text(item, repairedName)
		}
	case draft.IsChildren:
		for _, child := range value.Content {
			y.mapping(child, w.Child, &w.Child.Document)
		}
	case draft.IsAttribute, draft.IsGroup:
		if w.Group != nil && value.Kind == yaml.MappingNode {
			y.mapping(value, v, w.Group)
		} else if w.Attribute != nil {
			y.value(value, v, w.Attribute)
		}
	}
}

// text repairs a name of something: a number is put in quotes as it is written.
func (y *yamlFixer) text(node *yaml.Node, better func(string) (repair, bool)) {
	if node.Kind != yaml.ScalarNode || yamlnode.IsNull(node) || !y.faults.have(y.At(node)) {
		return
	}
	if node.Tag != yamlnode.StrTag {
		y.put(node, node.Value, whyAsText, true)
		return
	}
	if r, ok := better(node.Value); ok {
		y.put(node, r.text, r.why, false)
	}
}

func (y *yamlFixer) value(node *yaml.Node, v *draft.Vocabulary, a *resource.Attribute) {
	switch {
	case node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			y.value(item, v, a)
		}
	case node.Kind != yaml.ScalarNode || yamlnode.IsNull(node) ||
		!y.faults.have(y.At(node)) || yamlfile.ReadsTwoWays(node):
	default:
		if r, ok := repaired(a, naming(v.Schema, a), node.Value, y.in.Env); ok {
			y.put(node, r.text, r.why, false)
			y.edits[len(y.edits)-1].Plain = r.why == whyOneDay
		}
	}
}

// key repairs a misspelt key, if one letter is wrong, no other key is as near,
// the key that is meant is not there, and what stands under it fits.
func (y *yamlFixer) key(mapping, key, value *yaml.Node, v *draft.Vocabulary, ws *draft.Words) {
	if !y.faults.have(y.At(key), diag.UnknownKey) {
		return
	}
	meant, ok := diag.Misspelt(key.Value, ws.Names)
	if !ok || !y.fits(value, ws.ByName[meant]) {
		return
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if other := mapping.Content[i]; other != key && strings.EqualFold(other.Value, meant) {
			return
		}
	}
	y.put(key, meant, fmt.Sprintf("no other key of %s is as near, and the value fits",
		yamlfile.WithArticle(v.Schema.Title)), false)
	y.word(value, v, ws.ByName[meant])
}

// fits reports whether a value is one a key can have.
func (y *yamlFixer) fits(value *yaml.Node, w *draft.Word) bool {
	switch {
	case w.Role == draft.IsChildren:
		return value.Kind == yaml.SequenceNode
	case w.Role != draft.IsAttribute && w.Role != draft.IsGroup:
		return false
	case value.Kind == yaml.MappingNode && w.Group != nil:
		for i := 0; i+1 < len(value.Content); i += 2 {
			if part := w.Group.ByName[value.Content[i].Value]; part == nil || !y.fits(value.Content[i+1], part) {
				return false
			}
		}
		return len(value.Content) > 0
	case w.Attribute == nil:
		return false
	case value.Kind == yaml.SequenceNode && w.Attribute.Type.IsList():
		return len(value.Content) > 0 && !slices.ContainsFunc(value.Content, func(item *yaml.Node) bool {
			return !y.fits(item, w)
		})
	case value.Kind == yaml.MappingNode:
		return w.Attribute.Type == resource.TypeObject || w.Attribute.Type == resource.TypeHints
	}
	return value.Kind == yaml.ScalarNode && !yamlnode.IsNull(value) &&
		!yamlfile.ReadsTwoWays(value) && reads(w.Attribute, value.Value, y.in.Env)
}
