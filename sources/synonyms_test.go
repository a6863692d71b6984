package sources_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/sources/catalog"
)

// TestEveryWordOfTheTableHasOneMeaning holds the table of synonyms against the
// columns of the kinds: a row and a question name columns that are there, and a
// word is read as its column and as no other.
func TestEveryWordOfTheTableHasOneMeaning(t *testing.T) {
	for i := range synonyms.Rows {
		row := &synonyms.Rows[i]
		found := false
		for _, tab := range catalog.TabsOf(kinds.All()) {
			c := tab.ColumnNamed(row.Column)
			if row.Sheet != "" && row.Sheet != tab.Title || c == nil || c.Title != row.Column {
				continue
			}
			found = true
			for _, word := range synonyms.Of(tab.Title, row.Column) {
				if read := tab.ColumnNamed(word.Text); read == nil || read.Title != row.Column {
					t.Errorf("%s: %q of %s is not read as %s", tab.Title, word.Text, word.Tool, row.Column)
				}
			}
		}
		if !found {
			t.Errorf("%s has no column %s", row.Sheet, row.Column)
		}
	}
	for _, q := range synonyms.Questions {
		tab := tabTitled(q.Sheet)
		for _, word := range synonyms.Split(q.Words) {
			if c := tab.ColumnNamed(word); c != nil {
				t.Errorf("%s: %q is read as %s, and is a question", q.Sheet, word, c.Title)
			}
		}
		on := tab
		if q.On != "" {
			on = tabTitled(q.On)
		}
		for _, title := range q.Could {
			if c := on.ColumnNamed(title); c == nil || c.Title != title {
				t.Errorf("%s has no column %s", on.Title, title)
			}
		}
		if len(q.Could) == 1 && q.On == "" && q.Why == "" {
			t.Errorf("%s: %s does not say why it is asked", q.Sheet, q.Words)
		}
	}
	for _, u := range synonyms.Nothing {
		for _, word := range synonyms.Split(u.Words) {
			for _, sheet := range []string{"Campaigns", "Ad groups", "Ads"} {
				if q := synonyms.Ask(sheet, word); q != nil && !q.Alone {
					t.Errorf("%s: %q is a question, and among what the service has nothing for", sheet, word)
				}
			}
		}
	}
}

func tabTitled(title string) *catalog.Tab {
	for _, t := range catalog.TabsOf(kinds.All()) {
		if t.Title == title {
			return &t
		}
	}
	return &catalog.Tab{Title: title}
}

func TestHeadersOfOtherTools(t *testing.T) {
	campaign := []any{"Spring", "clicks"}
	for _, c := range []struct {
		sheet, header string
		cell          any
		want          string // of what is read, or of what is said
	}{
		{"Campaigns", "Ends", "2026-12-31", `C1: note: header "Ends" is read as Last day (ADS1040)`},
		{"Campaigns", "Ends", "2026-12-31", `end="2026-12-31"`},
		{"Campaigns", "Geo", "US, CA", `C1: note: header "Geo" is read as Countries (ADS1040)`},
		{"Campaigns", "Geo", "US, CA", `targeting.countries=["CA" "US"]`},
		{"Campaigns", "Daily (USD)", 50, `C1: note: header "Daily (USD)" is read as Daily budget (USD) (ADS1040)`},
		{"Campaigns", "Campaign daily budget", 50, "budget.daily=50000000"},
		{"Campaigns", "daily_budget", 50, "budget.daily=50000000"},
		{"Campaigns", "Budget", 50, `C1: header is ` +
			`"Budget", which can mean Daily budget (USD) or Lifetime budget (USD); want one of them (ADS1005)`},
		{"Campaigns", "Budget (EUR)",
			50, `header is "Budget (EUR)", which can mean Daily budget (USD) or Lifetime budget (USD)`},
		{"Campaigns", "Location",
			"US", `header is "Location", which can mean Countries or Locations; want one of them`},
		{"Campaigns", "Cities", "Oslo",
			`header is "Cities", which could be Locations: those take the service's ids, and no names; want it clear`},
		{"Campaigns", "Flight", "2026-12-01",
			`header is "Flight", which can mean Start date or Last day: a column holds one day; want it clear`},
		{"Campaigns", "Max CPC", 1.5, `header is "Max ` +
			`CPC", which Ad groups has as Max bid (USD) and Campaigns does not: 1 value is not read; want it there`},
		{"Campaigns", "Daily budget (micros)", 50000000, `header is "Daily ` +
			`budget (micros)": its amounts are in "micros"; want whole amounts under Daily budget (USD)`},
		{"Campaigns", "Budget per day (k)", 5, `its amounts are in "k"`},
		{"Campaigns", "Spend", 50, `header is "Spend", which can mean Daily budget (USD) or Lifetime budget (USD)`},
		{"Ad groups", "Location", "US", `header is "Location", and 1 value ` +
			`is not read: a whole campaign has one; want it on the sheet Campaigns, as Countries or Locations`},
		{"Ad groups", "CPC", 1.5, `C1: note: header "CPC" is read as Max bid (USD)`},
		{"Ad groups", "CPA", 1.5, `header is "CPA", which could be Max bid (USD): ` +
			`that is the most to pay for one click or conversion, and no figure and no target; want it clear`},
		{"Ad groups", "Keywords", "shoes",
			`header is "Keywords", which could be Context hints: those are sentences and no keywords; want it clear`},
		{"Ad groups", "Ad set daily budget", 50, `header is "Ad set daily budget", and 1 value is not read: a ` +
			`whole campaign has one; want it on the sheet Campaigns, as Daily budget (USD) or Lifetime budget (USD)`},
		{"Ad groups", "End date",
			"2026-12-31", `header is "End date", which Campaigns has as Last day and Ad groups does not`},
	} {
		rows := [][]any{append([]any{"Campaign", "Bidding"}, c.header), append(slices.Clone(campaign), c.cell)}
		if c.sheet == "Ad groups" {
			rows = [][]any{append([]any{"Campaign", "Ad group"}, c.header), append([]any{"Spring", "Runners"}, c.cell)}
		}
		got := readBytes(bookOf(t, sheetOf{name: c.sheet, rows: rows}))
		if all := strings.Join(append(drafted(got.Drafts), said(got.Problems)...),
			"\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s, %s: %s\nwant %s", c.sheet, c.header, all, c.want)
		}
		csv := readCSVText(resource.Slug(c.sheet)+".csv", asCSV(rows))
		want := strings.TrimPrefix(c.want, "C1: ")
		if all := strings.Join(append(drafted(csv.Drafts), said(csv.Problems)...), "\n"); !strings.Contains(all, want) {
			t.Errorf("%s.csv, %s: %s\nwant %s", c.sheet, c.header, all, want)
		}
	}
}

