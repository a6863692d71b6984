package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// table is the rows of a sheet from top to bottom, as snapshot reads them.
type table []string

// fill makes a row of each value: fill("campaign/c%d budget.daily=%s", "10", "20").
func fill(form string, values ...string) table {
	var rows table
	for i, v := range values {
		rows = append(rows, fmt.Sprintf(form, i+1, v))
	}
	return rows
}

// count makes n values of a form: count("Ad_%d", 3) is Ad_1, Ad_2, Ad_3.
func count(form string, n int) []string {
	var values []string
	for i := range n {
		values = append(values, fmt.Sprintf(form, i+1))
	}
	return values
}

// typed is the table as somebody typed it: row 2 is its first line, and every
// attribute has its column.
func (rows table) typed(t testing.TB) *resource.Snapshot {
	s := &resource.Snapshot{}
	for i, text := range rows {
		if text == "" {
			continue
		}
		r := parse(t, strings.Fields(text))
		schema := kinds.All().Of(r.Address.Kind)
		sheet := diag.OriginOf("q4.xlsx", schema.Sheet)
		r.Position = sheet.At(i+2, 0)
		for j, n := range r.Attributes {
			column := 1 + slices.IndexFunc(schema.Attributes, func(a resource.Attribute) bool {
				return a.Name == n.Name
			})
			r.Attributes[j].Value = n.Value.At(sheet.At(i+2, column))
		}
		if !s.Add(r) {
			t.Fatalf("%s stands there twice", r.Address)
		}
	}
	return s
}

// applied is the table as it was applied: with ids, and no positions.
func (rows table) applied(t testing.TB) *resource.Snapshot {
	s := snapshot(t, strings.Join(rows, "\n"))
	for r := range s.All() {
		r.ID = "id:" + r.Address.String()
	}
	return s
}

// retyped plans what somebody made of a table that was applied as it was.
func retyped(t testing.TB, was, now table, allow ...string) *plan.Plan {
	t.Helper()
	return compare.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, allow...),
		Last: was.applied(t), Desired: now.typed(t), Live: was.applied(t)})
}

// told writes the suspicious edits of a plan as a test's row reads.
func told(p *plan.Plan) string {
	var lines []string
	for _, a := range p.SuspiciousEdits {
		line := string(a.Hazard) + ": " + a.Message
		for _, e := range a.Examples {
			line += " | " + e.Message
		}
		if a.Held > 0 {
			line += fmt.Sprintf(" | %d held, %s", a.Held, a.Allow)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
