package forgetest

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed testdata/gitlab-published.json
var gitlabPublished []byte

// published is what GitLab says of a request, or of a part of its body.
type published struct {
	Parameters []struct {
		Name, In string
		Required bool
		value
	}
	Body *object
}

type object struct {
	Required   []string
	Properties map[string]property
}

type property struct {
	value
	object
}

// value is of any of the types. Items is the type of an array's.
type value struct {
	Type          []string
	Format, Items string
	Enum          []any
}

// What the server takes for GitLab's is GitLab's: it may know of less, and take less, but of nothing else.
func TestGitLabTakesWhatGitLabPublishes(t *testing.T) {
	t.Parallel()
	description, err := openapi3.NewLoader().LoadFromData(gitlab)
	if err != nil {
		t.Fatal(err)
	}
	var operations map[string]published
	if err := json.Unmarshal(gitlabPublished, &operations); err != nil {
		t.Fatal(err)
	}
	known := 0
	for path, item := range description.Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + path
			want, found := operations[name]
			if !found {
				t.Errorf("GitLab publishes no %s", name)
				continue
			}
			known++
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				parametersArePublished(t, want, operation)
				bodyIsPublished(t, want, operation)
			})
		}
	}
	if known != len(operations) {
		t.Errorf("%d of %d published operations are in gitlab.json: drop the others", known, len(operations))
	}
}

func parametersArePublished(t *testing.T, want published, operation *openapi3.Operation) {
	t.Helper()
	type place struct{ in, name string }
	here := map[place]bool{} // and whether it is required
	for _, ref := range operation.Parameters {
		p := ref.Value
		here[place{p.In, p.Name}] = p.Required
		known := false
		for _, other := range want.Parameters {
			if other.In == p.In && other.Name == p.Name {
				known = true
				valueIsPublished(t, p.In+" "+p.Name, other.value, p.Schema.Value)
			}
		}
		if !known {
			t.Errorf("GitLab publishes no parameter %s in %s", p.Name, p.In)
		}
	}
	for _, other := range want.Parameters {
		if other.Required && !here[place{other.In, other.Name}] {
			t.Errorf("GitLab requires the parameter %s in %s", other.Name, other.In)
		}
	}
}

func bodyIsPublished(t *testing.T, want published, operation *openapi3.Operation) {
	t.Helper()
	switch {
	case operation.RequestBody == nil && want.Body == nil:
	case operation.RequestBody == nil:
		t.Error("GitLab publishes a body")
	case want.Body == nil:
		t.Error("GitLab publishes no body")
	default:
		objectIsPublished(t, "", *want.Body, operation.RequestBody.Value.Content.Get("application/json").Schema.Value)
	}
}

func objectIsPublished(t *testing.T, prefix string, want object, schema *openapi3.Schema) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		other, found := want.Properties[name]
		if !found {
			t.Errorf("GitLab publishes no %s%s in the body", prefix, name)
			continue
		}
		inner := schema.Properties[name].Value
		valueIsPublished(t, prefix+name, other.value, inner)
		objectIsPublished(t, prefix+name+".", other.object, inner)
	}
	for _, name := range want.Required {
		if !slices.Contains(schema.Required, name) {
			t.Errorf("GitLab requires %s%s in the body", prefix, name)
		}
	}
	if len(schema.Properties) > 0 && (schema.AdditionalProperties.Has == nil || *schema.AdditionalProperties.Has) {
		t.Errorf("the body takes any property: %q", prefix)
	}
}

func valueIsPublished(t *testing.T, name string, want value, schema *openapi3.Schema) {
	t.Helper()
	for _, kind := range schema.Type.Slice() {
		if !slices.Contains(want.Type, kind) {
			t.Errorf("%s: %s, where GitLab publishes %v", name, kind, want.Type)
		}
	}
	if schema.Format != want.Format {
		t.Errorf("%s: format %q, where GitLab publishes %q", name, schema.Format, want.Format)
	}
	if schema.Items != nil && !schema.Items.Value.Type.Is(want.Items) {
		t.Errorf("%s: list of %v, where GitLab publishes one of %s", name, schema.Items.Value.Type.Slice(), want.Items)
	}
	if len(want.Enum) == 0 {
		return
	}
	if len(schema.Enum) == 0 {
		t.Errorf("%s: any value, where GitLab publishes %v", name, want.Enum)
	}
	for _, v := range schema.Enum {
		if !slices.Contains(want.Enum, v) {
			t.Errorf("%s: %v, where GitLab publishes %v", name, v, want.Enum)
		}
	}
}
