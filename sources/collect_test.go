package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
)

const twoCampaigns = `kind: campaign
name: Spring
bidding_type: clicks
ad_groups:
  - key: main
    name: Runners
---
kind: campaign
key: summer-26
name: Summer/Sale
bidding_type: clicks
ad_groups:
  - key: main
    name: Walkers
`

const standAloneAd = `---
kind: ad
key: hero
title: Shoes for mud
body: Light shoes
target_url: https://shop.example/mud
image: https://cdn.example/hero.png
`

func TestHowAParentIsNamed(t *testing.T) {
	for _, row := range []struct{ name, parent, want string }{
		{"by a path of keys", "ad_group: spring/main", "ad/spring/main/hero"},
		{"by its name", "ad_group: Walkers", "ad/summer-26/main/hero"},
		{"by its name in another case", "ad_group: walkers", "ad/summer-26/main/hero"},
		{"by its key under a campaign's key", "campaign: summer-26\nad_group: main", "ad/summer-26/main/hero"},
		{"by its key under a campaign's name, in any order",
			"ad_group: main\ncampaign: Summer/Sale", "ad/summer-26/main/hero"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := wantClean(t, loadYAML(t, twoCampaigns+standAloneAd+row.parent+"\n"))
			if got := valueOf(t, d, row.want, "title").Text(); got != "Shoes for mud" {
				t.Errorf("title of %s = %q, want the ad's", row.want, got)
			}
		})
	}
}

func TestAParentThatIsNotFound(t *testing.T) {
	for _, row := range []struct{ name, parent, want, hint string }{
		{"two have the key", "ad_group: main", `ads.yaml:22:11: ` +
			`ad_group is "main", and 2 have that name: ad_group/spring/main at ads.yaml:5:5, ad_group/summer-26/main ` +
			`at ads.yaml:13:5; want one of their keys (ADS1024)`, "such as ad_group: spring/main"},
		{"misspelt", "ad_group: Runers", `ads.yaml:22:11: ad_group is "Runers", ` +
			`and no source has such an ad group; want its key or name (ADS1013)`, `did you mean "Runners"?`},
		{"misspelt under its campaign", "campaign: spring\nad_group: mian", `ads.yaml:23:11: ` +
			`ad_group is "mian", and no source has such an ad group of campaign/spring`, `did you mean "main"?`},
		{"of another campaign", "campaign: spring\nad_group: Walkers",
			`ads.yaml:23:11: ad_group is "Walkers", and no source has such an ad group of campaign/spring`, ""},
		{"the campaign misspelt", "campaign: sprign\nad_group: main",
			`ads.yaml:22:11: campaign is "sprign", and no source has such a campaign`, `did you mean "Spring"?`},
		{"only the campaign is named", "campaign: spring",
			"ads.yaml:16:1: ad names no ad group; want ad_group: and its key or name (ADS1013)", ""},
		{"none is named", "status: paused", "ads.yaml:16:1: ad names no ad group", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, twoCampaigns+standAloneAd+row.parent+"\n")
			wantProblem(t, d, row.want)
			if len(d.Problems) != 1 || d.Problems[0].Hint != row.hint {
				t.Errorf("Load found %d problems, the first with hint %q; want one with %q",
					len(d.Problems), d.Problems[0].Hint, row.hint)
			}
		})
	}
}

func TestWhatMustNotStandTwice(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"H6 the same key", springCampaign + "---\nkind: campaign\nkey: spring\nname: Other\nbidding_type: clicks\n",
			"ads.yaml:5:1: campaign/spring is written twice, first at ads.yaml:1:1; want it once (ADS1012)"},
		{"the same name beside it", springCampaign +
			"---\nkind: campaign\nkey: other\nname: Spring\nbidding_type: clicks\n",
			`ads.yaml:7:7: campaign/other is named "Spring", as another campaign beside it, first at ads.yaml:2:7`},
		{"the same id", springCampaign +
			"id: cmp_1\n---\nkind: campaign\nid: cmp_1\nname: Other\nbidding_type: clicks\n",
			`ads.yaml:7:5: campaign/other has the id "cmp_1", which another has, first at ads.yaml:4:5`},
		{"a hint list", springCampaign + "---\nkind: hint_list\nkey: a\nhints: [x]\n---\nkind: hint_list\n" +
			"key: a\nhints: [y]\n", `ads.yaml:10:6: hint list "a" is written twice, first at ads.yaml:6:6`},
		{"a template", springCampaign + "---\nkind: template\nkey: a\nad: {status: active}\n---\nkind: " +
			"template\nkey: a\nad: {status: paused}\n", `template "a" for ad is written twice, first at ads.yaml:7:5`},
		{"a default", springCampaign +
			"---\nkind: defaults\nad: {status: active}\n---\nkind: defaults\nad: {status: paused}\n",
			"ads.yaml:9:14: default of status for ad is written twice, first at ads.yaml:6:14"},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantProblem(t, loadYAML(t, row.yaml), row.want)
		})
	}
	wantClean(t, loadYAML(t, twoCampaigns)) // the same key under two parents is two addresses
}

