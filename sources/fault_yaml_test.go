package sources_test

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
	"adsync/sources/config"
	"adsync/sources/draft"
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
		{name: "twice", yaml: "status: paused\nstatus: active",
			attribute: "", want: `ads.yaml:5:1: key "status" stands twice, first in line 4; want it once (ADS1012)`},
		{name: "twice in quotes", yaml: "status: paused\n\"status\": active",
			attribute: "", want: `ads.yaml:5:1: key "status" stands twice`},
		{name: "in two cases", yaml: "status: paused\nStatus: active",
			attribute: "", want: `ads.yaml:5:1: key "Status" differs from "status" in line 4 in case alone`},
		{name: "twice between braces", yaml: "budget: {daily: 5, daily: 50}",
			attribute: "", want: `ads.yaml:4:20: key "daily" stands twice`},
		{name: "twice in a child", yaml: "ad_groups:\n  - name: Runners\n    NAME: Walkers",
			attribute: "", want: `ads.yaml:6:5: key "NAME" differs from "name" in line 5`},
	})
	dir := folder(t, map[string]string{
		"adsync.yaml": "account: {currency: USD}\nACCOUNT: {currency: EUR}\n", "ads.yaml": springCampaign,
	})
	if _, problems := config.ReadProject(dir); !strings.Contains(printed(problems),
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
	runYAMLFaults(t, []yamlFault{{name: "in a group", yaml: "budget: {dayly: 5}",
		attribute: "", want: `ads.yaml:4:10: "dayly" is no key of budget; want daily, lifetime (ADS1005)`}})
}

func TestY5AKeyHasOneSpelling(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{name: "one key in another case", yaml: "Status: paused",
			attribute: "", want: `ads.yaml:4:1: "Status" is no key of a campaign`},
		{name: "a group in another case", yaml: "Budget: {daily: 5}",
			attribute: "", want: `ads.yaml:4:1: "Budget" is no key of a campaign`},
		{name: "a child's key in another case", yaml: "ad_groups:\n  - Name: Runners",
			attribute: "", want: `ads.yaml:5:5: "Name" is no key of an ad group`},
	})
}

func TestY6YesNoAndNorwayAreWhatTheAttributeSays(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{name: "NO is Norway", yaml: "targeting: {countries: [NO, us]}",
			attribute: "targeting.countries", want: `["NO" "US"]`},
		{name: "no is Norway", yaml: "targeting: {countries: [no]}", attribute: "targeting.countries", want: `["NO"]`},
		{name: "a truth value is no country", yaml: "targeting: {countries: [true]}",
			attribute: "", want: `ads.yaml:4:25: country is "true"`},
		{name: "on is no country", yaml: "targeting: {countries: [on]}",
			attribute: "", want: `ads.yaml:4:25: country is "on"`},
		{name: "yes is a text where a text is wanted",
			yaml: "description: yes", attribute: "description", want: `"yes"`},
		{name: "off is a text", yaml: "description: off", attribute: "description", want: `"off"`},
		{name: "n is a text", yaml: "description: n", attribute: "description", want: `"n"`},
		{name: "yes is no status", yaml: "status: yes",
			attribute: "", want: `ads.yaml:4:9: status is "yes"; want active, paused or archived (ADS1007)`},
		{name: "true is no status", yaml: "status: true", attribute: "", want: `ads.yaml:4:9: status is "true"`},
		{name: "yes is no amount", yaml: "budget: {daily: yes}", attribute: "", want: "ads.yaml:4:17: amount is"},
	})
}

func TestY7NumbersReadOneWay(t *testing.T) {
	rows := []yamlFault{
		{name: "octal", yaml: "budget: {daily: 010}",
			attribute: "", want: `ads.yaml:4:17: budget.daily is 010, which some take for an octal number`},
		{name: "010 is a text where a text is wanted",
			yaml: "description: 010", attribute: "description", want: `"010"`},
		{name: "in quotes", yaml: `budget: {daily: "50.00"}`, attribute: "budget.daily", want: "50000000"},
		{name: "plain", yaml: "budget: {daily: 50}", attribute: "budget.daily", want: "50000000"},
		{name: "with cents", yaml: "budget: {daily: 1.5}", attribute: "budget.daily", want: "1500000"},
	}
	for _, wrong := range []string{"0o17", "0x10", "0b11", "1e6", "1E6", "1_000", "1:30", ".inf",
		".nan", "-5", "+5", ".5", "5.", "1.0000001", "1 000", "50.00.00", "５０", "'1,234'", "'1.000,50'", "€50", "50%"} {
		rows = append(rows, yamlFault{
			name: wrong, yaml: "budget:\n  daily: " + wrong, attribute: "", want: "ads.yaml:5:10: ",
		})
	}
	runYAMLFaults(t, rows)
}

