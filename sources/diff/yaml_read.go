package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// yamlVersion is one version of a YAML file, as it is written: nothing in it has to be right but its form.
type yamlVersion struct {
	in    *draft.Input
	text  *yamlfmt.Text
	units []*unit // of its documents
}

// unit is a mapping that people tell from others by what it says: a resource, or a definition.
type unit struct {
	kind     string
	words    *draft.Vocabulary // nil of a definition, and of a kind that is not known
	node     *yaml.Node
	parent   *unit
	list     string // of an item: the key of its list in the parent, and its number
	at       int
	leaves   map[string]*leaf // by path
	order    []string         // their paths, as written
	children []*unit
	ordinal  int // among those of its kind that have no name
}

// leaf is what a unit says under one path: a text, a list, or a mapping whose parts nobody tells apart.
type leaf struct {
	path   string
	chain  []entryOf // from the unit's mapping down
	word   *draft.Word
	header string
	same   string // equal in what means the same
}

// entryOf is an entry of a mapping by its number.
type entryOf struct {
	mapping *yaml.Node
	at      int
}

func (e entryOf) key() *yaml.Node   { return e.mapping.Content[2*e.at] }
func (e entryOf) value() *yaml.Node { return e.mapping.Content[2*e.at+1] }

func (l *leaf) last() entryOf { return l.chain[len(l.chain)-1] }

// readYAML reads a version, or says why its parts cannot be told apart.
func readYAML(content []byte, in *draft.Input) (*yamlVersion, error) {
	text, err := yamlfmt.Follow(content)
	if err != nil {
		return nil, err
	}
	v := &yamlVersion{in: in, text: text}
	for _, root := range text.Roots() {
		kind := yamlfile.DocumentKind(root)
		if kind == nil || kind.Kind != yaml.ScalarNode {
			return nil, v.fault(root, "a document has no kind; want kind: in each")
		}
		u := &unit{kind: kind.Value, words: in.Words[resource.Kind(kind.Value)], node: root}
		if err := v.read(u); err != nil {
			return nil, err
		}
		v.units = append(v.units, u)
	}
	return v, v.tellApart(v.units)
}

func (v *yamlVersion) fault(at *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", v.text.Line(at), fmt.Sprintf(format, args...))
}

// read reads what a unit says, and what is beneath it.
func (v *yamlVersion) read(u *unit) error {
	u.leaves = map[string]*leaf{}
	_, defines := yamlfile.Definitions[u.kind]
	switch {
	case u.words != nil:
		return v.entries(u, nil, u.node, &u.words.Document, "")
	case !defines:
		return v.entries(u, nil, u.node, &draft.Words{}, "")
	}
	words := &draft.Words{ByName: map[string]*draft.Word{}}
	for kind, of := range v.in.Words { // defaults and templates set attributes of kinds
		words.ByName[string(kind)] = &draft.Word{Role: draft.IsGroup, Path: of.Schema.Title, Group: &of.Attributes}
	}
	return v.entries(u, nil, u.node, words, "")
}

// entries reads those of a mapping into the unit.
func (v *yamlVersion) entries(u *unit, chain []entryOf, m *yaml.Node, words *draft.Words, above string) error {
	seen := map[string]bool{}
	for i := range len(m.Content) / 2 {
		e := entryOf{m, i}
		if seen[strings.ToLower(e.key().Value)] {
			return v.fault(e.key(), "key %q stands twice; want it once", e.key().Value)
		}
		seen[strings.ToLower(e.key().Value)] = true
		word, here := words.ByName[e.key().Value], append(slices.Clone(chain), e)
		path := strings.TrimPrefix(above+"."+e.key().Value, ".")
		switch {
		case word != nil && word.Role == draft.IsChildren && e.value().Kind == yaml.SequenceNode:
			if err := v.items(u, e.key().Value, e.value(), word.Child); err != nil {
				return err
			}
		case word != nil && word.Group != nil && e.value().Kind == yaml.MappingNode && len(e.value().Content) > 0:
			if err := v.entries(u, here, e.value(), word.Group, path); err != nil {
				return err
			}
		default:
			u.leaves[path] = &leaf{path: path, chain: here, word: word, header: headerOf(word, path),
				same: v.meaning(word, e.value())}
			u.order = append(u.order, path)
		}
	}
	return nil
}

func headerOf(word *draft.Word, path string) string {
	if word != nil && word.Attribute != nil && word.Attribute.Header != "" {
		return word.Attribute.Header
	}
	return path
}

func (v *yamlVersion) items(u *unit, key string, list *yaml.Node, words *draft.Vocabulary) error {
	for i, item := range list.Content {
		if item.Kind != yaml.MappingNode {
			return v.fault(item, "an item of %s is no mapping; want a mapping", key)
		}
		child := &unit{kind: string(words.Schema.Kind), words: words, node: item, parent: u, list: key, at: i}
		if err := v.read(child); err != nil {
			return err
		}
		u.children = append(u.children, child)
	}
	return v.tellApart(u.children)
}

