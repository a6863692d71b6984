package coverage

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The parts of an OpenAPI document that say what a request may carry.
type (
	document struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]schema }
	}
	operation struct {
		Parameters []struct {
			Name, In string
		}
		RequestBody struct {
			Content map[string]struct{ Schema schema }
		}
	}
	schema struct {
		Ref        string `json:"$ref"`
		Items      *schema
		Properties map[string]schema
		AnyOf      []schema
	}
)

// Inputs returns what a request of each endpoint may carry, by "METHOD /path", from an
// OpenAPI document: "" for the request itself, the name of a query parameter,
// "header NAME", and "body a.b" for a field of the body.
func Inputs(openAPI []byte) (map[string][]string, error) {
	var d document
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			all[strings.ToUpper(method)+" "+path] = d.inputs(op)
		}
	}
	return all, nil
}

func (d *document) inputs(op operation) []string {
	names := []string{""}
	for _, p := range op.Parameters {
		switch p.In {
		case "query":
			names = append(names, p.Name)
		case "header":
			names = append(names, "header "+p.Name)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
		for _, field := range d.fields(op.RequestBody.Content[kind].Schema, nil) {
			names = append(names, "body "+field)
		}
	}
	return unique(names)
}

// fields returns the dotted names of the fields of a schema, each once. A field of an
// object in a list is named as a field of the object. under are the references the
// way here went through: a schema that holds itself ends.
func (d *document) fields(s schema, under []string) []string {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		if slices.Contains(under, name) {
			return nil
		}
		return d.fields(d.Components.Schemas[name], append(under, name))
	}
	var names []string
	for _, each := range s.AnyOf {
		names = append(names, d.fields(each, under)...)
	}
	if s.Items != nil {
		names = append(names, d.fields(*s.Items, under)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		names = append(names, name)
		for _, below := range d.fields(s.Properties[name], under) {
			names = append(names, name+"."+below)
		}
	}
	return unique(names)
}

// unique returns the names, each where it stands first.
func unique(names []string) []string {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}
