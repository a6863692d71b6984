package web

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/figures"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/internal/testing/figurestest"
)

var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	return zone
}()

// threeCampaigns spent 10, 20 and 30 a day, the last of them since three days alone.
func threeCampaigns(t testing.TB) figures.Kept {
	return figurestest.Kept(t, noon.In(newYork), []string{"Hiking boots", `=HYPERLINK("x")<b>&`, "Rain coats"},
		func(campaign, daysAgo int) map[string]string {
			if campaign == 2 && daysAgo > 3 {
				return nil
			}
			return map[string]string{"spend": fmt.Sprint(10 * (campaign + 1)), "impressions": "1000",
				"clicks": fmt.Sprint(10 + campaign), "conversions": "1"}
		})
}

func TestThePageOfFigures(t *testing.T) {
	a := ask(t, nil)
	const page = "/accounts/shoes/campaigns"
	for _, row := range []struct {
		name, query string
		want        []string
		never       []string
	}{
		{"seven days, the dearest first", "", []string{
			"money in USD", "Change is of spend",
			`<tr class="total"><th scope="row">All 3</th><td>300.00</td><td>17,000</td>`,
			`&lt;b&gt;`, "Hiking boots", ">new</td>"}, []string{"<b>&", "preliminary", "waits"}},
		{"today still changes", "span=today", []string{"<b>Today is preliminary</b>", "<td>60.00</td>"}, nil},
		{"ad groups in one campaign", "level=ad_group&in=campaign_0", []string{"Ad groups in Hiking boots",
			"ad_group of Hiking boots", "<td>70.00</td>"}, []string{"Rain coats"}},
		{"ads have their place", "level=ad", []string{"Hiking boots › ad_group of Hiking boots"}, nil},
		{"a search", "q=RAIN", []string{"All 1 of 3", "Rain coats"}, []string{"Hiking boots"}},
		{"two columns", "col=clicks&col=spend&sort=cpa", []string{
			`All 3</th><td>300.00</td><td>183</td><td>&#43;42%`, `col=spend&amp;col=clicks&amp;level`},
			[]string{"<td>17,000</td>"}},
		{"none is so", "q=nothing+like+it", []string{"None is so."}, nil},
		{"days that were not read", "span=30d", []string{"in no figure here: 3 of 30 days"},
			[]string{"Change is of spend"}},
		{"no day was read", "span=2026-01-01..2026-01-05", []string{"No figures of these days"}, []string{"<table"}},
	} {
		answer := a.get(page + "?" + row.query)
		wantStatus(t, answer, http.StatusOK)
		body := text(t, answer)
		for _, want := range row.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page has no %q:\n%s", row.name, want, body)
			}
		}
		for _, never := range row.never {
			if strings.Contains(body, never) {
				t.Errorf("%s: the page has %q", row.name, never)
			}
		}
	}
	for query, said := range map[string]string{
		"level=hotel": "level is hotel", "col=reach": "col is reach; want some of status",
		"sort=reach": "sort is reach", "span=soon": "span is",
		"from=2026-11-01T05": "by day", "order=up": "order is up", "span=401d": "want at most 400 days",
	} {
		answer := a.get(page + "?" + query)
		body := text(t, answer)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(strings.ToLower(body), said) {
			t.Errorf("%s: %d, want 400 and %q:\n%s", query, answer.StatusCode, said, body)
		}
	}
	wantStatus(t, a.get("/accounts/nobody/campaigns"), http.StatusNotFound)
}

