package sources

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// yamlFault is a line of YAML below a campaign, and what becomes of it: a
// problem, or the value of an attribute.
type yamlFault struct{ name, yaml, attribute, want string }

func runYAMLFaults(t *testing.T, rows []yamlFault) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, springCampaign+row.yaml+"\n")
			if row.attribute == "" {
				wantRefused(t, d, row.want)
				return
			}
			if diag.HasErrors(d.Problems) {
				t.Fatalf("Load found\n%swant no error", printed(d.Problems))
			}
			if got := valueOf(t, d, "campaign/spring", row.attribute).String(); got != row.want {
				t.Errorf("%s of %q = %s, want %s", row.attribute, row.yaml, got, row.want)
			}
		})
	}
}

// wantNothingUsed holds that a file that is not whole is used for nothing.
func wantNothingUsed(t *testing.T, content, want string) {
	t.Helper()
	d := loadYAML(t, content)
	wantRefused(t, d, want)
	if d.Snapshot.Len() != 0 {
		t.Errorf("Load = %d resources of %.40q, want none", d.Snapshot.Len(), content)
	}
}

func TestY1EveryDocumentIsRead(t *testing.T) {
	named := func(name string) string { return strings.ReplaceAll(springCampaign, "Spring", name) }
	for _, joint := range []string{"---\n", "--- # the next\n",
		"...\n---\n", "---\n# only a remark\n---\n", "---\n---\n"} {
		d := wantClean(t, loadYAML(t, springCampaign+joint+named("Summer")+joint+named("Winter")+"---\n"))
		if got := fmt.Sprint(d.Snapshot.Addresses()); got != "[campaign/spring campaign/summer campaign/winter]" {
			t.Errorf("joined by %q, Load = %s, want all three campaigns", joint, got)
		}
	}
	wantRefused(t, loadYAML(t, springCampaign+"---\n"+named("Summer")+"---\nkind: campain\n"),
		`ads.yaml:9:7: kind is "campain"`)
	wantRefused(t, loadYAML(t, springCampaign+"---\nname: [\n---\n"+named("Winter")),
		"ads.yaml:5:7: [ is opened here, and ] is missing")
}

func TestY2AFileOfNothingIsAnError(t *testing.T) {
	for content, want := range map[string]string{
		"":                      "ads.yaml: file is empty; want resources (ADS1002)",
		"\n \n":                 "ads.yaml: file is empty",
		"\ufeff":                "ads.yaml: file is empty",
		"# nothing\n":           "ads.yaml: file holds nothing but comments or null",
		"null\n":                "ads.yaml: file holds nothing but comments or null",
		"~\n---\n# more\n---\n": "ads.yaml: file holds nothing but comments or null",
		"---\n...\n":            "ads.yaml: file holds nothing but comments or null",
		"{}\n":                  "ads.yaml:1:1: document has no kind",
		"[]\n":                  "ads.yaml:1:1: document has no kind",
	} {
		wantNothingUsed(t, content, want)
	}
}

func TestY3AKeyStandsOnce(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"twice", "status: paused\nstatus: active",
			"", `ads.yaml:5:1: key "status" stands twice, first in line 4; want it once (ADS1012)`},
		{"twice in quotes", "status: paused\n\"status\": active", "", `ads.yaml:5:1: key "status" stands twice`},
		{"in two cases", "status: paused\nStatus: active",
			"", `ads.yaml:5:1: key "Status" differs from "status" in line 4 in case alone`},
		{"twice between braces", "budget: {daily: 5, daily: 50}", "", `ads.yaml:4:20: key "daily" stands twice`},
		{"twice in a child", "ad_groups:\n  - name: Runners\n    NAME: Walkers",
			"", `ads.yaml:6:5: key "NAME" differs from "name" in line 5`},
	})
	dir := folder(t, map[string]string{
		"adsync.yaml": "account: {currency: USD}\nACCOUNT: {currency: EUR}\n", "ads.yaml": springCampaign,
	})
	if _, problems := ReadProject(dir); !strings.Contains(printed(problems),
		`adsync.yaml:2:1: key "ACCOUNT" differs from "account"`) {
		t.Errorf("ReadProject found\n%swant the key of two cases", printed(problems))
	}
}

