package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"
)

// quiet is an account as one finds it: twelve campaigns with round budgets, an
// ad group each, two ads each.
func quiet() table {
	var rows table
	for i, amount := range list("50 20 20 100 35 50 80 20 500 50 30 100") {
		c := fmt.Sprintf("c%d", i+1)
		rows = append(rows, fmt.Sprintf("campaign/%s name=Brand_%s status=active budget.daily=%s end=2026-%02d-28",
			c, c, amount, 1+i%12))
	}
	for i := range 12 {
		rows = append(rows, fmt.Sprintf("ad_group/c%d/g name=Runners_%d status=active bid.max=%d.%d0",
			i+1, i+1, 1+i%3, i%7))
	}
	words := list("mud sand rock snow road wood rain wind sun night city hill")
	for i, word := range words {
		rows = append(rows,
			fmt.Sprintf("ad/c%d/g/a status=active "+
				"title=Shoes_for_%s body=Light_and_made_for_%s target_url=https://a.example/%s", i+1, word, word, word),
			fmt.Sprintf("ad/c%d/g/b status=active "+
				"title=Boots_for_%s body=Warm_and_made_for_%s target_url=https://a.example/%s", i+1, word, word, word))
	}
	return rows
}

// each rewrites every row.
func (rows table) each(rewrite func(i int, row string) string) table {
	var all table
	for i, r := range rows {
		all = append(all, rewrite(i, r))
	}
	return all
}

// Ordinary work at which the plan says nothing of suspicious edits.
func TestOrdinaryWorkIsNoAccident(t *testing.T) {
	replace := func(pairs ...string) table {
		r := strings.NewReplacer(pairs...)
		return quiet().each(func(_ int, row string) string { return r.Replace(row) })
	}
	season := quiet()
	for i := range 50 {
		c := fmt.Sprintf("spring-%d", i+1)
		season = append(season,
			fmt.Sprintf("campaign/%s name=Spring_%d status=active bidding_type=clicks budget.daily=40", c, i+1),
			fmt.Sprintf("ad_group/%s/g name=Runners status=active", c),
			fmt.Sprintf("ad/%s/g/a name=Hero_A title=Spring_shoes "+
				"body=Light target_url=https://a.example/spring/%d image=https://a.example/%d.png", c, i+1, i+1))
	}
	reordered := quiet()
	slices.Reverse(reordered)
	tests := []struct {
		name string
		now  table
	}{
		{"nothing", quiet()},
		{"every budget ten percent higher",
			replace("daily=500 ", "daily=550 ", "daily=50 ", "daily=55 ", "daily=20 ", "daily=22 ", "daily=100 ",
				"daily=110 ", "daily=35 ", "daily=38.50 ", "daily=80 ", "daily=88 ", "daily=30 ", "daily=33 ")},
		{"every budget ten higher",
			replace("daily=500 ", "daily=510 ", "daily=50 ", "daily=60 ", "daily=20 ", "daily=30 ",
				"daily=100 ", "daily=110 ", "daily=35 ",
				"daily=45 ", "daily=80 ", "daily=90 ", "daily=30 ", "daily=40 ")},
		{"every budget halved", replace("daily=500 ",
			"daily=250 ", "daily=50 ", "daily=25 ", "daily=20 ", "daily=10 ", "daily=100 ",
			"daily=50 ", "daily=35 ", "daily=17.50 ", "daily=80 ", "daily=40 ", "daily=30 ", "daily=15 ")},
		{"everything a year later", replace("2026", "2027")},
		{"a new season of fifty campaigns", season},
		{"every ad translated", translated()},
		{"everything paused", replace("status=active", "status=paused")},
		{"rows in another order", reordered},
		{"a column that is no longer given", replace("end=", "description=")},
		{"one campaign renamed", replace("Brand_c7", "Flagship")},
		{"one budget doubled", replace("daily=35 ", "daily=70 ")},
		{"two ads rewritten", replace("Shoes_for_mud", "Mud_shoes", "Boots_for_sun", "Sun_boots")},
		{"four new landing pages", replace("/mud", "/new-mud", "/rock", "/rocks")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := retyped(t, quiet(), tt.now)
			if got := told(p); got != "" {
				t.Errorf("accidents are %s; want none", got)
			}
			if same := tt.name == "nothing" || tt.name == "rows in another order"; same != (len(p.Changes) == 0) {
				t.Errorf("%d changes are planned", len(p.Changes))
			}
		})
	}
}

func translated() table {
	words := list("Matsch Sand Fels Schnee Asphalt Wald Regen Wind Sonne Nacht Stadt Berg")
	return quiet().each(func(i int, row string) string {
		if !strings.HasPrefix(row, "ad/") {
			return row
		}
		word := words[(i-24)/2]
		before, _, _ := strings.Cut(row, " title=")
		if i%2 == 0 {
			return fmt.Sprintf("%s title=Schuhe_fuer_%s body=Leicht,_fuer_%s target_url=https://a.example/de/%d",
				before, word, word, i*i)
		}
		return fmt.Sprintf("%s title=Stiefel_bei_%s body=Warm_bei_%s target_url=https://a.example/de/%d",
			before, word, word, i*i)
	})
}

func TestASmallAccountIsEditedInPeace(t *testing.T) {
	was := table{"campaign/a name=Brand budget.daily=10 status=paused",
		"campaign/b name=Sale budget.daily=20 status=paused", "campaign/c name=Rest budget.daily=30 status=paused"}
	for _, now := range []table{
		{"campaign/a name=Brand budget.daily=12 status=active",
			"campaign/b name=Sale budget.daily=24 status=active", "campaign/c name=Rest budget.daily=36 status=active"},
		{"campaign/a name=Brand_1 budget.daily=10",
			"campaign/b name=Brand_2 budget.daily=10", "campaign/c name=Brand_3 budget.daily=10"},
		{"campaign/a name=One budget.daily=11", "campaign/b name=Two budget.daily=21",
			"campaign/c name=Three budget.daily=31"},
	} {
		if got := told(retyped(t, was, now)); got != "" {
			t.Errorf("%v: accidents are %s; want none", now, got)
		}
	}
}

func TestAFileThatIsSplitChangesNothing(t *testing.T) {
	in := plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Last: quiet().applied(t), Desired: quiet().typed(t), Live: quiet().applied(t),
	}
	n := 0
	for r := range in.Desired.All() {
		n++
		for i := range r.Attributes {
			v := &r.Attributes[i].Value
			v.Position = diag.Cell(fmt.Sprintf("part-%d.xlsx", n%3),
				v.Position.Sheet(), v.Position.Line(), v.Position.Column())
		}
	}
	if p := compare.Diff(in); len(p.Changes) > 0 || len(p.SuspiciousEdits) > 0 {
		t.Errorf("a split file plans %s\n%s", sketch(p.Changes), told(p))
	}
}
