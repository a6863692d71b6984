package compare_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nested is an ad for each ad group named, beneath two campaigns.
func nested(groups ...string) table {
	rows := table{"campaign/x name=Spring", "ad_group/x/r name=Runners", "ad_group/x/s name=Walkers"}
	for i, g := range groups {
		rows = append(rows, fmt.Sprintf("ad/x/%s/a%d name=Hero_%d "+
			"title=Shoes body=Light target_url=https://a.example/%d image=https://a.example/a.png", g, i+1, i+1, i*i))
	}
	return rows
}

func TestH5TheColumnOfParentsSortedAlone(t *testing.T) {
	was, now := nested("s", "r", "s", "r", "s", "r"), nested("r", "r", "r", "s", "s", "s")
	p := retyped(t, was, now)
	want := "shifted: 4 of 6 ads in q4.xlsx:Ads stand beneath " +
		"another ad group than before, and would be made a second time; was that column sorted without the others?" +
		" | row 5 is what was beneath ad_group/x/s " +
		"| row 7 is what was beneath ad_group/x/s | row 8 is what was beneath ad_group/x/r | 4 held, shifted"
	if d := cmp.Diff(want, told(p)); d != "" || !p.Empty() {
		t.Errorf("accidents (-want +got), and nothing is created:\n%s\n%s", d, sketch(p.Applicable()))
	}
	if got := len(retyped(t, was, now, "shifted").Applicable()); got != 4 {
		t.Errorf("allowed, %d are created; want 4", got)
	}
}

func TestAFewMovesAreNoAccident(t *testing.T) {
	was := nested("r", "r", "r", "s", "s", "s")
	for name, now := range map[string]table{
		"two ads moved": nested("r", "r", "r", "s", "r", "r"),
		"other ads in their place": append(slices.Clone(was[:3]),
			"ad/x/r/b1 name=New_1", "ad/x/r/b2 name=New_2", "ad/x/r/b3 name=New_3"),
		"ads that go, and none come": was[:5],
	} {
		if got := told(retyped(t, was, now)); got != "" {
			t.Errorf("%s: accidents are %s; want none", name, got)
		}
	}
}
