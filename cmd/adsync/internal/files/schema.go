package files

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/access"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/ops"
	"adsync/cmd/adsync/internal/people"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/conversions"
	"adsync/internal/diag"
	"adsync/internal/insights"
	"adsync/internal/jsonschema"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/sources/schema"

	"github.com/spf13/cobra"
)

// Described are the documents adsync reads and prints.
var Described = []struct {
	Name, help string
	schema     func() (*jsonschema.Schema, error)
}{
	{"yaml", "one document of a YAML source", always(func() *jsonschema.Schema {
		return schema.YAML(session.Schemas())
	})},
	{"project", "adsync.yaml", always(schema.Project)},
	{"operator", "the operator's file", always(schema.Operator)},
	{"workbook", "sheets, columns and cells of a workbook", always(func() *jsonschema.Schema {
		return schema.Workbook(session.Schemas())
	})},
	{"plan", "what plan -o json prints",
		printedSchema[runs.PlanDocument]("adsync: a plan", "What adsync plan -o json prints. Money is in micros.")},
	{"plan-line", "a line of what plan -o ndjson prints", planLineSchema},
	{"report", "what apply, show and revert -o json print", printedSchema[runs.ReportDocument]("adsync: a report",
		"What adsync apply, show and revert -o json print. Money is in micros.")},
	{"insights", "what insights, hotels and conversions insights -o json print",
		printedSchema[insights.Document]("adsync: figures",
			"What adsync insights, hotels and conversions insights -o json print. "+
				"Figures are decimal text, money in the account's currency.")},
	{"accounts", "what accounts -o json prints", printedSchema[access.AccountsDocument]("adsync: accounts",
		"What adsync accounts -o json prints.")},
	{"account-created", "what accounts create -o json prints", printedSchema[access.CreatedDocument](
		"adsync: an account", "What adsync accounts create -o json prints.")},
	{"keys", "what keys create -o json prints", printedSchema[access.KeyDocument]("adsync: a new key",
		"What adsync keys create -o json prints. It has no key in it.")},
	{"login", "what login and logout -o json print", printedSchema[access.LoginDocument]("adsync: a login",
		"What adsync login and logout -o json print. It has no token in it.")},
	{"whoami", "what whoami -o json prints", printedSchema[access.WhoamiDocument]("adsync: a credential",
		"What adsync whoami -o json prints. It has no secret in it.")},
	{"sent-events", "what conversions send -o json prints",
		printedSchema[conversions.SendDocument]("adsync: sent events", "What adsync conversions send -o json prints.")},
	{"recent-events", "what conversions recent -o json prints",
		printedSchema[conversions.RecentDocument]("adsync: recent events",
			"What adsync conversions recent -o json prints.")},
	{"conversion-key", "what conversions key -o json prints",
		printedSchema[conversions.KeyDocument]("adsync: a conversion API key",
			"What adsync conversions key -o json prints. The key itself is in the file alone.")},
	{"audiences", "what audience list and show -o json print", printedSchema[people.Document](
		"adsync: audiences", "What adsync audience list and show -o json print. Counts are the service's ranges.")},
	{"audience-operations", "what audience operations, cancel and resume -o json print",
		printedSchema[people.OperationsDocument]("adsync: operations on an audience",
			"What adsync audience operations, cancel and resume -o json print.")},
	{"review", "what review -o json prints", printedSchema[ops.ReviewDocument]("adsync: reviews",
		"What adsync review -o json prints.")},
	{"preview", "what preview -o json prints", printedSchema[ops.PreviewDocument]("adsync: previews",
		"What adsync preview -o json prints.")},
	{"locations", "what locations -o json prints", printedSchema[ops.LocationsDocument]("adsync: places",
		"What adsync locations -o json prints.")},
	{"run-event", "a line of what apply, show and revert -o ndjson print", runEventSchema},
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
		Use:   "schema " + strings.Join(names, "|"),
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

// printedSchema describes a type by what its fields print. Objects stay open: a
// later version may print more under the same format_version.
func printedSchema[T any](title, help string) func() (*jsonschema.Schema, error) {
	return func() (*jsonschema.Schema, error) {
		s, err := jsonschema.Of(reflect.TypeFor[T](), printedTypes())
		if err != nil {
			return nil, err
		}
		s.Title, s.Description = title, help
		return s, nil
	}
}

// planLineSchema describes each type of line, told apart by the key type.
func planLineSchema() (*jsonschema.Schema, error) {
	return lineSchema("adsync: a line of a plan", "What adsync plan -o ndjson prints, "+
		"a line each. The first is of the type plan, the last summary. Money is in micros.", planview.LineTypes())
}

func runEventSchema() (*jsonschema.Schema, error) {
	return lineSchema("adsync: an event of a run",
		"What adsync apply, show and revert -o ndjson print, a line each, as it happens. The first is of the "+
			"type run, the last finished, whatever happened between them. Money is in micros.", runview.LineTypes())
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