func TestY4AMisspeltKeyNamesTheNearest(t *testing.T) {
	d := loadYAML(t, springCampaign+"stauts: paused\n")
	wantRefused(t, d, `ads.yaml:4:1: "stauts" is no key of a campaign; want ad_groups, bidding_type, budget`)
	if got, want := d.Problems[0].Hint, `did you mean "status"?`; got != want {
		t.Errorf("hint = %q, want %q", got, want)
	}
	runYAMLFaults(t, []yamlFault{{"in a group", "budget: {dayly: 5}",
		"", `ads.yaml:4:10: "dayly" is no key of budget; want daily, lifetime (ADS1005)`}})
}

func TestY5AKeyHasOneSpelling(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"one key in another case", "Status: paused", "", `ads.yaml:4:1: "Status" is no key of a campaign`},
		{"a group in another case", "Budget: {daily: 5}", "", `ads.yaml:4:1: "Budget" is no key of a campaign`},
		{"a child's key in another case", "ad_groups:\n  - Name: Runners",
			"", `ads.yaml:5:5: "Name" is no key of an ad group`},
	})
}

func TestY6YesNoAndNorwayAreWhatTheAttributeSays(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"NO is Norway", "targeting: {countries: [NO, us]}", "targeting.countries", `["NO" "US"]`},
		{"no is Norway", "targeting: {countries: [no]}", "targeting.countries", `["NO"]`},
		{"a truth value is no country", "targeting: {countries: [true]}", "", `ads.yaml:4:25: country is "true"`},
		{"on is no country", "targeting: {countries: [on]}", "", `ads.yaml:4:25: country is "on"`},
		{"yes is a text where a text is wanted", "description: yes", "description", `"yes"`},
		{"off is a text", "description: off", "description", `"off"`},
		{"n is a text", "description: n", "description", `"n"`},
		{"yes is no status", "status: yes",
			"", `ads.yaml:4:9: status is "yes"; want active, paused or archived (ADS1007)`},
		{"true is no status", "status: true", "", `ads.yaml:4:9: status is "true"`},
		{"yes is no amount", "budget: {daily: yes}", "", "ads.yaml:4:17: amount is"},
	})
}

func TestY7NumbersReadOneWay(t *testing.T) {
	rows := []yamlFault{
		{"octal", "budget: {daily: 010}",
			"", `ads.yaml:4:17: budget.daily is 010, which some take for an octal number`},
		{"010 is a text where a text is wanted", "description: 010", "description", `"010"`},
		{"in quotes", `budget: {daily: "50.00"}`, "budget.daily", "50000000"},
		{"plain", "budget: {daily: 50}", "budget.daily", "50000000"},
		{"with cents", "budget: {daily: 1.5}", "budget.daily", "1500000"},
	}
	for _, wrong := range []string{"0o17", "0x10", "0b11", "1e6", "1E6", "1_000", "1:30", ".inf",
		".nan", "-5", "+5", ".5", "5.", "1.0000001", "1 000", "50.00.00", "５０", "'1,234'", "'1.000,50'", "€50", "50%"} {
		rows = append(rows, yamlFault{wrong, "budget:\n  daily: " + wrong, "", "ads.yaml:5:10: "})
	}
	runYAMLFaults(t, rows)
}

func TestY8NothingWrittenIsNotZero(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"a key without a value", "end:", "", "ads.yaml:4:1: " +
			"end has no value; want one, or null to clear it, or no end at all to leave it as it is (ADS1011)"},
		{"a budget without a value", "budget:", "",
			"ads.yaml:4:8: budget is without a value; want a mapping with daily, lifetime"},
		{"a budget of an empty mapping", "budget: {}", "", "ads.yaml:4:9: budget is an empty mapping"},
		{"an amount without a value", "budget: {daily: }", "", "budget.daily has no value; want one"},
		{"an amount of a tilde", "budget: {daily: ~}",
			"", "ads.yaml:4:17: budget.daily is null, and it cannot be cleared"},
		{"an empty text", `budget: {daily: ""}`, "", "ads.yaml:4:17: budget.daily is empty; want a value"},
		{"null clears", "end: null", "end", "null"},
		{"a tilde clears", "end: ~", "end", "null"},
		{"absent is absent", "status: paused", "end", "(absent)"},
	})
}

