package files

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/access"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/jobs"
	"adsync/cmd/adsync/internal/ops"
	"adsync/cmd/adsync/internal/people"
	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/conversions"
	"adsync/internal/diag"
	"adsync/internal/insights"
	"adsync/internal/jsonschema"
	"adsync/internal/planview"
	"adsync/internal/report"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/trail"
	"adsync/sources/schema"

	"github.com/spf13/cobra"
)

// A Description is of one document that adsync reads, or that commands print.
type Description struct {
	Name string
	Form string   // how it is asked for, such as "-o json"; "" of what is read
	By   []string // the commands that print it

	help   string
	schema func() (*jsonschema.Schema, error)
}

// Described are the documents adsync reads and prints.
var Described = []Description{
	{Name: "yaml", help: "one document of a YAML source", schema: always(func() *jsonschema.Schema {
		return schema.YAML(session.Schemas())
	})},
	{Name: "project", help: "adsync.yaml", schema: always(schema.Project)},
	{Name: "operator", help: "the operator's file", schema: always(schema.Operator)},
	{Name: "workbook", help: "sheets, columns and cells of a workbook", schema: always(func() *jsonschema.Schema {
		return schema.Workbook(session.Schemas())
	})},
	printed("plan", "a plan", inMicros, runs.PlanDocument{}, "plan", "revert --plan-only"),
	lines("plan-line", "a line of a plan", "A line each: the first is of the type plan, the last summary. "+inMicros,
		planview.LineTypes(), "plan", "revert --plan-only"),
	printed("report", "a report", inMicros, runs.ReportDocument{}, "apply", "show", "revert", "pause-all"),
	lines("run-event", "an event of a run", "A line each, as it happens: the first is of the type run, the last "+
		"finished, whatever happened between them. "+inMicros, runview.LineTypes(),
		"apply", "show", "revert", "pause-all"),
	printed("insights", "figures", "Figures are decimal text, money in the account's currency; sales in another have "+
		"it behind them.", insights.Document{}, "insights", "hotels", "conversions insights"),
	printed("figures-report", "a report of figures", "Figures and money are decimal text, empty where they are not "+
		"known; shares are of one.", report.Report{}, "report"),
	printed("accounts", "accounts", "", access.AccountsDocument{}, "accounts"),
	printed("account-created", "an account", "", access.CreatedDocument{}, "accounts create"),
	printed("keys", "a new key", "It has no key in it.", access.KeyDocument{}, "keys create"),
	printed("login", "a login", "It has no token in it.", access.LoginDocument{}, "login", "logout"),
	printed("whoami", "a credential", "It has no secret in it.", access.WhoamiDocument{}, "whoami"),
	printed("sent-events", "sent events", "", conversions.SendDocument{}, "conversions send"),
	printed("recent-events", "recent events", "", conversions.RecentDocument{}, "conversions recent"),
	{"recent-event", "-o ndjson", []string{"conversions recent"}, "a line of what conversions recent -o ndjson prints",
		described("adsync: a recent event", "What adsync conversions recent -o ndjson prints, a line each.",
			conversions.Recent{})},
	printed("conversion-key", "a conversion API key", "The key itself is in the file alone.",
		conversions.KeyDocument{}, "conversions key"),
	printed("audiences", "audiences", "Counts are the service's ranges.", people.Document{},
		"audience list", "audience show"),
	printed("audience-operations", "operations on an audience", "", people.OperationsDocument{},
		"audience operations", "audience cancel", "audience resume"),
	printed("review", "reviews", "", ops.ReviewDocument{}, "review"),
	printed("preview", "previews", "", ops.PreviewDocument{}, "preview"),
	printed("locations", "places", "", ops.LocationsDocument{}, "locations"),
	printed("status", "the state of an account", "", ops.StatusDocument{}, "status"),
	printed("jobs", "errands", "", jobs.Document{}, "jobs"),
	printed("history", "runs, decisions and orders", inMicros, trail.Trail{}, "history"),
	printed("audit", "the service's log", "", ops.AuditDocument{}, "audit"),
	printed("drift", "drift", "", planning.DriftDocument{}, "drift"),
	printed("adopt", "what was adopted", "", planning.AdoptDocument{}, "adopt"),
	printed("resume", "what was open", "", planning.ResumeDocument{}, "resume"),
	printed("resolve", "an unknown outcome", "", planning.ResolveDocument{}, "resolve"),
	printed("suspend", "a suspension", "", ops.SuspendDocument{}, "suspend"),
	printed("reconcile", "a run that was asked for", "", ops.ReconcileDocument{}, "reconcile"),
	printed("forget", "what was forgotten", "", ops.ForgetDocument{}, "forget"),
	printed("doctor", "findings", "", ops.DoctorDocument{}, "doctor"),
	printed("policy", "a policy", "", ops.PolicyDocument{}, "policy show"),
	printed("explain", "an explanation", "", ops.ExplainDocuments, "explain"),
	printed("validate", "what is wrong in files", "", validation{}, "validate"),
	printed("fix", "repairs", "", fixDocument{}, "fix"),
	printed("diff", "differences", "", diffDocument{}, "diff"),
	{"snapshot", "--to json", []string{"convert"}, "what convert --to json prints", described("adsync: a snapshot",
		"What adsync convert --to json prints. "+inMicros, runs.SnapshotDocument{})},
	printed("version", "a version", "", console.VersionDocument{}, "version"),
}

const inMicros = "Money is in micros."

// printed describes what commands print with -o json.
func printed(name, what, note string, document any, by ...string) Description {
	prints := diag.OrList(by) + " -o json prints"
	return Description{name, "-o json", by, "what " + prints,
		described("adsync: "+what, strings.TrimSpace("What adsync "+prints+". "+note), document)}
}

