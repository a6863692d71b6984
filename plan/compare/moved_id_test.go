package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
)

// TestAnIDSaysThatAKeyHasChanged: a row with the id of what the record has under a key that
// no file names any more is that under a new key.
func TestAnIDSaysThatAKeyHasChanged(t *testing.T) {
	const tree = "campaign/x#c1 name=Spring\nad_group/x/r#g1 name=Runners"
	tests := []struct{ name, last, desired, moved, want string }{
		{name: "renamed, and known by its id", last: tree,
			desired: "campaign/y#c1 name=Summer", want: "campaign/x=campaign/y"},
		{name: "what is beneath goes along", last: tree,
			desired: "campaign/y#c1 name=Summer\nad_group/y/r#g1 name=Runners", want: "campaign/x=campaign/y"},
		{name: "beneath it another key as well", last: tree, desired: "campaign/y#c1 " +
			"name=Summer\nad_group/y/s#g1 name=Sprinters", want: "campaign/x=campaign/y ad_group/x/r=ad_group/y/s"},
		{name: "the old key is there still", last: tree, desired: "campaign/y#c1 name=Summer\ncampaign/x name=Spring"},
		{name: "the new key is another's", last: tree + "\ncampaign/y#c2 name=Summer",
			desired: "campaign/y#c1 name=Summer"},
		{name: "without an id", last: tree, desired: "campaign/y name=Summer"},
		{name: "an id nobody knows", last: tree, desired: "campaign/y#c9 name=Summer"},
		{name: "beneath another parent", last: tree + "\ncampaign/z#c3 name=Other",
			desired: "campaign/x#c1 name=Spring\ncampaign/z#c3 name=Other\nad_group/z/r#g1 name=Runners"},
		{name: "two rows with one id", last: tree,
			desired: "campaign/y#c1 name=Summer\ncampaign/z#c1 name=Winter", want: "campaign/x=campaign/y"},
		{name: "the project says it", last: tree, desired: "campaign/y#c1 name=Summer",
			moved: "campaign/x=campaign/y", want: "campaign/x=campaign/y"},
		{name: "the project says otherwise", last: tree, desired: "campaign/y#c1 name=Summer\ncampaign/z name=Winter",
			moved: "campaign/x=campaign/z", want: "campaign/x=campaign/z"},
		{name: "a move that was made before goes on from it", last: tree,
			desired: "campaign/y#c1 name=Summer", moved: "campaign/y=campaign/z", want: "campaign/y=campaign/z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var moves []plan.Move
			for _, m := range strings.Fields(tt.moved) {
				from, to, _ := strings.Cut(m, "=")
				a, _ := resource.ParseAddress(from)
				b, _ := resource.ParseAddress(to)
				moves = append(moves, plan.Move{From: a, To: b})
			}
			var got []string
			for _, m := range plan.MovedByID(kinds.All(), moves, snapshot(t, tt.last), snapshot(t, tt.desired)) {
				got = append(got, fmt.Sprintf("%s=%s", m.From, m.To))
			}
			if all := strings.Join(got, " "); all != tt.want {
				t.Errorf("moves are %q; want %q", all, tt.want)
			}
		})
	}
}