func TestRequiredAttributes(t *testing.T) {
	d := loadYAML(t, "kind: campaign\nkey: spring\nstatus: atcive\n")
	want := []string{
		"ads.yaml:1:1: campaign has no bidding_type; want one (ADS1006)",
		"ads.yaml:1:1: campaign has no name; want one (ADS1006)",
		`ads.yaml:3:9: status is "atcive"; want active, paused or archived (ADS1007)`,
	}
	if got := strings.Split(strings.TrimSpace(printed(d.Problems)), "\n"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Load found %q, want %q", got, want)
	}
	for _, p := range d.Problems {
		if p.Address != "campaign/spring" {
			t.Errorf("%s is about %q, want campaign/spring", p, p.Address)
		}
	}
}

func TestAValueThatDoesNotParseIsNotMissing(t *testing.T) {
	d := loadYAML(t, strings.Replace(springCampaign, "clicks", "click through", 1))
	if len(d.Problems) != 1 || d.Problems[0].Code != diag.BadChoice {
		t.Errorf("Load found\n%swant the choice alone", printed(d.Problems))
	}
}

func TestDefaultsAndTemplates(t *testing.T) {
	const definitions = `---
kind: defaults
campaign: {status: paused, budget: {daily: 10}}
ad_group: {bid: {max: 1}, context_hints: [{list: trail}]}
---
kind: template
key: us
campaign: {status: active, targeting: {countries: [US]}}
---
kind: template
key: rich
campaign: {budget: {lifetime: 900}, targeting: {countries: [CA]}}
---
kind: hint_list
key: trail
hints: [mud, {file: hints/more.txt}]
`
	for _, row := range []struct{ name, yaml, attribute, want string }{
		{"a default fills in", "", "budget.daily", "10000000"},
		{"the resource decides over a default", "status: archived\n", "status", `"archived"`},
		{"a template decides over a default", "use: [us]\n", "status", `"active"`},
		{"the resource decides over a template", "use: [us]\nstatus: archived\n", "status", `"archived"`},
		{"a later template decides over an earlier", "use: [us, rich]\n", "targeting.countries", `["CA"]`},
		{"a lifetime budget takes no daily default", "budget: {lifetime: 500}\n", "budget.daily", "(absent)"},
		{"a template's budget takes no daily default", "use: [rich]\n", "budget.daily", "(absent)"},
		{"null decides as well", "use: [us]\ntargeting: {countries: null}\n", "targeting.countries", "null"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := wantClean(t, load(t, folder(t, map[string]string{
				"ads.yaml": springCampaign + row.yaml + definitions, "hints/more.txt": "# what it is\n\nsnow\n",
			})))
			if got := valueOf(t, d, "campaign/spring", row.attribute).String(); got != row.want {
				t.Errorf("%s = %s, want %s", row.attribute, got, row.want)
			}
		})
	}
}

func TestHintsComeFromListsAndFiles(t *testing.T) {
	dir := folder(t, map[string]string{
		"ads/spring.yaml": springCampaign +
			"ad_groups:\n  - name: Runners\n    context_hints:\n      - people, who run\n      - " +
			"{file: ../hints/runners.txt}\n      - {list: trail}\n    exclusion_hints: |\n      football\n      golf\n",
		"hints/runners.txt":     "# for runners\nlong runs\n\nshort runs\r\n",
		"shared/hint-list.yaml": "kind: hint_list\nkey: trail\nhints: [mud]\n",
	})
	d := wantClean(t, load(t, dir))
	hints := valueOf(t, d, "ad_group/spring/runners", "context_hints")
	if got := hints.String(); got != `["people, who run" "long runs" "short runs" "mud"]` {
		t.Errorf("context_hints = %s, want the sentence, the file's and the list's", got)
	}
	if got := hints.ItemPosition(2).String(); got != "hints/runners.txt:4:1" {
		t.Errorf("the third hint stands at %s, want its line of the file", got)
	}
	if got := valueOf(t, d, "ad_group/spring/runners", "exclusion_hints").String(); got != `["football" "golf"]` {
		t.Errorf("exclusion_hints = %s, want one a line", got)
	}
}

