package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// TestATextCutByACommentIsSaid has the comment YAML sees behind a text that
// somebody meant whole, and comments as people write them.
func TestATextCutByACommentIsSaid(t *testing.T) {
	for _, row := range []struct{ name, text, want, hint string }{
		{"a number sign in a name", "kind: campaign\nname: Spring #1 sale\nbidding_type: clicks\n",
			`ads.yaml:2:7: warning: name is read as ` +
				`"Spring", because "#1 sale" behind it is a comment in YAML; want the text in quotes (ADS1011)`,
			`write "Spring #1 sale", or put two spaces before # and one behind it where it is a comment`},
		{"a tag in a name, far off", "kind: campaign\nname: Spring   #sale\nbidding_type: clicks\n",
			`name is read as "Spring", because "#sale" behind it`, ""},
		{"a comment close to a text", springCampaign + "description: best # in town\n",
			`description is read as "best", because "# in town" behind it`, ""},
		{"a comment as style guides have it",
			"kind: campaign\nname: Spring  # for Anna\nbidding_type: clicks\n", "", ""},
		{"a comment behind a tab", "kind: campaign\nname: Spring\t# for Anna\nbidding_type: clicks\n", "", ""},
		{"behind a status, a day, an amount", "kind: campaign # the first\nname: Spring\nbidding_type: clicks " +
			"# views\nstatus: paused #active\nstart: 2026-12-01 # Tuesday\nbudget: {daily: 50} # was 40\n", "", ""},
		{"behind a text in quotes",
			"kind: campaign\nname: \"Spring #1 sale\" # for Anna\nbidding_type: clicks\n", "", ""},
		{"a sign inside a word", "kind: campaign\nname: Spring#1 C# sale\nbidding_type: clicks\n", "", ""},
		{"a key", springCampaign + "key: spring #1\n", `key is read as "spring", because "#1" behind it`, ""},
		{"a hint", springCampaign + "ad_groups:\n  - name: " +
			"Runners\n    bid: {max: 1}\n    context_hints:\n      - the #1 shoe\n      - the other  # shoe\n",
			`ads.yaml:8:9: warning: an entry of context_hints is read as "the"`, `write "the #1 shoe"`},
		{"a country", springCampaign + "targeting:\n  countries:\n    - US #1\n", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, row.text)
			if row.want == "" {
				wantClean(t, d)
				return
			}
			wantProblem(t, d, row.want)
			if diag.HasErrors(d.Problems) || len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Hint, row.hint) {
				t.Errorf("Load found\n%shint %q; want one warning with %q",
					printed(d.Problems), d.Problems[0].Hint, row.hint)
			}
		})
	}
}

func TestAFileWithoutALastLineBreakIsRead(t *testing.T) {
	const cut = "ads.yaml:4: warning: last line has no line break, as in a file that was cut short; want one (ADS1002)"
	for last, want := range map[string]string{
		"budget: {daily: 50}": "", "description: \"x\"": "",
		"# the end": "", "description: a b c": cut, "end: 2026-12-3": cut,
	} {
		d := loadYAML(t, springCampaign+last)
		if want == "" {
			wantClean(t, d)
			continue
		}
		wantProblem(t, d, want)
	}
	dir := folder(t, map[string]string{"adsync.yaml": "own_columns: [Owner]", "ads.yaml": springCampaign})
	wantClean(t, load(t, dir))
}

func TestYAMLOfVersionTwoIsRead(t *testing.T) {
	wantClean(t, loadYAML(t, "%YAML 1.2\n---\n"+springCampaign))
	wantRefused(t, loadYAML(t, "%YAML 3.0\n---\n"+springCampaign),
		`ads.yaml:1:1: the version is "%YAML 3.0"; want %YAML 1.2, %YAML 1.1 or none (ADS1003)`)
}

// TestATimeMeansTheSameInEveryFormat has days and times as text in YAML, in a cell, in
// a cell of dates and in CSV. A cell of dates knows no zone: the one a program writes
// there (SheetJS) says nothing, and a time beside it is refused.
func TestATimeMeansTheSameInEveryFormat(t *testing.T) {
	for _, row := range []struct{ text, want, problem string }{
		{"2026-12-01", "2026-12-01", ""},
		{"2026-12-01T00:00:00", "2026-12-01", ""},
		{"2026-12-01 00:00:00", "2026-12-01", ""},
		{"2026-12-01T00:00:00.000", "2026-12-01", ""},
		{"2026-12-01 00:00", "2026-12-01", ""},
		{"2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", ""},
		{"2026-12-01T18:00:00+01:00", "2026-12-01T18:00:00+01:00", ""},
		{"2026-12-01T18:00:00", "", `date is "2026-12-01T18:00:00", ` +
			`which has a time of day and no time zone; want a day alone, such as 2026-12-01 (ADS1009)`},
		{"2026-12-01 18:00", "", "which has a time of day and no time zone"},
		{"2026-12-01T24:00:00", "", "which has a time of day and no time zone"},
	} {
		for _, attribute := range []struct{ name, header string }{{"start", "Start date"}, {"end", "Last day"}} {
			sheet := func(cell string) string {
				content := bookOf(t, sheetOf{name: "Campaigns",
					rows: [][]any{{"Campaign", "Bidding", attribute.header}, {"Spring", "clicks", "x"}}})
				return string(rebuild(t, content, "xl/worksheets/sheet1.xml", func(sheet []byte) []byte {
					return replaceCell(t, sheet, "C2", cell)
				}))
			}
			for format, files := range map[string]map[string]string{
				"YAML": {"a.yaml": springCampaign + attribute.name + ": " + row.text + "\n"},
				"CSV": {"campaigns.csv": "Campaign,Bidding," +
					attribute.header + "\nSpring,clicks," + row.text + "\n"},
				"text cell":     {"q4.xlsx": sheet(`<c r="C2" t="str"><v>` + row.text + `</v></c>`)},
				"cell of dates": {"q4.xlsx": sheet(`<c r="C2" t="d"><v>` + row.text + `</v></c>`)},
			} {
				t.Run(fmt.Sprintf("%s %s in %s", attribute.name, row.text, format), func(t *testing.T) {
					d := load(t, folder(t, files))
					want := row.want
					if zoned := strings.Contains(want, "T"); zoned &&
						format == "cell of dates" && strings.Contains(row.text, "18:00") {
						wantRefused(t, d, "which has a time of day; want a day alone, such as 2026-12-01")
						return
					} else if zoned && format == "cell of dates" {
						want = want[:10]
					}
					if row.problem != "" {
						wantRefused(t, d, row.problem)
						return
					}
					if got := valueOf(t, wantClean(t, d),
						"campaign/spring", attribute.name); !got.Equal(resource.Text(want)) {
						t.Errorf("%s = %v, want %s", attribute.name, got, want)
					}
				})
			}
		}
	}
}
