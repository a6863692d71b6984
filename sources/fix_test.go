package sources_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/tidy"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fixed puts the one source of a folder right.
func fixed(t testing.TB, name, content string) (tidy.Rewrite, tidy.Fixed) {
	t.Helper()
	p, problems := config.ReadProject(folder(t, map[string]string{name: content, config.ProjectFile: dollarsFile}))
	if len(problems) > 0 {
		t.Fatal(printed(problems))
	}
	all, err := tidy.FixAll(p, context.Background(), kinds.All(), []string{name})
	must(t, err)
	return all.Rewrites[0], all
}

func TestFixPutsRightWhatHasOneReading(t *testing.T) {
	for _, row := range []struct{ name, before, after string }{
		{"a day in words", "start: 1 Dec 2026", "start: 2026-12-01"},
		{"a day with its weekday", "start: \"Tue, 1 Dec 2026\"", "start: 2026-12-01"},
		{"a day with slashes, the year first", "start: 2026/12/01", "start: 2026-12-01"},
		{"a day without zeros", "end: 2026-12-1 # last", "end: 2026-12-01 # last"},
		{"curly quotes around a choice", "status: “paused”", "status: paused"},
		{"a dash for a hyphen in a choice", "targeting: {platforms: [ios–web]}", "targeting: {platforms: [ios-web]}"},
		{"curly quotes around a country", "targeting: {countries: [US, “GB”]}", "targeting: {countries: [US, GB]}"},
		{"a question mark before a query", "tracking: ?a=b", "tracking: a=b"},
		{"a direction mark in a choice", "status: \"paused\u200f\"", "status: \"paused\""},
		{"a misspelt key", "stauts: paused # yes", "status: paused # yes"},
		{"a key in capitals", "Status: paused", "status: paused"},
		{"a misspelt key of a group", "budget: {dayly: 5}", "budget: {daily: 5}"},
		{"a misspelt group", "budgt:\n  daily: 5", "budget:\n  daily: 5"},
		{"a number for an id", "id: 0123", "id: \"0123\""},
		{"a name with a hidden character", "description: x\nname: \"Spring\u200e\"",
			"description: x\nname: \"Spring\""},
	} {
		t.Run(row.name, func(t *testing.T) {
			base := "kind: campaign\nkey: k\nbidding_type: clicks\n"
			if !strings.Contains(row.before, "name:") {
				base += "name: Spring\n"
			}
			r, left := fixed(t, "ads.yaml", base+row.before+"\n")
			if diff := cmp.Diff(base+row.after+"\n", string(r.After)); diff != "" || len(left.Problems) > 0 {
				t.Errorf("Fix left %s(-want +got):\n%s", printed(left.Problems), diff)
			}
		})
	}
}

func TestFixLeavesWhatHasMoreReadingsOrMoves(t *testing.T) {
	for _, text := range []string{
		"start: 01/02/2026", "start: 13/02/2026", "start: \"Mon, 1 Dec 2026\"", "start: 1 Dec 26", "start: Dec 2026",
		"status: Activ", "status: yes", "budget: {daily: \"1,000\"}", "budget: {daily: 010}", "budget: {daily: -5}",
		"budget: {daily: 5 EUR}", "budget: {daily: 1e6}",
		"targeting: {countries: [Narnia]}", "targeting: {countries: [Untied States]}",
		"dayly: 5", "stauts: sleeping", "stauts: paused\nstatus: active", "nd: 2026-12-01",
		"budget.daily: 5", "product_feed: a b", "key: spring launch",
		"tracking: \"a=b c\"", "description: \"a\u202eb\"", "budget: {daily: 5, lifetime: 50}",
		"budget: {daily: 5}\nbudgt: {lifetime: 50}", "targeting: {countries: US UK}",
	} {
		t.Run(text, func(t *testing.T) {
			content := "kind: campaign\nname: Spring\nbidding_type: clicks\n" + text + "\n"
			if r, _ := fixed(t, "ads.yaml", content); r.Changes() {
				t.Errorf("Fix makes %v\n%s", r.Fixes, cmp.Diff(content, string(r.After)))
			}
		})
	}
}

