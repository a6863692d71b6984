package jsonschema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Known are the schemas of types that write themselves, by type.
type Known map[reflect.Type]*Schema

// Of returns the schema of what encoding/json prints for a type. A field is
// required unless it is left out when empty; a required pointer may be null. Objects stay open: a later version
// may print more. A type with a MarshalJSON of its own must be known.
func Of(t reflect.Type, known Known) (*Schema, error) {
	if s := known[t]; s != nil {
		return s, nil
	}
	if t.Kind() == reflect.Pointer {
		return Of(t.Elem(), known)
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil, fmt.Errorf("type %s writes its JSON itself; want its schema among the known", t)
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &Schema{Type: Types{"string"}}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: Types{"string"}}, nil
	case reflect.Bool:
		return &Schema{Type: Types{"boolean"}}, nil
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return &Schema{Type: Types{"integer"}}, nil
	case reflect.Slice:
		items, err := Of(t.Elem(), known)
		return &Schema{Type: Types{"array"}, Items: items}, err
	case reflect.Map:
		values, err := Of(t.Elem(), known)
		return &Schema{Type: Types{"object"}, AdditionalProperties: values}, err
	case reflect.Struct:
		return ofStruct(t, known)
	}
	return nil, fmt.Errorf("type %s has no JSON form that is described here", t)
}

// ofStruct takes the fields of embedded structs for its own, as encoding/json
// does. A type within itself, such as a hold that has further holds, is
// described down to where it begins again.
func ofStruct(t reflect.Type, known Known) (*Schema, error) {
	object := &Schema{Type: Types{"object"}}
	inner := Known{t: {Type: Types{"object"}}}
	for of, s := range known {
		inner[of] = s
	}
	for _, field := range reflect.VisibleFields(t) {
		name, options, tagged := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" || !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		s, err := Of(field.Type, inner)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, field.Name, err)
		}
		if !tagged || !strings.Contains(options, "omit") {
			object.Required = append(object.Required, name)
			if field.Type.Kind() == reflect.Pointer {
				nullable := *s
				nullable.Type = append(slices.Clone(s.Type), "null")
				s = &nullable
			}
		}
		object.Properties.Add(name, s)
	}
	return object, nil
}
