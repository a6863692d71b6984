package sources_test

import (
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/draft"

	"github.com/google/go-cmp/cmp"
)

func TestHeaders(t *testing.T) {
	plain := `campaign bidding_type="clicks" budget.daily=50000000 name="Spring"`
	sheet := func(rows ...[]any) sheetOf { return sheetOf{name: "Campaigns", rows: rows} }
	for _, c := range []struct {
		name     string
		sheet    sheetOf
		drafts   []string
		problems []string
	}{
		{"another order, case, marks and blanks", sheet([]any{"DAILY_BUDGET (usd)", " bidding* ", "cam paign\u00a0"},
			[]any{50, "clicks", "Spring"}), []string{plain}, nil},
		{"synonyms", sheet([]any{"Campaign name", "Objective", "budget_daily"}, []any{"Spring", "Clicks"}),
			[]string{`campaign bidding_type="clicks" name="Spring"`}, nil},
		{"notes above", sheet([]any{"Q4 plan"}, nil, []any{"Campaign", "fill in below"},
			[]any{"Campaign", "Bidding", "Daily budget"}, []any{"Spring", "clicks", 50}), []string{plain}, nil},
		{"the user's own columns", sheet([]any{"#Owner", "Campaign", "Bidding", "# Margin", "Daily budget"},
			[]any{"Ann", "Spring", "clicks", 0.4, 50}), []string{plain}, nil},
		{"a misspelt header", sheet([]any{"Campaign", "Bidding", "Daily budgett"}, []any{"Spring", "clicks", 50}),
			[]string{`campaign bidding_type="clicks" name="Spring"`},
			[]string{`Campaigns!C1: header is "Daily budgett"; want one adsync knows`}},
		{"a misspelt header without values", sheet([]any{"Campaign", "Bidding", "Daily budgett"},
			[]any{"Spring", "clicks"}), []string{`campaign bidding_type="clicks" name="Spring"`}, nil},
		{"a value under no header", sheet([]any{"Campaign", "Bidding"}, []any{"Spring", "clicks", nil, 50}),
			[]string{`campaign bidding_type="clicks" name="Spring"`},
			[]string{"Campaigns!D2: column D has a value and no header"}},
		{"an own column that is nearly ours", sheet([]any{"Campaign", "Bidding", "#Stats"},
			[]any{"Spring", "clicks", "x"}), []string{`campaign bidding_type="clicks" name="Spring"`}, nil},
		{"a header twice", sheet([]any{"Campaign", "Bidding", "Objective"}, []any{"Spring", "clicks", "views"}),
			[]string{`campaign bidding_type="clicks" name="Spring"`},
			[]string{`Campaigns!C1: header "Objective" means "Bidding", as does column B`}},
		{"another currency", sheet([]any{"Campaign", "Bidding", "Daily budget (EUR)"}, []any{"Spring", "clicks", 50}),
			nil, []string{`Campaigns!C1: header says the currency is "EUR"; want the account's currency USD`}},
		{"a remark in brackets", sheet([]any{"Campaign", "Bidding (what is paid for)", "Daily budget (per day)"},
			[]any{"Spring", "clicks", 50}), []string{plain}, nil},
		{"no header", sheet([]any{"some", "notes"}, []any{"more", "notes"}),
			nil, []string{"Campaigns!A1: sheet has no header in its first 20 rows"}},
		{"an empty sheet", sheet(), nil, nil},
		{"a sheet name in another form", sheetOf{name: "campaigns ",
			rows: [][]any{{"Campaign", "Bidding", "Daily budget"}, {"Spring", "clicks", 50}}}, []string{plain}, nil},
		{"a misspelt sheet", sheetOf{name: "Campains", rows: [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"}}},
			nil, []string{`sheet is named "Campains", looks like Campaigns and is not read: 1 row`}},
		{"the user's own sheet",
			sheetOf{name: "#Budget maths", rows: [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"}}}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBytes(bookOf(t, c.sheet))
			wantProblems(t, got.Problems, c.problems...)
			wantDrafts(t, got.Drafts, c.drafts...)
		})
	}
}

func TestParentsOfARowAreColumns(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Ads", rows: [][]any{
		{"Ad group", "Title", "Body", "Target URL", "Image"},
		{"Runners", "Shoes", "Light.", "https://shop.example", "a.png"},
	}}))
	wantProblems(t, got.Problems, `Ads!1: sheet has no column "Campaign"; want one`)

	got = readBytes(bookOf(t, sheetOf{name: "Ads", rows: [][]any{
		{"Campaign", "Ad group", "Title"},
		{"Spring", nil, "Shoes"},
		{"Spring", false, "Shoes"},
		{"Total", nil, nil},
	}}))
	wantProblems(t, got.Problems, "Ads!B2: Ad group is missing",
		"Ads!B3: cell holds FALSE; want text", "Ads!4: warning: row is taken for a total and not read")
	if want := (draft.Rows{Read: 3, Ignored: 1, Failed: 2}); got.Rows != want {
		t.Errorf("rows = %+v, want %+v", got.Rows, want)
	}
}