func TestFixNamesEachRepairAndWhatIsLeft(t *testing.T) {
	r, left := fixed(t, "ads.yaml", "kind: campaign\nkey: spring–launch\nname: Spring\nbidding_type: "+
		"clicks\nstart: 1 Dec 2026\nstatus: Activ\n---\nkind: ad_group\ncampaign: \"Spr\u200bing\"\nname: Runners\n")
	var told []string
	for _, f := range r.Fixes {
		told = append(told, fmt.Sprintf("%s %q %q %s", f.Position, f.Was, f.Is, f.Why))
	}
	want := []string{
		`ads.yaml:2:6 "spring–launch" "spring-launch" ` + "it is the same word",
		`ads.yaml:5:8 "1 Dec 2026" "2026-12-01" ` + "it can be read as one day only",
		"ads.yaml:9:11 \"Spr\\u200bing\" \"Spring\" " +
			"characters that cannot be seen, or a letter in two parts, say nothing here",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("fixes (-want +got):\n%s", diff)
	}
	if got := printed(left.Problems); !strings.HasPrefix(got,
		"ads.yaml:6:9: status is \"Activ\"; want active, paused or archived (ADS1007)\n") || len(left.Problems) != 1 {
		t.Errorf("left are\n%s", got)
	}
	if line, ok := left.Line("ads.yaml", 5); !ok || line != "start: 2026-12-01" {
		t.Errorf("line 5 is %q; want it with the repair", line)
	}
}

