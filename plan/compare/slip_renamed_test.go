package compare_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

// TestARowThatWasRenamedWithoutAKeyIsAskedAbout: without a key and an id a row under another
// name looks new, whatever its status, and what it was stays beside it.
func TestARowThatWasRenamedWithoutAKeyIsAskedAbout(t *testing.T) {
	const settings = " bidding_type=clicks budget.daily=5 status="
	const spring = "campaign/spring-launch name=Spring_launch" + settings
	const runners = "ad_group/spring-launch/runners name=Runners bid.max=1"
	const ad = " body=Light target_url=https://a.example/ image=https://a.example/a.png"
	const words, beneath, says = "the names have words in common",
		"what is beneath has the same names", "what it says is the same but for its name"
	tests := []struct {
		name     string
		was, now table
		want     string // how it is like what it may be
		asks     string
	}{
		{"a paused campaign, a year added", table{spring + "paused"}, table{"campaign/spring-launch-2027 " +
			"name=Spring_launch_2027" + settings + "paused"}, words, "twin=campaign/spring-launch-2027"},
		{"an active campaign, a year added", table{spring + "active"}, table{"campaign/spring-launch-2027 " +
			"name=Spring_launch_2027" + settings + "active"}, words, "twin=campaign/spring-launch-2027"},
		{"a word left out", table{spring + "paused"},
			table{"campaign/spring name=Spring" + settings + "paused"}, words, "twin=campaign/spring"},
		{"one word of three another", table{"campaign/shoes-eu name=Trail_shoes_EU" + settings + "paused"},
			table{"campaign/shoes-us name=Trail_shoes_US" + settings + "paused"}, words, "twin=campaign/shoes-us"},
		{"another name, the ad groups the same", table{spring + "paused", runners},
			table{"campaign/summer name=Summer" + settings + "paused",
				"ad_group/summer/runners name=Runners bid.max=1"},
			beneath, "twin=campaign/summer twin=campaign/summer"},
		{"another name, most ad groups others", table{spring + "paused", runners},
			table{"campaign/summer name=Summer" + settings + "paused",
				"ad_group/summer/runners name=Runners bid.max=1",
				"ad_group/summer/b name=Boots bid.max=1", "ad_group/summer/c name=Caps bid.max=1"}, "", ""},
		{"a number that tells them apart", table{"campaign/spring-1 name=Spring_1" + settings + "paused"},
			table{"campaign/spring-2 name=Spring_2" + settings + "paused"}, "", ""},
		{"one beside it that stays", table{spring + "paused"}, table{spring + "paused",
			"campaign/spring-launch-2027 name=Spring_launch_2027" + settings + "paused"}, "", ""},
		{"one archived before", table{spring + "archived"},
			table{"campaign/spring-launch-2027 name=Spring_launch_2027" + settings + "paused"}, "", ""},
		{"under its key", table{spring + "paused"},
			table{"campaign/spring-launch name=Anything" + settings + "paused"}, "", ""},
		{"an ad group", table{spring + "paused", "ad_group/spring-launch/trail-runners name=Trail_runners bid.max=1"},
			table{spring + "paused", "ad_group/spring-launch/trail-runners-eu name=Trail_runners_EU bid.max=1"},
			words, "twin=ad_group/spring-launch/trail-runners-eu"},
		{"an ad", table{spring + "paused", runners, "ad/spring-launch/runners/hero name=Hero title=Shoes" + ad},
			table{spring + "paused", runners, "ad/spring-launch/runners/star name=Star title=Shoes" + ad},
			says, "twin=ad/spring-launch/runners/star"},
		{"an ad without a name, under another title",
			table{spring + "paused", runners, "ad/spring-launch/runners/shoes title=Shoes" + ad},
			table{spring + "paused", runners, "ad/spring-launch/runners/boots title=Boots" + ad},
			says, "twin=ad/spring-launch/runners/boots"},
		{"an audience of the same list",
			table{"audience/first name=First members.file=sha256:aa members.identifier=email members.people=5"},
			table{"audience/other name=Other members.file=sha256:aa members.identifier=email members.people=5"},
			"", ""},
		{"an ad in another's place",
			table{spring + "paused", runners, "ad/spring-launch/runners/hero name=Hero title=Shoes" + ad},
			table{spring + "paused", runners, "ad/spring-launch/runners/star name=Star " +
				"title=Boots body=Heavy target_url=https://a.example/ image=https://a.example/a.png"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := retyped(t, tt.was, tt.now)
			got := ""
			for _, a := range p.SuspiciousEdits {
				if a.Hazard == plan.Twins {
					_, got, _ = cutLast(a.Examples[0].Message, ": ")
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("it is like what is gone, as (-want +got):\n%s", d)
			}
			if got := twinsAsked(p); got != tt.asks {
				t.Errorf("asks for %q; want %q", got, tt.asks)
			}
			if got := twinsAsked(retyped(t, tt.was, reversed(tt.now))); got != tt.asks {
				t.Errorf("with the rows in another order it asks for %q; want %q", got, tt.asks)
			}
		})
	}
}

func TestWhatARenamedRowIsTold(t *testing.T) {
	p := retyped(t, table{"campaign/a name=Spring_launch status=paused"},
		table{"campaign/b name=Spring_launch_EU bidding_type=clicks budget.daily=5 status=paused"})
	const want = `may be campaign/a, "Spring launch", which the files no longer name, as ` +
		`the names have words in common: rename or new? to keep what is there, give the row its id id:campaign/a ` +
		`or write moved: [{from: campaign/a, to: campaign/b}] in adsync.yaml, or allow creating another`
	if got := p.Changes[0].Holds(); len(got) != 1 || got[0].Message != want {
		t.Errorf("holds are %v; want %s", got, want)
	}
	if p := retyped(t, table{"campaign/a name=Spring_launch status=paused"}, table{"campaign/b name=Spring_launch_EU " +
		"bidding_type=clicks budget.daily=5 status=paused"}, "twin=campaign/b"); len(p.Applicable()) != 1 {
		t.Errorf("allowed, it applies %q", sketch(p.Applicable()))
	}
}

// twinsAsked is what of asked is of twins.
func twinsAsked(p *plan.Plan) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(asked(p)), func(a string) bool {
		return !strings.HasPrefix(a, "twin=")
	}), " ")
}

func reversed(rows table) table {
	rows = slices.Clone(rows)
	slices.Reverse(rows)
	return rows
}

func cutLast(s, sep string) (before, after string, found bool) {
	for i := len(s) - len(sep); i >= 0; i-- {
		if s[i:i+len(sep)] == sep {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}
