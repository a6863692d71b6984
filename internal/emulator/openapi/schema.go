package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Schema is the part of JSON Schema 2020-12 that the tables use. The zero value
// takes anything.
type Schema struct {
	Ref         string    `json:"$ref,omitempty"`
	Description string    `json:"description,omitempty"`
	Type        Types     `json:"type,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Format      string    `json:"format,omitempty"` // date, date-time, uri
	Minimum     *int64    `json:"minimum,omitempty"`
	Maximum     *int64    `json:"maximum,omitempty"`
	MinLength   int       `json:"minLength,omitempty"` // code points
	MaxLength   int       `json:"maxLength,omitempty"` // 0: no bound
	MinItems    int       `json:"minItems,omitempty"`
	MaxItems    int       `json:"maxItems,omitempty"` // 0: no bound
	MinFields   int       `json:"minProperties,omitempty"`
	Items       *Schema   `json:"items,omitempty"`
	Fields      Fields    `json:"properties,omitempty"`
	Required    []string  `json:"required,omitempty"`
	Others      *Others   `json:"additionalProperties,omitempty"`
	AnyOf       []*Schema `json:"anyOf,omitempty"`
}

// Types are the JSON types that a value may have; one is written without brackets.
type Types []string

// MarshalJSON writes a string or a list.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Field is a named part of an object.
type Field struct {
	Name     string
	Schema   *Schema
	Optional bool
}

// Fields keep the order they are written in.
type Fields []Field

// MarshalJSON writes an object.
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, each := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(each.Schema)
		if err != nil {
			return nil, err
		}
		b.WriteString(`"` + each.Name + `":`)
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Named is the field of that name, or nil.
func (f Fields) Named(name string) *Schema {
	i := slices.IndexFunc(f, func(each Field) bool { return each.Name == name })
	if i < 0 {
		return nil
	}
	return f[i].Schema
}

// Others says what fields an object may have besides its own: none, or any that
// fit a schema.
type Others struct{ Schema *Schema }

// MarshalJSON writes false for none.
func (o Others) MarshalJSON() ([]byte, error) {
	if o.Schema == nil {
		return []byte("false"), nil
	}
	return json.Marshal(o.Schema)
}

func anything() *Schema { return &Schema{} }
func text() *Schema     { return &Schema{Type: Types{"string"}} }
func integer() *Schema  { return &Schema{Type: Types{"integer"}} }
func boolean() *Schema  { return &Schema{Type: Types{"boolean"}} }
func date() *Schema     { return &Schema{Type: Types{"string"}, Format: "date"} }
func moment() *Schema   { return &Schema{Type: Types{"string"}, Format: "date-time"} }
func address() *Schema  { return &Schema{Type: Types{"string"}, Format: "uri"} }

func textOf(least, most int) *Schema {
	return &Schema{Type: Types{"string"}, MinLength: least, MaxLength: most}
}

func integerOf(least, most int64) *Schema {
	return &Schema{Type: Types{"integer"}, Minimum: &least, Maximum: &most}
}

func fraction() *Schema {
	least, most := int64(0), int64(1)
	return &Schema{Type: Types{"number"}, Minimum: &least, Maximum: &most}
}

func oneOf(values ...string) *Schema { return &Schema{Type: Types{"string"}, Enum: values} }

func list(of *Schema) *Schema { return &Schema{Type: Types{"array"}, Items: of} }

func listOf(of *Schema, least, most int) *Schema {
	return &Schema{Type: Types{"array"}, Items: of, MinItems: least, MaxItems: most}
}

func ref(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// object has these fields and no others.
func object(fields ...Field) *Schema {
	s := &Schema{Type: Types{"object"}, Fields: fields, Others: &Others{}}
	for _, f := range fields {
		if !f.Optional {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// changes is an object with at least one of its fields, all of them optional.
func changes(fields ...Field) *Schema {
	s := object(fields...)
	s.MinFields = 1
	return s
}

// with is an object that may have further fields of one schema.
func (s *Schema) with(others *Schema) *Schema {
	wider := *s
	wider.Others = &Others{others}
	return &wider
}

func must(name string, s *Schema) Field { return Field{Name: name, Schema: s} }
func may(name string, s *Schema) Field  { return Field{Name: name, Schema: s, Optional: true} }

// orNull is s or null.
func orNull(s *Schema) *Schema {
	if s.Ref != "" || s.Enum != nil {
		return &Schema{AnyOf: []*Schema{s, {Type: Types{"null"}}}}
	}
	wider := *s
	wider.Type = append(slices.Clone(s.Type), "null")
	return &wider
}

// says is s with a sentence about it.
func (s *Schema) says(sentence string) *Schema {
	told := *s
	told.Description = sentence
	return &told
}
