package sources

import (
	"maps"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// role is what a key of a resource's mapping stands for.
type role uint8

const (
	isAttribute role = iota
	isGroup          // a mapping of attributes: budget
	isKind
	isKey
	isID
	isUse
	isParent   // names an ancestor: campaign
	isChildren // a list of resources nested in this one: ad_groups
)

// word is one key a mapping may have.
type word struct {
	role      role
	path      string              // of attributes from the resource down: "budget.daily"
	attribute *resource.Attribute // isAttribute
	group     *words              // isGroup; and an attribute that also has parts
	ancestor  int                 // isParent: its level in the tree, 0 at the top
	child     *vocabulary         // isChildren
}

// words are the keys a mapping may have.
type words struct {
	byName map[string]*word
	names  []string // sorted, for messages
}

// vocabulary is the YAML of a kind, made from its schema alone.
type vocabulary struct {
	schema     *resource.Schema
	depth      int
	document   words // what a resource may say
	attributes words // what defaults and templates may say
}

// vocabularies are made once for a set of sources.
type vocabularies map[resource.Kind]*vocabulary

func newVocabularies(schemas resource.Schemas) vocabularies {
	vs := vocabularies{}
	for _, s := range schemas {
		vs[s.Kind] = &vocabulary{schema: s, depth: schemas.Depth(s.Kind)}
	}
	for _, v := range vs {
		v.attributes = attributeWords(v.schema)
		v.document = words{byName: maps.Clone(v.attributes.byName)}
		v.document.add("kind", &word{role: isKind})
		v.document.add("key", &word{role: isKey})
		v.document.add("id", &word{role: isID})
		v.document.add("use", &word{role: isUse})
		for level, kind := v.depth-1, v.schema.Parent; level >= 0; level-- {
			v.document.add(string(kind), &word{role: isParent, ancestor: level})
			kind = vs[kind].schema.Parent
		}
		for _, child := range schemas.ChildrenOf(v.schema.Kind) {
			v.document.add(child.Children, &word{role: isChildren, child: vs[child.Kind]})
		}
		v.document.names = slices.Sorted(maps.Keys(v.document.byName))
	}
	return vs
}

func (ws *words) add(name string, w *word) { ws.byName[name] = w }

// attributeWords nests dotted names: budget.daily is `budget: {daily: …}`.
func attributeWords(s *resource.Schema) words {
	top := words{byName: map[string]*word{}}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		segments := strings.Split(a.Name, ".")
		at := &top
		for depth, segment := range segments[:len(segments)-1] {
			w := at.byName[segment]
			if w == nil {
				w = &word{role: isGroup, path: strings.Join(segments[:depth+1], ".")}
				at.add(segment, w)
			}
			if w.group == nil {
				w.group = &words{byName: map[string]*word{}}
			}
			at = w.group
		}
		leaf := &word{role: isAttribute, path: a.Name, attribute: a}
		if group := at.byName[segments[len(segments)-1]]; group != nil {
			leaf.group = group.group
		}
		at.add(segments[len(segments)-1], leaf)
	}
	top.sort()
	return top
}

func (ws *words) sort() {
	ws.names = slices.Sorted(maps.Keys(ws.byName))
	for _, w := range ws.byName {
		if w.group != nil {
			w.group.sort()
		}
	}
}