func TestFiguresAreSortedAndPaged(t *testing.T) {
	var names []string
	for i := range 250 {
		names = append(names, fmt.Sprintf("Campaign %03d", i))
	}
	a := ask(t, nil)
	a.desk.figures = figurestest.Kept(t, noon.In(newYork), names, func(campaign, _ int) map[string]string {
		row := map[string]string{"spend": fmt.Sprint(campaign % 50), "impressions": "100", "clicks": "1"}
		if campaign == 7 {
			delete(row, "spend")
		}
		return row
	})
	if body := text(t, a.get("/accounts/shoes/campaigns?q=Campaign+007")); strings.Contains(body, "<svg") {
		t.Errorf("a line is drawn of spend that is not known:\n%s", body)
	}
	seen := 0
	next := "/accounts/shoes/campaigns?sort=spend&order=asc"
	for next != "" {
		body := text(t, a.get(next))
		seen += strings.Count(body, `<tr><th scope="row"`)
		next = ""
		if at := strings.Index(body, `rel="next"`); at > 0 {
			link := body[strings.LastIndex(body[:at], `href="`)+len(`href="`):]
			next = strings.ReplaceAll(link[:strings.Index(link, `"`)], "&amp;", "&")
		}
	}
	if seen != 250 {
		t.Errorf("pages have %d lines; want 250", seen)
	}
	wantStatus(t, a.get("/accounts/shoes/campaigns?page=9223372036854775807"), http.StatusOK)
	for query, first := range map[string]string{"sort=name": "Campaign 000", "sort=name&order=desc": "Campaign 249",
		"sort=spend": "Campaign 049", "sort=spend&order=asc": "Campaign 000"} {
		rows, err := csv.NewReader(strings.NewReader(text(t, a.get("/accounts/shoes/campaigns.csv?"+query)))).ReadAll()
		if err != nil || rows[1][3] != first {
			t.Errorf("%s begins with %q; want %s", query, rows[1], first)
		}
	}
	sheet := text(t, a.get("/accounts/shoes/campaigns.csv?sort=spend&order=asc"))
	rows, err := csv.NewReader(strings.NewReader(sheet)).ReadAll()
	if err != nil || len(rows) != 251 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	if last := rows[250]; last[3] != "Campaign 007" || last[5] != "" || last[6] != "700" {
		t.Errorf("what is not known is not last, or not empty: %q", last)
	}
	if !slices.Equal(rows[1][3:6], []string{"Campaign 000", "campaign_0", "0"}) {
		t.Errorf("the least is not first: %q", rows[1])
	}
}

// The sheet has the columns that the page shows, in their order, and the change of spend.
func TestTheSheetHasTheColumnsThatAreChosen(t *testing.T) {
	a := ask(t, nil)
	sheet := text(t, a.get("/accounts/shoes/campaigns.csv?col=clicks&col=spend&q=coats"))
	const want = "from,to,in,name,id,spend,clicks,change\n" +
		"2026-11-15,2026-11-21,,Rain coats,campaign_2,90,36,new\n"
	if sheet != want {
		t.Errorf("the sheet is\n%swant\n%s", sheet, want)
	}
	sheet = text(t, a.get("/accounts/shoes/campaigns.csv?col=clicks&q=boots"))
	if !strings.HasSuffix(sheet, ",Hiking boots,campaign_0,70,0%\n") {
		t.Errorf("the sheet is\n%swant clicks alone, and 0%% of change", sheet)
	}
}

func TestADocumentHasTheFiguresThatAreAskedFor(t *testing.T) {
	a := ask(t, nil)
	var d struct {
		Total map[string]string
		Lines []struct{ Figures map[string]string }
	}
	answer := text(t, a.get("/api/v1/accounts/shoes/figures?col=clicks"))
	if err := json.Unmarshal([]byte(answer), &d); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"clicks": "183"}
	if !maps.Equal(d.Total, want) || len(d.Lines) != 3 || len(d.Lines[0].Figures) != 1 {
		t.Errorf("col=clicks has %v and %v; want %v and 3 lines of clicks", d.Total, d.Lines, want)
	}
}

