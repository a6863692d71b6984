package sources_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/tree"
	"adsync/sources/yamlfile"
)

func TestYAMLValuesAreReadAsWritten(t *testing.T) {
	for _, row := range []struct{ name, yaml, address, attribute, want string }{
		{"money is read from its digits", "budget: {daily: 50.00}", "campaign/spring", "budget.daily", "50000000"},
		{"money keeps six decimals", "budget: {daily: 50.000001}", "campaign/spring", "budget.daily", "50000001"},
		{"money in quotes", `budget: {daily: "50.5"}`, "campaign/spring", "budget.daily", "50500000"},
		{"a day", "start: 2026-12-01", "campaign/spring", "start", `"2026-12-01"`},
		{"choices match without case", "status: PAUSED", "campaign/spring", "status", `"paused"`},
		{"countries in one text", "targeting: {countries: 'Canada, US'}",
			"campaign/spring", "targeting.countries", `["CA" "US"]`},
		{"1e6 is a text where a text is wanted", "description: 1e6", "campaign/spring", "description", `"1e6"`},
		{"an id keeps its zeros", "conversion_goal: 0012", "campaign/spring", "conversion_goal", `"0012"`},
		{"an empty list clears", "targeting: {countries: []}", "campaign/spring", "targeting.countries", "null"},
		{"delete_value clears", "tracking: delete_value", "campaign/spring", "tracking", "null"},
		{"CLEAR clears outside free text", "tracking: CLEAR", "campaign/spring", "tracking", "null"},
		{"CLEAR is a text in free text", "description: CLEAR", "campaign/spring", "description", `"CLEAR"`},
		{"absent is not decided", "status: paused", "campaign/spring", "end", "(absent)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, springCampaign+row.yaml+"\n")
			if diag.HasErrors(d.Problems) {
				t.Fatalf("Load found\n%swant no error", printed(d.Problems))
			}
			if got := valueOf(t, d, row.address, row.attribute).String(); got != row.want {
				t.Errorf("%s of %q = %s, want %s", row.attribute, row.yaml, got, row.want)
			}
		})
	}
}

func TestYAMLProblems(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"a misspelt key in a group", "budget: {dayly: 5}",
			`ads.yaml:4:10: "dayly" is no key of budget; want daily, lifetime (ADS1005)`},
		{"a dotted key", "budget.daily: 5", `ads.yaml:4:1: "budget.daily" is no key of a campaign`},
		{"an empty text is no value", `end: ""`, "ads.yaml:4:6: end is empty; want a value"},
		{"a list for one value", "status: [paused]", "ads.yaml:4:9: status is a list; want one value"},
		{"[clear] is the workbook's", "targeting: {countries: [clear]}",
			"ads.yaml:4:24: targeting.countries is [clear], which clears in a workbook; want null"},
		{"a key with a space", "key: spring launch", `ads.yaml:4:6: key is "spring launch"; want letters, digits`},
		{"a tag", "description: !!str 5", "ads.yaml:4:14: tag !!str is written"},
		{"an amount of micros", "budget: {daily: 50000000}",
			"ads.yaml:4:17: warning: budget.daily is 50000000.00, which looks like micros"},
		{"two budgets", "budget: {daily: 5, lifetime: 50}",
			"ads.yaml:4:30: campaign has a daily and a lifetime budget; want one of them (ADS1014)"},
		{"a nested ad group that is no mapping", "ad_groups: [runners]",
			"ads.yaml:4:13: ad group is \"runners\"; want a mapping"},
		{"nested ad groups that are no list", "ad_groups: {name: x}",
			"ads.yaml:4:12: ad_groups is a mapping; want a list"},
		{"a template nobody wrote", "use: [us-shoes]", `ads.yaml:4:7: template is "us-shoes", and no source has it`},
		{"H13 an ambiguous date", "start: 03/04/2026", `ads.yaml:4:8: date is ` +
			`"03/04/2026", which can be read as 4 March 2026 or 3 April 2026; want it as year-month-day (ADS1009)`},
		{"H13 an end before its start", "start: 2026-12-02\nend: 2026-12-01",
			"ads.yaml:5:6: last day is 2026-12-01, before the start"},
		{"X20 a line break in a query", `tracking: "a=b\nc=d"`, "ads.yaml:4:11: tracking holds a line break"},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantProblem(t, loadYAML(t, springCampaign+row.yaml+"\n"), row.want)
		})
	}
}

