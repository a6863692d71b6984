package sources_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/table"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

var dollars = config.Account{ID: "act_123", Currency: "USD", TimeZone: "Europe/Berlin"}

func exported(t testing.TB, s *resource.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, workbook.WriteWorkbook(&b, kinds.All(), s, dollars))
	return b.Bytes()
}

func loadWorkbook(t testing.TB, content []byte) sources.Desired {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "q4.xlsx"), content, 0o600))
	return load(t, dir)
}

func TestWorkbookThatIsWrittenReadsBackTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, kinds.All())
		if want.Len() == 0 {
			return
		}
		var b bytes.Buffer
		err := workbook.WriteWorkbook(&b, kinds.All(), want, dollars)
		if err != nil && strings.Contains(err.Error(), "no cell can hold") {
			return // a control character, which XML cannot say
		}
		must(t, err)
		got := loadWorkbook(t, b.Bytes())
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("load(WriteWorkbook(x)) =\n%s%swant\n%s", b, printed(got.Problems), a)
		}
	})
}

func TestTemplateIsEmptyForTheReader(t *testing.T) {
	var b bytes.Buffer
	must(t, workbook.WriteTemplate(&b, kinds.All(), dollars))
	got := readBytes(b.Bytes())
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts)
	if r := got.Rows; r.Read != r.Ignored || r.Read == 0 {
		t.Errorf("rows = %+v, want the example rows ignored", r)
	}
}

// The example row, without its #, is a campaign, an ad group and an ad that
// load together.
func TestTemplatesExamplesAreValid(t *testing.T) {
	var b bytes.Buffer
	must(t, workbook.WriteTemplate(&b, kinds.All(), dollars))
	f := opened(t, b.Bytes())
	for _, s := range kinds.All() {
		if s.Extra {
			continue // not in a template
		}
		text, err := f.GetCellValue(s.Sheet, "A2")
		must(t, err)
		must(t, f.SetCellStr(s.Sheet, "A2", strings.TrimPrefix(text, "# ")))
	}
	b.Reset()
	must(t, f.Write(&b))
	got := loadWorkbook(t, b.Bytes())
	for _, p := range got.Problems {
		if p.Code != diag.BadFile { // the picture of the example is not there
			t.Errorf("example: %s", p)
		}
	}
	if len(got.Sources) != 1 || got.Sources[0].Rows.Read == 0 {
		t.Errorf("sources = %+v", got.Sources)
	}
}

func opened(t testing.TB, content []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(content))
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestTemplateHelpsWhoFillsItIn(t *testing.T) {
	var b bytes.Buffer
	must(t, workbook.WriteTemplate(&b, kinds.All(), dollars))
	f := opened(t, b.Bytes())
	if got, want := strings.Join(f.GetSheetList(), ", "), "Start here, Campaigns, "+
		"Ad groups, Context hints, Ads, Locations, Audiences, Spend limits, Hint lists, Lists, _sync"; got != want {
		t.Errorf("sheets = %s, want %s", got, want)
	}
	for sheet, visible := range map[string]bool{"Lists": false, "_sync": false, "Campaigns": true} {
		if got, err := f.GetSheetVisible(sheet); err != nil || got != visible {
			t.Errorf("sheet %s visible = %v, want %v", sheet, got, visible)
		}
	}
	notes, err := f.GetComments("Campaigns")
	must(t, err)
	header, err := f.GetRows("Campaigns")
	must(t, err)
	if len(notes) != len(header[0]) {
		t.Errorf("%d notes on %d headers", len(notes), len(header[0]))
	}
	if header[0][3] != "Daily budget (USD)" || header[0][0] != "Campaign*" {
		t.Errorf("headers = %q", header[0])
	}
	checks, err := f.GetDataValidations("Campaigns")
	must(t, err)
	lists := 0
	for _, check := range checks {
		if check.Type == "list" {
			lists++
		}
		if check.ErrorStyle == nil || *check.ErrorStyle != "warning" {
			t.Errorf("check of %s is not a warning", check.Sqref)
		}
	}
	if lists < 3 {
		t.Errorf("%d drop-downs, want those of status, bidding and include", lists)
	}
	panes, err := f.GetPanes("Campaigns")
	must(t, err)
	if !panes.Freeze || panes.XSplit != 1 || panes.YSplit != 1 {
		t.Errorf("panes = %+v, want the first row and column frozen", panes)
	}
}

