package planview

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

// What is offered to be allowed goes once it is allowed.
func TestWhatNothingReleasesIsNotOffered(t *testing.T) {
	rise := plan.HoldDocument{Hazard: plan.RaisesSpend, Message: "raises", Allow: "raises-spend=campaign/x"}
	late := plan.HoldDocument{Hazard: plan.Late, Message: "has passed"}
	both := rise
	both.Also = []plan.HoldDocument{late}
	field := func(h *plan.HoldDocument) []plan.FieldDocument {
		return []plan.FieldDocument{{Name: "budget", Held: h}}
	}
	for _, tt := range []struct {
		name    string
		change  plan.ChangeDocument
		offered bool
	}{
		{"a field that an allowance releases", plan.ChangeDocument{Fields: field(&rise)}, true},
		{"one that has passed as well", plan.ChangeDocument{Fields: field(&both)}, false},
		{"a field of what has passed", plan.ChangeDocument{Held: &late, Fields: field(&rise)}, false},
		{"a field beside one that has passed",
			plan.ChangeDocument{Fields: append(field(&late), field(&rise)...)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &Document{}
			d.Changes = []plan.ChangeDocument{tt.change}
			if got := Releases(d); len(got) > 0 != tt.offered {
				t.Errorf("offered is %v; want it offered: %v", got, tt.offered)
			}
		})
	}
}

// A page names the changes that nobody can approve, in a person's words, however many there are.
func TestChangesThatNobodyCanApproveAreNamed(t *testing.T) {
	d := &Document{}
	for i := range 3_000 {
		d.Changes = append(d.Changes, plan.ChangeDocument{Address: fmt.Sprintf("campaign/c%04d", i), Kind: "campaign",
			Name: fmt.Sprintf("Campaign %d", i), Action: plan.Update, Held: &plan.HoldDocument{Hazard: plan.Late,
				Message: "has passed", Also: []plan.HoldDocument{{Hazard: plan.Protected, Message: "is protected"}}}})
	}
	parts, err := HTMLParts(kinds.All(), d)
	if err != nil {
		t.Fatal(err)
	}
	said := parts.Unallowed
	if want := "Campaign “Campaign 0”: one of its days has passed; the files protect it"; len(said) != 31 ||
		said[0] != want || said[30] != "and 2,970 more" {
		t.Errorf("%d lines, of which the first is %q and the last %q; want 31, %q and how many more",
			len(said), said[0], said[len(said)-1], want)
	}
}

// A plan that one process wrote and another read is shown as it was, but for the ads that are drawn.
func TestAPlanIsShownAsItWasWritten(t *testing.T) {
	for name, d := range map[string]*Document{"quarter": quarter(t), "pull request": pullRequest(t)} {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		read := &Document{}
		if err := json.Unmarshal(text, read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		undrawn := *d
		undrawn.Drawn = nil
		want, err := HTMLParts(kinds.All(), &undrawn)
		if err != nil {
			t.Fatal(err)
		}
		got, err := HTMLParts(kinds.All(), read)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Parts{})); diff != "" {
			t.Errorf("%s is shown otherwise (-as it was, +as it was read):\n%s", name, diff)
		}
	}
}

// takenOver is a plan that takes over campaigns that are live already.
func takenOver(t testing.TB, campaigns int) *Document {
	t.Helper()
	var live, desired strings.Builder
	for i := range campaigns {
		fmt.Fprintf(&live, "campaign/c%d#cmpn_%d name=Campaign_%d status=paused budget.daily=5\n", i, i, i)
		fmt.Fprintf(&desired, "campaign/c%d name=Campaign_%d budget.daily=5\n", i, i)
	}
	return planned(t, "", desired.String(), live.String())
}

// What is alike stands behind its count, and each change has an anchor of its own, which is the same in another plan.
func TestWhatIsAlikeIsFolded(t *testing.T) {
	anchors := map[string]bool{}
	for _, campaigns := range []int{60, 61} {
		parts, err := HTMLParts(kinds.All(), takenOver(t, campaigns))
		if err != nil {
			t.Fatal(err)
		}
		page := string(parts.Changes)
		fold := fmt.Sprintf("<summary>Take over %d more campaigns, which are already live: waiting</summary>",
			campaigns-3)
		before, _, folded := strings.Cut(page, fold)
		if !folded || strings.Count(before, "<article") != 3 || strings.Count(page, "<article") != campaigns {
			t.Errorf("%d changes, of which %d stand before those that are folded %v; want all, and 3\n%.3000s",
				strings.Count(page, "<article"), strings.Count(before, "<article"), folded, page)
		}
		for _, part := range strings.Split(page, ` id="`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			if strings.HasPrefix(id, "change-") &&
				anchors[id] != (campaigns == 61 && id != Anchor("campaign/c60")) {
				t.Errorf("%d campaigns: anchor %q was there before: %v", campaigns, id, anchors[id])
			}
			anchors[id] = true
		}
	}
}

// A page of very many changes is no larger than one of some, and says how many it does not list.
func TestAPageOfVeryManyChangesIsBounded(t *testing.T) {
	d := planned(t, "", largeTree(15_000), "")
	for i := range d.Changes { // no two are alike
		d.Changes[i].RestOf = d.Changes[i].Address
	}
	parts, err := HTMLParts(kinds.All(), d)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(parts.Changes); n > 3<<20 {
		t.Errorf("the page has %d bytes; want at most 3 MiB", n)
	}
	if want := "Create 14,402 more ads"; !strings.Contains(string(parts.Changes), want) {
		t.Errorf("the page does not say %q", want)
	}
}