// TestY9ACutFileIsRefusedOrSaysNothingElse cuts a file at every byte: it is refused, or
// warned of, or says a part of what it said.
func TestY9ACutFileIsRefusedOrSaysNothingElse(t *testing.T) {
	const whole = springCampaign + "status: paused\nbudget: {daily: 1000}\nstart: 2026-12-01\nend: 2026-12-31\n" +
		"ad_groups:\n  - name: Runners\n    bid: {max: 1.25}\n  - name: Walkers\n    bid: {max: 10.50}\n"
	want := wantClean(t, loadYAML(t, whole)).Snapshot
	for end := 1; end < len(whole); end++ {
		d := loadYAML(t, whole[:end])
		if diag.HasErrors(d.Problems) ||
			strings.Contains(printed(d.Problems), "last line has no line break, as in a file that was cut short") {
			continue
		}
		for r := range d.Snapshot.All() {
			for _, a := range r.Attributes {
				if full := want.Get(r.Address).Value(a.Name); full.String() != a.Value.String() {
					t.Errorf("cut behind %q, %s of %s = %s, want %s", whole[:end], a.Name, r.Address, a.Value, full)
				}
			}
		}
	}
}

func TestY10NumbersKeepTheirDigits(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"beyond a float's digits", "budget: {daily: 9007199254.740993}", "budget.daily", "9007199254740993"},
		{"beyond micros", "budget: {daily: 9223372036854.775808}", "", "ads.yaml:4:17: amount is"},
		{"an id", "conversion_goal: 9007199254740993", "conversion_goal", `"9007199254740993"`},
		{"an id with zeros in front", "conversion_goal: 0012", "conversion_goal", `"0012"`},
		{"numbers in an object", "ad_groups:\n  - name: " +
			"Runners\n    product_set: {n: 9007199254740993, f: 0.1000000000000000055511151231257827}", "",
			`product_set is "{\"f\":0.1000000000000000055511151231257827,\"n\":9007199254740993}"; want`},
	})
}

func TestY11AnchorsAndAliasesAreRefused(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for i := 'b'; i < 'l'; i++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 9))
	}
	runYAMLFaults(t, []yamlFault{
		{"an alias", "targeting: &t {countries: [US]}\nbudget: *t",
			"", "ads.yaml:4:12: an anchor or alias is written; want each value where it belongs"},
		{"an anchor alone", "description: &d x", "", "ads.yaml:4:14: an anchor or alias is written"},
		{"a merge key", "<<: {status: active}", "",
			"ads.yaml:4:1: key is <<, which YAML takes for a merge of mappings; want a name"},
		{"an alias of itself", "budget: &b [*b]", "", "an anchor or alias is written"},
		{"an alias of nothing", "budget: *b", "", `ads.yaml:4:9: value begins with "*", which YAML keeps for itself`},
		{"a billion laughs", laughs, "", "an anchor or alias is written"},
	})
	start := time.Now()
	loadYAML(t, springCampaign+laughs)
	if took := time.Since(start); took > time.Second {
		t.Errorf("a billion laughs take %v, want none to be laughed", took)
	}
}

func TestY12BoundsOfAFile(t *testing.T) {
	for content, want := range map[string]string{
		"kind: " + strings.Repeat("[", 70) + strings.Repeat("]", 70) +
			"\n": "nesting is too deep; want at most 64 levels",
		"kind: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) +
			"\n": "nesting is too deep; want at most 64 levels",
		"kind: " + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) +
			"\n": "nesting is too deep; want at most 10,000",
		"kind:\n" + strings.Repeat(" ", 70) + strings.Repeat("- ", 70) +
			"x\n": "nesting is too deep; want at most 64 levels",
		"kind: campaign\nname: " + strings.Repeat("x", bounded.MiB) +
			"\n": "ads.yaml: file is over 1 MiB; want a smaller one",
		"kind: campaign\nname: " + strings.Repeat("x", bounded.MiB-100) +
			"\n": "name has 1048476 characters; want at most 1000",
		"kind: campaign\nname: Keys\nbidding_type: clicks\n" + manyKeys(150_000, "k%x: 1\n"): "is no key of a campaign",
	} {
		start := processorTime(t)
		wantRefused(t, loadYAML(t, content), want)
		// The race detector, which runs with -short, takes time of its own.
		if took := processorTime(t) - start; took > 10*time.Second && !testing.Short() {
			t.Errorf("%.40q takes %v, want at most 10 s", content, took)
		}
	}
}

