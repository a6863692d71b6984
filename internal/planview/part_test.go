package planview

import (
	"testing"

	"adsync/plan"
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