func TestFixOfBytes(t *testing.T) {
	base := "kind: campaign\nname: Spring\nbidding_type: clicks\n"
	utf16 := func(s string) string {
		b := []byte("\xff\xfe")
		for _, r := range s {
			b = append(b, byte(r), byte(r>>8))
		}
		return string(b)
	}
	windows := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	twoWays := base + "ad_groups:\n\t- name: A\n          bid: {max: 1}\n"
	for _, row := range []struct{ name, before, after string }{
		{"UTF-16 with the line breaks of Windows", utf16(windows(base)), base},
		{"tabs", base + "budget:\n\tdaily: 5\n", base + "budget:\n  daily: 5\n"},
		{"tabs that may mean two things", twoWays, twoWays},
		{"a file cut short", base + "budget: {daily: 5", base + "budget: {daily: 5"},
		{"a mark and the line breaks of Windows alone are no problem",
			"\ufeff" + windows(base), "\ufeff" + windows(base)},
		{"a repair between line breaks of Windows",
			"\ufeff" + windows(base+"stauts: paused\n"), "\ufeff" + windows(base+"status: paused\n")},
	} {
		r, _ := fixed(t, "ads.yaml", row.before)
		if diff := cmp.Diff(row.after, string(r.After)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestFixDropsWhatIsSaidTwice(t *testing.T) {
	one := "kind: campaign\nname: Spring\nbidding_type: clicks\nad_groups:\n  - name: Runners\n"
	other := strings.ReplaceAll(one, "Spring", "Summer")
	for _, row := range []struct{ name, before, after string }{
		{"a document", one + "---\n" + other + "---\n" + one, one + "---\n" + other},
		{"an item", one + "  - name: Runners\n  - name: Hikers\n", one + "  - name: Hikers\n"},
		{"not what differs", one + "---\n" + one + "status: paused\n", one + "---\n" + one + "status: paused\n"},
		{"not what has a remark", one + "---\n" + one + "# keep\n", one + "---\n" + one + "# keep\n"},
	} {
		r, left := fixed(t, "ads.yaml", row.before)
		if diff := cmp.Diff(row.after, string(r.After)); diff != "" || (len(left.Problems) == 0) != r.Changes() {
			t.Errorf("%s: left are\n%s(-want +got):\n%s", row.name, printed(left.Problems), diff)
		}
	}
}

func TestFixOfCells(t *testing.T) {
	sheet := sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Stauts", "Bidding", "Start date", "Countries", "Key", "#Mine"},
		{"Spring", "paused", "clicks", "1 Dec 2026", "US, “GB”", "spring–launch", "a"},
		{"Summer", "active", "“clicks”", "01/02/2026", "Narnia", "summer", "b"},
		{"Autumn", "paused", "clicks", "2026-12-01", "US", "autumn", "c"},
		{"Autumn", "paused", "clicks", "2026-12-01", "US", "autumn", "d"},
	}}
	original := bookOf(t, sheet)
	r, left := fixed(t, "q4.xlsx", string(original))
	want := map[string]string{
		"Campaigns!B1": "Stauts → Status", "Campaigns!C3": "“clicks” → clicks",
		"Campaigns!D2": "1 Dec 2026 → 2026-12-01",
		"Campaigns!E2": "US, “GB” → US, GB", "Campaigns!F2": "spring–launch → spring-launch",
		"Campaigns!A5": "Autumn → ", "Campaigns!B5": "paused → ", "Campaigns!C5": "clicks → ",
		"Campaigns!D5": "2026-12-01 → ", "Campaigns!E5": "US → ", "Campaigns!F5": "autumn → ",
	}
	if diff := cmp.Diff(want, changedCells(t, original, r.After)); diff != "" {
		t.Errorf("cells changed (-want +got):\n%s", diff)
	}
	for _, part := range []string{`date is "01/02/2026"`, `country is "Narnia"`} {
		if !strings.Contains(printed(left.Problems), part) || len(left.Problems) != 2 {
			t.Errorf("left are\n%swant two problems, one with %q", printed(left.Problems), part)
		}
	}
	var csv strings.Builder
	for _, row := range sheet.rows {
		for i, cell := range row {
			fmt.Fprintf(&csv, "%s\"%s\"", map[bool]string{true: ",", false: ""}[i > 0], cell)
		}
		csv.WriteString("\n")
	}
	asCSV, leftCSV := fixed(t, "campaigns.csv", csv.String())
	if len(asCSV.Fixes) != len(want) || len(leftCSV.Problems) != 2 {
		t.Errorf("of a CSV file %d are put right and left are\n%swant %d and 2\n%s",
			len(asCSV.Fixes), printed(leftCSV.Problems), len(want), asCSV.After)
	}
}

// TestFixChangesNothingThatCanBeRead draws sources with and without problems: a
// file without one stays as it is, and what was read is read the same.
func TestFixChangesNothingThatCanBeRead(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	lines := []string{
		"name: Spring", "name: \" Spring\"", "name: \"Spring\u200b\"",
		"status: paused", "status: Enabled", "status: Activ", "start: 2026-12-01",
		"start: 1 Dec 2026", "start: 01/02/2026", "budget: {daily: 5}", "budget: {dayly: 5}", "budget: {daily: $5}",
		"targeting: {countries: [us, Norway]}", "targeting: {countries: [UK]}",
		"tracking: ?a=b", "tracking: a=b", "key: spring", "key: spring–x",
		"key: 7", "stauts: paused", "descripton: x", "description: 'x' # y", "end: 2026-12-31", "nonsense: 1",
	}
	rapid.Check(t, func(rt *rapid.T) {
		var content strings.Builder
		for i := range rapid.IntRange(1, 3).Draw(rt, "documents") {
			if i > 0 {
				content.WriteString("---\n")
			}
			content.WriteString("kind: campaign\nbidding_type: clicks\n")
			drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(lines),
				1, 6, func(s string) string { return s[:3] }).Draw(rt, "lines")
			content.WriteString(strings.Join(drawn, "\n") + "\n")
		}
		before := loadIn(t, "ads.yaml", content.String())
		r, left := fixed(t, "ads.yaml", content.String())
		if len(before.Problems) == 0 && r.Changes() {
			rt.Fatalf("Fix makes %v of a file without problems:\n%s", r.Fixes, content.String())
		}
		if len(left.Problems) > len(before.Problems) {
			rt.Fatalf("Fix makes problems:\n%sof\n%s%s",
				printed(left.Problems), printed(before.Problems), content.String())
		}
		after := loadIn(t, "ads.yaml", string(r.After))
		for was := range before.Snapshot.All() {
			again := after.Snapshot.Get(was.Address)
			for _, n := range was.Attributes {
				fixedThere := slices.ContainsFunc(r.Fixes, func(f tidy.Fix) bool {
					return f.Position == n.Value.Position
				})
				if again == nil || !fixedThere && !n.Value.Equal(again.Value(n.Name)) {
					rt.Fatalf("%s: %s was %s; Fix makes %v of\n%s",
						was.Address, n.Name, n.Value, r.Fixes, content.String())
				}
			}
		}
		if again, _ := fixed(t, "ads.yaml", string(r.After)); again.Changes() {
			rt.Fatalf("a second run makes %v", again.Fixes)
		}
	})
}

func loadIn(t testing.TB, name, content string) sources.Desired {
	t.Helper()
	return load(t, folder(t, map[string]string{name: content, config.ProjectFile: dollarsFile}))
}

// FuzzFix holds that no bytes make Fix panic, and that a file without a problem
// stays as it is.
func FuzzFix(f *testing.F) {
	for _, seed := range []string{springCampaign, springCampaign + "start: 1 Dec 2026\n",
		"\xff\xfek\x00", "a:\n\tb: c\n",
		"kind: campaign\nstauts: [x]\n---\nkind: campaign\n", "kind: template\nkey: 5\nad: {titel: x}\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		before := loadIn(t, "ads.yaml", content)
		r, left := fixed(t, "ads.yaml", content)
		if r.Changes() && (len(before.Problems) == 0 || len(r.Fixes) == 0) {
			t.Errorf("Fix changes %q to %q and tells %v", content, r.After, r.Fixes)
		}
		if !diag.HasErrors(before.Problems) && diag.HasErrors(left.Problems) {
			t.Errorf("Fix makes problems of %q:\n%s", content, printed(left.Problems))
		}
	})
}
