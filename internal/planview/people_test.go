package planview

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
)

// A plan says how many people there will be, and not how many a file has: of those who
// join, of those who leave, and of a list that is all there is, whatever went before.
func TestAPlanSaysHowManyPeopleThereWillBe(t *testing.T) {
	const live = "audience/c#a1 name=Customers members.revision=3"
	known := live + " members.file=sha256:aa members.identifier=email " +
		"members.do=add members.people=10 members.known=1200"
	unknown := "audience/c#a1 name=Customers members.revision=3"
	for _, tt := range []struct{ name, last, do, want string }{
		{"some join", known, "add", "Members people: at most 1200 → at most 1250 (50 join)"},
		{"some leave", known, "remove", "Members people: at most 1200, of whom up to 50 leave"},
		{"a whole list after some who joined", known, "replace", "Members people: 1200 → 50"},
		{"some join people adsync did not send", unknown,
			"add", "Members people: 50 join; how many there are cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := planned(t, tt.last, "audience/c name=Customers "+
				"members.file=sha256:bb members.identifier=email members.people=50 members.do="+tt.do, live)
			if len(d.Changes) != 1 {
				t.Fatalf("%d changes; want one", len(d.Changes))
			}
			said := FieldLines(kinds.All(), d.Changes[0])
			if got := said[len(said)-1]; got != tt.want {
				t.Errorf("the plan says %q; want %q", got, tt.want)
			}
		})
	}
}

// What a field names is shown by the name it has, also where it is one alone.
func TestWhatAFieldNamesIsNeverABlank(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"audience/new", "Targeting audiences: audience/new"},
		{"caud-7", "Targeting audiences: caud-7"},
		{"audience/new|caud-7", "Targeting audiences: audience/new, caud-7"},
	} {
		d := planned(t, "", "audience/new name=Customers\ncampaign/x name=Spring targeting.audiences="+tt.said, "")
		said := 0
		for _, c := range d.Changes {
			for _, line := range FieldLines(kinds.All(), c) {
				if !strings.Contains(line, "udiences: ") {
					continue
				}
				if said++; line != tt.want {
					t.Errorf("the plan says %q; want %q", line, tt.want)
				}
			}
		}
		if said != 1 {
			t.Errorf("the plan says the audiences of %s %d times; want once", tt.said, said)
		}
	}
}
