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
	{"insights", "what insights and hotels -o json print", printedSchema[insights.Document]("adsync: figures",
		"What adsync insights and hotels -o json print. Figures are decimal text, money in the account's currency.")},
	{"recent-events", "what conversions recent -o json prints",
		printedSchema[conversions.RecentDocument]("adsync: recent events",
			"What adsync conversions recent -o json prints.")},
	{"conversion-key", "what conversions key -o json prints",
		printedSchema[conversions.KeyDocument]("adsync: a conversion API key",
			"What adsync conversions key -o json prints. The key itself is in the file alone.")},
