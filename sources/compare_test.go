package sources_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/diff"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// compared returns the differences of two files, a line each.
func compared(t *testing.T, name, before, after string) ([]string, diff.Comparison) {
	t.Helper()
	dir := t.TempDir()
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	from, to := filepath.Join(dir, "from", stem+ext), filepath.Join(dir, "to", stem+ext)
	for path, content := range map[string]string{from: before, to: after} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return comparedPaths(t, from, to)
}

func comparedPaths(t *testing.T, from, to string) ([]string, diff.Comparison) {
	t.Helper()
	found, err := diff.Compare(context.Background(), from, to, kinds.All(), "")
	must(t, err)
	var lines []string
	for _, d := range found.Differences {
		line := d.Action + " " + d.What
		if d.From != "" || d.To != "" {
			line += ": " + d.From + " → " + d.To
		}
		for _, item := range d.Added {
			line += " +" + item
		}
		for _, item := range d.Removed {
			line += " -" + item
		}
		lines = append(lines, line)
	}
	return lines, found
}

const springYAML = `kind: campaign
key: spring
name: Spring launch
bidding_type: clicks
budget: {daily: 50.00}
targeting: {countries: [US, CA]}
ad_groups:
  - key: runners
    name: Runners
    bid: {max: 1.25}
    context_hints: [people who run, people who hike, {file: hints.txt}]
    ads:
      - {key: hero-a, title: AAA, body: B, target_url: "https://shop.example/", image: a.png}
      - {key: hero-b, title: AAA, body: B, target_url: "https://shop.example/", image: a.png}
  - key: walkers
    name: Walkers
    ads:
      - {key: hero-a, title: AAA, body: B, target_url: "https://shop.example/", image: a.png}
`

