package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/sources/draft"

	"github.com/xuri/excelize/v2"
)

// vendorBook is the service's own bulk-upload workbook as far as its help pages
// describe it: notes above the header, instructions and samples beneath it,
// lists as JSON that went through a program with curly quotes.
func vendorBook(t testing.TB) []byte {
	return bookWith(t, func(f *excelize.File) {
		grey, err := f.NewStyle(&excelize.Style{
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"D9D9D9"}},
		})
		must(t, err)
		must(t, f.SetRowStyle("campaigns", 5, 5, grey))
	},
		sheetOf{name: "campaigns", rows: [][]any{
			{"Bulk upload"},
			{"Fill in one campaign a row. Do not rename the columns. At most 5,000 rows."},
			nil,
			{"campaign_name", "objective", "budget_type",
				"max_budget_micros", "start_date", "end_date", "target_countries", "status"},
			{"Required. Text, 3–1000 characters", "Required. Views or Clicks", "Required: daily or lifetime",
				"Required; in micros", "Optional, YYYY-MM-DD", "Optional", "Optional. JSON array", "Optional"},
			{"[Example] Summer sale", "Clicks", "daily", 25000000, "2026-06-01", "2026-06-30", `["US"]`, "active"},
			{"Sample campaign", "Views", "lifetime", 25000000},
			{"Spring launch", "Clicks", "Daily", 50000000, "2026-12-01", "2026-12-31", "[“US”, “CA”]", "paused"},
			{"Brand", "Views", "lifetime", "1500250000", "2026-12-01", nil, `["NO", “SE”]`, "active"},
		}},
		sheetOf{name: "adgroups", rows: [][]any{
			{"Samples"},
			{"Summer sale", "Anybody"},
			nil,
			{"campaign_name", "ad_group_name", "max_bid_micros", "context_hints", "status"},
			{"Sample rows"},
			{"Summer sale", "Anybody", 1000000, `["people who shop"]`, "active"},
			{"Summer sale", "Others", 1000000, `["people who do not"]`, "active"},
			nil,
			{"Spring launch", "Runners", 1250000,
				"[“people comparing shoes”, “people who say “mud, please””, \"people who run, daily\"]", "active"},
			{"Brand", "Everyone", nil, `["people who like our brand"]`, nil},
		}},
		sheetOf{name: "ads", rows: [][]any{
			{"campaign_name", "ad_group_name", "ad_name", "title", "body", "target_url", "image_url", "status"},
			{"Example"},
			{"Summer sale", "Anybody", "First", "A title",
				"A body", "https://shop.example", "https://img.example/0.png", "active"},
			{"Spring launch", "Runners", "Hero A", "Shoes for muddy trails",
				"Light, grippy.", "https://shop.example/trail", "https://img.example/a.png", "active"},
			{"Brand", "Everyone", nil, "Since 1926",
				"Shoes.", "https://shop.example", "https://img.example/b.png", "paused"},
		}})
}

const vendorTwin = `kind: campaign
name: Spring launch
status: paused
bidding_type: clicks
budget: {daily: 50}
start: 2026-12-01
end: 2026-12-31
targeting: {countries: [CA, US]}
ad_groups:
  - name: Runners
    status: active
    bid: {max: 1.25}
    context_hints: [people comparing shoes, "people who say “mud, please”", "people who run, daily"]
    ads:
      - {name: Hero A, status: active, title: Shoes for muddy trails, body: "Light, grippy.", target_url: https://shop.example/trail, image: https://img.example/a.png}
---
kind: campaign
name: Brand
status: active
bidding_type: impressions
budget: {lifetime: 1500.25}
start: 2026-12-01
targeting: {countries: ["NO", SE]}
ad_groups:
  - name: Everyone
    context_hints: [people who like our brand]
    ads:
      - {title: Since 1926, status: paused, body: Shoes., target_url: https://shop.example, image: https://img.example/b.png}
`

