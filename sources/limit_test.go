package sources

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
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
		return map[string]string{"q4.xlsx": string(bookOf(t, sheetOf{name, rows}))}
	}
	return []beyondABound{
		{"rows", "rows=3", book("Campaigns", campaigns),
			`q4.xlsx: sheet "Campaigns": it has 5 rows; want at most 3`, split},
		{"rows", "rows=3", map[string]string{"campaigns.csv": "Campaign,Bidding\n" +
			"A b c,clicks\nB c d,clicks\nC d e,clicks\n"}, "campaigns.csv: file has 4 rows; want at most 3", split},
		{"hints", "hints=2", book("Context hints", hints),
			`q4.xlsx: sheet "Context hints": it has 4 rows; want at most 2`, split},
		{"hints", "hints=2", book("Hint lists", list),
			`q4.xlsx: sheet "Hint lists": it has 4 rows; want at most 2`, split},
		{"hints", "hints=2", map[string]string{"a.yaml": group + "[{file: h.txt}]\n", "h.txt": "one\ntwo\nthree\n"},
			"h.txt:3:1: file has over 2 hints; want at most that", split},
		{"entries", "entries=2", map[string]string{"a.yaml": group + "[x, {list: trail}]\n",
			"q4.xlsx": string(bookOf(t, sheetOf{"Hint lists", list}))},
			"hint files and hint lists give more than 2 entries in all; want fewer", "name long lists in fewer places"},
		{"yaml", "yaml=4KiB", map[string]string{"a.yaml": long},
			"a.yaml: file is over 4 KiB; want a smaller one", split},
		{"csv", "csv=10", map[string]string{"campaigns.csv": "Campaign,Bidding\nSpring,clicks\n"},
			"campaigns.csv: file is over 10 bytes; want a smaller one", split},
		{"workbook", "workbook=1KiB", book("Campaigns", campaigns),
			"q4.xlsx: file is over 1 KiB; want a smaller one", split},
		{"unzipped", "unzipped=1KiB", book("Campaigns", campaigns), "q4.xlsx: workbook unzips to 1",
			"delete empty rows and columns below and beside the data, or split the workbook"},
		{"attached", "attached=2", map[string]string{"a.yaml": group + "[{file: h.txt}]\n", "h.txt": "one\ntwo\n"},
			`a.yaml:7:28: file is "h.txt": file is over 2 bytes; want a smaller one`, split},
		{"depth", "depth=2", map[string]string{"a.yaml": group + "[one]\n"},
			"a.yaml:5:5: nesting is too deep; want at most 2 levels", "look for brackets or dashes too many"},
		{"files", "files=1", map[string]string{"a.yaml": springCampaign, "b.yaml": strings.ReplaceAll(springCampaign,
			"Spring", "Summer")}, "sources are 2 files; want at most 1", "name fewer files in sources of adsync.yaml"},
		{"folders", "folders=1", map[string]string{"a.yaml": springCampaign,
			"b/c/d.yaml": strings.ReplaceAll(springCampaign, "Spring", "Summer")}, "b/c: folders " +
			"are nested more than 1 deep; want sources nearer to the project's folder", "move its files up"},
		{"total", "total=4KiB", map[string]string{"a.yaml": long}, "a.yaml: sources are over 4 KiB with this file; " +
			"want less in all", "split the account's files into projects, or take pictures out of workbooks"},
		{"time", "time=1ns", book("Campaigns", campaigns),
			"q4.xlsx: reading took longer than 1ns, and was stopped; want a file that reads in less", "split the file"},
		{"time", "time=1ns", map[string]string{"a.yaml": springCampaign}, "a.yaml:1:1: " +
			"reading took longer than 1ns, and was stopped; want a file that reads in less", "split the file"},
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
			p, problems := ReadProject(folder(t, c.files))
			wantProblems(t, problems)
			must(t, p.Bound(c.set))
			found := Load(t.Context(), p, kinds.All()).Problems
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
			if again := printed(Load(t.Context(), p, kinds.All()).Problems); strings.Contains(again,
				string(diag.TooLarge)) {
				t.Errorf("with %s, Load found\n%swant no limit", m[2], again)
			}
		})
	}
	for name := range boundNames {
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
