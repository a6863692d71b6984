package sources_test

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/sources/diff"
)

const seasonsYAML = `# The spring campaign.
kind: campaign
key: spring
name: Spring launch
status: active
budget: {daily: 50.00}   # agreed with Ann
targeting:
  countries: [US, CA]
ad_groups:
  # Those who run.
  - key: runners
    name: Trail runners
    bid: {max: 1.25}
    context_hints:
      - people comparing shoes
      - {file: hints/runners.txt}
    ads:
      - key: hero-a
        title: Shoes for muddy trails
        body: |
          Light.
          Grippy.
        target_url: https://shop.example/trail
  - key: hikers
    name: "Day hikers"
    bid:
      max: 0.90
---
# What all ads share.
kind: defaults
ad: {status: active}
---
kind: campaign
key: autumn
name: Autumn
status: paused
`

// yamlCase is a merge of what two people did to seasonsYAML.
type yamlCase struct {
	name                string
	ours, theirs, wants []string // changes; wants are of ours
	clashes             []string
	take                bool
}

func (c *yamlCase) check(t *testing.T) {
	t.Helper()
	ours := edited(t, seasonsYAML, c.ours...)
	m, err := diff.MergeSides(t.Context(), config.Project{Account: dollars}, []byte(seasonsYAML), []byte(ours),
		[]byte(edited(t, seasonsYAML, c.theirs...)), kinds.All(), diff.Sides{File: "spring.yaml", Ours: "ours",
			Theirs: "theirs", Take: func(diff.Conflict) bool { return c.take }})
	if err != nil {
		t.Fatal(err)
	}
	got, want := string(m.Content), edited(t, ours, c.wants...)
	if got != want || !slices.Equal(clashes(m), c.clashes) {
		t.Errorf("conflicts %q; want %q; it is\n%s\nwant\n%s", clashes(m), c.clashes, got, want)
	}
}