func TestVendorsWorkbookSaysWhatItsTwinInYAMLSays(t *testing.T) {
	got := loadWorkbook(t, vendorBook(t))
	want := wantClean(t, loadYAML(t, vendorTwin))
	if a, b := snapshotText(t, want.Snapshot), snapshotText(t, got.Snapshot); a != b {
		t.Errorf("vendor's workbook says\n%s%swant\n%s", b, printed(got.Problems), a)
	}
	const sample = "warning: row is taken for a sample and not read"
	wantProblems(t, got.Problems,
		"campaigns!5: "+sample+": its cells say what belongs into the columns",
		"campaigns!6: "+sample+`: it begins with "[Example] Summer sale"`,
		"campaigns!7: "+sample+`: it begins with "Sample campaign"`,
		"adgroups!5: "+sample+`: it says "Sample rows"`,
		"adgroups!6: "+sample+": row 5 says so", "adgroups!7: "+sample+": row 5 says so",
		"ads!2: "+sample+`: it says "Example"`, "ads!3: "+sample+": the row above says so")
	if r, want := got.Sources[0].Rows, (draft.Rows{Read: 14, Used: 6, Ignored: 8}); r != want {
		t.Errorf("rows = %+v, want %+v", r, want)
	}
}

func TestRowsThatOnlyLookLikeSamplesAreRead(t *testing.T) {
	for _, name := range []string{"Sample sale", "Examples of style",
		"Example.com launch", "Required reading", "Samples & more", "Resample", "Optional extras"} {
		got := readBytes(bookOf(t, sheetOf{
			name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {name, "clicks"}},
		}))
		wantProblems(t, got.Problems)
		if got.Rows.Used != 1 {
			t.Errorf("campaign %q: rows = %+v, want one used", name, got.Rows)
		}
	}
}

func TestSamplesThatDoNotEndAreRefused(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding"}, {"Spring", "clicks"}, {"Examples"}, {"Summer", "clicks"}, {"Autumn", "clicks"},
	}}))
	if !diag.HasErrors(got.Problems) || !strings.Contains(strings.Join(said(got.Problems), "\n"),
		"Campaigns!3: all rows beneath this mark of samples, to row 5, have no blank row between them") {
		t.Errorf("problems = %q, want an error at the mark", said(got.Problems))
	}
}

func TestAmountsUnderHeadersOfMicros(t *testing.T) {
	for _, c := range []struct {
		header string
		cell   any
		want   string
	}{
		{"max_budget_micros", 50000000, "budget.lifetime=50000000"}, {"daily_spend_limit_micros",
			"25000001", "budget.daily=25000001"}, {"Daily budget micros", 2.5e7, "budget.daily=25000000"},
		{"lifetime_spend_limit_micros (USD)", 1500000000, "budget.lifetime=1500000000"},
		{"max_budget_micros", "50.00",
			`C2: budget.lifetime is "50.00" under a header that says micros; want whole micros`},
		{"max_budget_micros", 50.5, `under a header that says micros`},
		{"max_budget_micros", "50,000,000", `under a header that says micros`},
		{"max_budget_micros", 500, "C2: budget.lifetime is 0.0005; want at least 1.00"},
		{"daily_spend_limit_micros (EUR)", 25000000, `header says the currency is "EUR"`},
	} {
		got := readBytes(bookOf(t,
			sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding", c.header}, {"Spring", "clicks", c.cell}}}))
		all := strings.Join(append(drafted(got.Drafts), said(got.Problems)...), "\n")
		if !strings.Contains(all, c.want) {
			t.Errorf("%s %v: %s, want %s", c.header, c.cell, all, c.want)
		}
	}
}

func TestBudgetBesideItsType(t *testing.T) {
	for _, c := range []struct {
		amount, kind any
		want         string
	}{
		{50, "daily", "budget.daily=50000000"}, {50, "Lifetime", "budget.lifetime=50000000"},
		{50, "Daily budget", "budget.daily=50000000"}, {nil, nil, `name="Spring"`},
		{50, "weekly", `D2: Budget type is "weekly"; want daily or lifetime`},
		{50, nil, "D2: Budget type is missing beside an amount; want daily or lifetime"},
		{nil, "daily", `D2: Budget type is "daily" without an amount`},
		{0.5, "daily", "C2: budget.daily is 0.50; want at least 1.00"},
	} {
		got := readBytes(bookOf(t, sheetOf{name: "Campaigns",
			rows: [][]any{{"Campaign", "Bidding", "Budget", "budget_type"}, {"Spring", "clicks", c.amount, c.kind}}}))
		all := strings.Join(append(drafted(got.Drafts), said(got.Problems)...), "\n")
		if !strings.Contains(all, c.want) {
			t.Errorf("%v %v: %s, want %s", c.amount, c.kind, all, c.want)
		}
	}
	got := readCSVText("campaigns.csv",
		"name,billing_event_type,max_budget,budget_type,daily_budget\nSpring,click,50,daily,60\n")
	wantProblems(t, got.Problems, fmt.Sprintf("campaigns.csv:2:%d: budget.daily is something else at", 14))
}
