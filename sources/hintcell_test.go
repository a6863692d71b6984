package sources_test

import (
	"strings"
	"testing"

	"adsync/internal/resource"
)

// hintCell is what somebody wrote where hints are wanted, and what becomes of it.
type hintCell struct {
	name, text string
	want       []string // the hints
	problem    string
}

const notOneList = "context_hints looks like JSON and is not one list of texts"

var hintCells = []hintCell{
	{name: "a list", text: `["people who run", "people, who hike"]`,
		want: []string{"people who run", "people, who hike"}, problem: ""},
	{name: "a list with curly quotes", text: "[“people who run”, “people who say “hi” often”]",
		want: []string{"people who run", "people who say “hi” often"}, problem: ""},
	{name: "a word in brackets", text: "[trail] shoes", want: []string{"[trail] shoes"}, problem: ""},
	{name: "a year in brackets", text: "[2026] shoes", want: []string{"[2026] shoes"}, problem: ""},
	{name: "a word in braces", text: "{keyword} shoes", want: []string{"{keyword} shoes"}, problem: ""},
	{name: "an object", text: `{"hint": "people who run"}`, want: nil,
		problem: notOneList + `: {"hint": "people who run"}; want one entry a line`},
	{name: "an object with curly quotes", text: "{“hint”: “people who run”}", want: nil, problem: notOneList},
	{name: "a list of objects", text: `[{"hint": "people who run"}]`, want: nil, problem: notOneList},
	{name: "a list with an object in it", text: `["people", {"hint": "people who run"}, "others"]`,
		want: nil, problem: notOneList},
	{name: "a list of lists", text: `[["people who run"], ["others"]]`, want: nil, problem: notOneList},
	{name: "a list in a list", text: `["people", ["who run"]]`, want: nil, problem: notOneList},
	{name: "a list in a list, curly", text: "[“people”, [“who run”], “others”]", want: nil, problem: notOneList},
	{name: "two lists", text: `["people"] ["others"]`, want: nil, problem: notOneList},
	{name: "two lists on two lines", text: "[\"people\"]\n[\"others\"]", want: nil, problem: notOneList},
	{name: "two lists with a comma", text: `["people"], ["others"]`, want: nil, problem: notOneList},
	{name: "a list of nothing", text: `["people", null]`, want: nil, problem: notOneList},
	{name: "a list cut short", text: `["people", "who ru`, want: nil, problem: notOneList},
	{name: "a list on the second line", text: "people\n[\"others\"]",
		want: nil, problem: `context_hints looks like JSON: ["others"]; want a sentence`},
	{name: "a list in a list's text", text: `["people", "[\"others\"]"]`,
		want: nil, problem: `context_hints looks like JSON`},
}

func TestHintsInTheFormOfJSON(t *testing.T) {
	for _, c := range hintCells {
		cell := sheetOf{name: "Ad groups",
			rows: [][]any{{"Campaign", "Ad group", "Max bid", "Context hints"}, {"Spring", "Runners", 1.25, c.text}}}
		for format, files := range map[string]map[string]string{
			"workbook": {"a.yaml": springCampaign, "q4.xlsx": string(bookOf(t, cell))},
			"CSV": {"a.yaml": springCampaign, "ad groups.csv": "Campaign,Ad " +
				"group,Max bid,Context hints\nSpring,Runners,1.25,\"" + strings.ReplaceAll(c.text, `"`, `""`) + "\"\n"},
			"YAML": {"a.yaml": springCampaign + "ad_groups:\n  - name: Runners\n" +
				"    bid: {max: 1.25}\n    context_hints: '" + strings.ReplaceAll(c.text, "\n", "\n\n      ") + "'\n"},
		} {
			t.Run(c.name+", "+format, func(t *testing.T) {
				d := load(t, folder(t, files))
				if c.problem != "" {
					wantRefused(t, d, c.problem)
					return
				}
				if got := valueOf(t, wantClean(t, d),
					"ad_group/spring/runners", "context_hints"); !got.Equal(resource.List(c.want)) {
					t.Errorf("hints = %v, want %q", got, c.want)
				}
			})
		}
	}
}

