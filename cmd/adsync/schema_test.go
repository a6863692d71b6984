package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/files"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/golden"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestTheSchemasInTheDocumentsAreInStep holds docs/use/schema to what the command
// prints, for those who have the repository and not the command.
func TestTheSchemasInTheDocumentsAreInStep(t *testing.T) {
	for _, d := range files.Described {
		have := printed(t, "schema", d.Name)
		golden.File(t, filepath.Join("../../docs/use/schema", d.Name+".json"), []byte(have))
	}
}

// TestPrintedDocumentsFitTheirSchemas holds what plan and apply print, done,
// held or failed, against what schema prints.
func TestPrintedDocumentsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	plan, report := compiled(t, "plan"), compiled(t, "report")
	dir := copyOfQuickstart(t)
	fits(t, plan, "a plan that creates", printed(t, "plan", "-o", "json", dir))
	fitsEachLine(t, "a plan that creates", printed(t, "plan", "-o", "ndjson", dir))
	fits(t, report, "an apply", printed(t, "apply", "--yes", "-o", "json", dir))
	fits(t, plan, "a plan without changes", printed(t, "plan", "-o", "json", dir))
	fits(t, compiled(t, "accounts"), "accounts", printed(t, "accounts", "-o", "json", dir))
	fits(t, compiled(t, "whoami"), "a credential", printed(t, "whoami", "-o", "json", dir))
	fits(t, compiled(t, "keys"), "a new key", printed(t, "keys", "create", "--yes", "-o", "json",
		"--out", filepath.Join(t.TempDir(), "new.key"), dir))
	fits(t, compiled(t, "insights"), "figures", printed(t, "insights", "-o", "json", "--zero", "--by", "day", dir))
	fits(t, compiled(t, "insights"), "figures of properties", printed(t, "hotels", "-o", "json", "--zero", dir))
	fits(t, compiled(t, "audiences"), "audiences", printed(t, "audience", "list", "-o", "json", dir))
	fits(t, compiled(t, "review"), "reviews", printed(t, "review", "-o", "json", dir))
	fits(t, compiled(t, "preview"), "previews", printed(t, "preview", "-o", "json", dir))
	fits(t, compiled(t, "preview"), "drawings", printed(t, "preview", "--drawn", "--out",
		t.TempDir(), "-o", "json", dir))
	fits(t, compiled(t, "locations"), "places", printed(t, "locations", "-o", "json", "--dir", dir, "New York"))
	edit(t, filepath.Join(dir, "spring.yaml"), "daily: 50.00", "daily: 500000.00")
	fits(t, plan, "a plan that is held", printed(t, "plan", "-o", "json", dir))
	fitsEachLine(t, "a plan that is held", printed(t, "plan", "-o", "ndjson", dir))
	fitsRun(t, "an apply that is held", output(t, "apply", "--yes", "-o", "ndjson", dir))
	fitsRun(t, "a run that is shown", printed(t, "show", "-o", "ndjson", "1", dir))
	fits(t, report, "a run that is shown", printed(t, "show", "-o", "json", "1", dir))
	fits(t, report, "an apply of nothing, as all is held", output(t, "apply", "--yes", "-o", "json", dir))
	edit(t, filepath.Join(dir, "spring.yaml"), "kind: campaign", "kind: campain")
	fits(t, plan, "a plan of files that do not parse", output(t, "plan", "-o", "json", dir))
	fitsEachLine(t, "a plan of files that do not parse", output(t, "plan", "-o", "ndjson", dir))
	fitsRun(t, "an apply of files that do not parse", output(t, "apply", "--yes", "-o", "ndjson", dir))
	fits(t, report, "an apply of files that do not parse", output(t, "apply", "--yes", "-o", "json", dir))
	for _, wrong := range []string{`{}`, `[]`, `{"format_version": "1"}`} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
		if err != nil {
			t.Fatal(err)
		}
		if plan.Validate(document) == nil || report.Validate(document) == nil {
			t.Errorf("%s fits a schema; want neither", wrong)
		}
	}
}

// fitsRun wants a beginning, then whatever, then an end.
func fitsRun(t *testing.T, what, text string) {
	t.Helper()
	line := compiled(t, "run-event")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		fits(t, line, fmt.Sprintf("%s, line %d", what, i+1), l)
	}
	if first, last := lines[0], lines[len(lines)-1]; !strings.HasPrefix(first, `{"type":"run",`) ||
		!strings.HasPrefix(last, `{"type":"finished",`) {
		t.Errorf("%s begins %.40s and ends %.40s; want its beginning and its end", what, first, last)
	}
}

// fitsEachLine wants a head, then whatever, then a summary.
func fitsEachLine(t *testing.T, what, text string) {
	t.Helper()
	line := compiled(t, "plan-line")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		fits(t, line, fmt.Sprintf("%s, line %d", what, i+1), l)
	}
	if first, last := lines[0], lines[len(lines)-1]; !strings.HasPrefix(first, `{"type":"plan",`) ||
		!strings.HasPrefix(last, `{"type":"summary",`) {
		t.Errorf("%s begins %.40s and ends %.40s; want a head and a summary", what, first, last)
	}
	for _, wrong := range []string{`{}`, `{"type":"change","format_version":1}`, `{"type":"else","format_version":1}`} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
		if err != nil {
			t.Fatal(err)
		}
		if line.Validate(document) == nil {
			t.Errorf("%s fits the schema of a line", wrong)
		}
	}
}

// closeObjects has a schema refuse properties that it does not describe, which printed documents may have for
// who reads them, and may not here.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if _, describes := s["properties"].(map[string]any); describes && s["additionalProperties"] == nil {
			s["additionalProperties"] = false
		}
		for _, part := range s {
			closeObjects(part)
		}
	case []any:
		for _, part := range s {
			closeObjects(part)
		}
	}
}

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schema, err := schemaOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// schemaOf returns what adsync schema NAME prints, with its objects closed.
func schemaOf(name string) (*jsonschema.Schema, error) {
	var out, problems bytes.Buffer
	env := &session.Env{Console: console.Console{Out: &out, Err: &problems, Getenv: func(string) string { return "" }}}
	if code := execute(context.Background(), env, []string{"schema", name}); code != console.ExitDone {
		return nil, errors.New(problems.String())
	}
	document, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		return nil, err
	}
	closeObjects(document)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

func fits(t *testing.T, schema *jsonschema.Schema, what, text string) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v in %q", what, err, text)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// output returns the standard output of a command, however it ends.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: &out, Err: &problems, Getenv: func(string) string {
			return ""
		}}}
	execute(context.Background(), env, args)
	return out.String()
}

func edit(t *testing.T, name, old, better string) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(content), old, better, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}