func oneResource(t testing.TB, attributes ...any) *resource.Snapshot {
	t.Helper()
	r := &resource.Resource{Address: resource.Address{Kind: kinds.Campaign, Key: "spring"}, ID: "cmp_1"}
	r.Set("name", resource.Text("Spring"))
	r.Set("bidding_type", resource.Text("clicks"))
	for i := 0; i < len(attributes); i += 2 {
		r.Set(attributes[i].(string), attributes[i+1].(resource.Value))
	}
	s := &resource.Snapshot{}
	s.Add(r)
	return s
}

func TestNothingWrittenIsAFormula(t *testing.T) {
	for _, name := range []string{`=HYPERLINK("http://evil.example")`,
		"+1+1", "-2 shoes", "@SUM(A1)", "'quoted", "#hash", "=cmd|' /C calc'!A0"} {
		s := oneResource(t, "name", resource.Text(name), "description", resource.Text(name))
		content := exported(t, s)
		f := opened(t, content)
		rows, err := f.GetRows("Campaigns")
		must(t, err)
		for i := range rows[1] {
			cell, err := excelize.CoordinatesToCellName(i+1, 2)
			must(t, err)
			if formula, err := f.GetCellFormula("Campaigns", cell); err != nil || formula != "" {
				t.Errorf("name %q makes the formula %q", name, formula)
			}
		}
		got := loadWorkbook(t, content)
		if a, b := snapshotText(t, s), snapshotText(t, got.Snapshot); a != b {
			t.Errorf("name %q reads back as\n%s%s", name, b, printed(got.Problems))
		}
	}
}

func TestTextNoCellHoldsIsAnError(t *testing.T) {
	long := resource.Text(strings.Repeat("€", 32_767+1))
	for _, c := range []struct {
		name string
		s    *resource.Snapshot
		want string
	}{
		{"too long", oneResource(t, "description", long),
			"campaign/spring: description has 32768 characters; a cell holds 32767"},
		{"a control character", oneResource(t, "description", resource.Text("a\x01b")),
			"description holds a character no cell can hold"},
		{"the word for clearing", oneResource(t, "description", resource.Text("[clear]")),
			`description is "[clear]", which a cell cannot say`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := workbook.WriteWorkbook(&bytes.Buffer{}, kinds.All(), c.s, dollars)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
		})
	}
}

// Hints that one cell cannot hold become rows of their own sheet.
func TestLongHintsStandOnTheirOwnSheet(t *testing.T) {
	for name, hints := range map[string][]string{
		"too many for a cell": manyHints(1500),
		"a line break in one": {"one\ntwo", "three"},
	} {
		t.Run(name, func(t *testing.T) {
			s := oneResource(t)
			group := &resource.Resource{Address: resource.Address{Kind: kinds.AdGroup, Key: "spring/runners"}}
			group.Set("name", resource.Text("Runners"))
			group.Set("context_hints", resource.List(hints))
			s.Add(group)
			content := exported(t, s)
			rows, err := opened(t, content).GetRows("Context hints")
			must(t, err)
			if len(rows) != len(hints)+1 {
				t.Errorf("sheet has %d rows for %d hints", len(rows)-1, len(hints))
			}
			got := loadWorkbook(t, content)
			if a, b := snapshotText(t, s), snapshotText(t, got.Snapshot); a != b {
				t.Errorf("reads back as\n%.500s%.500s\nwant\n%.500s", b, printed(got.Problems), a)
			}
		})
	}
}