func TestY8NothingWrittenIsNotZero(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{name: "a key without a value", yaml: "end:", attribute: "", want: "ads.yaml:4:1: " +
			"end has no value; want one, or null to clear it, or no end at all to leave it as it is (ADS1011)"},
		{name: "a budget without a value", yaml: "budget:", attribute: "",
			want: "ads.yaml:4:8: budget is without a value; want a mapping with daily, lifetime"},
		{name: "a budget of an empty mapping", yaml: "budget: {}",
			attribute: "", want: "ads.yaml:4:9: budget is an empty mapping"},
		{name: "an amount without a value", yaml: "budget: {daily: }",
			attribute: "", want: "budget.daily has no value; want one"},
		{name: "an amount of a tilde", yaml: "budget: {daily: ~}",
			attribute: "", want: "ads.yaml:4:17: budget.daily is null, and it cannot be cleared"},
		{name: "an empty text", yaml: `budget: {daily: ""}`,
			attribute: "", want: "ads.yaml:4:17: budget.daily is empty; want a value"},
		{name: "null clears", yaml: "end: null", attribute: "end", want: "null"},
		{name: "a tilde clears", yaml: "end: ~", attribute: "end", want: "null"},
		{name: "absent is absent", yaml: "status: paused", attribute: "end", want: "(absent)"},
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
		{name: "beyond a float's digits", yaml: "budget: {daily: 9007199254.740993}",
			attribute: "budget.daily", want: "9007199254740993"},
		{name: "beyond micros", yaml: "budget: {daily: 9223372036854.775808}",
			attribute: "", want: "ads.yaml:4:17: amount is"},
		{name: "an id", yaml: "conversion_goal: 9007199254740993",
			attribute: "conversion_goal", want: `"9007199254740993"`},
		{name: "an id with zeros in front", yaml: "conversion_goal: 0012",
			attribute: "conversion_goal", want: `"0012"`},
		{name: "numbers in an object", yaml: "ad_groups:\n  - name: " +
			"Runners\n    product_set: {n: 9007199254740993, f: 0.1000000000000000055511151231257827}", attribute: "",
			want: `product_set is "{\"f\":0.1000000000000000055511151231257827,\"n\":9007199254740993}"; want`},
	})
}

func TestY11AnchorsAndAliasesAreRefused(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for i := 'b'; i < 'l'; i++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 9))
	}
	runYAMLFaults(t, []yamlFault{
		{name: "an alias", yaml: "targeting: &t {countries: [US]}\nbudget: *t",
			attribute: "", want: "ads.yaml:4:12: an anchor or alias is written; want each value where it belongs"},
		{name: "an anchor alone", yaml: "description: &d x",
			attribute: "", want: "ads.yaml:4:14: an anchor or alias is written"},
		{name: "a merge key", yaml: "<<: {status: active}", attribute: "",
			want: "ads.yaml:4:1: key is <<, which YAML takes for a merge of mappings; want a name"},
		{name: "an alias of itself", yaml: "budget: &b [*b]", attribute: "", want: "an anchor or alias is written"},
		{name: "an alias of nothing", yaml: "budget: *b",
			attribute: "", want: `ads.yaml:4:9: value begins with "*", which YAML keeps for itself`},
		{name: "a billion laughs", yaml: laughs, attribute: "", want: "an anchor or alias is written"},
	})
	start := time.Now()
	loadYAML(t, springCampaign+laughs)
	if took := time.Since(start); took > time.Second {
		t.Errorf("a billion laughs take %v, want none to be laughed", took)
	}
}

