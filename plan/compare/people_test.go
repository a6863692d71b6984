package compare_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

// Who is in an audience cannot be read back: what is compared is the list that
// was sent last, and the number the service raises with every operation.
func TestMembershipIsComparedWithWhatWasSentLast(t *testing.T) {
	const customers = "audience/c#a1 name=Customers "
	const sent = customers +
		"members.file=sha256:aa members.identifier=email members.people=100 members.known=100 members.revision=3 "
	const unseen = customers + "members.file=sha256:aa members.identifier=email members.people=100 members.known=100 "
	const file = "audience/c name=Customers members.identifier=email "
	const live = customers + "members.revision=3"
	membership := func(list, people, cause, held string) string {
		return "update audience/c; members.file list " + list + " " + cause + " neutral" +
			held + "; members.identifier email sent-along neutral; members.people " + people + " " + cause + " neutral"
	}
	first := func(held string) string { // nothing was sent before: the identifier is new as well
		return strings.Replace(membership("aa", "5", "edit", held), "sent-along", "edit", 1)
	}
	tests := []struct {
		name                string
		last, desired, live string
		allow               []string
		want                string
	}{
		{name: "A9 the list sent last asks for nothing",
			last: sent, desired: file + "members.file=sha256:aa members.people=100", live: live},
		{name: "A9 another list is an edit", last: sent,
			desired: file + "members.file=sha256:bb members.people=90", live: live,
			want: membership("bb", "90", "edit", "")},
		{name: "a file that is no longer named asks for nothing",
			last: sent, desired: "audience/c name=Customers", live: live},
		{name: "replace is what a blank means", last: sent,
			desired: file + "members.file=sha256:aa members.people=100 members.do=replace", live: live,
			want: "record audience/c; record members.do replace"},
		{name: "the same list for another operation goes again",
			last: sent, desired: file + "members.file=sha256:aa members.people=100 members.do=add", live: live,
			want: "update audience/c; members.do add edit neutral; members.file " +
				"list aa edit neutral; members.identifier email sent-along neutral; members.people 100 edit neutral"},
		{name: "A8 someone else changed who is in it", last: sent,
			desired: file + "members.file=sha256:aa members.people=100", live: customers + "members.revision=4",
			want: membership("aa", "100", "drift", " HELD(drift)")},
		{name: "A8 someone else changed who is in it, and sending again is allowed",
			last: sent, desired: file + "members.file=sha256:aa members.people=100",
			live: customers + "members.revision=4", allow: []string{"drift=audience/c"},
			want: membership("aa", "100", "drift", "")},
		{name: "A8 both changed who is in it", last: sent,
			desired: file + "members.file=sha256:bb members.people=100", live: customers + "members.revision=4",
			want: membership("bb", "100", "edit", " HELD(conflict)")},
		{name: "A8 both changed who is in it, ours allowed", last: sent, desired: file + "members.file=sha256:bb " +
			"members.people=100", live: customers + "members.revision=4", allow: []string{"conflict"},
			want: membership("bb", "100", "edit", "")},
		{name: "A8 what came of the list sent before was not seen, and another is named",
			last: unseen, desired: file + "members.file=sha256:bb members.people=100", live: live,
			want: membership("bb", "100", "edit", " HELD(conflict)")},
		{name: "A8 what came of it was not seen, and the files name the same",
			last: unseen, desired: file + "members.file=sha256:aa members.people=100", live: live},
		{name: "A6 the first list may not have come, and the revision is another", last: customers +
			"members.file=null members.revision=0", desired: file + "members.file=sha256:aa members.people=5",
			live: customers + "members.revision=1", allow: []string{"shrinks-audience"},
			want: first(" HELD(conflict)")},
		{name: "a list for an audience that was made empty", last: customers + "members.revision=0",
			desired: file + "members.file=sha256:aa members.people=5", live: customers + "members.revision=0",
			want: first("")},
		{name: "A5 a list in the place of people adsync never sent", last: customers + "members.revision=7",
			desired: file + "members.file=sha256:aa members.people=5", live: customers + "members.revision=7",
			want: first(" HELD(shrinks-audience)")},
		{name: "a new audience takes its list along", desired: file + "members.file=sha256:aa members.people=5",
			want: "create audience/c; members.file list aa edit create; " +
				"members.identifier email edit create; members.people 5 edit create; name Customers edit create"},
		{name: "nobody can be taken out of a new audience",
			desired: file + "members.file=sha256:aa members.people=5 members.do=remove",
			want: "create audience/c HELD(incomplete); " +
				"members.do remove edit create; members.file list aa edit create; " +
				"members.identifier email edit create; members.people 5 edit create; name Customers edit create"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live, tt.allow...)
			if d := cmp.Diff(tt.want, strings.ReplaceAll(strings.ReplaceAll(sketch(p.Changes),
				`"Customers"`, "Customers"), "sha256:", "list ")); d != "" {
				t.Errorf("Diff (-want +got):\n%s", d)
			}
		})
	}
}