func TestAttributesOfYAMLAreMerged(t *testing.T) {
	const hikers = "  - key: hikers\n    name: \"Day hikers\"\n    bid:\n      max: 0.90\n"
	const runnersAd = "    ads:\n      - key: hero-a\n        title: Shoes for muddy trails\n        body: |\n" +
		"          Light.\n          Grippy.\n        target_url: https://shop.example/trail\n"
	const swimmers = "  # Those who swim.\n  - key: swimmers\n    name: Swimmers\n"
	for _, c := range []yamlCase{
		{name: "two of one resource", ours: []string{"Trail runners", "All runners"},
			theirs: []string{"max: 1.25", "max: 1.40"}, wants: []string{"max: 1.25", "max: 1.40"}},
		{name: "beside a comment that ours changed", ours: []string{"agreed with Ann", "agreed with Bob"},
			theirs: []string{"daily: 50.00", "daily: 60.00"}, wants: []string{"daily: 50.00", "daily: 60.00"}},
		{name: "a text of several lines", ours: []string{"key: autumn", "key: autumn # the last"},
			theirs: []string{"          Grippy.\n", "          Grippy.\n\n          For mud.\n"},
			wants:  []string{"          Grippy.\n", "          Grippy.\n\n          For mud.\n"}},
		{name: "a list that is indented otherwise", ours: []string{"name: Autumn", "name: Fall"},
			theirs: []string{"    context_hints:\n      - people comparing shoes\n      - {file: hints/runners.txt}\n",
				"    context_hints:\n    - people comparing boots\n    - {file: hints/runners.txt}\n"},
			wants: []string{"    context_hints:\n      - people comparing shoes\n      - {file: hints/runners.txt}\n",
				"    context_hints:\n    - people comparing boots\n    - {file: hints/runners.txt}\n"}},
		{name: "brackets in the place of lines", ours: []string{"name: Autumn", "name: Fall"},
			theirs: []string{"countries: [US, CA]", "countries:\n    - US\n    - NO"},
			wants:  []string{"countries: [US, CA]", "countries:\n    - US\n    - NO"}},
		{name: "an attribute that theirs added", ours: []string{"status: paused", "status: active"},
			theirs: []string{"name: Autumn\n", "name: Autumn\nstart: 2027-09-01\nend: 2027-10-01\n"},
			wants:  []string{"name: Autumn\n", "name: Autumn\nstart: 2027-09-01\nend: 2027-10-01\n"}},
		{name: "a group that theirs added",
			theirs: []string{"status: paused\n", "status: paused\nbudget:\n  daily: 5.00\n"},
			wants:  []string{"status: paused\n", "status: paused\nbudget:\n  daily: 5.00\n"}},
		{name: "another part in the place of the only one", theirs: []string{"{daily: 50.00}", "{lifetime: 500.00}"},
			ours: []string{"max: 1.25", "max: 1.30"}, wants: []string{"{daily: 50.00}", "{lifetime: 500.00}"}},
		{name: "and over several lines", theirs: []string{"{daily: 50.00}", "{lifetime: 500.00}",
			"    bid:\n      max: 0.90\n", "    bid:\n      strategy: target_cpa\n      target: 9.00\n"},
			wants: []string{"{daily: 50.00}", "{lifetime: 500.00}",
				"    bid:\n      max: 0.90\n", "    bid:\n      strategy: target_cpa\n      target: 9.00\n"}},
		{name: "an attribute in brackets", theirs: []string{"{status: active}", "{status: active, brand: \"x: y\"}"},
			wants: []string{"{status: active}", "{status: active, brand: \"x: y\"}"}},
		{name: "an attribute that theirs removed", ours: []string{"status: paused", "status: active"},
			theirs: []string{"name: Autumn\n", ""}, wants: []string{"name: Autumn\n", ""}},
		{name: "the only one of its group", theirs: []string{"    bid:\n      max: 0.90\n", ""},
			wants: []string{"    bid:\n      max: 0.90\n", ""}},
		{name: "what means the same is no change", ours: []string{"max: 1.25", "max: 1.30"},
			theirs: []string{"max: 1.25", "max: \"1.250\"", "\"Day hikers\"", "Day hikers"}},
		{name: "both alike", ours: []string{"max: 1.25", "max: 1.4"}, theirs: []string{"max: 1.25", "max: 1.40"}},
		{name: "one twice", ours: []string{"max: 1.25", "max: 1.30"}, theirs: []string{"max: 1.25", "max: 1.40"},
			clashes: []string{"line 13 [runners] Max bid | 1.25 | 1.30 | 1.40 | "}},
		{name: "one twice, theirs", ours: []string{"max: 1.25", "max: 1.30"}, take: true,
			theirs: []string{"max: 1.25", "max: 1.40"}, wants: []string{"max: 1.30", "max: 1.40"}},
		{name: "removed here, changed there", ours: []string{"name: Autumn\n", ""},
			theirs: []string{"name: Autumn", "name: Fall"}, take: true,
			wants: []string{"key: autumn\n", "key: autumn\nname: Fall\n"}},
		{name: "a resource that theirs added", ours: []string{"max: 0.90", "max: 0.80"},
			theirs: []string{"      max: 0.90\n", "      max: 0.90\n" + swimmers},
			wants:  []string{"      max: 0.80\n", "      max: 0.80\n" + swimmers}},
		{name: "one beneath what has none", theirs: []string{"      max: 0.90\n",
			"      max: 0.90\n    ads:\n    - key: new\n      title: New\n"},
			wants: []string{"      max: 0.90\n", "      max: 0.90\n    ads:\n    - key: new\n      title: New\n"}},
		{name: "a document that theirs added", ours: []string{"status: paused\n", "status: paused"},
			theirs: []string{"status: paused\n", "status: paused\n---\n# New.\nkind: campaign\nkey: winter\n"},
			wants:  []string{"status: paused", "status: paused\n---\n# New.\nkind: campaign\nkey: winter\n"}},
		{name: "a resource that theirs removed", ours: []string{"max: 1.25", "max: 1.30"},
			theirs: []string{hikers, ""}, wants: []string{hikers, ""}},
		{name: "the only one of its list", theirs: []string{runnersAd, ""}, wants: []string{runnersAd, ""}},
		{name: "a document that theirs removed", ours: []string{"max: 1.25", "max: 1.30"},
			theirs: []string{"---\nkind: campaign\nkey: autumn\nname: Autumn\nstatus: paused\n", ""},
			wants:  []string{"---\nkind: campaign\nkey: autumn\nname: Autumn\nstatus: paused\n", ""}},
		{name: "one that theirs removed and ours changed", ours: []string{"max: 0.90", "max: 0.95"},
			theirs: []string{hikers, ""}, clashes: []string{"line 24 [hikers] |  | key \"hikers\", Ad group " +
				"\"Day hikers\", Max bid 0.95 |  | theirs removed it and ours changed it; it stays"}},
		{name: "one that ours removed and theirs changed", ours: []string{hikers, ""},
			theirs: []string{"max: 0.90", "max: 0.95"}, take: true,
			wants: []string{"target_url: https://shop.example/trail\n",
				"target_url: https://shop.example/trail\n" + strings.ReplaceAll(hikers, "0.90", "0.95")}},
		{name: "a comment of ours in what theirs removed", ours: []string{"max: 0.90", "max: 0.90 # mine"},
			theirs: []string{hikers, ""}, clashes: []string{"line 24 [hikers] |  | key \"hikers\", Ad group " +
				"\"Day hikers\", Max bid 0.90 | (removed) | a comment stands there, and would be lost"}},
		{name: "a comment that only theirs has", theirs: []string{"key: autumn", "key: autumn # theirs"},
			clashes: []string{"comment # theirs |  |  |  | only theirs has it, and comments are not merged"}},
		{name: "another shape", theirs: []string{"{daily: 50.00}", "50.00"}, clashes: []string{
			"line 2 [spring] budget | (none) | (none) | 50.00 | it has other parts in ours than in theirs",
			"line 6 [spring] Daily budget | 50.00 | 50.00 | (none) | it has other parts in ours than in theirs"}},
		{name: "a definition", ours: []string{"max: 1.25", "max: 1.30"},
			theirs: []string{"{status: active}", "{status: paused}"},
			wants:  []string{"{status: active}", "{status: paused}"}},
	} {
		t.Run(c.name, c.check)
	}
}

