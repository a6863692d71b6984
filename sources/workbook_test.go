package sources_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/table"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// sheetRows is a sheet in a test: its name, then its rows from row 1.
type sheetOf struct {
	name string
	rows [][]any
}

// bookOf writes a workbook as a person's program would.
func bookOf(t testing.TB, sheets ...sheetOf) []byte {
	t.Helper()
	return bookWith(t, nil, sheets...)
}

// bookWith lets a test change the workbook before it is written.
func bookWith(t testing.TB, change func(*excelize.File), sheets ...sheetOf) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, sheet := range sheets {
		if i == 0 {
			must(t, f.SetSheetName("Sheet1", sheet.name))
		} else if _, err := f.NewSheet(sheet.name); err != nil {
			t.Fatal(err)
		}
		for n, values := range sheet.rows {
			must(t, f.SetSheetRow(sheet.name, fmt.Sprintf("A%d", n+1), &values))
		}
	}
	if change != nil {
		change(f)
	}
	var b bytes.Buffer
	must(t, f.Write(&b))
	return b.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func workbookInput() draft.Input {
	return draft.Input{
		Schemas: kinds.All(), Env: resource.Env{Currency: "USD", Zone: time.UTC}, Bounds: bounded.Defaults(),
	}
}

func readBytes(content []byte) draft.Result {
	return table.ReadWorkbook(context.Background(), "q4.xlsx", content, workbookInput())
}

// said lists the problems as they print, sorted.
func said(problems []diag.Problem) []string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	slices.Sort(lines)
	return lines
}

// wantProblems compares problems with texts each of which one must contain.
func wantProblems(t *testing.T, got []diag.Problem, want ...string) {
	t.Helper()
	lines := said(got)
	slices.Sort(want)
	ok := len(lines) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.Contains(lines[i], want[i])
	}
	if !ok {
		t.Errorf("problems:\n\t%s\nwant, each with:\n\t%s", strings.Join(lines, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// drafted shows drafts as one line each, without positions.
func drafted(drafts []draft.Draft) []string {
	var lines []string
	for _, d := range drafts {
		line := string(d.Schema.Kind)
		for _, p := range d.Parents {
			line += " in " + p.Text
		}
		if d.Key.Text != "" {
			line += " key=" + d.Key.Text
		}
		if d.ID.Text != "" {
			line += " id=" + d.ID.Text
		}
		for _, a := range d.Attributes {
			line += " " + a.Name + "=" + a.Value.String()
		}
		for _, l := range d.Hints {
			line += " " + l.Name.Text + "~"
			for _, item := range l.Items {
				if item.IsList {
					line += "@"
				}
				line += item.Text + ";"
			}
		}
		if d.Failed {
			line += " FAILED"
		}
		lines = append(lines, line)
	}
	return lines
}

func wantDrafts(t *testing.T, got []draft.Draft, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, drafted(got)); diff != "" {
		t.Errorf("drafts (-want +got):\n%s", diff)
	}
}

var (
	campaignsSheet = sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Status", "Bidding", "Daily budget (USD)", "Start date", "Countries", "Key"},
		{"Spring launch", "paused", "clicks", 50, "2026-12-01", "US, CA", "spring"},
	}}
	adGroupsSheet = sheetOf{name: "Ad groups", rows: [][]any{
		{"Campaign", "Ad group", "Status", "Max bid (USD)", "Context hints"},
		{"Spring launch", "Runners", "active", 1.25, "people comparing shoes\npeople who run, daily"},
	}}
	adsSheet = sheetOf{name: "Ads", rows: [][]any{
		{"Campaign", "Ad group", "Ad", "Title", "Body", "Target URL", "Image"},
		{"Spring launch", "Runners", "Hero A", "Shoes for muddy trails",
			"Light, grippy.", "https://shop.example/trail", "images/hero-a.png"},
	}}
	spring = `campaign key=spring bidding_type="clicks" ` +
		`budget.daily=50000000 name="Spring launch" start="2026-12-01" status="paused" targeting.countries=["CA" "US"]`
	runners = `ad_group in Spring launch bid.max=1250000 ` +
		`context_hints=["people comparing shoes" "people who run, daily"] name="Runners" status="active"`
	heroA = `ad in Spring launch in Runners body="Light, grippy." ` +
		`image="images/hero-a.png" name="Hero A" target_url="https://shop.example/trail" title="Shoes for muddy trails"`
)

func TestWorkbookMakesOneDraftARow(t *testing.T) {
	got := readBytes(bookOf(t, adsSheet, campaignsSheet, adGroupsSheet))
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts, spring, runners, heroA)
	if want := (draft.Rows{Read: 3, Used: 3}); got.Rows != want {
		t.Errorf("rows = %+v, want %+v", got.Rows, want)
	}
	at := got.Drafts[0].Attributes.Value("budget.daily").Position
	if want := diag.Cell("q4.xlsx", "Campaigns", 2, 4); at != want {
		t.Errorf("budget stands at %v, want %v", at, want)
	}
}