func manyKeys(count int, form string) string {
	var b strings.Builder
	for i := range count {
		if b.Len() < bounded.MiB-200 {
			fmt.Fprintf(&b, form, i)
		}
	}
	return b.String()
}

func TestY13EncodingsSayTheSameOrAreRefused(t *testing.T) {
	const text = springCampaign + "description: |\n  Zürich\n  鞋\nad_groups:\n  - name: Läufer\n"
	want := snapshotText(t, wantClean(t, loadYAML(t, text)).Snapshot)
	for name, content := range map[string]string{
		"a byte order mark": "\ufeff" + text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"),
		"both": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		if got := snapshotText(t, wantClean(t, loadYAML(t, content)).Snapshot); got != want {
			t.Errorf("with %s Load = %s, want %s", name, got, want)
		}
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", ""} {
		var b bytes.Buffer
		b.WriteString(mark)
		for _, unit := range utf16.Encode([]rune(text)) {
			if mark == "\xfe\xff" {
				b.WriteByte(byte(unit >> 8))
			}
			b.WriteByte(byte(unit))
			if mark != "\xfe\xff" {
				b.WriteByte(byte(unit >> 8))
			}
		}
		wantNothingUsed(t, b.String(), "ads.yaml: file is UTF-16 or binary; want UTF-8 text")
	}
	wantNothingUsed(t, "kind: campaign\nname: Caf\xe9\n", "ads.yaml:2: byte 0xe9 is not UTF-8")
	wantNothingUsed(t, "kind: campaign\nname: \xed\xa0\x80\n", "ads.yaml:2: byte 0xed is not UTF-8")
}

func TestY14IndentationIsReadOrNamed(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"a tab", "budget:\n\tdaily: 5", "", "ads.yaml:5:1: line is indented with a tab"},
		{"a tab behind spaces", "budget:\n  \tdaily: 5", "", "ads.yaml:5:3: line is indented with a tab"},
		{"a line too far left", "ad_groups:\n  - name: Runners\n   bid: {max: 1}",
			"", "ads.yaml:6:4: line begins where entries of a list do, and has no dash"},
		{"a line too far right", "budget: {daily: 5}\n  status: paused", "", "ads.yaml:5:3: line "},
		{"odd steps", "targeting:\n     countries:\n       - US\n       - CA", "targeting.countries", `["CA" "US"]`},
		{"a list without a step", "targeting:\n  countries:\n  - US", "targeting.countries", `["US"]`},
		{"a block keeps the spaces at its lines' ends",
			"description: |\n  one  \n  two\n", "description", `"one  \ntwo"`},
		{"a folded block", "description: >-\n  one\n  two\n\n  three", "description", `"one two\nthree"`},
		{"a block with a step of its own", "description: |2\n   one\n  two", "description", `"one\ntwo"`},
		{"spaces behind a value", "status: paused   ", "status", `"paused"`},
	})
}

