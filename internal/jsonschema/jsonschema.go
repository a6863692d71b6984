// Package jsonschema writes JSON Schemas, draft 2020-12: as values whoever
// knows a format puts together, and as what Go types print as JSON.
//
// It refuses to know any format, kind or command, and it judges no document:
// editors and scripts do. Its invariant is that the same description gives the
// same bytes, properties in the order they were given.
package jsonschema

import (
	"bytes"
	"encoding/json"
	"io"
)

// draft is the dialect every schema written here is in.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Schema is one schema or a part of one. What is zero is not written, so that
// the zero Schema takes everything.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Ref         string `json:"$ref,omitempty"`

	Type  Types    `json:"type,omitempty"`
	Const any      `json:"const,omitempty"`
	Enum  []string `json:"enum,omitempty"`

	Pattern      string `json:"pattern,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"` // what editors say instead of naming a pattern
	MinLength    int64  `json:"minLength,omitempty"`
	MaxLength    int64  `json:"maxLength,omitempty"`

	Minimum          json.Number `json:"minimum,omitempty"`
	ExclusiveMinimum json.Number `json:"exclusiveMinimum,omitempty"`
	Maximum          json.Number `json:"maximum,omitempty"`

	Items    *Schema `json:"items,omitempty"`
	MinItems int     `json:"minItems,omitempty"`
	MaxItems int64   `json:"maxItems,omitempty"`

	Properties           Properties `json:"properties,omitempty"`
	AdditionalProperties any        `json:"additionalProperties,omitempty"` // false, or a *Schema
	MinProperties        int        `json:"minProperties,omitempty"`
	Required             []string   `json:"required,omitempty"`

	AnyOf []*Schema `json:"anyOf,omitempty"`
	AllOf []*Schema `json:"allOf,omitempty"`
	Not   *Schema   `json:"not,omitempty"`
	If    *Schema   `json:"if,omitempty"`
	Then  *Schema   `json:"then,omitempty"`

	ReadOnly bool       `json:"readOnly,omitempty"`
	Examples []string   `json:"examples,omitempty"`
	Defs     Properties `json:"$defs,omitempty"`
}

// Types are the JSON types a value may have.
type Types []string

// MarshalJSON writes one type as a text, several as a list.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Property is a name and the schema of its value.
type Property struct {
	Name   string
	Schema *Schema
}

// Properties keep the order they are given in, which is the order editors offer
// them in.
type Properties []Property

// Add puts a property at the end.
func (ps *Properties) Add(name string, s *Schema) { *ps = append(*ps, Property{name, s}) }

// Of finds the schema of a name, nil where there is none.
func (ps Properties) Of(name string) *Schema {
	for _, p := range ps {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// MarshalJSON writes an object, in order.
func (ps Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(p.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(p.Schema); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Closed is an object that takes the named properties and no other.
func Closed(properties Properties, required ...string) *Schema {
	return &Schema{Type: Types{"object"}, Properties: properties, AdditionalProperties: false, Required: required}
}

// Refer is what stands for a schema of $defs.
func Refer(name string) *Schema { return &Schema{Ref: "#/$defs/" + name} }

// Write writes a whole schema, indented, with its dialect.
func (s *Schema) Write(w io.Writer) error {
	whole := *s
	whole.Dialect = draft
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(&whole)
}