func TestHintProblems(t *testing.T) {
	for _, row := range []struct{ name, hints, want string }{
		{"a list nobody wrote", "[{list: trial}]", `ads.yaml:6:28: hint list is "trial", and no source has it`},
		{"X7 a file outside", "[{file: ../../etc/passwd}]",
			`ads.yaml:6:28: file is "../../etc/passwd"; want a path from this file's folder that stays in the project`},
		{"X7 an absolute path", "[{file: /etc/passwd}]", `ads.yaml:6:28: file is "/etc/passwd"; want a path`},
		{"a file that is not there", "[{file: gone.txt}]", `ads.yaml:6:28: file is "gone.txt", which is not there`},
		{"a sentence with a colon", "[for: runners]",
			"ads.yaml:6:21: an entry of context_hints is a mapping; want text, {list: name} or {file: path}"},
		{"an entry without a value", "[a, ~]", "ads.yaml:6:24: an entry of context_hints is null; want text"},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantProblem(t, loadYAML(t, springCampaign+"ad_groups:\n  - name: Runners\n    context_hints: "+
				row.hints+"\n---\nkind: hint_list\nkey: trail\nhints: [mud]\n"), row.want)
		})
	}
}

func TestDefinitionProblems(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"a template without a key", "kind: template\nad: {status: active}", "template has no key"},
		{"defaults of nothing", "kind: defaults", "document sets nothing"},
		{"defaults of a kind nobody knows", "kind: defaults\nadd: {status: active}",
			`"add" is no kind; want campaign, ad_group, ad`},
		{"defaults with a key of a resource", "kind: defaults\nad: {key: x}",
			`"key" is no key of an ad; want body, image`},
		{"defaults that are no mapping", "kind: defaults\nad: active", `ad is "active"; want a mapping of attributes`},
		{"a hint list without a key", "kind: hint_list\nhints: [a]", "hint list has no key"},
		{"a hint list without hints", "kind: hint_list\nkey: a", "hint list has no hints"},
		{"a hint list in a hint list", "kind: hint_list\nkey: a\nhints: [{list: a}]", `hint list takes in list "a"`},
		{"a hint list with an unknown key", "kind: hint_list\nkey: a\nhint: [a]", `"hint" is no key of a hint list`},
		{"a template that sets nothing for the kind", "kind: template\nkey: t\nad: {status: active}\n---\nkind: " +
			"campaign\nname: Other\nbidding_type: clicks\nuse: [t]", `template "t" sets nothing for campaign`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadYAML(t, springCampaign+"---\n"+row.yaml+"\n")
			wantProblem(t, d, row.want)
			if s := d.Sources[0].Rows; s.Read != s.Used+s.Ignored+s.Failed || s.Failed == 0 {
				t.Errorf("rows = %+v, want one that failed, and a sum that holds", s)
			}
		})
	}
}

func TestKeysComeFromNames(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"Spring Launch 2026", "campaign/spring-launch-2026"},
		{"  Café & Crème ", "campaign/cafe-creme"},
	} {
		d := wantClean(t, loadYAML(t, fmt.Sprintf("kind: campaign\nname: %q\nbidding_type: clicks\n", row.name)))
		if got := d.Snapshot.Addresses()[0].String(); got != row.want {
			t.Errorf("the address of %q = %s, want %s", row.name, got, row.want)
		}
	}
	for _, name := range []string{"!!!", strings.Repeat("x", 300)} {
		wantProblem(t, loadYAML(t, fmt.Sprintf("kind: campaign\nname: %q\nbidding_type: clicks\n", name)),
			"gives no key; want a key of letters, digits")
	}
}

// A whole file that was copied is said to be one, before its rows are listed.
func TestF19ACopyOfAFileIsNamedAsOne(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, accountTree, 1, 1, 1, 1)
	d := load(t, folder(t, map[string]string{
		"ads.yaml": b.String(), "ads copy.yaml": b.String(), "one.yaml": springCampaign,
	}))
	wantProblem(t, d, "ads.yaml: file repeats 3 resources that other files have; want each in one file")
	twice := springCampaign + "---\n" + strings.Replace(springCampaign, "spring", "autumn", 1)
	for _, p := range load(t, folder(t, map[string]string{"a.yaml": springCampaign, "b.yaml": twice})).Problems {
		if strings.Contains(p.Message, "file repeats") {
			t.Errorf("one repeated campaign is taken for a copy: %s", p)
		}
	}
}
