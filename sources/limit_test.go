package sources_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/config"
)

// beyondABound is what is larger than a bound that was set for the test.
type beyondABound struct {
	bound, set string
	files      map[string]string
	want       string // the message
	hint       string
}

func beyondBounds(t *testing.T) []beyondABound {
	group := springCampaign + "ad_groups:\n  - name: Runners\n    bid: {max: 1.5}\n    context_hints: "
	campaigns := [][]any{{"Campaign", "Bidding"}, {"Spring", "clicks"},
		{"Summer", "clicks"}, {"Autumn", "clicks"}, {"Winter", "clicks"}}
	hints := [][]any{{"Campaign", "Ad group", "Hint"},
		{"Spring", "Runners", "one"}, {"Spring", "Runners", "two"}, {"Spring", "Runners", "three"}}
	list := [][]any{{"trail"}, {"one"}, {"two"}, {"three"}}
	long := springCampaign + "# " + strings.Repeat("x", 5<<10) + "\n"
	const split = "split it into several files"
	book := func(name string, rows [][]any) map[string]string {
		return map[string]string{"q4.xlsx": string(bookOf(t, sheetOf{name: name, rows: rows}))}
	}
	return []beyondABound{
		{bound: "rows", set: "rows=3", files: book("Campaigns", campaigns),
			want: `q4.xlsx: sheet "Campaigns": it has 5 rows; want at most 3`, hint: split},
		{bound: "rows", set: "rows=3", files: map[string]string{"campaigns.csv": "Campaign,Bidding\n" +
			"A b c,clicks\nB c d,clicks\nC d e,clicks\n"},
			want: "campaigns.csv: file has 4 rows; want at most 3", hint: split},
		{bound: "hints", set: "hints=2", files: book("Context hints", hints),
			want: `q4.xlsx: sheet "Context hints": it has 4 rows; want at most 2`, hint: split},
		{bound: "hints", set: "hints=2", files: book("Hint lists", list),
			want: `q4.xlsx: sheet "Hint lists": it has 4 rows; want at most 2`, hint: split},
		{bound: "hints", set: "hints=2", files: map[string]string{
			"a.yaml": group + "[{file: h.txt}]\n", "h.txt": "one\ntwo\nthree\n",
		},
			want: "h.txt:3:1: file has over 2 hints; want at most that", hint: split},
		{bound: "entries", set: "entries=2", files: map[string]string{"a.yaml": group + "[x, {list: trail}]\n",
			"q4.xlsx": string(bookOf(t, sheetOf{name: "Hint lists", rows: list}))},
			want: "hint files and hint lists give more than 2 entries in all; want fewer",
			hint: "name long lists in fewer places"},
		{bound: "yaml", set: "yaml=4KiB", files: map[string]string{"a.yaml": long},
			want: "a.yaml: file is over 4 KiB; want a smaller one", hint: split},
		{bound: "csv", set: "csv=10", files: map[string]string{"campaigns.csv": "Campaign,Bidding\nSpring,clicks\n"},
			want: "campaigns.csv: file is over 10 bytes; want a smaller one", hint: split},
		{bound: "workbook", set: "workbook=1KiB", files: book("Campaigns", campaigns),
			want: "q4.xlsx: file is over 1 KiB; want a smaller one", hint: split},
		{bound: "unzipped", set: "unzipped=1KiB", files: book("Campaigns", campaigns),
			want: "q4.xlsx: workbook unzips to 1",
			hint: "delete empty rows and columns below and beside the data, or split the workbook"},
		{bound: "attached", set: "attached=2", files: map[string]string{
			"a.yaml": group + "[{file: h.txt}]\n", "h.txt": "one\ntwo\n",
		},
			want: `a.yaml:7:28: file is "h.txt": file is over 2 bytes; want a smaller one`, hint: split},
		{bound: "depth", set: "depth=2", files: map[string]string{"a.yaml": group + "[one]\n"},
			want: "a.yaml:5:5: nesting is too deep; want at most 2 levels",
			hint: "look for brackets or dashes too many"},
		{bound: "files", set: "files=1",
			files: map[string]string{"a.yaml": springCampaign, "b.yaml": strings.ReplaceAll(springCampaign,
				"Spring", "Summer")}, want: "sources are 2 files; want at most 1",
			hint: "name fewer files in sources of adsync.yaml"},
		{bound: "folders", set: "folders=1", files: map[string]string{"a.yaml": springCampaign,
			"b/c/d.yaml": strings.ReplaceAll(springCampaign, "Spring", "Summer")}, want: "b/c: folders " +
			"are nested more than 1 deep; want sources nearer to the project's folder", hint: "move its files up"},
		{bound: "total", set: "total=4KiB", files: map[string]string{"a.yaml": long},
			want: "a.yaml: sources are over 4 KiB with this file; " +
				"want less in all", hint: "split the account's files into projects, or take pictures out of workbooks"},
		{bound: "time", set: "time=1ns", files: book("Campaigns", campaigns),
			want: "q4.xlsx: reading took longer than 1ns, and was stopped; want a file that reads in less",
			hint: "split the file"},
		{bound: "time", set: "time=1ns", files: map[string]string{"a.yaml": springCampaign}, want: "a.yaml:1:1: " +
			"reading took longer than 1ns, and was stopped; want a file that reads in less", hint: "split the file"},
	}
}

