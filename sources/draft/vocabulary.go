package draft

import (
	"maps"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// role is what a key of a resource's mapping stands for.
type role uint8

const (
	IsAttribute role = iota
	IsGroup          // a mapping of attributes: budget
	IsKind
	IsKey
	IsID
	IsUse
	IsParent   // names an ancestor: campaign
	IsChildren // a list of resources nested in this one: ad_groups
)

// Word is one key a mapping may have.
type Word struct {
	Role      role
	Path      string              // of attributes from the resource down: "budget.daily"
	Attribute *resource.Attribute // IsAttribute
	Group     *Words              // IsGroup; and an attribute that also has parts
	Ancestor  int                 // IsParent: its level in the tree, 0 at the top
	Child     *Vocabulary         // IsChildren
}

// Words are the keys a mapping may have.
type Words struct {
	ByName map[string]*Word
	Names  []string // sorted, for messages
}

// Vocabulary is the YAML of a kind, made from its schema alone.
type Vocabulary struct {
	Schema     *resource.Schema
	Depth      int
	Document   Words // what a resource may say
	Attributes Words // what defaults and templates may say
}

// Vocabularies are made once for a set of sources.
type Vocabularies map[resource.Kind]*Vocabulary

// NewVocabularies returns the keys of each kind, made from the schemas.
func NewVocabularies(schemas resource.Schemas) Vocabularies {
	vs := Vocabularies{}
	for _, s := range schemas {
		vs[s.Kind] = &Vocabulary{Schema: s, Depth: schemas.Depth(s.Kind)}
	}
	for _, v := range vs {
		v.Attributes = attributeWords(v.Schema)
		v.Document = Words{ByName: maps.Clone(v.Attributes.ByName)}
		v.Document.add("kind", &Word{Role: IsKind})
		v.Document.add("key", &Word{Role: IsKey})
		v.Document.add("id", &Word{Role: IsID})
		v.Document.add("use", &Word{Role: IsUse})
		for level, kind := v.Depth-1, v.Schema.Parent; level >= 0; level-- {
			v.Document.add(string(kind), &Word{Role: IsParent, Ancestor: level})
			kind = vs[kind].Schema.Parent
		}
		for _, child := range schemas.ChildrenOf(v.Schema.Kind) {
			v.Document.add(child.Children, &Word{Role: IsChildren, Child: vs[child.Kind]})
		}
		v.Document.Names = slices.Sorted(maps.Keys(v.Document.ByName))
	}
	return vs
}

func (ws *Words) add(name string, w *Word) { ws.ByName[name] = w }

// attributeWords nests dotted names: budget.daily is `budget: {daily: …}`.
func attributeWords(s *resource.Schema) Words {
	top := Words{ByName: map[string]*Word{}}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		segments := strings.Split(a.Name, ".")
		at := &top
		for depth, segment := range segments[:len(segments)-1] {
			w := at.ByName[segment]
			if w == nil {
				w = &Word{Role: IsGroup, Path: strings.Join(segments[:depth+1], ".")}
				at.add(segment, w)
			}
			if w.Group == nil {
				w.Group = &Words{ByName: map[string]*Word{}}
			}
			at = w.Group
		}
		leaf := &Word{Role: IsAttribute, Path: a.Name, Attribute: a}
		if group := at.ByName[segments[len(segments)-1]]; group != nil {
			leaf.Group = group.Group
		}
		at.add(segments[len(segments)-1], leaf)
	}
	top.sort()
	return top
}

func (ws *Words) sort() {
	ws.Names = slices.Sorted(maps.Keys(ws.ByName))
	for _, w := range ws.ByName {
		if w.Group != nil {
			w.Group.sort()
		}
	}
}