func TestJSONAmongHintsIsRefusedWhereverTheyStand(t *testing.T) {
	group := springCampaign + "ad_groups:\n  - name: Runners\n    bid: {max: 1.25}\n    context_hints: "
	for name, c := range map[string]struct {
		files map[string]string
		at    string
	}{
		"a row of hints": {map[string]string{"a.yaml": group + "[]\n", "q4.xlsx": string(bookOf(t,
			sheetOf{
				name: "Context hints", rows: [][]any{{"Campaign", "Ad group", "Hint"},
					{"Spring", "Runners", `["a", "b"]`}},
			}))},
			"q4.xlsx:Context hints!C2: "},
		"a hint list": {map[string]string{"a.yaml": group + "[{list: trail}]\n", "q4.xlsx": string(bookOf(t,
			sheetOf{name: "Hint lists", rows: [][]any{{"trail"}, {`{"hint": "a"}`}}}))}, "q4.xlsx:Hint lists!A2: "},
		"a file": {map[string]string{"a.yaml": group + "[{file: h.txt}]\n", "h.txt": "people\n[\n\"a\"\n]\n"},
			"h.txt:2:1: "},
		"a list of YAML": {map[string]string{"a.yaml": group + "['{\"hint\": \"a\"}']\n"}, "a.yaml:7:21: "},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["a.yaml"] = strings.Replace(c.files["a.yaml"], "    context_hints: []\n", "", 1)
			wantRefused(t, load(t, folder(t, c.files)), c.at+"context_hints looks like JSON")
		})
	}
}

func TestCharactersOfOtherSystemsAndCutCellsAreSaid(t *testing.T) {
	hints := func(text string) map[string]string {
		return map[string]string{
			"a.yaml": springCampaign, "q4.xlsx": string(bookOf(t, sheetOf{name: "Ad groups",
				rows: [][]any{{"Campaign", "Ad group", "Max bid", "Context hints"},
					{"Spring", "Runners", 1.25, text}}})),
		}
	}
	wantProblem(t, load(t, folder(t, hints("people_x000D_who run"))), "q4.xlsx:Ad groups!D2: warning: "+
		"context_hints holds a carriage return (U+000D), which cuts it into 2 hints; want a line break there (ADS1016)")
	wantClean(t, load(t, folder(t, hints("people_x000D_\nwho run"))))
	wantProblem(t, load(t, folder(t, hints("people_x0007_ who run"))),
		"q4.xlsx:Ad groups!D2: warning: context_hints holds the character U+0007, which cannot be seen")
	wantProblem(t, loadYAML(t, springCampaign+"description: \"one\\rtwo\"\n"),
		"ads.yaml:4:14: warning: description holds the character U+000D, which cannot be seen")

	long := strings.Repeat("people who run\n", 3000)
	const cut = "cell holds 32767 characters, the most " +
		"a cell can, so that its end was likely cut off; want the whole text (ADS1008)"
	wantRefused(t, load(t, folder(t, hints(long[:32_767]))), "q4.xlsx:Ad groups!D2: "+cut)
	wantClean(t, load(t, folder(t, hints(long[:32_700]))))
	wide := strings.Repeat("людям, які бігають\n", 3000)
	wantRefused(t, load(t, folder(t, hints(string([]rune(wide)[:32_767])))), cut)
	csv := map[string]string{
		"a.yaml": springCampaign, "ad groups.csv": "Campaign,Ad group,Max bid,Context hints\nSpring,Runners,1.25,\"" +
			long[:32_767] + "\"\n",
	}
	wantRefused(t, load(t, folder(t, csv)), "ad groups.csv:2:21: "+cut)
}
