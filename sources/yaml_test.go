package sources

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
)

func TestYAMLValuesAreReadAsWritten(t *testing.T) {
	for _, row := range []struct{ name, yaml, address, attribute, want string }{
		{"money is read from its digits", "budget: {daily: 50.00}", "campaign/spring", "budget.daily", "50000000"},
		{"money keeps six decimals", "budget: {daily: 50.000001}", "campaign/spring", "budget.daily", "50000001"},
		{"money in quotes", `budget: {daily: "50.5"}`, "campaign/spring", "budget.daily", "50500000"},
		{"Y10 money beyond a float's digits", "budget: {daily: 9007199254.740993}", "campaign/spring", "budget.daily", "9007199254740993"},
		{"a day", "start: 2026-12-01", "campaign/spring", "start", `"2026-12-01"`},
		{"choices match without case", "status: PAUSED", "campaign/spring", "status", `"paused"`},
		{"Y6 NO is Norway", "targeting: {countries: [NO, us]}", "campaign/spring", "targeting.countries", `["NO" "US"]`},
		{"countries in one text", "targeting: {countries: 'Canada, US'}", "campaign/spring", "targeting.countries", `["CA" "US"]`},
		{"Y6 yes is a text where a text is wanted", "description: yes", "campaign/spring", "description", `"yes"`},
		{"Y7 010 is a text where a text is wanted", "description: 010", "campaign/spring", "description", `"010"`},
		{"1e6 is a text where a text is wanted", "description: 1e6", "campaign/spring", "description", `"1e6"`},
		{"an id keeps its zeros", "conversion_goal: 0012", "campaign/spring", "conversion_goal", `"0012"`},
		{"Y8 null clears", "end: null", "campaign/spring", "end", "null"},
		{"Y8 a tilde clears", "end: ~", "campaign/spring", "end", "null"},
		{"an empty list clears", "targeting: {countries: []}", "campaign/spring", "targeting.countries", "null"},
		{"delete_value clears", "tracking: delete_value", "campaign/spring", "tracking", "null"},
		{"CLEAR clears outside free text", "tracking: CLEAR", "campaign/spring", "tracking", "null"},
		{"CLEAR is a text in free text", "description: CLEAR", "campaign/spring", "description", `"CLEAR"`},
		{"absent is not decided", "status: paused", "campaign/spring", "end", "(absent)"},
		{"Y14 a block keeps its lines", "description: |\n  one  \n  two\n", "campaign/spring", "description", `"one  \ntwo"`},
		{"Y13 CRLF reads like LF", "status: paused\r\nend: 2026-12-31\r", "campaign/spring", "end", `"2026-12-31"`},
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
		{"Y3 the same key twice", "status: paused\nstatus: active", `ads.yaml:5:1: key "status" stands twice, first in line 4; want it once (ADS1012)`},
		{"Y3 keys that differ in case", "status: paused\nStatus: active", `ads.yaml:5:1: key "Status" differs from "status" in line 4 in case alone`},
		{"Y5 one key in another case", "Status: paused", `ads.yaml:4:1: "Status" is no key of a campaign`},
		{"Y4 a misspelt key", "stauts: paused", `ads.yaml:4:1: "stauts" is no key of a campaign; want ad_groups, bidding_type, budget`},
		{"a misspelt key in a group", "budget: {dayly: 5}", `ads.yaml:4:10: "dayly" is no key of budget; want daily, lifetime (ADS1005)`},
		{"a dotted key", "budget.daily: 5", `ads.yaml:4:1: "budget.daily" is no key of a campaign`},
		{"Y6 yes for a status", "status: yes", `ads.yaml:4:9: status is "yes"; want active, paused or archived (ADS1007)`},
		{"Y6 a truth value for a country", "targeting: {countries: [true]}", `ads.yaml:4:25: country is "true"`},
		{"Y7 an octal number", "budget: {daily: 010}", `ads.yaml:4:17: budget.daily is 010, which some take for an octal number`},
		{"Y7 a hexadecimal number", "budget: {daily: 0x10}", "ads.yaml:4:17:"},
		{"Y7 an exponent", "budget: {daily: 1e6}", `ads.yaml:4:17: amount is "1e6"`},
		{"Y7 an underscore", "budget: {daily: 1_000}", `ads.yaml:4:17: amount is "1_000"`},
		{"Y7 minutes and seconds", "budget: {daily: 1:30}", "ads.yaml:4:17: amount is"},
		{"Y7 infinity", "budget: {daily: .inf}", "ads.yaml:4:17: amount is"},
		{"Y7 a negative amount", "budget: {daily: -5}", `ads.yaml:4:17: amount is "-5"`},
		{"Y8 a key without a value", "end:", "ads.yaml:4:1: end has no value; want one, or null to clear it, or no end at all to leave it as it is (ADS1011)"},
		{"Y8 a budget without a value is not 0", "budget:", "ads.yaml:4:8: budget is without a value; want a mapping with daily, lifetime"},
		{"Y8 a budget of null is not 0", "budget: {daily: ~}", "ads.yaml:4:17: budget.daily is null, and it cannot be cleared"},
		{"an empty text is no value", `end: ""`, "ads.yaml:4:6: end is empty; want a value"},
		{"a list for one value", "status: [paused]", "ads.yaml:4:9: status is a list; want one value"},
		{"[clear] is the workbook's", "targeting: {countries: [clear]}", "ads.yaml:4:24: targeting.countries is [clear], which clears in a workbook; want null"},
		{"Y17 a number for a key of the mapping", "1: x", "ads.yaml:4:1: key is 1, which YAML takes for a number; want a name"},
		{"Y17 a number for a key", "key: 123", "ads.yaml:4:6: key is 123, which YAML takes for a number; want text"},
		{"Y17 a date for a key", "key: 2026-12-01", "ads.yaml:4:6: key is 2026-12-01, which YAML takes for a date; want text"},
		{"Y17 a number for an id", "id: 0123", "ads.yaml:4:5: id is 0123, which YAML takes for a number; want text"},
		{"a key with a space", "key: spring launch", `ads.yaml:4:6: key is "spring launch"; want letters, digits`},
		{"Y15 a hidden character in a key", "key: \"spring\u200b\"", "ads.yaml:4:6: key is"},
		{"Y18 a version of the format nobody knows", "version: 99", `ads.yaml:4:1: "version" is no key of a campaign`},
		{"Y11 an alias", "targeting: &t {countries: [US]}\nbudget: *t", "ads.yaml:4:12: an anchor or alias is written; want each value where it belongs"},
		{"Y11 a merge key", "<<: {status: active}", "ads.yaml:4:1: key is <<, which YAML takes for a merge of mappings; want a name"},
		{"a tag", "description: !!str 5", "ads.yaml:4:14: tag !!str is written"},
		{"Y14 a tab for indentation", "budget:\n\tdaily: 5", "ads.yaml:5:1: text is not YAML"},
		{"an amount of micros", "budget: {daily: 50000000}", "ads.yaml:4:17: warning: budget.daily is 50000000.00, which looks like micros"},
		{"two budgets", "budget: {daily: 5, lifetime: 50}", "ads.yaml:4:30: campaign has a daily and a lifetime budget; want one of them (ADS1014)"},
		{"Y15 a hidden character in a text", "description: \"a\u202eb\"", "ads.yaml:4:14: warning: description holds the character U+202E, which cannot be seen"},
		{"a nested ad group that is no mapping", "ad_groups: [runners]", "ads.yaml:4:13: ad group is \"runners\"; want a mapping"},
		{"nested ad groups that are no list", "ad_groups: {name: x}", "ads.yaml:4:12: ad_groups is a mapping; want a list"},
		{"a template nobody wrote", "use: [us-shoes]", `ads.yaml:4:7: template is "us-shoes", and no source has it`},
		{"H13 an ambiguous date", "start: 03/04/2026", `ads.yaml:4:8: date is "03/04/2026"; want a day such as 2026-12-01 (ADS1009)`},
		{"H13 an end before its start", "start: 2026-12-02\nend: 2026-12-01", "ads.yaml:5:6: last day is 2026-12-01, before the start"},
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
		{"a template misspelt", "use: [us-shoe]\n---\nkind: template\nkey: us-shoes\ncampaign: {status: active}", `did you mean "us-shoes"?`},
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
		{"Y2 an empty file", "", "ads.yaml: file is empty; want resources (ADS1002)"},
		{"Y2 blank lines", "\n \n", "ads.yaml: file is empty"},
		{"Y2 a file of comments", "# nothing\n", "ads.yaml: file holds nothing but comments or null"},
		{"Y2 null", "null\n", "ads.yaml: file holds nothing but comments or null"},
		{"Y9 a file cut in a number", springCampaign + "budget: {lifetime: 5", "ads.yaml:4: last line has no line break"},
		{"Y13 UTF-16", "\xff\xfek\x00i\x00n\x00d\x00", "ads.yaml: file is UTF-16 or binary; want UTF-8 text"},
		{"Y13 a byte that is not UTF-8", "kind: campaign\nname: Caf\xe9\n", "ads.yaml:2: byte 0xe9 is not UTF-8"},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "ads.yaml: file is a Git LFS pointer"},
		{"a conflict of a merge", springCampaign + "<<<<<<< HEAD\n", "ads.yaml:4:1: file has a mark of an unfinished merge"},
		{"a quote that is not closed", "kind: \"campaign\nname: x\n", "text is not YAML"},
		{"a list instead of a resource", "- kind: campaign\n", "ads.yaml:1:1: document has no kind"},
		{"no kind", "name: Spring\n", "ads.yaml:1:1: document has no kind; want kind: and one of campaign, ad_group, ad,"},
		{"a kind of a later version", "kind: billboard\nkey: customers\n", `ads.yaml:1:7: kind is "billboard"; this version reads campaign, ad_group, ad,`},
		{"a misspelt kind", "kind: campain\n", `ads.yaml:1:7: kind is "campain"`},
		{"Y12 nesting without an end", "kind: " + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "\n", "nesting is too deep; want at most 64 levels"},
		{"Y12 a file beyond the bound", "kind: campaign\nname: " + strings.Repeat("x", mebibyte) + "\n", "ads.yaml: file is over 1 MiB; want a smaller one"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, row.content)
			wantProblem(t, d, row.want)
			if d.Snapshot.Len() != 0 || !diag.HasErrors(d.Problems) {
				t.Errorf("Load = %d resources, errors %v; want none used and an error", d.Snapshot.Len(), diag.HasErrors(d.Problems))
			}
		})
	}
}

