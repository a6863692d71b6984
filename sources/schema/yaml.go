// Package schema describes the files of a project as JSON Schemas, for editors.
// yaml.go is that of YAML sources, workbook.go of the rows of sheets, project.go of adsync.yaml,
// operator.go of the operator's file, value.go of a single value.
//
// What the readers take the schemas take; a test holds both against each other.
package schema

import (
	"maps"
	"slices"

	"adsync/internal/jsonschema"
	"adsync/internal/resource"
	"adsync/sources/draft"
	"adsync/sources/yamlfile"
)

// YAML describes one document of a YAML source, for editors: every kind
// and every definition the reader knows, from the same descriptions.
func YAML(schemas resource.Schemas) *jsonschema.Schema {
	y := &yamlSchema{schemas: schemas, words: draft.NewVocabularies(schemas)}
	y.addHints()
	kinds := y.addKinds()
	y.addDefinitions()
	whole := &jsonschema.Schema{
		Title:       "adsync: a YAML source",
		Description: "One document of a YAML file that adsync reads: a resource, or what resources share.",
		Type:        jsonschema.Types{"object"}, Required: []string{"kind"}, Defs: y.defs,
	}
	kinds = append(kinds, slices.Sorted(maps.Keys(yamlfile.Definitions))...)
	whole.Properties.Add("kind", &jsonschema.Schema{Enum: kinds, Description: "What the document is."})
	for _, kind := range kinds {
		is := &jsonschema.Schema{Required: []string{"kind"}}
		is.Properties.Add("kind", &jsonschema.Schema{Const: kind})
		whole.AllOf = append(whole.AllOf, &jsonschema.Schema{If: is, Then: jsonschema.Refer(kind)})
	}
	return whole
}

// yamlSchema puts the parts of the schema together.
type yamlSchema struct {
	schemas resource.Schemas
	words   draft.Vocabularies
	defs    jsonschema.Properties
}

func (y *yamlSchema) addKinds() []string {
	var kinds []string
	for _, s := range y.schemas {
		v := y.words[s.Kind]
		for _, name := range v.Attributes.InOrder(y.schemas, s) {
			y.defs.Add(string(s.Kind)+"."+name, y.wordSchema(s, v.Attributes.ByName[name]))
		}
		y.defs.Add(string(s.Kind), y.document(v))
		if s.Children != "" {
			y.defs.Add(s.Children, y.nested(v))
		}
		y.defs.Add(attributesOf(s), y.attributes(v))
		kinds = append(kinds, string(s.Kind))
	}
	return kinds
}

// attributesOf names the part that says what defaults and templates may set.
func attributesOf(s *resource.Schema) string { return string(s.Kind) + "-attributes" }

// document is a resource that stands alone: it says its kind and its parent.
func (y *yamlSchema) document(v *draft.Vocabulary) *jsonschema.Schema {
	object := jsonschema.Closed(nil, "kind")
	object.Description = v.Schema.Title + ", in a document of its own."
	for _, name := range v.Document.InOrder(y.schemas, v.Schema) {
		w := v.Document.ByName[name]
		object.Properties.Add(name, y.property(v, name, w))
		if w.Role == draft.IsParent && w.Ancestor == v.Depth-1 {
			object.Required = append(object.Required, name)
		}
	}
	return object
}

// nested is a resource in the list of its parent, which says kind and parent.
func (y *yamlSchema) nested(v *draft.Vocabulary) *jsonschema.Schema {
	object := jsonschema.Closed(nil)
	object.Description = v.Schema.Title + ", beneath its parent."
	for _, name := range v.Document.InOrder(y.schemas, v.Schema) {
		if w := v.Document.ByName[name]; w.Role != draft.IsKind && w.Role != draft.IsParent {
			object.Properties.Add(name, y.property(v, name, w))
		}
	}
	return object
}

func (y *yamlSchema) attributes(v *draft.Vocabulary) *jsonschema.Schema {
	object := jsonschema.Closed(nil)
	object.Description = "What every " + v.Schema.Title + " takes over that does not say it itself."
	for _, name := range v.Attributes.InOrder(y.schemas, v.Schema) {
		object.Properties.Add(name, jsonschema.Refer(string(v.Schema.Kind)+"."+name))
	}
	return object
}