// threeSettings are of the three campaigns, and of one more that never did anything; the second has an ad that was
// rejected.
func threeSettings() map[string]map[string]daemon.Setting {
	return map[string]map[string]daemon.Setting{
		"campaign": {
			"campaign_0": {Name: "Hiking boots", Status: "active", Daily: 80_000_000, Created: noon.AddDate(0, -2, 0)},
			"campaign_1": {Name: "Second", Status: "paused", Lifetime: 1_500_000_000,
				Starts: day(-10), Ends: day(20)},
			"campaign_2": {Name: "Rain coats", Status: "archived", Removed: true},
			"campaign_9": {Name: "Waits <i>", Status: "paused", Daily: 5_500_000},
			"campaign_8": {Name: "Long gone", Status: "archived", Removed: true},
		},
		"ad_group": {"ad_group_0": {Name: "Runners", Parent: "campaign_0", Status: "active"}},
		"ad": {
			"ad_0": {Name: "Fine", Parent: "ad_group_0", Status: "active", Review: "approved", Look: &daemon.Look{
				Title: "Boots that last", Body: "Chosen by people who are outside all year.", Price: "from $89",
				Target: "https://www.shop.example/boots", Image: "sha256:" + pictureSum}},
			"ad_7": {Name: "Shouts", Parent: "ad_group_0", Status: "paused", Review: "rejected",
				Why: "the title shouts", Do: "change the title", Look: &daemon.Look{Title: "BOOTS!! <b>Now</b>",
					Body: "\u202eBuy", Target: "https://shop.example/sale", Image: "https://cdn.example/<i>.png"}},
		},
	}
}

// day is the midnight in New York so many days from the day of the tests.
func day(n int) time.Time {
	today := noon.In(newYork)
	return time.Date(today.Year(), today.Month(), today.Day()+n, 0, 0, 0, 0, newYork)
}

// The campaigns spend 10, 20 and 30 a day, the third since three days; it is 12:00 in New York.
func TestBudgetsArePaced(t *testing.T) {
	const euro = 1_000_000
	long := day(-60)
	for _, row := range []struct {
		name, query string
		of          daemon.Setting
		want        string // of campaign_1, which spends 20 a day
	}{
		{"a daily budget over the whole days of the span", "", daemon.Setting{Daily: 25 * euro, Created: long},
			"140.00 of 175.00 in 7 days, 80%"},
		{"today is no whole day", "from=" + day(-1).Format(time.DateOnly), daemon.Setting{Daily: 25 * euro,
			Created: long}, "20.00 of 25.00 in 1 day, 80%"},
		{"today alone", "span=today", daemon.Setting{Daily: 25 * euro, Created: long}, ""},
		{"a day was not read", "span=30d", daemon.Setting{Daily: 25 * euro, Created: long}, ""},
		{"made within the span: its first day is not whole", "", daemon.Setting{Daily: 25 * euro,
			Created: day(-3).Add(time.Hour)}, "40.00 of 50.00 in 2 days, 80%"},
		{"starts within the span", "", daemon.Setting{Daily: 25 * euro, Created: long, Starts: day(-3)},
			"60.00 of 75.00 in 3 days, 80%"},
		{"ends within the span", "", daemon.Setting{Daily: 25 * euro, Created: long, Ends: day(-5)},
			"40.00 of 50.00 in 2 days, 80%"},
		{"nobody knows when it was made", "", daemon.Setting{Daily: 25 * euro}, ""},
		{"a lifetime budget, from its first day to now", "", daemon.Setting{Lifetime: 400 * euro, Created: long,
			Starts: day(-10), Ends: day(11)}, "220.00 of 200.00 by now, 110%"},
		{"whatever the span", "span=today", daemon.Setting{Lifetime: 400 * euro, Created: long,
			Starts: day(-10), Ends: day(11)}, "220.00 of 200.00 by now, 110%"},
		{"without a first day, since it was made", "", daemon.Setting{Lifetime: 400 * euro,
			Created: day(-10), Ends: day(11)}, "220.00 of 200.00 by now, 110%"},
		{"its last day is over", "", daemon.Setting{Lifetime: 400 * euro, Created: long,
			Starts: day(-10), Ends: day(-2)}, "220.00 of 400.00 in all, 55%"},
		{"without a last day", "", daemon.Setting{Lifetime: 400 * euro, Created: long, Starts: day(-10)}, ""},
		{"a day since its first was not read", "", daemon.Setting{Lifetime: 400 * euro, Created: long,
			Ends: day(11)}, ""},
		{"not begun", "", daemon.Setting{Lifetime: 400 * euro, Created: long, Starts: day(3), Ends: day(11)}, ""},
		{"archived", "", daemon.Setting{Daily: 25 * euro, Created: long, Removed: true}, ""},
		{"the greatest budget there can be", "", daemon.Setting{Lifetime: math.MaxInt64, Created: long,
			Starts: day(-10), Ends: day(11)}, "220.00 of 4,611,686,018,427.39 by now, 0%"},
		{"without an end that anybody lives to see", "", daemon.Setting{Lifetime: 8_000_000 * euro, Created: long,
			Starts: day(-10), Ends: time.Unix(253_402_300_799, 0)}, "220.00 of 28.84 by now, 763%"},
		{"a daily one of which seven are too many", "", daemon.Setting{Daily: math.MaxInt64, Created: long}, ""},
	} {
		a := ask(t, nil)
		a.desk.settings = map[string]map[string]daemon.Setting{"campaign": {"campaign_1": row.of}}
		body := text(t, a.get("/accounts/shoes/campaigns?col=paced&"+row.query))
		if paced := strings.Contains(body, ">Paced</a></th>"); paced != (row.want != "") {
			t.Errorf("%s: the page has the column: %v", row.name, paced)
		}
		if !strings.Contains(body, "<td>"+row.want+"</td>") {
			t.Errorf("%s: the page has no %q:\n%s", row.name, row.want, body)
		}
	}
}