func TestY12BoundsOfAFile(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
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
		{name: "a tab", yaml: "budget:\n\tdaily: 5", attribute: "", want: "ads.yaml:5:1: line is indented with a tab"},
		{name: "a tab behind spaces", yaml: "budget:\n  \tdaily: 5",
			attribute: "", want: "ads.yaml:5:3: line is indented with a tab"},
		{name: "a line too far left", yaml: "ad_groups:\n  - name: Runners\n   bid: {max: 1}",
			attribute: "", want: "ads.yaml:6:4: line begins where entries of a list do, and has no dash"},
		{name: "a line too far right", yaml: "budget: {daily: 5}\n  status: paused",
			attribute: "", want: "ads.yaml:5:3: line "},
		{name: "odd steps", yaml: "targeting:\n     countries:\n       - US\n       - CA",
			attribute: "targeting.countries", want: `["CA" "US"]`},
		{name: "a list without a step", yaml: "targeting:\n  countries:\n  - US",
			attribute: "targeting.countries", want: `["US"]`},
		{name: "a block keeps the spaces at its lines' ends",
			yaml: "description: |\n  one  \n  two\n", attribute: "description", want: `"one  \ntwo"`},
		{name: "a folded block", yaml: "description: >-\n  one\n  two\n\n  three",
			attribute: "description", want: `"one two\nthree"`},
		{name: "a block with a step of its own", yaml: "description: |2\n   one\n  two",
			attribute: "description", want: `"one\ntwo"`},
		{name: "spaces behind a value", yaml: "status: paused   ", attribute: "status", want: `"paused"`},
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
		{name: "a zero width in a key", yaml: "key: \"spring\u200bsale\"", attribute: "", want: "ads.yaml:4:6: key is"},
		{name: "a Cyrillic letter in a key", yaml: "key: spr\u0456ng", attribute: "", want: "ads.yaml:4:6: key is"},
		{name: "a zero width in an address", yaml: fmt.Sprintf(ad, "shop\u200b.example"),
			attribute: "", want: "target_url holds the character U+200B, which cannot be seen"},
		{name: "a Cyrillic letter in an address", yaml: fmt.Sprintf(ad, "sh\u043ep.example"),
			attribute: "", want: "target_url holds \"\u043e\" (U+043E), which looks like a Latin letter and is none"},
		{name: "an address of another script", yaml: fmt.Sprintf(ad, "магазин.рф"),
			attribute: "name", want: `"Spring"`},
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
	if got := d.Sources[1].Rows; got != (draft.Rows{Read: 1, Failed: 1}) {
		t.Errorf("rows of the second file = %+v, want one that failed", got)
	}
}

func TestY17ANumberIsNoKey(t *testing.T) {
	runYAMLFaults(t, []yamlFault{
		{name: "of a mapping", yaml: "1: x", attribute: "",
			want: "ads.yaml:4:1: key is 1, which YAML takes for a number; want a name"},
		{name: "of a group", yaml: "budget: {1: x}",
			attribute: "", want: "ads.yaml:4:10: key is 1, which YAML takes for a number; want a name"},
		{name: "true", yaml: "true: x", attribute: "",
			want: "ads.yaml:4:1: key is true, which YAML takes for true or false; want a name"},
		{name: "a list", yaml: "? [a]\n: x", attribute: "", want: "ads.yaml:4:3: key is a list; want a name"},
		{name: "a resource's", yaml: "key: 123", attribute: "",
			want: "ads.yaml:4:6: key is 123, which YAML takes for a number; want text"},
		{name: "a date", yaml: "key: 2026-12-01", attribute: "",
			want: "ads.yaml:4:6: key is 2026-12-01, which YAML takes for a date; want text"},
		{name: "an id", yaml: "id: 0123", attribute: "",
			want: "ads.yaml:4:5: id is 0123, which YAML takes for a number; want text"},
		{name: "a parent", yaml: "---\nkind: ad_group\nname: Runners\ncampaign: 123",
			attribute: "", want: "campaign is 123, which YAML takes for a number; want text"},
	})
	d := wantClean(t, loadYAML(t, springCampaign+"key: \"0123\"\n"))
	if r := d.Snapshot.Get(resource.Address{Kind: "campaign", Key: "0123"}); r == nil {
		t.Errorf("Load has %v, want the key in quotes as it is written", d.Snapshot.Addresses())
	}
}

func TestY18AVersionNobodyKnowsIsAnError(t *testing.T) {
	runYAMLFaults(t, []yamlFault{{name: "of a source",
		yaml: "version: 99", attribute: "", want: `ads.yaml:4:1: "version" is no key of a campaign`}})
	wantNothingUsed(t, "version: 99\n"+springCampaign, `ads.yaml:1:1: "version" is no key of a campaign`)
	dir := folder(t, map[string]string{"adsync.yaml": "version: 99\n", "ads.yaml": springCampaign})
	if _, problems := config.ReadProject(dir); !diag.HasErrors(problems) ||
		!strings.Contains(printed(problems), `adsync.yaml:1:1: adsync.yaml has "version"; want account`) {
		t.Errorf("ReadProject found\n%swant an error about the version", printed(problems))
	}
}