// meaning is a text that is equal where two values mean the same.
func (v *yamlVersion) meaning(word *draft.Word, n *yaml.Node) string {
	if word != nil && word.Attribute != nil && n.Tag != "!!null" {
		a := word.Attribute
		switch {
		case n.Kind == yaml.ScalarNode && !a.Type.IsList():
			if value, finding := a.Parse(n.Value, v.in.Env); finding == nil && value.IsSet() {
				return "value " + a.Format(value)
			}
		case n.Kind == yaml.SequenceNode && a.Type.IsList() && onlyTexts(n):
			var texts []string
			for _, item := range n.Content {
				texts = append(texts, item.Value)
			}
			if value, findings := a.ParseList(texts); len(findings) == 0 {
				return fmt.Sprintf("list %q", value.Items())
			}
		}
	}
	return asWritten(n)
}

func onlyTexts(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(item *yaml.Node) bool { return item.Kind != yaml.ScalarNode })
}

// asWritten is equal for nodes that say the same in any order of keys.
func asWritten(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Tag + " " + strconv.Quote(n.Value)
	}
	var parts []string
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				parts = append(parts, asWritten(child)+": "+asWritten(n.Content[i+1]))
			}
			continue
		}
		parts = append(parts, asWritten(child))
	}
	if n.Kind == yaml.MappingNode {
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (u *unit) says(path string) string {
	if l := u.leaves[path]; l != nil && l.last().value().Kind == yaml.ScalarNode {
		return strings.TrimSpace(l.last().value().Value)
	}
	return ""
}

// name is what people call a unit that has no key.
func (u *unit) name() string {
	if u.words == nil {
		return ""
	}
	for _, attribute := range u.words.Schema.NameFrom {
		if name := u.says(attribute); name != "" {
			return name
		}
	}
	return ""
}

// under is what it says of its parents, where it is not nested in them.
func (u *unit) under() string {
	var parents []string
	for path, l := range u.leaves {
		if l.word != nil && l.word.Role == draft.IsParent {
			parents = append(parents, path+" "+l.same)
		}
	}
	slices.Sort(parents)
	return u.kind + "\x00" + strings.Join(parents, "\x00") + "\x00"
}

func (u *unit) label() string {
	_, defines := yamlfile.Definitions[u.kind]
	label := cmp.Or(u.says("key"), u.name(), u.says("id"), u.kind)
	if defines && label != u.kind {
		label = u.kind + " " + label
	}
	return diag.Printable(label)
}

// tellApart refuses units that nobody could find again in another version, and numbers those of which a file has one.
func (v *yamlVersion) tellApart(units []*unit) error {
	seen, counts := map[string]bool{}, map[string]int{}
	for _, u := range units {
		called := ""
		for _, by := range identities {
			if called = cmp.Or(called, by(u)); called != "" {
				break
			}
		}
		_, defines := yamlfile.Definitions[u.kind]
		switch {
		case called != "" && seen[called]:
			return v.fault(u.node, "%s [%s] stands twice; want it once", u.kind, u.label())
		case called == "" && !defines && (u.words == nil || u.words.Schema.Only == ""):
			return v.fault(u.node, "%s has neither key, id nor name; want a key", yamlfile.WithArticle(u.kind))
		case called == "":
			u.ordinal = counts[u.kind] + 1
			counts[u.kind]++
		}
		seen[called] = true
	}
	return nil
}

// identities are what a unit is found by in another version, the surest first; "" where it says nothing of it.
var identities = []func(*unit) string{
	func(u *unit) string { return found("id", u.kind, u.says("id")) },
	func(u *unit) string { return found("key", u.under(), u.says("key")) },
	func(u *unit) string { return found("name", u.under(), u.name()) },
	func(u *unit) string {
		if u.ordinal == 0 {
			return ""
		}
		return found("number", u.kind, strconv.Itoa(u.ordinal))
	},
}

func found(by, under, said string) string {
	if said == "" {
		return ""
	}
	return by + "\x00" + under + "\x00" + said
}

// pairUnits leads from units to those of another version that are the same.
func pairUnits(from, to []*unit) map[*unit]*unit {
	pairs, taken := map[*unit]*unit{}, map[*unit]bool{}
	for _, by := range identities {
		others := map[string][]*unit{}
		for _, u := range to {
			if called := by(u); called != "" && !taken[u] {
				others[called] = append(others[called], u)
			}
		}
		for _, u := range from {
			called := by(u)
			if called == "" || pairs[u] != nil || len(others[called]) != 1 {
				continue
			}
			if other := others[called][0]; !taken[other] && mayBeOne(u, other) {
				pairs[u], taken[other] = other, true
			}
		}
	}
	return pairs
}

// mayBeOne refuses two units that say they are different.
func mayBeOne(a, b *unit) bool {
	differ := func(what string) bool {
		x, y := a.says(what), b.says(what)
		return x != "" && y != "" && x != y
	}
	return a.says("id") != "" && a.says("id") == b.says("id") || !differ("id") && !differ("key")
}

// dump is equal for units that say the same, whatever the order.
func (u *unit) dump() string {
	said := map[string]string{}
	for path, l := range u.leaves {
		said[path] = l.same
	}
	var below []string
	for _, child := range u.children {
		below = append(below, child.dump())
	}
	return dumpOf(u.kind, said, below)
}

func dumpOf(kind string, said map[string]string, below []string) string {
	var parts []string
	for path, same := range said {
		parts = append(parts, path+"="+same)
	}
	slices.Sort(parts)
	slices.Sort(below)
	return fmt.Sprintf("%q%q%q", kind, parts, below)
}
