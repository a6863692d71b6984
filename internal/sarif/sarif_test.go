package sarif

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"adsync/internal/diag"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// read holds what is written against the schema that OASIS publishes, and reads it as others do.
func read(t *testing.T, log Log) *sarif.Report {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, log); err != nil {
		t.Fatal(err)
	}
	written, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := publishedSchema(t).Validate(written); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	var report sarif.Report
	if err := json.Unmarshal(b.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	return &report
}

// publishedSchema is the schema as go-sarif carries it, in a constant that it does not export. Its own
// Validate fills in what was not written, and refuses that.
func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}",
		"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(dir)), "schema.go")
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := strconv.Unquote(file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaAddress, document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(schemaAddress)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestProblemsStandAtTheirLines(t *testing.T) {
	report := read(t, Log{Version: "0.1.0", Folder: "my ads", Problems: []diag.Problem{
		{Severity: diag.Error, Code: "ADS1004", Position: diag.At("spring.yaml", 5, 17),
			Message: `amount is "lots"`, Hint: "write 25.00"},
		{Severity: diag.Warning, Code: "ADS1004", Position: diag.Cell("a:b.xlsx", "Ads", 4, 8), Message: "<b>"},
		{Code: "ADS1018", Message: "no source is there"},
	}})
	type place struct {
		rule, level, message, uri string
		line, column              int
	}
	var got []place
	for _, r := range report.Runs[0].Results {
		in := r.Locations[0].PhysicalLocation
		p := place{rule: *r.RuleID, level: r.Level, message: *r.Message.Text, uri: *in.ArtifactLocation.URI}
		p.line = *in.Region.StartLine
		if in.Region.StartColumn != nil {
			p.column = *in.Region.StartColumn
		}
		got = append(got, p)
		if rule := report.Runs[0].Tool.Driver.Rules[r.RuleIndex]; *rule.ID != *r.RuleID {
			t.Errorf("the rule of %s is %s", *r.RuleID, *rule.ID)
		}
	}
	want := []place{
		{"ADS1004", "error", "amount is \"lots\"\nwrite 25.00", "my%20ads/spring.yaml", 5, 17},
		{"ADS1004", "warning", "Ads!H4: <b>", "my%20ads/a:b.xlsx", 4, 8},
		{"ADS1018", "error", "no source is there", "my%20ads/adsync.yaml", 1, 0},
	}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(place{})); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestARunThatFailedSaysSo(t *testing.T) {
	for failure, want := range map[string]bool{"": true, "no branch main": false} {
		report := read(t, Log{Failure: failure})
		if got := *report.Runs[0].Invocations[0].ExecutionSuccessful; got != want {
			t.Errorf("with the failure %q the run was successful: %v; want %v", failure, got, want)
		}
	}
}

// A path of the top whose first part has a colon is no scheme.
func TestAPathIsNoAddress(t *testing.T) {
	report := read(t, Log{Problems: []diag.Problem{{Code: "ADS1004", Position: diag.At("a:b.yaml", 1, 1)}}})
	uri := *report.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI
	if !strings.HasPrefix(uri, "./") {
		t.Errorf("the path is %q; want it relative", uri)
	}
}