func TestDiffOfYAMLIsByResourceAndAttribute(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to string // of the text, what is there and what it becomes
		want     []string
	}{
		{"nothing", "kind", "kind", nil},
		{"money is in units", "50.00", "75.5", []string{"change Campaigns[spring].budget.daily: 50.00 → 75.50"}},
		{"a text is in quotes, a resource whose key is not enough is named by its path",
			"{key: hero-a, title: AAA, body: B",
			"{key: hero-a, title: ZZZ, body: B", []string{`change Ads[spring/runners/hero-a].title: "AAA" → "ZZZ"`}},
		{"lists by entry", "people who run,", "people who walk, people who ski,",
			[]string{"change Ad groups[runners].context_hints: " +
				"3 entries → 4 entries +people who walk +people who ski -people who run"}},
		{"another order of hints", "people who run, people who hike", "people who hike, people who run",
			[]string{"change Ad groups[runners].context_hints: 3 entries → 3 entries"}},
		{"a file that is named stands for itself", "hints.txt", "more.txt", []string{
			"change Ad groups[runners].context_hints: 3 entries → 3 entries +{file: more.txt} -{file: hints.txt}"}},
		{"a row that is new", "      - {key: hero-b", "      - {key: hero-c, title: CCC, body: B, target_url: " +
			"\"https://shop.example/\", image: a.png}\n      - {key: hero-b", []string{`add Ads[hero-c]:  → "CCC"`}},
		{"a row that is gone", "  - key: walkers\n    name: Walkers\n    ads:\n" +
			"      - {key: hero-a, title: AAA, body: B, target_url: \"https://shop.example/\", image: a.png}\n",
			"", []string{`remove Ad groups[walkers]: "Walkers" → `, `remove Ads[spring/walkers/hero-a]: "AAA" → `}},
		{"what is no longer said", "budget: {daily: 50.00}\n",
			"", []string{"change Campaigns[spring].budget.daily: 50.00 → (none)"}},
		{"another name under the same key", "name: Runners",
			"name: Trail runners", []string{`change Ad groups[runners].name: "Runners" → "Trail runners"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(springYAML, c.from) {
				t.Fatalf("%q is not in the text", c.from)
			}
			got, found := compared(t, "spring.yaml", springYAML, strings.Replace(springYAML, c.from, c.to, 1))
			if d := cmp.Diff(c.want, got); d != "" || found.Incomplete {
				t.Errorf("incomplete %v, %v; differences (-want +got):\n%s", found.Incomplete, found.Problems, d)
			}
		})
	}
}

var ownedAds = sheetOf{name: "Ads", rows: [][]any{
	{"Campaign", "Ad group", "Ad", "Title", "Body", "Target URL", "Image", "Include", "My note", "ID", "Result"},
	{"# remark", "x"},
	{"Spring launch", "Runners", "Hero A", "AAA", "Light.",
		"https://shop.example/", "a.png", "", "mine", "ad_1", "created"},
	{"Spring launch", "Runners", "Hero B", "B", "Light.",
		"https://shop.example/", "a.png", "no", "", "ad_2", "created"},
}}

func TestDiffOfWorkbooksShowsWhatIsTheUsersOwn(t *testing.T) {
	book := func(change func(*excelize.File)) string {
		return string(bookWith(t, change, ownedAds, sheetOf{name: "My sum", rows: [][]any{{"Total"}, {5}}}))
	}
	put := func(sheet, cell string, value any) func(*excelize.File) {
		return func(f *excelize.File) { must(t, f.SetCellValue(sheet, cell, value)) }
	}
	for _, c := range []struct {
		name   string
		change func(*excelize.File)
		want   []string
		note   string
	}{
		{"a value adsync reads", put("Ads", "D3", "ZZZ"), []string{`change Ads[hero-a].title: "AAA" → "ZZZ"`}, ""},
		{"a renamed row that has an id", put("Ads", "C3", "Hero Z"),
			[]string{`change Ads[hero-z].name: "Hero A" → "Hero Z"`}, ""},
		{"a cell of an own sheet", put("My sum", "B7", 1.5), []string{`add sheet "My sum"!7:  → 1.5`}, ""},
		{"another value of it", put("My sum", "A2", 6), []string{`change sheet "My sum"!A2: 5 → 6`}, ""},
		{"a cell of an own column", put("Ads", "I3", "yours"),
			[]string{`change Ads!I3 [Hero A] column "My note": "mine" → "yours"`}, ""},
		{"a new own column", put("Ads", "L1", "Why"), []string{`add column "Why" of Ads`}, ""},
		{"a row that is left out on both sides", put("Ads", "D4", "Z"),
			[]string{`change Ads!D4 [Hero B] title: "B" → "Z"`}, ""},
		{"a row that is left out now", put("Ads", "H3", "no"),
			[]string{`change Ads!H3 [Hero A] Include: (blank) → "no"`, `remove Ads[hero-a]: "Hero A" → `}, ""},
		{"a remark", put("Ads", "B2", "y"), []string{`change Ads!B2 [# remark] Ad group: "x" → "y"`}, ""},
		{"what adsync fills is counted", put("Ads", "K3", "no change"),
			nil, "1 cell of columns that adsync fills differ"},
		{"a new sheet", func(f *excelize.File) { _, err := f.NewSheet("Plans"); must(t, err) },
			[]string{`add sheet "Plans":  → 0 rows`}, ""},
		{"moved rows and columns are no difference", func(f *excelize.File) {
			must(t, f.InsertRows("Ads", 3, 2))
			must(t, f.InsertCols("Ads", "D", 1))
		}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found := compared(t, "q4.xlsx", book(nil), book(c.change))
			if d := cmp.Diff(c.want, got); d != "" ||
				found.Incomplete || !strings.Contains(strings.Join(found.Notes, "; "), c.note) {
				t.Errorf("incomplete %v, notes %q, %v; differences (-want +got):\n%s",
					found.Incomplete, found.Notes, found.Problems, d)
			}
		})
	}
}

func TestAWorkbookWithErrorsIsComparedCellByCell(t *testing.T) {
	broken := ownedAds
	broken.rows = append([][]any{}, ownedAds.rows...)
	broken.rows[2] = []any{"Spring launch", "Runners",
		"Hero A", true, "Light.", "https://shop.example/", "a.png", "perhaps", "mine", "ad_1"}
	got, found := compared(t, "q4.xlsx", string(bookOf(t, ownedAds)), string(bookOf(t, broken)))
	want := []string{`change Ads!D3 [Hero A] title: "AAA" → TRUE`,
		`change Ads!H3 [Hero A] Include: (blank) → "perhaps"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
	if !strings.Contains(strings.Join(found.Notes, ";"), "q4.xlsx has errors; it is compared cell by cell") ||
		len(found.Problems) == 0 {
		t.Errorf("notes %q, problems %v; want the errors said", found.Notes, found.Problems)
	}
}

func TestDiffSaysWhatItCouldNotCompare(t *testing.T) {
	whole := string(bookOf(t, ownedAds))
	got, found := compared(t, "q4.xlsx", whole, whole[:len(whole)/2])
	if !found.Incomplete || len(got) != 0 || len(found.Problems) == 0 {
		t.Errorf("differences %q, incomplete %v, %v; want none, said to be incomplete",
			got, found.Incomplete, found.Problems)
	}
	got, found = compared(t, "a.yaml", springYAML, strings.Replace(springYAML, "name: Runners", "nmae: Runners", 1))
	if want := []string{`remove a.yaml:9: "    name: Runners" → `, `add a.yaml:9:  ` +
		`→ "    nmae: Runners"`}; cmp.Diff(want, got) != "" || len(found.Notes) != 1 || len(found.Problems) == 0 {
		t.Errorf("differences %q, notes %q, %v; want %q, the problem and a note",
			got, found.Notes, found.Problems, want)
	}
}

// The members of an audience are people: a table that is no source is not shown.
func TestDiffShowsNothingOfATableThatIsNoSource(t *testing.T) {
	got, found := compared(t, "customers.csv", "email\nann@example.com\n", "email\nbob@example.com\n")
	if said := strings.Join(got, " ") + strings.Join(found.Notes, " ") + printed(found.Problems); !found.Incomplete ||
		strings.Contains(said, "@") {
		t.Errorf("incomplete %v; said %q; want it refused without a word of it", found.Incomplete, said)
	}
}

func TestDiffOfFoldersGoesByWhatTheySayNotByFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	children := "kind: ad_group\ncampaign: spring\nkey: runners\nname: Runners\n"
	campaign := "kind: campaign\nkey: spring\nname: Spring " +
		"launch\nbidding_type: clicks\nbudget: {daily: 50.00}\ntargeting: {countries: [US]}\n"
	write("a/all.yaml", campaign+"---\n"+children)
	write("b/campaigns.yaml", campaign)
	write("b/groups.yaml", strings.Replace(children, "campaign: spring", "campaign: Spring launch", 1))
	if got, found := comparedPaths(t, filepath.Join(dir, "a"), filepath.Join(dir, "b")); len(got) != 0 ||
		len(found.Problems) != 0 {
		t.Errorf("the same in other files differs by %q, %v", got, found.Problems)
	}
	ad := "---\nkind: ad\nad_group: spring/runners\n" +
		"key: x\ntitle: AAA\nbody: B\ntarget_url: https://shop.example/\nimage: a.png\n"
	write("a/all.yaml", campaign+"---\n"+children+ad)
	write("b/groups.yaml", children+ad)
	write("a/a.png", "one")
	write("b/a.png", "two")
	write("b/c.png", "one")
	write("b/groups.yaml", children+strings.Replace(ad, "a.png", "c.png", 1))
	if got, _ := comparedPaths(t, filepath.Join(dir, "a"), filepath.Join(dir, "b")); len(got) != 0 {
		t.Errorf("the same picture under another name differs by %q", got)
	}
	write("b/groups.yaml", children+ad)
	got, _ := comparedPaths(t, filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	if want := []string{"change Ads[x].image: a.png (7692c3ad3540) → a.png (3fc4ccfe7458)"}; cmp.Diff(want, got) != "" {
		t.Errorf("another picture under the same name is %q; want %q", got, want)
	}
}

func TestAFileThatIsNowhereIsAllNew(t *testing.T) {
	name := filepath.Join(t.TempDir(), "spring.yaml")
	must(t, os.WriteFile(name, []byte(springYAML), 0o600))
	got, _ := comparedPaths(t, os.DevNull, name)
	if len(got) != 6 || got[0] != `add Campaigns[spring]:  → "Spring launch"` {
		t.Errorf("differences %q; want every resource added", got)
	}
}

func textOf(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "q4.xlsx")
	must(t, os.WriteFile(name, content, 0o600))
	var b strings.Builder
	must(t, diff.WriteText(context.Background(), &b, name, kinds.All(), ""))
	return b.String()
}

func TestTextOfAWorkbookIsOneLineACellByTheRowsNames(t *testing.T) {
	original := bookOf(t, sheetOf{name: "Ads", rows: ownedAds.rows[:3]},
		sheetOf{name: "My sum", rows: [][]any{{"Total\nx"}, {5}}}, sheetOf{name: "Lists", rows: [][]any{{"x"}}})
	want := `Ads [header] Campaign = "Campaign"
Ads [header] Ad group = "Ad group"
Ads [header] name = "Ad"
Ads [header] title = "Title"
Ads [header] body = "Body"
Ads [header] target_url = "Target URL"
Ads [header] image = "Image"
Ads [header] Include = "Include"
Ads [header] ID = "ID"
Ads [header] Result = "Result"
Ads [header] column "My note" = "My note"
Ads [# remark] Campaign = "# remark"
Ads [# remark] Ad group = "x"
Ads [Hero A] Campaign = "Spring launch"
Ads [Hero A] Ad group = "Runners"
Ads [Hero A] name = "Hero A"
Ads [Hero A] title = "AAA"
Ads [Hero A] body = "Light."
Ads [Hero A] target_url = "https://shop.example/"
Ads [Hero A] image = "a.png"
Ads [Hero A] ID = "ad_1"
Ads [Hero A] Result = "created"
Ads [Hero A] column "My note" = "mine"
My sum!A1 = "Total\nx"
My sum!A2 = 5
# not shown: Lists
`
	if d := cmp.Diff(want, textOf(t, original)); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
	moved := bookWith(t, func(f *excelize.File) {
		must(t, f.InsertRows("Ads", 2, 3))
		must(t, f.InsertCols("Ads", "B", 2))
	}, sheetOf{name: "Ads", rows: ownedAds.rows[:3]}, sheetOf{name: "My sum", rows: [][]any{{"Total\nx"}, {5}}},
		sheetOf{name: "Lists", rows: [][]any{{"x"}}})
	if d := cmp.Diff(want, textOf(t, moved)); d != "" {
		t.Errorf("text after rows and columns moved (-want +got):\n%s", d)
	}
}

func TestTextOfADamagedWorkbookIsItsProblem(t *testing.T) {
	whole := bookOf(t, ownedAds)
	for _, content := range [][]byte{whole[:len(whole)/2],
		nil, []byte("version https://git-lfs.github.com/spec/v1\n")} {
		text := textOf(t, content)
		if !strings.HasPrefix(text, "# ") || strings.Count(text, "\n") != 1 || !strings.Contains(text, "(ADS100") {
			t.Errorf("text is %q; want one line with the problem", text)
		}
	}
}
