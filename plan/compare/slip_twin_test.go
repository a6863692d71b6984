package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

// beside plans a new campaign beside one that is there, both with these names.
func previous(t *testing.T, there, fresh string, allow ...string) *plan.Plan {
	t.Helper()
	was := table{"campaign/first name=" + strings.ReplaceAll(there, " ", "_")}
	now := append(slices.Clone(was), "campaign/second bidding_type=clicks budget.daily=5 name="+
		strings.ReplaceAll(fresh, " ", "_"), "ad_group/second/r name=Runners")
	return retyped(t, was, now, allow...)
}

func TestANewCampaignThatMayBeThereAlready(t *testing.T) {
	const slip = "but for one letter"
	const alike = "but for case, spaces, punctuation or letters that look alike"
	tests := []struct{ there, fresh, how string }{
		{"Spring launch", "spring launch", alike},
		{"Spring launch", "Spring  Launch", alike},
		{"Spring launch", "Spring-launch!", alike},
		{"Spring launch", "Springlaunch", alike},
		{"Spring launch", "Sрring launch", alike}, // Cyrillic er
		{"Sale", "Ѕаle", alike},                   // Cyrillic dze and a
		{"Sale", "Ｓａｌｅ", alike},                   // full width
		{"Café", "Cafe", alike},
		{"Spring launch", "Spring launhc", slip},
		{"Spring launch", "Spring laumch", slip},
		{"Spring launch", "Spring launnch", slip},
		{"Spring launch", "Spring launc", slip},
		{"Spring 1", "Spring 2", ""},
		{"Spring 1-2", "Spring 12", ""},
		{"Spring 2026", "Spring 2027", ""},
		{"Brand shoes US", "Brand shoes UK", ""},
		{"Variant A", "Variant B", ""},
		{"Hiking tours", "Biking tours", ""}, // nobody mistypes the first letter
		{"Winter", "Wintr", ""},              // too short
		{"C++ course", "C course", ""},
		{"春のキャンペーン東", "春のキャンペーン西", ""},
		{"Men running shoes", "Women running shoes", ""},
		{"Spring launch", "Summer launch", ""},
	}
	for _, tt := range tests {
		t.Run(tt.there+" beside "+tt.fresh, func(t *testing.T) {
			want := ""
			if tt.how != "" {
				want = fmt.Sprintf("twin: 1 new campaign may be there already under another "+
					"spelling | q4.xlsx:Campaigns!A3 %q has the name of campaign/first, %q, %s | 1 held, twin",
					tt.fresh, tt.there, tt.how)
			}
			if d := cmp.Diff(want, told(previous(t, tt.there, tt.fresh))); d != "" {
				t.Errorf("accidents (-want +got):\n%s", d)
			}
		})
	}
}

func TestANearTwinIsHeldWithItsTree(t *testing.T) {
	p := previous(t, "Spring launch", "Spring Launch")
	if asked(p) != "twin=campaign/second twin=campaign/second" || !p.Empty() {
		t.Errorf("asks for %q and applies %q; want the twin, and nothing", asked(p), sketch(p.Applicable()))
	}
	if p := previous(t, "Spring launch", "Spring Launch", "twin=campaign/second"); asked(p) != "" ||
		len(p.Applicable()) != 2 {
		t.Errorf("allowed, it asks for %q and applies %q", asked(p), sketch(p.Applicable()))
	}
}

func TestOfTwoNewTwinsTheLaterIsHeld(t *testing.T) {
	p := retyped(t, nil, table{"campaign/b name=Spring_launch bidding_type=clicks budget.daily=5",
		"campaign/a name=Spring_lunch bidding_type=clicks budget.daily=5"})
	if asked(p) != "twin=campaign/b" || sketch(p.Applicable()) == "" {
		t.Errorf("asks for %q; want the later address held alone", asked(p))
	}
}

func TestAdGroupsAndAdsInVersionsAreShown(t *testing.T) {
	was := table{"campaign/x name=Spring", "ad_group/x/r name=Trail_runners"}
	p := retyped(t, was, append(slices.Clone(was), "ad_group/x/s name=Trail_runner"))
	want := `twin: 1 new ad group may be there already under another spelling ` +
		`| q4.xlsx:Ad groups!A4 "Trail runner" has the name of ad_group/x/r, "Trail runners", but for one letter`
	if d := cmp.Diff(want, told(p)); d != "" || asked(p) != "" {
		t.Errorf("accidents (-want +got), and asks for %q:\n%s", asked(p), d)
	}
	was = append(was, "ad/x/r/a title=Shoes_for_muddy_trails "+
		"body=Light target_url=https://a.example/ image=https://a.example/a.png")
	now := append(slices.Clone(was),
		"ad/x/r/b title=Shoes_for_muddy_trail body=Light target_url=https://a.example/ image=https://a.example/a.png")
	if got := told(retyped(t, was, now)); got != "" {
		t.Errorf("two titles of ads without a name: %s; want nothing", got)
	}
}

func TestACorrectedNameWithoutAKeyIsAskedAbout(t *testing.T) {
	was := table{"campaign/x name=Spring", "ad_group/x/trail-runers name=Trail_runers"}
	p := retyped(t, was, table{"campaign/x name=Spring", "ad_group/x/trail-runners name=Trail_runners"})
	const want = "but for one letter has the name of " +
		"ad_group/x/trail-runers, which the files no longer name: rename or new? to keep what is there, write moved: " +
		"[{from: ad_group/x/trail-runers, to: ad_group/x/trail-runners}] in adsync.yaml, or allow creating another"
	if got := p.Changes[0].Holds(); len(got) != 1 ||
		got[0].Message != want || got[0].Allow != "twin=ad_group/x/trail-runners" {
		t.Errorf("holds are %v; want %s", got, want)
	}
}

func TestANameTheFilesDoNotGiveIsComparedAsItIsLive(t *testing.T) {
	was := table{"campaign/x name=Spring_launch budget.daily=5"}
	p := retyped(t, was, table{"campaign/x budget.daily=5",
		"campaign/y name=Spring_launch bidding_type=clicks budget.daily=5"})
	if asked(p) != "twin=campaign/y" ||
		!strings.HasSuffix(p.SuspiciousEdits[0].Examples[0].Message, "letter for letter") {
		t.Errorf("asks for %q: %s; want the twin", asked(p), told(p))
	}
}

func TestARenameBesideANewOneIsNoTwin(t *testing.T) {
	was := table{"campaign/x name=Spring_launch"}
	now := table{"campaign/x name=Old_season", "campaign/y name=Spring_launch! bidding_type=clicks budget.daily=5"}
	if got := told(retyped(t, was, now)); got != "" {
		t.Errorf("accidents are %s; want none", got)
	}
}