// A5: a file that was cut takes most people out; one that only shrinks passes.
func TestA5ShrunkenMembersFileIsHeld(t *testing.T) {
	const live = "audience/c#a1 name=Customers members.revision=3"
	last := func(known string) string {
		return live + " members.file=sha256:aa members.identifier=email members.people=1 members.known=" + known
	}
	tests := []struct {
		name, known, do, people string
		held                    string
	}{
		{"30 % fewer passes", "1000", "replace", "700", ""},
		{"more than 30 % fewer is held", "1000", "replace",
			"699", "leaves 699 people of at most 1000; taking out up to 30 % passes"},
		{"almost nobody is left", "50000", "replace",
			"1", "leaves 1 person of at most 50000; taking out up to 30 % passes"},
		{"more people pass", "1000", "replace", "5000", ""},
		{"below ten people nothing is counted", "9", "replace", "1", ""},
		{"taking out 30 % passes", "1000", "remove", "300", ""},
		{"taking out more is held", "1000", "remove",
			"301", "takes out 301 people of at most 1000; taking out up to 30 % passes"},
		{"adding takes nobody out", "1000", "add", "1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			desired := "audience/c name=Customers members.file=sha256:bb members.identifier=email members.do=" +
				tt.do + " members.people=" + tt.people
			p := diff(t, last(tt.known), desired, live)
			var got string
			for _, h := range p.Changes[0].Holds() {
				if got = h.Message; h.Allow != "shrinks-audience=audience/c" {
					t.Errorf("the hold is released by %q", h.Allow)
				}
			}
			if got != tt.held {
				t.Errorf("held with %q; want %q", got, tt.held)
			}
			if p := diff(t, last(tt.known), desired,
				live, "shrinks-audience"); len(p.Changes[0].Holds()) != 0 || p.Empty() {
				t.Errorf("allowed by name it is %s", sketch(p.Changes))
			}
		})
	}
}

// An audience that campaigns still name is not archived: whom they reach would
// change with it.
func TestArchiveOfAnAudienceInUseIsHeld(t *testing.T) {
	const audience = "audience/c#a1 name=Customers\n"
	const desired = "audience/c name=Customers status=archived\n"
	const campaign = "campaign/x#c1 name=Spring "
	tests := []struct{ name, last, desired, live, want string }{
		{"nobody names it", campaign, "campaign/x name=Spring", campaign, ""},
		{"a campaign targets it", campaign + "targeting.audiences=a1",
			"campaign/x targeting.audiences=a1", campaign + "targeting.audiences=a1", "campaign/x"},
		{"a campaign leaves it out", campaign + "targeting.excluded_audiences=a1",
			"campaign/x targeting.excluded_audiences=a1", campaign + "targeting.excluded_audiences=a1", "campaign/x"},
		{"somebody else's campaign targets it", "",
			"", "campaign/~9#9 name=Theirs targeting.audiences=a1|a2", "campaign/~9"},
		{"the files take it out in this very plan", campaign + "targeting.audiences=a1",
			"campaign/x targeting.audiences=a2", campaign + "targeting.audiences=a1", "campaign/x"},
		{"the campaign is archived", campaign, "campaign/x name=Spring",
			campaign + "status=archived targeting.audiences=a1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, audience+tt.last, desired+tt.desired, audience+tt.live, "archives", "removed-by-hand")
			got := ""
			for i := range p.Changes {
				for _, h := range p.Changes[i].Holds() {
					if h.Hazard == plan.Archives && h.Allow == "" {
						got = strings.TrimSuffix(strings.TrimPrefix(h.Message, "is still named by "),
							"; take it out there and apply that first")
					}
				}
			}
			if got != tt.want {
				t.Errorf("archiving it waits for %q; want %q", got, tt.want)
			}
		})
	}
}

// People added to what a campaign targets, or taken out of what it leaves out,
// widen whom it reaches.
func TestMembershipWidensWhomCampaignsReach(t *testing.T) {
	const last = "audience/c#a1 name=Customers " +
		"members.file=sha256:aa members.identifier=email members.people=100 members.known=100 members.revision=3\n"
	const live = "audience/c#a1 name=Customers members.revision=3\n"
	for _, tt := range []struct {
		targeting, do string
		want          bool
	}{
		{"targeting.audiences=a1", "add", true}, {"targeting.audiences=a1", "remove", false},
		{"targeting.audiences=a1", "replace", true},
		{"targeting.excluded_audiences=a1", "add", false},
		{"targeting.excluded_audiences=a1", "remove", true}, {"targeting.audiences=a2", "add", false},
	} {
		campaign := "campaign/x#c1 name=Spring " + tt.targeting
		p := diff(t, last+campaign, "audience/c name=Customers members.file=sha256:bb "+
			"members.identifier=email members.people=5 members.do="+tt.do+"\ncampaign/x name=Spring", live+campaign)
		if got := slices.Contains(p.Changes[0].Hazards, plan.WidensTargeting); got != tt.want {
			t.Errorf("%s of an audience in %s widens: %v; want %v", tt.do, tt.targeting, got, tt.want)
		}
	}
}