func manyHints(count int) []string {
	var hints []string
	for i := range count {
		hints = append(hints, strings.Repeat("x", 20)+
			" people of sort "+strings.Repeat("i", i%30)+string(rune('a'+i%26))+strings.Repeat("o", i/26))
	}
	return hints
}

func TestParentsWithOneNameAreNamedByKey(t *testing.T) {
	s := &resource.Snapshot{}
	for _, key := range []string{"a", "b"} {
		r := &resource.Resource{Address: resource.Address{Kind: kinds.Campaign, Key: key}}
		r.Set("name", resource.Text("Spring"))
		r.Set("bidding_type", resource.Text("clicks"))
		s.Add(r)
		group := &resource.Resource{Address: resource.Address{Kind: kinds.AdGroup, Key: key + "/g"}}
		group.Set("name", resource.Text("Runners"))
		s.Add(group)
	}
	rows, err := opened(t, exported(t, s)).GetRows("Ad groups")
	must(t, err)
	if rows[1][0] != "a" || rows[2][0] != "b" {
		t.Errorf("parents are %q and %q, want the keys", rows[1][0], rows[2][0])
	}
}

func benchmarkSnapshot(campaigns int) *resource.Snapshot {
	s := &resource.Snapshot{}
	for i := range campaigns {
		key := "campaign-" + diag.ColumnName(i+1)
		c := &resource.Resource{Address: resource.Address{Kind: kinds.Campaign, Key: key}, ID: "cmp_" + key}
		c.Set("name", resource.Text("Campaign "+key))
		c.Set("status", resource.Text("paused"))
		c.Set("bidding_type", resource.Text("clicks"))
		c.Set("budget.lifetime", resource.Number(1_500_000_000))
		c.Set("targeting.countries", resource.List([]string{"CA", "US"}))
		g := &resource.Resource{Address: c.Address.Down(kinds.AdGroup, "runners"), ID: "adg_" + key}
		g.Set("name", resource.Text("Runners"))
		g.Set("bid.max", resource.Number(1_250_000))
		g.Set("context_hints", resource.List([]string{"people comparing trail running shoes", "people who run in mud"}))
		a := &resource.Resource{Address: g.Address.Down(kinds.Ad, "hero"), ID: "ad_" + key}
		a.Set("title", resource.Text("Shoes for muddy trails"))
		a.Set("body", resource.Text("Light, grippy trail shoes. Free returns."))
		a.Set("target_url", resource.Text("https://shop.example/"+key))
		a.Set("image", resource.Text("https://img.example/"+key+".png"))
		s.Add(c)
		s.Add(g)
		s.Add(a)
	}
	return s
}

func TestWorkbookOfAnotherAccountIsRefused(t *testing.T) {
	var b bytes.Buffer
	must(t, workbook.WriteWorkbook(&b, kinds.All(), oneResource(t), config.Account{ID: "act_9", Currency: "EUR"}))
	got := readBytes(b.Bytes())
	wantProblems(t, got.Problems, "workbook was written for an account in EUR; want the account's currency USD")
	wantDrafts(t, got.Drafts)

	f := opened(t, exported(t, oneResource(t)))
	must(t, f.SetCellInt("_sync", "B1", table.BookFormat+1))
	b.Reset()
	must(t, f.Write(&b))
	wantProblems(t, readBytes(b.Bytes()).Problems, "has the layout 2 of a newer adsync")
}

func TestMissingValuesAreReportedAtTheirCell(t *testing.T) {
	got := loadWorkbook(t, bookOf(t, campaignsSheet, adGroupsSheet, sheetOf{name: "Ads", rows: [][]any{
		{"Campaign", "Ad group", "Body", "Title", "Target URL", "Image"},
		{"Spring launch", "Runners", "Light.", nil, "https://shop.example", "https://img.example/a.png"},
	}}))
	wantProblems(t, got.Problems, "q4.xlsx:Ads!D2: ad has no title; want one")
}
