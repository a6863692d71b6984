package jsonschema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Name string `json:"name"`
}

type level uint8

func (level) MarshalText() ([]byte, error) { return []byte("low"), nil }

type printedType struct {
	inner
	Count  int            `json:"count"`
	Also   []printedType  `json:"also,omitempty"`
	By     map[string]int `json:"by"`
	Level  level          `json:"level"`
	Maybe  *inner         `json:"maybe,omitempty"`
	Hidden string         `json:"-"`
	Plain  bool
}

func TestOfDescribesWhatIsPrinted(t *testing.T) {
	s, err := Of(reflect.TypeFor[printedType](), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want :=
		`{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"},"also":{"type":"array","items":{"type":"object"}},` +
			`"by":{"type":"object","additionalProperties":{"type":"integer"}},"level":{"type":"string"},"maybe":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},` +
			`"Plain":{"type":"boolean"}},"required":["name","count","by","level","Plain"]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Of (-want +got):\n%s", diff)
	}
}

func TestOfRefusesWhatItCannotKnow(t *testing.T) {
	for what, of := range map[string]reflect.Type{
		"writes its JSON itself": reflect.TypeFor[struct{ At time.Time }](),
		"no JSON form":           reflect.TypeFor[struct{ F func() }](),
	} {
		if _, err := Of(of, nil); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("Of(%s) = %v, want %q", of, err, what)
		}
	}
}

func TestWriteKeepsTheOrderOfProperties(t *testing.T) {
	s := Closed(Properties{{"z", &Schema{Const: "<&>"}}, {"a", Refer("x")}}, "z")
	var out strings.Builder
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "z": {
      "const": "<&>"
    },
    "a": {
      "$ref": "#/$defs/x"
    }
  },
  "additionalProperties": false,
  "required": [
    "z"
  ]
}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("Write (-want +got):\n%s", diff)
	}
	if s.Dialect != "" || s.Properties.Of("a").Ref == "" || s.Properties.Of("b") != nil {
		t.Errorf("Write or Of changed the schema: %+v", s)
	}
}