func TestYAMLHints(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"a misspelt key", "stauts: paused", `did you mean "status"?`},
		{"a dotted key", "budget.daily: 5", "write it nested: budget: {daily: …}"},
		{"a number for a key", "key: 123", `write it in quotes: key: "123"`},
		{"a key with a space", "key: Spring Launch", `such as "spring-launch"`},
		{"a template misspelt", "use: [us-shoe]\n---\nkind: template\nkey: us-shoes\ncampaign: {status: active}",
			`did you mean "us-shoes"?`},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, p := range loadYAML(t, springCampaign+row.yaml+"\n").Problems {
				if p.Hint == row.want {
					return
				}
			}
			t.Errorf("no hint says %q", row.want)
		})
	}
}

func TestFilesThatAreNotWhole(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
			"ads.yaml: file is a Git LFS pointer"},
		{"a conflict of a merge", springCampaign + "<<<<<<< HEAD\n",
			"ads.yaml:4:1: file has a mark of an unfinished merge"},
		{"a quote that is not closed", "kind: \"campaign\nname: x\n", "a quote is opened here and not closed"},
		{"a list instead of a resource", "- kind: campaign\n", "ads.yaml:1:1: document has no kind"},
		{"no kind", "name: Spring\n",
			"ads.yaml:1:1: document has no kind; want kind: and one of campaign, ad_group, ad,"},
		{"a kind of a later version", "kind: billboard\nkey: customers\n",
			`ads.yaml:1:7: kind is "billboard"; this version reads campaign, ad_group, ad,`},
		{"a misspelt kind", "kind: campain\n", `ads.yaml:1:7: kind is "campain"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, row.content)
			wantProblem(t, d, row.want)
			if d.Snapshot.Len() != 0 || !diag.HasErrors(d.Problems) {
				t.Errorf("Load = %d resources, errors %v; want none used and an error",
					d.Snapshot.Len(), diag.HasErrors(d.Problems))
			}
		})
	}
}

func TestRowsAddUp(t *testing.T) {
	d := loadYAML(t, springCampaign+"ad_groups:\n  - name: "+
		"Runners\n  - {nmae: x}\n  - 5\n---\nkind: billboard\n---\nkind: hint_list\nkey: trail\nhints: [mud]\n")
	want := draft.Rows{Read: 6, Used: 3, Failed: 3}
	if d.Sources[0].Rows != want {
		t.Errorf("rows = %+v, want %+v", d.Sources[0].Rows, want)
	}
}

func TestALimitOfTimeEndsInAProblem(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := draft.Input{Schemas: kinds.All(), Bounds: bounded.Defaults(), Words: draft.NewVocabularies(kinds.All())}
	r := yamlfile.Read(ctx, "ads.yaml", []byte(springCampaign), in)
	if len(r.Drafts) != 0 || !strings.Contains(printed(r.Problems), "reading took longer than") {
		t.Errorf("readYAML = %d drafts, %v; want none, and a problem", len(r.Drafts), r.Problems)
	}
}

func TestAPanicOfAReaderIsAProblemOfItsFile(t *testing.T) {
	broken := kinds.All()[:1]
	in := draft.Input{Schemas: broken, Bounds: bounded.Defaults(), Words: draft.Vocabularies{"campaign": nil}}
	in.Words["campaign"] = &draft.Vocabulary{} // no schema: the reader falls over it
	r := tree.ReadOne(context.Background(), tree.File{Name: "ads.yaml", Content: []byte(springCampaign)}, in)
	if len(r.Problems) != 1 || r.Problems[0].Position.File() != "ads.yaml" ||
		!strings.Contains(r.Problems[0].Message, "broke off") {
		t.Errorf("readOne = %v, want one problem of ads.yaml", r.Problems)
	}
}

// snapshotText writes a snapshot without positions.
func snapshotText(t testing.TB, s *resource.Snapshot) string {
	t.Helper()
	var b strings.Builder
	for r := range s.All() {
		fmt.Fprintf(&b, "%s %q", r.Address, r.ID)
		for _, n := range r.Attributes {
			fmt.Fprintf(&b, " %s=%s", n.Name, n.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