func TestY1EveryDocumentIsRead(t *testing.T) {
	d := wantClean(t, loadYAML(t, springCampaign+"---\n"+strings.ReplaceAll(springCampaign, "Spring", "Summer")+"---\n"))
	if got := fmt.Sprint(d.Snapshot.Addresses()); got != "[campaign/spring campaign/summer]" {
		t.Errorf("Load = %s, want both campaigns", got)
	}
}

func TestY13AByteOrderMarkChangesNothing(t *testing.T) {
	plain, marked := loadYAML(t, springCampaign), loadYAML(t, "\ufeff"+springCampaign)
	wantClean(t, marked)
	if a, b := snapshotText(t, plain.Snapshot), snapshotText(t, marked.Snapshot); a != b {
		t.Errorf("with a byte order mark Load = %s, want %s", b, a)
	}
}

func TestRowsAddUp(t *testing.T) {
	d := loadYAML(t, springCampaign+"ad_groups:\n  - name: Runners\n  - {nmae: x}\n  - 5\n---\nkind: billboard\n---\nkind: hint_list\nkey: trail\nhints: [mud]\n")
	want := rows{Read: 6, Used: 3, Failed: 3}
	if d.Sources[0].Rows != want {
		t.Errorf("rows = %+v, want %+v", d.Sources[0].Rows, want)
	}
}

func TestALimitOfTimeEndsInAProblem(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := input{schemas: kinds.All(), bounds: defaultBounds(), words: newVocabularies(kinds.All())}
	r := readYAML(ctx, "ads.yaml", []byte(springCampaign), in)
	if len(r.drafts) != 0 || !strings.Contains(printed(r.problems), "reading took too long") {
		t.Errorf("readYAML = %d drafts, %v; want none, and a problem", len(r.drafts), r.problems)
	}
}

func TestAPanicOfAReaderIsAProblemOfItsFile(t *testing.T) {
	broken := kinds.All()[:1]
	in := input{schemas: broken, bounds: defaultBounds(), words: vocabularies{"campaign": nil}}
	in.words["campaign"] = &vocabulary{} // no schema: the reader falls over it
	r := readOne(context.Background(), file{name: "ads.yaml", content: []byte(springCampaign)}, in)
	if len(r.problems) != 1 || r.problems[0].Position.File != "ads.yaml" || !strings.Contains(r.problems[0].Message, "broke off") {
		t.Errorf("readOne = %v, want one problem of ads.yaml", r.problems)
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