func TestHintsOnTheirOwnSheet(t *testing.T) {
	groups := sheetOf{name: "Ad groups", rows: [][]any{
		{"Campaign", "Ad group", "Key", "Context hints", "Hint lists"},
		{"Spring", "Runners", "run", nil, "basics; extra"},
		{"Spring", "Walkers", "walk", "people who walk"},
		{"Summer", "Runners", "run-2"},
	}}
	campaigns := sheetOf{name: "Campaigns",
		rows: [][]any{{"Campaign", "Bidding", "Key"}, {"Spring", "clicks", "sp"}, {"Summer", "views", "su"}}}
	hints := sheetOf{name: "Context hints", rows: [][]any{
		{"Campaign", "Ad group", "Hint", "Use"},
		{"sp", "Runners", "people comparing shoes, or boots"},
		{"Summer", "run-2", "runners in summer", "Show For"},
		{"Spring", "run", "marathon plans"},
		{"Summer", "Runners", "football boots", "avoid"},
	}}
	lists := sheetOf{name: "Hint lists", rows: [][]any{{"basics", "extra"}, {"people who hike", "trail maps"}}}
	got := wantClean(t, loadWorkbook(t, bookOf(t, hints, groups, campaigns, lists)))
	for address, want := range map[string]string{
		"sp/run":   `["people comparing shoes, or boots" "marathon plans" "people who hike" "trail maps"]`,
		"sp/walk":  `["people who walk"]`,
		"su/run-2": `["runners in summer"]`,
	} {
		if have := got.Snapshot.Get(resource.Address{Kind: "ad_group",
			Key: address}).Value("context_hints").String(); have != want {
			t.Errorf("hints of %s = %s, want %s", address, have, want)
		}
	}
	group := got.Snapshot.Get(resource.Address{Kind: "ad_group", Key: "su/run-2"})
	if have, want := group.Value("exclusion_hints").String(), `["football boots"]`; have != want {
		t.Errorf("exclusions = %s, want %s", have, want)
	}
	at := group.Value("context_hints").ItemPosition(0)
	if want := diag.Cell("q4.xlsx", "Context hints", 3, 3); at != want {
		t.Errorf("hint stands at %v, want %v", at, want)
	}
	if r, want := got.Sources[0].Rows, (draft.Rows{Read: 10, Used: 10}); r != want {
		t.Errorf("rows = %+v, want %+v", r, want)
	}
}