// A program that reads a file and writes it anew says the same in other words, without a comment: what somebody changed
// there is all that counts.
func TestYAMLThatAnotherProgramSavedIsMerged(t *testing.T) {
	base, err := os.ReadFile("../examples/quickstart/spring.yaml")
	must(t, err)
	c := exec.Command("/usr/bin/python3", "-c", `
import sys, yaml
documents = list(yaml.safe_load_all(sys.stdin))
runners = documents[0]["ad_groups"][0]
runners["bid"]["max"] = 1.4
runners["context_hints"].append("people: who walk")
documents[0]["ad_groups"].append({"key": "swimmers", "name": "Swimmers", "status": "paused", "bid": {"max": 0.5}})
yaml.safe_dump_all(documents, sys.stdout, default_flow_style=False)`)
	c.Stdin = bytes.NewReader(base)
	theirs, err := c.Output()
	must(t, err)
	ours := edited(t, string(base), "name: Day hikers\n", "name: All hikers   # hers\n")
	m, err := mergeText(t, "spring.yaml", string(base), ours, string(theirs))
	must(t, err)
	want := edited(t, ours, "max: 1.25", "max: 1.4", "      - {file: hints/runners.txt}\n",
		"    - file: hints/runners.txt\n    - 'people: who walk'\n")
	const added = "  - bid:\n      max: 0.5\n    key: swimmers\n    name: Swimmers\n    status: paused\n"
	if m.Cells != 2 || m.Added != 1 || len(m.Conflicts) > 0 || !strings.Contains(string(m.Content), added) {
		t.Errorf("took %d and %d, conflicts %q; it is\n%s", m.Cells, m.Added, clashes(m), m.Content)
	}
	for line := range strings.Lines(want) {
		if !strings.Contains(string(m.Content), strings.TrimSpace(line)) {
			t.Errorf("%q is not there:\n%s", line, m.Content)
		}
	}
}