func TestPacingIsInFiles(t *testing.T) {
	a := ask(t, nil)
	a.desk.settings = threeSettings()
	sheet := text(t, a.get("/accounts/shoes/campaigns.csv?sort=paced&order=asc&col=paced&status=active"))
	const want = "from,to,in,name,id,paced,change\n2026-11-15,2026-11-21,,Hiking boots,campaign_0,13,0%\n"
	if sheet != want {
		t.Errorf("the sheet is\n%swant\n%s", sheet, want)
	}
	document := text(t, a.get("/api/v1/accounts/shoes/figures?col=paced"))
	for _, want := range []string{`"paced":{"spent":"70.00","due":"560.00","percent":13,"days":7}`,
		`"paced":{"spent":"220.00","due":"525.00","percent":42}`} {
		if strings.Count(document, `"paced":`) != 2 || !strings.Contains(document, want) {
			t.Errorf("the document has no %s, or others:\n%s", want, document)
		}
	}
}

func TestSettingsStandBesideFigures(t *testing.T) {
	a := ask(t, nil)
	a.desk.settings = threeSettings()
	for _, row := range []struct {
		name, query string
		want        []string
		never       []string
	}{
		{"of campaigns", "", []string{
			`<tr class="total"><th scope="row">All 4</th><td class="left"></td><td></td><td></td><td></td><td>300.00</td>`,
			`<td class="left">active</td><td>80.00</td><td></td><td>70.00 of 560.00 in 7 days, 13%</td><td>70.00</td>`,
			`<td class="left">paused</td><td></td><td>1,500.00</td><td>220.00 of 525.00 by now, 42%</td><td>140.00</td>`,
			`>History</a></th><td class="left">paused</td><td>5.50</td><td></td><td></td><td>0.00</td>`,
			`<td></td><td></td></tr>`}, []string{"Long gone", ">Review</a></th>", "cannot be read"}},
		{"with a status", "status=paused", []string{"All 2 of 4", "Waits", `value="paused" selected`},
			[]string{"Hiking boots"}},
		{"with a status that takes it out of sight", "status=archived", []string{"All 2 of 5", "Rain coats",
			"Long gone"}, []string{"Hiking boots"}},
		{"with a status that none has", "status=asleep", []string{"All 0 of 4", "None is so.",
			`value="asleep" selected`}, nil},
		{"of ads, with what the review says", "level=ad&review=rejected", []string{"All 1 of 4", "Shouts",
			"Hiking boots › Runners", "Review: the title shouts", `<td class="left">rejected</td>`}, []string{"Fine"}},
		{"chosen away", "level=ad&col=spend", []string{"Shouts"}, []string{"the title shouts", `<td class="left">`}},
	} {
		answer := a.get("/accounts/shoes/campaigns?" + row.query)
		wantStatus(t, answer, http.StatusOK)
		body := text(t, answer)
		for _, want := range row.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page has no %q:\n%s", row.name, want, body)
			}
		}
		for _, never := range row.never {
			if strings.Contains(body, never) {
				t.Errorf("%s: the page has %q", row.name, never)
			}
		}
	}
	for query, want := range map[string]string{
		"sort=status":                  "campaign_0 campaign_2 campaign_1 campaign_9",
		"sort=status&order=desc":       "campaign_1 campaign_9 campaign_2 campaign_0",
		"sort=paced":                   "campaign_1 campaign_0 campaign_2 campaign_9",
		"sort=paced&order=asc":         "campaign_0 campaign_1 campaign_2 campaign_9",
		"sort=daily_budget":            "campaign_0 campaign_9 campaign_1 campaign_2",
		"sort=daily_budget&order=asc":  "campaign_9 campaign_0 campaign_1 campaign_2",
		"sort=lifetime_budget&col=cpa": "campaign_1 campaign_0 campaign_2 campaign_9",
	} {
		rows, err := csv.NewReader(strings.NewReader(text(t, a.get("/accounts/shoes/campaigns.csv?"+query)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, row := range rows[1:] {
			ids = append(ids, row[4])
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s is in the order %s; want %s", query, got, want)
		}
	}
	sheet := text(t, a.get("/accounts/shoes/campaigns.csv?status=paused&col=spend&col=status&col=daily_budget"))
	if !strings.HasPrefix(sheet, "from,to,in,name,id,status,daily_budget,spend,change\n") ||
		!strings.HasSuffix(sheet, ",Waits <i>,campaign_9,paused,5.50,0,\n") {
		t.Errorf("the sheet is\n%s", sheet)
	}
}

func TestFiguresAreThereWhereSettingsCannotBeRead(t *testing.T) {
	a := ask(t, nil)
	a.desk.unset = errors.New("the disk is away")
	body := text(t, a.get("/accounts/shoes/campaigns"))
	if !strings.Contains(body, "budgets cannot be read now") || !strings.Contains(body, "All 3</th><td>300.00</td>") {
		t.Errorf("the page has no figures, or does not say that settings are missing:\n%s", body)
	}
}

// No name becomes a formula in a spreadsheet program.
func TestTheSheetOfFiguresHasNoFormula(t *testing.T) {
	a := ask(t, nil)
	answer := a.get("/accounts/shoes/campaigns.csv")
	if is := answer.Header.Get("Content-Disposition"); !strings.HasPrefix(is, "attachment; ") {
		t.Errorf("Content-Disposition is %q", is)
	}
	rows, err := csv.NewReader(strings.NewReader(text(t, answer))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("a cell is %q", cell)
			}
		}
	}
}