func TestY15CharactersThatDeceiveAreSaid(t *testing.T) {
	warning := func(name, yaml, want string) {
		t.Run(name, func(t *testing.T) {
			d := loadYAML(t, springCampaign+yaml+"\n")
			wantProblem(t, d, want)
			if diag.HasErrors(d.Problems) {
				t.Errorf("Load found\n%swant a warning", printed(d.Problems))
			}
		})
	}
	warning("a direction in a text", "description: \"a\u202eb\"",
		"ads.yaml:4:14: warning: description holds the character U+202E, which cannot be seen")
	warning("a zero width in a text", "description: \"a\u200bb\"",
		"ads.yaml:4:14: warning: description holds the character U+200B")
	warning("a Cyrillic letter in a Latin word", "description: Spr\u0456ng",
		"ads.yaml:4:14: warning: description holds \"\u0456\" (U+0456), which looks like a Latin letter and is none")
	wantClean(t, loadYAML(t, springCampaign+"description: Весна Spring Άνοιξη\n"))

	ad := "ad_groups:\n  - name: Runners\n    ads:\n" +
		"      - {title: Shoes, body: Light., image: 'https://i.example/a.png', target_url: 'https://%s/'}"
	runYAMLFaults(t, []yamlFault{
		{"a zero width in a key", "key: \"spring\u200bsale\"", "", "ads.yaml:4:6: key is"},
		{"a Cyrillic letter in a key", "key: spr\u0456ng", "", "ads.yaml:4:6: key is"},
		{"a zero width in an address", fmt.Sprintf(ad, "shop\u200b.example"),
			"", "target_url holds the character U+200B, which cannot be seen"},
		{"a Cyrillic letter in an address", fmt.Sprintf(ad, "sh\u043ep.example"),
			"", "target_url holds \"\u043e\" (U+043E), which looks like a Latin letter and is none"},
		{"an address of another script", fmt.Sprintf(ad, "магазин.рф"), "name", `"Spring"`},
	})
	d := loadYAML(t, springCampaign+"key: \"a\u202eb\"\n")
	if said := printed(d.Problems); strings.Contains(said, "\u202e") || !strings.Contains(said, `\u202e`) {
		t.Errorf("the problem prints %q, want the character escaped", said)
	}
}

func TestY16TheSameResourceInTwoFilesNamesBoth(t *testing.T) {
	d := load(t, folder(t, map[string]string{"a.yaml": springCampaign, "b/c.yaml": springCampaign}))
	wantRefused(t, d, "b/c.yaml:1:1: campaign/spring is written twice, first at a.yaml:1:1")
	if d.Problems[0].Address != "campaign/spring" {
		t.Errorf("the problem is about %q, want campaign/spring", d.Problems[0].Address)
	}
	if got := d.Sources[1].Rows; got != (rows{Read: 1, Failed: 1}) {
		t.Errorf("rows of the second file = %+v, want one that failed", got)
	}
}

func TestY17ANumberIsNoKey(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{"of a mapping", "1: x", "", "ads.yaml:4:1: key is 1, which YAML takes for a number; want a name"},
		{"of a group", "budget: {1: x}", "", "ads.yaml:4:10: key is 1, which YAML takes for a number; want a name"},
		{"true", "true: x", "", "ads.yaml:4:1: key is true, which YAML takes for true or false; want a name"},
		{"a list", "? [a]\n: x", "", "ads.yaml:4:3: key is a list; want a name"},
		{"a resource's", "key: 123", "", "ads.yaml:4:6: key is 123, which YAML takes for a number; want text"},
		{"a date", "key: 2026-12-01", "", "ads.yaml:4:6: key is 2026-12-01, which YAML takes for a date; want text"},
		{"an id", "id: 0123", "", "ads.yaml:4:5: id is 0123, which YAML takes for a number; want text"},
		{"a parent", "---\nkind: ad_group\nname: Runners\ncampaign: 123",
			"", "campaign is 123, which YAML takes for a number; want text"},
	})
	d := wantClean(t, loadYAML(t, springCampaign+"key: \"0123\"\n"))
	if r := d.Snapshot.Get(resource.Address{Kind: "campaign", Key: "0123"}); r == nil {
		t.Errorf("Load has %v, want the key in quotes as it is written", d.Snapshot.Addresses())
	}
}

func TestY18AVersionNobodyKnowsIsAnError(t *testing.T) {
	runYAMLFaults(t, []yamlFault{{"of a source", "version: 99", "", `ads.yaml:4:1: "version" is no key of a campaign`}})
	wantNothingUsed(t, "version: 99\n"+springCampaign, `ads.yaml:1:1: "version" is no key of a campaign`)
	dir := folder(t, map[string]string{"adsync.yaml": "version: 99\n", "ads.yaml": springCampaign})
	if _, problems := ReadProject(dir); !diag.HasErrors(problems) ||
		!strings.Contains(printed(problems), `adsync.yaml:1:1: adsync.yaml has "version"; want account`) {
		t.Errorf("ReadProject found\n%swant an error about the version", printed(problems))
	}
}