// lines describes the lines that commands print with -o ndjson, told apart by the key type.
func lines(name, what, note string, types []planview.Line, by ...string) Description {
	prints := diag.OrList(by) + " -o ndjson prints"
	return Description{name, "-o ndjson", by, "a line of what " + prints, func() (*jsonschema.Schema, error) {
		return lineSchema("adsync: "+what, "What adsync "+prints+". "+note, types)
	}}
}

// Schema returns the command adsync schema.
func Schema(env *session.Env) *cobra.Command {
	var names []string
	long := "Print the JSON Schema (draft 2020-12) of one of:\n\n"
	for _, d := range Described {
		names = append(names, d.Name)
		long += fmt.Sprintf("  %-19s %s\n", d.Name, d.help)
	}
	long += `
An editor with a YAML language server completes and checks a source while it is
typed, if the first line of each document names the schema, or the editor's
settings do:

  adsync schema yaml > adsync.schema.json
  # yaml-language-server: $schema=adsync.schema.json
  "yaml.schemas": {"adsync.schema.json": "campaigns/**/*.yaml"}`
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of what adsync reads and prints", Long: long,
		Example: `  adsync schema plan
  adsync schema yaml > adsync.schema.json`,
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return console.Usage(c, fmt.Errorf("no schema is named; want %s", diag.OrList(names)))
			case len(args) > 1 || !slices.Contains(names, args[0]):
				return console.Usage(c, fmt.Errorf("%q is no schema; want %s",
					strings.Join(args, " "), diag.OrList(names)))
			}
			return writeSchema(env.Out, args[0])
		},
	}
}

func writeSchema(w io.Writer, name string) error {
	for _, d := range Described {
		if d.Name != name {
			continue
		}
		s, err := d.schema()
		if err != nil {
			return fmt.Errorf("describe %s: %w", name, err)
		}
		return s.Write(w)
	}
	return fmt.Errorf("no document is called %q", name)
}

func always(make func() *jsonschema.Schema) func() (*jsonschema.Schema, error) {
	return func() (*jsonschema.Schema, error) { return make(), nil }
}

// described describes a value by what the fields of its type print, or several of which any may be. Objects
// stay open: a later version may print more under the same format_version.
func described(title, help string, document any) func() (*jsonschema.Schema, error) {
	return func() (*jsonschema.Schema, error) {
		forms, several := document.([]any)
		if !several {
			forms = []any{document}
		}
		all := &jsonschema.Schema{}
		for _, form := range forms {
			s, err := jsonschema.Of(reflect.TypeOf(form), printedTypes())
			if err != nil {
				return nil, err
			}
			all.AnyOf = append(all.AnyOf, s)
		}
		if !several {
			all = all.AnyOf[0]
		}
		all.Title, all.Description = title, help
		return all, nil
	}
}

func lineSchema(title, help string, lines []planview.Line) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Title: title, Description: help}
	for _, line := range lines {
		holds, err := jsonschema.Of(reflect.TypeOf(line.Value), printedTypes())
		if err != nil {
			return nil, err
		}
		head := jsonschema.Properties{{Name: "type", Schema: &jsonschema.Schema{Const: line.Type}},
			{Name: "format_version", Schema: count("")}}
		of := *holds
		of.Properties, of.Required = slices.Concat(head, holds.Properties),
			slices.Concat([]string{"type", "format_version"}, holds.Required)
		s.AnyOf = append(s.AnyOf, &of)
	}
	return s, nil
}

// printedTypes are the types that write their JSON themselves.
func printedTypes() jsonschema.Known {
	position := jsonschema.Properties{
		{Name: "file", Schema: text("Slash path from the project's folder.")},
		{Name: "sheet", Schema: text("Sheet of a workbook, else empty.")},
		{Name: "cell", Schema: text("Cell of a workbook such as E17, else empty.")},
		{Name: "line", Schema: count("Line, or row of a sheet, from 1; 0 where it is not known.")},
		{Name: "column", Schema: count("Column, from 1; 0 where it is not known.")},
	}
	problem := slices.Concat(
		jsonschema.Properties{{Name: "severity", Schema: &jsonschema.Schema{Enum: []string{string(diag.Error),
			string(diag.Warning), string(diag.Note)}}}, {Name: "code", Schema: text("Such as ADS1004.")}},
		position,
		jsonschema.Properties{{Name: "address", Schema: text("")}, {Name: "message",
			Schema: text("What is there; what is wanted.")}, {Name: "hint", Schema: text("What to do.")}},
	)
	return jsonschema.Known{
		reflect.TypeFor[time.Time]():     {Type: jsonschema.Types{"string"}, Description: "RFC 3339, in UTC."},
		reflect.TypeFor[diag.Position](): whole(position),
		reflect.TypeFor[diag.Problem]():  whole(problem),
		reflect.TypeFor[resource.Value](): {Type: jsonschema.Types{"null", "string", "integer", "array"},
			Items: text(""), Description: "null clears; money is an integer in micros."},
		reflect.TypeFor[json.RawMessage](): {Description: "As the service has it.",
			Type: jsonschema.Types{"null", "string", "number", "boolean", "array", "object"}},
		reflect.TypeFor[any](): {Type: jsonschema.Types{"null", "string", "integer", "array", "object"},
			Description: "null clears; money is an integer in micros; an object has attributes of its own."},
	}
}

// whole is an object that always has all of its properties.
func whole(properties jsonschema.Properties) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: jsonschema.Types{"object"}, Properties: properties}
	for _, p := range properties {
		s.Required = append(s.Required, p.Name)
	}
	return s
}

func text(help string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.Types{"string"}, Description: help}
}

func count(help string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.Types{"integer"}, Description: help, Minimum: "0"}
}