// changedThisWeek has the first campaign changed by a run, the second outside, and the third by a run of long ago; an
// archived one that did nothing was changed by a run, too.
func (d *fakeDesk) changedThisWeek() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settings = threeSettings()
	must := func(text string, into any) {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			panic(err)
		}
	}
	run := func(name string, daysAgo int, outcome string, ids ...string) *runview.Document {
		r := &runview.Document{Head: runview.Head{Run: name, Started: noon.AddDate(0, 0, -daysAgo), Touched: 1}}
		for _, id := range ids {
			var o runview.Outcome
			must(fmt.Sprintf(`{"address": "campaign/%[1]s", "id": %[1]q, "name": "Name of %[1]s", "outcome": %[2]q}`,
				id, outcome), &o)
			r.Outcomes = append(r.Outcomes, o)
		}
		return r
	}
	d.runs["shoes"] = []*runview.Document{
		run("run-000004", 2, "applied", "campaign_0", "campaign_8"),
		run("run-000003", 3, "failed", "campaign_9"),
		run("run-000002", 8, "applied", "campaign_2"),
	}
	var row diag.Position
	must(`{"file": "spring.xlsx", "sheet": "Campaigns", "cell": "A3", "line": 3, "column": 1}`, &row)
	p := &planview.Document{Rows: map[string]diag.Position{"campaign_0": row, "campaign_1": row}}
	must(fmt.Sprintf(`{"changes": [{"address": "campaign/second", "id": "campaign_1", "name": "Second",
		"kind": "campaign", "fields": [{"name": "status", "foreign": {"actor": "Eve in the console", "at": %d}}]}]}`,
		noon.AddDate(0, 0, -6).Unix()), p)
	d.plans["shoes"] = p
}