// TestTheServicesOwnWordsGiveNoNote reads what the template, and the service's own
// bulk sheet, call their columns.
func TestTheServicesOwnWordsGiveNoNote(t *testing.T) {
	for _, f := range catalog.FormsOf(kinds.All()) {
		for i := range f.Tabs {
			for _, c := range f.Tabs[i].Columns {
				for _, word := range []string{c.Title, c.Title + "*",
					c.Title + " (USD)", strings.ToUpper(c.Title), strings.ReplaceAll(c.Title, " ", "_")} {
					if !c.IsOwn(word) {
						t.Errorf("%s: %q gives a note", f.Title, word)
					}
				}
				for _, word := range synonyms.Of(f.Title, c.Title) {
					if word.Tool == synonyms.Service && !c.IsOwn(word.Text) {
						t.Errorf("%s: %q of the service gives a note", f.Title, word.Text)
					}
				}
			}
		}
	}
}

// TestColumnsOfExportsAreCountedAndNoProblem reads columns the service has
// nothing for.
func TestColumnsOfExportsAreCountedAndNoProblem(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding", "Daily budget", "Labels", "Campaign Type", "Networks", "Desktop Bid Modifier", "Cost"},
		{"Spring", "clicks", 50, "Q4", "Search", "Google search", "-10%", 123.4},
	}}))
	wantProblems(t, got.Problems)
	for _, u := range got.Unread {
		if u.Why != diag.WhyNoCounterpart || u.Values != 1 {
			t.Errorf("%+v, want 1 value the service has nothing for", u)
		}
	}
	want := []string{`q4.xlsx: Campaigns: not read: of other tools, with nothing ` +
		`here to set: "Labels" (1), "Campaign Type" (1), "Networks" (1), "Desktop Bid Modifier" (1), "Cost" (1)`}
	if lines := diag.UnreadLines(got.Unread); !slices.Equal(lines, want) {
		t.Errorf("UnreadLines = %q, want %q", lines, want)
	}
}

// TestTheLineToPasteTakesNothingElseAway marks the columns nobody takes for
// adsync's as the user's own, and none that another problem asks about.
func TestTheLineToPasteTakesNothingElseAway(t *testing.T) {
	d := load(t, folder(t, map[string]string{
		"campaigns.csv": "Campaign,Bidding,Budget,Owner,CPC\nSpring,clicks,50,Ann,2\n",
		"ads.csv": "Campaign,Ad group,Title,Body,Target URL,Image,End date,Margin\n" +
			"Spring,Runners,Shoes,Light.,https://shop.example,https://i.example/a.png,2027-05-31,3\n",
	}))
	for header, line := range map[string]string{
		`"Budget"`: `own_columns: ["Margin", "Budget", "Owner"]`,
		`"Owner"`:  `own_columns: ["Margin", "Owner"]`, `"End date"`: "", `"CPC"`: "",
	} {
		for _, p := range d.Problems {
			if !strings.HasPrefix(p.Message, "header is "+header) {
				continue
			}
			if _, paste, _ := strings.Cut(p.Hint, "adsync.yaml: "); paste != line {
				t.Errorf("%s: line to paste is %q, want %q", header, paste, line)
			}
		}
	}
}

func TestACSVFileOfNoKnownHeaderIsNamed(t *testing.T) {
	got := readCSVText("kampagnen.csv", "Kampagne;Status;Tagesbudget\nFrühling;aktiv;50\n")
	if got.Stray == nil || !strings.Contains(got.Stray.Message,
		"neither the name nor the header of the file says what it holds") {
		t.Errorf("stray = %v, want that nobody knows what it holds", got.Stray)
	}
}

func TestAFigureIsNoBid(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Ad groups", rows: [][]any{
		{"Campaign", "Ad group", "CPC (cost per link click)", "Average CPC", "Max bid"},
		{"Spring", "Runners", 0.8, 0.8, 1.5},
	}}))
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts, `ad_group in Spring bid.max=1500000 name="Runners"`)
}

func TestASynonymBesideItsColumnIsAsked(t *testing.T) {
	got := readBytes(bookOf(t, sheetOf{name: "Campaigns",
		rows: [][]any{{"Campaign", "Bidding", "Countries", "Region"}, {"Spring", "clicks", "US", "North"}}}))
	wantProblems(t, got.Problems, `D1: header "Region" means "Countries", as does column C; want it once`)
	if p := got.Problems[0]; p.Severity != diag.Error || len(got.Pastes) != 1 || got.Pastes[0].Column != "Region" {
		t.Errorf("%v, %+v; want an error with the line for adsync.yaml", p, got.Pastes)
	}
}
