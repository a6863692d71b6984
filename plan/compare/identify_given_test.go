package compare_test

import (
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/plan"
)

// TestAnIDThatIsNone: an id that was cut, belongs to another kind or names nothing is a
// problem at the id, with the one that was probably meant.
func TestAnIDThatIsNone(t *testing.T) {
	const nothing = `, and the service has no such campaign; want the id of a live one, or none (ADS1011)`
	const live = "campaign cmpn_0123456789 name=Spring\n" +
		"campaign cmpn_0123abcdef name=Autumn\nad_group g1<cmpn_0123abcdef name=Boots\nad a1<g1 name=Hero"
	tests := []struct{ name, last, desired, want, hint string }{
		{name: "cut at its end", desired: "campaign/x#cmpn_012345 name=Other",
			want: `id is "cmpn_012345"` + nothing, hint: `did you mean "cmpn_0123456789"?`},
		{name: "cut at its beginning", desired: "campaign/x#23456789 name=Other",
			want: `id is "23456789"` + nothing, hint: `did you mean "cmpn_0123456789"?`},
		{name: "cut so short that it may be either",
			desired: "campaign/x#cmpn_0123 name=Other", want: `id is "cmpn_0123"` + nothing},
		{name: "cut to nothing that is known again",
			desired: "campaign/x#cmpn name=Other", want: `id is "cmpn"` + nothing},
		{name: "another, beside the name of a live one", desired: "campaign/x#c9 name=Autumn",
			want: `id is "c9"` + nothing, hint: `did you mean "cmpn_0123abcdef"?`},
		{name: "another, of a key that is bound", last: "campaign/x#cmpn_0123456789 name=Spring",
			desired: "campaign/x#c9 name=Spring",
			want:    `id is "c9", and the key is bound to "cmpn_0123456789"; want that id, or another key (ADS1014)`,
			hint:    `did you mean "cmpn_0123456789"?`},
		{name: "that of an ad of someone else's", desired: "campaign/x#a1 name=Other",
			want: `id is "a1", which is that of an ad named "Hero"; want the id of a campaign (ADS1011)`},
		{name: "that of an ad group of the files",
			desired: "campaign/y name=Autumn\nad_group/y/boots name=Boots\ncampaign/x#g1 name=Other",
			want:    `id is "g1", which is that of ad_group/y/boots; want the id of a campaign (ADS1011)`},
		{name: "that of a campaign, at an ad group",
			desired: "campaign/y name=Autumn\nad_group/y/r#cmpn_0123456789 name=Runners",
			want: `id is "cmpn_0123456789", which is ` +
				`that of a campaign named "Spring"; want the id of an ad group (ADS1011)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := diag.Cell("q4.xlsx", "Campaigns", 3, 17)
			desired := snapshot(t, tt.desired)
			for r := range desired.All() {
				if r.Position = diag.Cell("q4.xlsx", "Campaigns", 3, 0); r.ID != "" {
					r.IDAt = at
				}
			}
			_, found := plan.Identify(kinds.All(), snapshot(t, tt.last), desired, listed(t, live))
			if len(found) != 1 || found[0].Position != at || found[0].Severity != diag.Error {
				t.Fatalf("problems are %v; want one error at %s", found, at)
			}
			if got, want := found[0].String(), at.String()+": "+tt.want; got != want {
				t.Errorf("problem is\n%s; want\n%s", got, want)
			}
			if found[0].Hint != tt.hint {
				t.Errorf("hint is %q; want %q", found[0].Hint, tt.hint)
			}
		})
	}
}
