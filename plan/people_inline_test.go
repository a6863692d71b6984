package plan_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/plan"
)

// A plan says how many people there will be, and not how many a file has: of those who
// join, of those who leave, and of a list that is all there is, whatever went before.
func TestAPlanSaysHowManyPeopleThereWillBe(t *testing.T) {
	const live = "audience/c#a1 name=Customers members.revision=3"
	known := live + " members.file=sha256:aa members.identifier=email members.do=add members.people=10 members.known=1200"
	unknown := "audience/c#a1 name=Customers members.revision=3"
	for _, tt := range []struct{ name, last, do, want string }{
		{"some join", known, "add", "members.people: at most 1200 → at most 1250 (50 join)"},
		{"some leave", known, "remove", "members.people: at most 1200, of whom up to 50 leave"},
		{"a whole list after some who joined", known, "replace", "members.people: 1200 → 50"},
		{"some join people adsync did not send", unknown, "add", "members.people: 50 join; how many there are cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, "audience/c name=Customers members.file=sha256:bb members.identifier=email members.people=50 members.do="+tt.do, live)
			if len(p.Changes) != 1 {
				t.Fatalf("plan: %s", sketch(p.Changes))
			}
			said := planview.FieldLines(kinds.All(), p.Changes[0].Document())
			if got := said[len(said)-1]; got != tt.want {
				t.Errorf("the plan says %q; want %q", got, tt.want)
			}
		})
	}
}

// Interface, part 4: add and remove take inline identifiers, a replace has an uploaded
// file. Where the account takes none, what cannot be said is held, and nothing releases it.
func TestAReplaceIsHeldWhereTheAccountTakesNoFiles(t *testing.T) {
	const base = "audience/c#a1 name=Customers "
	for _, tt := range []struct {
		name, last, live, do string
		held                 bool
	}{
		{"people join", base + "members.file=sha256:aa members.known=5 members.revision=3", base + "members.revision=3", "add", false},
		{"people leave", base + "members.file=sha256:aa members.known=500 members.revision=3", base + "members.revision=3", "remove", false},
		{"a list takes the place of another", base + "members.file=sha256:aa members.known=5 members.revision=3", base + "members.revision=3", "replace", true},
		{"nobody is in it yet", base + "members.file=null members.revision=0", base + "members.revision=0", "replace", false},
		{"the rest of this list", base + "members.file=null members.revision=1 members.sent=sha256:bb_add_3", base + "members.revision=1", "replace", false},
		{"the rest of another list", base + "members.file=null members.revision=1 members.sent=sha256:cc_add_3", base + "members.revision=1", "replace", true},
		{"somebody else came between", base + "members.file=null members.revision=1 members.sent=sha256:bb_add_3", base + "members.revision=2", "replace", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := snapshot(t, tt.last)
			for r := range last.All() {
				if n := r.Value("members.sent"); n.IsSet() {
					r.Set("members.sent", resource.Text(strings.ReplaceAll(n.Text(), "_", " ")))
				}
			}
			p := plan.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: last, Live: snapshot(t, tt.live),
				Desired:      snapshot(t, "audience/c name=Customers members.file=sha256:bb members.identifier=email members.people=50 members.do="+tt.do),
				Allow:        allowances(t, "shrinks-audience", "conflict", "drift"),
				Capabilities: map[resource.Capability]bool{resource.PeopleFiles: false},
			})
			held := false
			for _, h := range p.Changes[0].Holds() {
				held = held || h.Message == plan.NoInlineReplace && h.Allow == ""
			}
			if held != tt.held {
				t.Errorf("held for want of files: %v; want %v (%s)", held, tt.held, sketch(p.Changes))
			}
		})
	}
}

// What a field names is shown by the name it has, also where it is one alone.
func TestWhatAFieldNamesIsNeverABlank(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"audience/new", "targeting.audiences: audience/new"},
		{"caud_7", "targeting.audiences: caud_7"},
		{"audience/new|caud_7", "targeting.audiences: audience/new, caud_7"},
	} {
		p := diff(t, "", "audience/new name=Customers\ncampaign/x name=Spring targeting.audiences="+tt.said, "")
		said := 0
		for _, c := range p.Changes {
			for _, line := range planview.FieldLines(kinds.All(), c.Document()) {
				if !strings.HasPrefix(line, "targeting.audiences") {
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