func TestHintsThatHaveNoPlace(t *testing.T) {
	got := loadWorkbook(t, bookOf(t, campaignsSheet, adGroupsSheet, sheetOf{name: "Context hints", rows: [][]any{
		{"Campaign", "Ad group", "Hint", "Use"},
		{"Spring launch", "Runners", "people who like mud"},
		{"Spring launch", "Swimmers", "people who swim"},
		{"Spring launch", "Swimmers", "people who dive"},
		{"Spring launch", "Runners", "boots", "never"},
		{"Spring launch", "Runners"},
	}}))
	wantProblems(t, got.Problems,
		"Context hints!C2: context hints of ad_group/spring/runners "+
			"are here and at q4.xlsx:Ad groups!E2; want them in one place",
		`Context hints!B3: ad_group is "Swimmers", `+
			`and no source has such an ad group of campaign/spring; want its key or name`,
		`Context hints!D5: Use is "never"; want show for or avoid`,
		"Context hints!C6: Hint is missing; want one")
	if r := got.Sources[0].Rows; r.Read != r.Used+r.Ignored+r.Failed || r.Failed != 5 {
		t.Errorf("rows = %+v, want 5 failed", r)
	}
}

func TestLocationsOnTheirOwnSheet(t *testing.T) {
	got := wantClean(t, loadWorkbook(t, bookOf(t, campaignsSheet, sheetOf{name: "Locations", rows: [][]any{
		{"Campaign", "Location ID", "Name"},
		{"Spring launch", "3000194", "Oslo"},
		{"Spring launch", 2000043, "Bergen"},
	}})))
	if v := got.Snapshot.Get(resource.Address{Kind: "campaign",
		Key: "spring"}).Value("targeting.locations"); v.String() != `["2000043" "3000194"]` {
		t.Errorf("locations = %v", v)
	}
}

func TestHintListsAreOneAColumn(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Hint lists", rows: [][]any{
		{"trail-basics", "mud", "empty"},
		{"people who hike", "people who like mud"},
		{nil, "mud, and more mud"},
		{"trail maps", nil, nil, "stray"},
	}}))
	wantProblems(t, got.Problems, "Hint lists!D4: column D has an entry and no name on top")
	var lists []string
	for _, l := range got.Lists {
		line := l.Name.Text + ":"
		for _, item := range l.Items {
			line += " " + item.Text + " at " + item.Position.Cell() + ";"
		}
		lists = append(lists, line)
	}
	want := []string{"trail-basics: people who hike at A2; trail maps at A4;",
		"mud: people who like mud at B2; mud, and more mud at B3;"}
	if diff := cmp.Diff(want, lists); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
}

// The vendor's own bulk-upload workbook, as its help pages describe it.
func TestVendorsBulkUploadWorkbookInUnits(t *testing.T) {
	got := readBytes(bookOf(t,
		sheetOf{name: "campaigns", rows: [][]any{
			{"Fill one campaign a row. Do not rename the columns."},
			{"campaign_name", "objective", "daily_budget", "start_date", "end_date", "country"},
			{"Spring launch", "Clicks", 50, "2026-12-01", "2026-12-31", "[“US”, “CA”]"},
			{"Brand", "Views", 25, "2026-12-01", nil, `["NO"]`},
		}},
		sheetOf{name: "adgroups", rows: [][]any{
			{"campaign_name", "ad_group_name", "max_bid", "context_hints"},
			{"Spring launch", "Runners", 1.25, "[“people comparing shoes”, “people who run, daily”]"},
		}},
		sheetOf{name: "ads", rows: [][]any{
			{"campaign_name", "ad_group_name", "ad_title", "ad_copy", "landing_page_url", "image_url"},
			{"Spring launch", "Runners", "Shoes for muddy trails",
				"Light, grippy.", "https://shop.example/trail", "https://img.example/a.png"},
		}}))
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts,
		`campaign bidding_type="clicks" budget.daily=50000000 `+
			`end="2026-12-31" name="Spring launch" start="2026-12-01" targeting.countries=["CA" "US"]`,
		`campaign bidding_type="impressions" budget.daily=25000000 `+
			`name="Brand" start="2026-12-01" targeting.countries=["NO"]`,
		`ad_group in Spring launch bid.max=1250000 `+
			`context_hints=["people comparing shoes" "people who run, daily"] name="Runners"`,
		`ad in Spring launch in Runners body="Light, grippy." `+
			`image="https://img.example/a.png" target_url="https://shop.example/trail" title="Shoes for muddy trails"`)
}