func TestWhatChangedThisWeek(t *testing.T) {
	for _, row := range []struct {
		name, query, want string
	}{
		{"all", "sort=name", "campaign_1 campaign_0 campaign_2 campaign_9"},
		{"in the last seven days, the archived too", "sort=name&changed=7d", "campaign_1 campaign_0 campaign_8"},
		{"with a status", "changed=7d&status=active", "campaign_0"},
		{"none of this level", "changed=7d&level=ad_group", ""},
	} {
		a := ask(t, nil)
		a.desk.changedThisWeek()
		rows, err := csv.NewReader(strings.NewReader(
			text(t, a.get("/accounts/shoes/campaigns.csv?"+row.query)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, row := range rows[1:] {
			ids = append(ids, row[4])
		}
		if got := strings.Join(ids, " "); got != row.want {
			t.Errorf("%s: %s; want %s", row.name, got, row.want)
		}
	}
	a := ask(t, nil)
	a.desk.changedThisWeek()
	if body := text(t, a.get("/accounts/shoes/campaigns?changed=7d")); !strings.Contains(body, `value="7d" checked`) ||
		!strings.Contains(body, "changed=7d&amp;level=campaign") {
		t.Errorf("the page does not keep what was asked for:\n%s", body)
	}
	wantStatus(t, a.get("/accounts/shoes/campaigns?changed=8d"), http.StatusBadRequest)
}

// A line leads to its cell, to what the plan changes there, and to what happened to it.
func TestALineLeadsToItsCellAndItsHistory(t *testing.T) {
	a := ask(t, nil)
	a.desk.changedThisWeek()
	body := text(t, a.get("/accounts/shoes/campaigns?col=cell"))
	for _, want := range []string{">In the files</a></th>", `<td class="left">spring.xlsx:Campaigns!A3</td>`,
		`<a href="/accounts/shoes#` + planview.Anchor("campaign/second") + `">spring.xlsx:Campaigns!A3</a>`,
		`<a class="why" href="/accounts/shoes/activity?of=campaign_0" aria-label="History of Hiking boots">History</a>`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q:\n%s", want, body)
		}
	}
	sheet := text(t, a.get("/accounts/shoes/campaigns.csv?col=cell&q=boots"))
	if !strings.HasSuffix(sheet, ",Hiking boots,campaign_0,spring.xlsx:Campaigns!A3,0%\n") {
		t.Errorf("the sheet is\n%s", sheet)
	}
	if document := text(t, a.get("/api/v1/accounts/shoes/figures")); strings.Count(document, `"cell":`) != 2 {
		t.Errorf("the document has not two cells:\n%s", document)
	}
	a.desk.change("shoes", func(s *daemon.Status) { s.Reached = true })
	body = text(t, a.get("/accounts/shoes/campaigns?col=cell"))
	if strings.Contains(body, planview.Anchor("campaign/second")) {
		t.Errorf("a line leads to a change that is done:\n%s", body)
	}
}

// What delivers leads to where it is paused, and nothing else does.
func TestALineLeadsToItsPause(t *testing.T) {
	a := ask(t, nil)
	a.desk.settings = threeSettings()
	body := text(t, a.get("/accounts/shoes/campaigns"))
	const link = `href="/accounts/shoes/pause?resource=`
	if !strings.Contains(body, link+`campaign_0" aria-label="Pause Hiking boots"`) || strings.Count(body, link) != 1 {
		t.Errorf("the page has no link to the pause of what is active, or another:\n%s", body)
	}
	if body = text(t, a.get("/accounts/shoes/campaigns?level=ad_group")); strings.Contains(body, link) {
		t.Errorf("what is in a campaign leads to a pause:\n%s", body)
	}
	a.login("Ann")
	body = text(t, a.get("/accounts/shoes/pause?resource=campaign_1"))
	if !strings.Contains(body, `<option value="campaign_1" selected>Second</option><option value="campaign_0">`) ||
		strings.Contains(body, "campaign_2") || strings.Contains(body, "campaign_9") {
		t.Errorf("the page does not offer what is asked for and what is active alone:\n%s", body)
	}
}