func (y *yamlSchema) property(v *draft.Vocabulary, name string, w *draft.Word) *jsonschema.Schema {
	switch w.Role {
	case draft.IsKind:
		return &jsonschema.Schema{Const: string(v.Schema.Kind)}
	case draft.IsKey:
		return keySchema("Your own short name, which " +
			"stays the same when the name changes. Absent: made from the first name.")
	case draft.IsID:
		return named("The service's id, filled by an export. Leave it as it is.")
	case draft.IsUse:
		return &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, Items: named(""),
			Description: "Keys of templates it takes attributes over from, the later over the earlier.",
		}
	case draft.IsParent:
		return named("The " + name + " it belongs to: its key or its name.")
	case draft.IsChildren:
		return &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, Items: jsonschema.Refer(w.Child.Schema.Children),
			Description: w.Child.Schema.Sheet + " beneath it.",
		}
	}
	return jsonschema.Refer(string(v.Schema.Kind) + "." + name)
}

// wordSchema describes an attribute, or the mapping that holds several.
func (y *yamlSchema) wordSchema(s *resource.Schema, w *draft.Word) *jsonschema.Schema {
	if w.Group == nil {
		return valueSchema(w.Attribute)
	}
	object := jsonschema.Closed(nil)
	object.MinProperties = 1
	for _, name := range w.Group.InOrder(y.schemas, s) {
		object.Properties.Add(name, y.wordSchema(s, w.Group.ByName[name]))
	}
	if w.Attribute == nil {
		return object
	}
	own := valueSchema(w.Attribute)
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{own, object}, Description: own.Description}
}

func (y *yamlSchema) addDefinitions() {
	defaults := jsonschema.Closed(nil, "kind")
	defaults.Description, defaults.MinProperties = "What every resource "+
		"of a kind takes over where neither it nor its templates say anything.", 2
	template := jsonschema.Closed(nil, "kind", "key")
	template.Description, template.MinProperties = "What a resource takes over that says use: [key].", 3
	defaults.Properties.Add("kind", &jsonschema.Schema{Const: "defaults"})
	template.Properties.Add("kind", &jsonschema.Schema{Const: "template"})
	template.Properties.Add("key", named("The name for use: [key]."))
	for _, s := range y.schemas {
		defaults.Properties.Add(string(s.Kind), jsonschema.Refer(attributesOf(s)))
		template.Properties.Add(string(s.Kind), jsonschema.Refer(attributesOf(s)))
	}
	y.defs.Add("defaults", defaults)
	y.defs.Add("template", template)
}

// addHints describes lists of hints and their entries.
func (y *yamlSchema) addHints() {
	file, list := jsonschema.Closed(nil, "file"), jsonschema.Closed(nil, "list")
	file.Description = "A text file of hints, one a line."
	file.Properties.Add("file", named("Path of the file, from this file's folder."))
	list.Description = "The entries of a hint list."
	list.Properties.Add("list", named("Key of a hint list."))
	text := &jsonschema.Schema{
		Type: jsonschema.Types{"string", "number", "boolean"}, Pattern: visible, Description: "One sentence.",
	}
	y.defs.Add("hint", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, file, list}})
	hints := jsonschema.Closed(nil, "kind", "key", "hints")
	hints.Description = "A list of hints that ad groups take in as {list: key}."
	hints.Properties.Add("kind", &jsonschema.Schema{Const: "hint_list"})
	hints.Properties.Add("key", named("The name for {list: key}."))
	hints.Properties.Add("hints", &jsonschema.Schema{
		Type: jsonschema.Types{"array"}, MinItems: 1,
		Items: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, file}},
	})
	y.defs.Add("hint_list", hints)
}

func keySchema(help string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: jsonschema.Types{"string"}, Pattern: patternKey,
		ErrorMessage: "want letters, digits, '-', '_' and '.', at most 200", Description: help,
	}
}

// named is a text that names something.
func named(help string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.Types{"string"}, Pattern: visible, Description: help}
}