var raised = regexp.MustCompile(`^(.*), or have whoever runs adsync set ADSYNC_BOUNDS=(\S+)$`)

// TestALimitIsSaidAsALimit holds that whatever is beyond a bound says the bound and
// what to do, and that the bound in the hint is large enough.
func TestALimitIsSaidAsALimit(t *testing.T) {
	var tried []string
	for _, c := range beyondBounds(t) {
		tried = append(tried, c.bound)
		t.Run(c.bound+" "+c.want, func(t *testing.T) {
			p, problems := config.ReadProject(folder(t, c.files))
			wantProblems(t, problems)
			must(t, p.Bound(c.set))
			found := sources.Load(t.Context(), p, kinds.All()).Problems
			i := slices.IndexFunc(found, func(problem diag.Problem) bool {
				return strings.Contains(problem.String(), c.want)
			})
			if i < 0 {
				t.Fatalf("Load found\n%swant %q", printed(found), c.want)
			}
			m := raised.FindStringSubmatch(found[i].Hint)
			if found[i].Code != diag.TooLarge || m == nil ||
				m[1] != c.hint || strings.Contains(printed(found), "damage") {
				t.Fatalf("Load found\n%shint %q; want %s, no damage, and the hint %q with a bound",
					printed(found), found[i].Hint, diag.TooLarge, c.hint)
			}
			if c.bound == "time" || c.bound == "total" {
				return // what is enough is not known before
			}
			must(t, p.Bound(m[2]))
			if again := printed(sources.Load(t.Context(), p, kinds.All()).Problems); strings.Contains(again,
				string(diag.TooLarge)) {
				t.Errorf("with %s, Load found\n%swant no limit", m[2], again)
			}
		})
	}
	for name := range config.BoundNames {
		if !slices.Contains(tried, name) && name != "problems" && name != "members" {
			t.Errorf("bound %s has no case here", name)
		}
	}
}

// TestALargeWorkbookIsNotDamaged has a row for each entry of a long list, as an
// export of another program does.
func TestALargeWorkbookIsNotDamaged(t *testing.T) {
	rows := strings.Repeat(`<row><c t="str"><v>Spring</v></c></row>`, 125_000)
	d := load(t, folder(t, inSheet(t, rows)))
	wantRefused(t, d, `q4.xlsx: sheet "Campaigns": it has 125002 rows; want at most 100000 (ADS1039)`)
	if want := "split it into several files, or have " +
		"whoever runs adsync set ADSYNC_BOUNDS=rows=130000"; d.Problems[0].Hint != want {
		t.Errorf("hint = %q, want %q", d.Problems[0].Hint, want)
	}
}
