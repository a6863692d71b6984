package planview

import (
	"fmt"
	"os"
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
func retyped(t testing.TB, was, now table) *plan.Plan {
	t.Helper()
	return compare.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Last: was.applied(t), Desired: now.typed(t), Live: was.applied(t)})
}

// shown are the tables behind the excerpts of docs/use/accidents.md, by their mark.
var shown = map[string]struct{ was, now table }{
	"shifted": {
		fill("ad/boots/trail/a%d target_url=https://shop.example/%s", list("mud sand rock snow road")...),
		fill("ad/boots/trail/a%d target_url=https://shop.example/%s", list("mud road rock sand snow")...),
	},
	"moved":  {nested(list("s r s r s r")...), nested(list("r r r s s s")...)},
	"series": {fill(budget, list("50 40 48 45 80")...), fill(budget, list("50 51 52 53 54")...)},
	"scale":  {fill(budget, "50"), fill(budget, "50000000")},
	"fill": {
		fill("ad/boots/trail/a%d target_url=https://shop.example/%s", list("mud sand rock snow road")...),
		fill("ad/boots/trail/a%d target_url=https://shop.example/%s", slices.Repeat([]string{"sale"}, 5)...),
	},
	"replacement": {fill(adTitle, list("Summer_shoes Summer_hats Summer_bags Early_Summer Summer_sale Gloves")...),
		fill(adTitle, list("Winter_shoes Winter_hats Winter_bags Early_Winter Winter_sale Gloves")...)},
	"twin": {table{"campaign/spring-launch name=Spring_launch"}, table{"campaign/spring-launch " +
		"name=Spring_launch", "campaign/spring-lanuch name=Spring_lanuch bidding_type=clicks budget.daily=50"}},
	"activates": {fill("campaign/c%d status=%s", slices.Repeat([]string{"paused"}, 12)...),
		fill("campaign/c%d status=%s", slices.Repeat([]string{"active"}, 12)...)},
}

// Every line of an excerpt is printed, in this order; a line that begins with …
// stands for what was left out.
func TestThePageOfAccidentsShowsWhatIsPrinted(t *testing.T) {
	page, err := os.ReadFile("../../docs/use/accidents.md")
	if err != nil {
		t.Fatal(err)
	}
	for mark, tables := range shown {
		t.Run(mark, func(t *testing.T) {
			_, rest, marked := strings.Cut(string(page), fmt.Sprintf("<!-- %s -->\n```text\n", mark))
			excerpt, _, ended := strings.Cut(rest, "```\n")
			if !marked || !ended {
				t.Fatalf("docs/use/accidents.md has no excerpt %s", mark)
			}
			printed := text(t, documentOf(retyped(t, tables.was, tables.now)), TextOptions{})
			left := printed
			for line := range strings.Lines(excerpt) {
				if strings.HasPrefix(line, "…") {
					continue
				}
				_, after, found := strings.Cut(left, line)
				if !found {
					t.Fatalf("docs/use/accidents.md shows the line %q, which is not printed there:\n%s", line, printed)
				}
				left = after
			}
		})
	}
}

func list(s string) []string { return strings.Fields(s) }

const (
	adTitle = "ad/c/g/a%d title=%s"
	budget  = "campaign/c%d budget.daily=%s"
)

// nested is an ad for each ad group named, beneath two campaigns.
func nested(groups ...string) table {
	rows := table{"campaign/x name=Spring", "ad_group/x/r name=Runners", "ad_group/x/s name=Walkers"}
	for i, g := range groups {
		rows = append(rows, fmt.Sprintf("ad/x/%s/a%d name=Hero_%d "+
			"title=Shoes body=Light target_url=https://a.example/%d image=https://a.example/a.png", g, i+1, i+1, i*i))
	}
	return rows
}
