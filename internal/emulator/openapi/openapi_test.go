package openapi_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/emulator/openapi"
	"adsync/internal/testing/emulatortest"
	"adsync/internal/testing/golden"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentHasEveryRoute: what is served and what is described are the same.
func TestDocumentHasEveryRoute(t *testing.T) {
	var served []string
	for _, rt := range emulatortest.Start(t).Routes() {
		served = append(served, rt.Method+" "+rt.Pattern)
	}
	described := openapi.Routes()
	slices.Sort(served)
	slices.Sort(described)
	if diff := cmp.Diff(described, served); diff != "" {
		t.Errorf("routes of the tables of package "+
			"openapi (-) and of the server (+) differ; add each new route to operations:\n%s", diff)
	}
}

func TestInterfaceOnlyLeavesAdditionsOut(t *testing.T) {
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "profile:interface"))
	d, missing := openapi.New(s.Routes())
	if len(missing) > 0 {
		t.Fatalf("routes without an operation: %s", missing)
	}
	if _, ok := d.Paths["/geo_lookup/search"]; ok {
		t.Error("/geo_lookup/search is in the document of the interface alone")
	}
	if d.Paths["/campaigns"]["get"] == nil {
		t.Error("GET /campaigns is not in the document of the interface alone")
	}
}

// TestGolden: docs/develop/openapi.json is what the emulator serves; -update writes it.
func TestGolden(t *testing.T) {
	s := emulatortest.Start(t)
	d, _ := openapi.New(s.Routes())
	want, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "..", "docs", "develop", "openapi.json")
	golden.File(t, path, want)
	served := s.Must(t, "GET", "/_emulator/openapi.json", nil).Body
	var compact bytes.Buffer
	if err := json.Compact(&compact, want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compact.String(), strings.TrimSpace(string(served))); diff != "" {
		t.Errorf("GET /_emulator/openapi.json (+) is not docs/develop/openapi.json (-):\n%s", diff)
	}
}

// TestReferencesHold: every reference names a component, every component is
// named by something, and every part of a path is a parameter.
func TestReferencesHold(t *testing.T) {
	d, _ := openapi.New(emulatortest.Start(t).Routes())
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, part := range strings.Split(string(text), `"$ref": "#/components/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		named[name] = true
	}
	var there []string
	for name := range d.Components.Schemas {
		there = append(there, "schemas/"+name)
	}
	for name := range d.Components.Responses {
		there = append(there, "responses/"+name)
	}
	slices.Sort(there)
	var used []string
	for name := range named {
		used = append(used, name)
	}
	slices.Sort(used)
	if diff := cmp.Diff(used, there); diff != "" {
		t.Errorf("components that are named (-) and that are there (+):\n%s", diff)
	}
	ids := map[string]bool{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			if ids[op.ID] {
				t.Errorf("operationId %s is used twice", op.ID)
			}
			ids[op.ID] = true
			inPath := slices.IndexFunc(op.Parameters, func(p openapi.Parameter) bool { return p.In == "path" }) >= 0
			if inPath != strings.Contains(path, "{") || len(op.Security) == 0 || op.Summary == "" {
				t.Errorf("%s %s: path parameters %v, security %v, summary %q",
					method, path, inPath, op.Security, op.Summary)
			}
		}
	}
}
