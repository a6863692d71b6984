package planview

import (
	"encoding/json"
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
