package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// Interface, part 4: add and remove take inline identifiers, a replace has an uploaded
// file. Where the account takes none, what cannot be said is held, and nothing releases it.
func TestAReplaceIsHeldWhereTheAccountTakesNoFiles(t *testing.T) {
	const base = "audience/c#a1 name=Customers "
	for _, tt := range []struct {
		name, last, live, do string
		held                 bool
	}{
		{"people join", base + "members.file=sha256:aa members.known=5 members.revision=3",
			base + "members.revision=3", "add", false},
		{"people leave", base + "members.file=sha256:aa members.known=500 members.revision=3",
			base + "members.revision=3", "remove", false},
		{"a list takes the place of another", base + "members.file=sha256:aa members.known=5 members.revision=3",
			base + "members.revision=3", "replace", true},
		{"nobody is in it yet", base + "members.file=null members.revision=0",
			base + "members.revision=0", "replace", false},
		{"the rest of this list", base + "members.file=null members.revision=1 members.sent=sha256:bb_add_3",
			base + "members.revision=1", "replace", false},
		{"the rest of another list", base + "members.file=null members.revision=1 members.sent=sha256:cc_add_3",
			base + "members.revision=1", "replace", true},
		{"somebody else came between", base + "members.file=null members.revision=1 members.sent=sha256:bb_add_3",
			base + "members.revision=2", "replace", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := snapshot(t, tt.last)
			for r := range last.All() {
				if n := r.Value("members.sent"); n.IsSet() {
					r.Set("members.sent", resource.Text(strings.ReplaceAll(n.Text(), "_", " ")))
				}
			}
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: last, Live: snapshot(t, tt.live),
				Desired: snapshot(t, "audience/c name=Customers "+
					"members.file=sha256:bb members.identifier=email members.people=50 members.do="+tt.do),
				Allow:        allowances(t, "shrinks-audience", "conflict", "drift"),
				Capabilities: map[resource.Capability]bool{resource.PeopleFiles: false},
			})
			held := false
			for _, h := range p.Changes[0].Holds() {
				held = held || h.Message == plan.NoInlineReplace() && h.Allow == ""
			}
			if held != tt.held {
				t.Errorf("held for want of files: %v; want %v (%s)", held, tt.held, sketch(p.Changes))
			}
		})
	}
}
