package plan_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"adsync/plan"
)

// shown are the tables behind the excerpts of docs/accidents.md, by their mark.
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
	"replacement": {fill(adTitle, list("Summer_shoes Summer_hats Summer_bags Early_Summer Summer_sale Gloves")...), fill(adTitle, list("Winter_shoes Winter_hats Winter_bags Early_Winter Winter_sale Gloves")...)},
	"twin":        {table{"campaign/spring-launch name=Spring_launch"}, table{"campaign/spring-launch name=Spring_launch", "campaign/spring-lanuch name=Spring_lanuch bidding_type=clicks budget.daily=50"}},
	"activates":   {fill("campaign/c%d status=%s", slices.Repeat([]string{"paused"}, 12)...), fill("campaign/c%d status=%s", slices.Repeat([]string{"active"}, 12)...)},
}

// Every line of an excerpt is printed, in this order; a line that begins with …
// stands for what was left out.
func TestThePageOfAccidentsShowsWhatIsPrinted(t *testing.T) {
	page, err := os.ReadFile("../docs/accidents.md")
	if err != nil {
		t.Fatal(err)
	}
	for mark, tables := range shown {
		t.Run(mark, func(t *testing.T) {
			_, rest, marked := strings.Cut(string(page), fmt.Sprintf("<!-- %s -->\n```text\n", mark))
			excerpt, _, ended := strings.Cut(rest, "```\n")
			if !marked || !ended {
				t.Fatalf("docs/accidents.md has no excerpt %s", mark)
			}
			printed := text(t, retyped(t, tables.was, tables.now), plan.TextOptions{Currency: "USD"})
			left := printed
			for line := range strings.Lines(excerpt) {
				if strings.HasPrefix(line, "…") {
					continue
				}
				_, after, found := strings.Cut(left, line)
				if !found {
					t.Fatalf("docs/accidents.md shows the line %q, which is not printed there:\n%s", line, printed)
				}
				left = after
			}
		})
	}
}

func TestThePageOfAccidentsNamesEveryHazardOfOne(t *testing.T) {
	page, err := os.ReadFile("../docs/accidents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []plan.Hazard{plan.Shifted, plan.Series, plan.Scale, plan.MassEdit, plan.Twins, plan.Activates} {
		if !strings.Contains(string(page), fmt.Sprintf("`%s`", h)) {
			t.Errorf("docs/accidents.md does not name %s", h)
		}
	}
}
