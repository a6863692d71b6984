package compare_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A merge makes a new audience. What it was made of cannot be read back: what is
// compared is what was merged last.
func TestMergeIsComparedWithWhatWasMergedLast(t *testing.T) {
	const (
		one  = "audience/one#a1 name=One\n"
		two  = "audience/two#a2 name=Two\n"
		made = "audience/all#a3 name=All"
		from = "audience/one name=One\naudience/two name=Two\n"
		sent = made + " merge=audience/one|audience/two members.merged=a1|a2 members.revision=1"
	)
	tests := []struct {
		name                string
		last, desired, live string
		allow               []string
		want                string
	}{
		{name: "new, of audiences of the files", last: one + two,
			desired: from + "audience/all name=All merge=audience/one|audience/two", live: one + two,
			want: "create audience/all; merge audience/one, audience/two edit create; name All edit create"},
		{name: "new, of audiences by their ids", last: one,
			desired: "audience/one name=One\naudience/all name=All merge=a1|a2", live: one + two,
			want: "create audience/all; merge a1, a2 edit create; name All edit create"},
		{name: "what was merged last asks for nothing", last: one + two + sent,
			desired: from + "audience/all name=All merge=audience/one|audience/two", live: one + two + made},
		{name: "blank asks for nothing", last: one + two + sent,
			desired: from + "audience/all name=All", live: one + two + made},
		{name: "the same in other words is recorded", last: one + two + sent,
			desired: from + "audience/all name=All merge=a1|audience/two", live: one + two + made,
			want: "record audience/all; record merge a1, audience/two"},
		{name: "other audiences are an edit no call can make", last: one + two + sent,
			desired: from + "audience/all name=All merge=audience/one|a9", live: one + two + made,
			want: "replace audience/all; merge a9, audience/one edit neutral HELD(replace)"},
		{name: "one that was made otherwise cannot be merged", last: one + two + made,
			desired: from + "audience/all name=All merge=audience/one|audience/two", live: one + two + made,
			want: "replace audience/all; merge audience/one, audience/two edit neutral HELD(replace)"},
		{name: "other audiences, and making another is allowed",
			last: one + two + sent, desired: from + "audience/all name=All merge=a1|a4",
			live: one + two + made + "\naudience/four#a4 name=Four", allow: []string{"replace", "archives"},
			want: "replace audience/all; merge a1, a4 edit create; name All edit create"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live, tt.allow...)
			if d := cmp.Diff(tt.want, strings.ReplaceAll(sketch(p.Changes), `"`, "")); d != "" {
				t.Errorf("Diff (-want +got):\n%s", d)
			}
		})
	}
}

// A merge takes the people of a moment: it is held where its sources cannot be
// what the files say they are.
func TestMergeIsHeldWhileItsSourcesAreNotThere(t *testing.T) {
	const live = "audience/one#a1 name=One\naudience/two#a2 name=Two\n"
	tests := []struct {
		name    string
		desired string
		live    string
		merge   string
		want    string
	}{
		{name: "a key of no file", merge: "audience/one|audience/three",
			want: "audience/three is neither in the files nor at the service"},
		{name: "a misspelt key", desired: "audience/two name=Two", merge: "audience/one|audience/tow",
			want: "audience/tow is neither in the files nor at the service; did you mean audience/two?"},
		{name: "an id of nothing", merge: "a1|a9",
			want: "a9 is no id of an audience the service shows; for one of your files write audience/ and its key"},
		{name: "a key without its kind", merge: "a1|two", want: "two is no id of an audience the service shows"},
		{name: "archived by somebody", live: "audience/three#a3 name=Three status=archived",
			merge: "a1|a3", want: "a3 is archived"},
		{name: "held itself", desired: "audience/two name=Other", merge: "audience/one|audience/two",
			want: "audience/two is held, and its people would be other ones afterwards"},
		{name: "made by a merge itself", desired: "audience/three name=Three merge=a1|a2",
			merge: "audience/one|audience/three", want: "audience/three is made by a merge itself"},
		{name: "itself", merge: "audience/one|audience/all", want: "it names itself"},
		{name: "twice", desired: "audience/two name=Two",
			merge: "audience/two|a2", want: "audience/two is named twice"},
		{name: "one of this plan", desired: "audience/three name=Three", merge: "audience/one|audience/three"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, live, tt.desired+"\naudience/all name=All merge="+tt.merge, live+tt.live)
			got := ""
			for _, c := range p.Changes {
				if c.Address.Key != "all" {
					continue
				}
				for _, h := range c.Holds() {
					got += h.Message
				}
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("it is held with %q; want %q", got, tt.want)
			}
		})
	}
}

// Merged and archived in one edit: the merge goes first, the archive with the
// next apply.
func TestArchiveOfWhatIsMergedWaits(t *testing.T) {
	const live = "audience/one#a1 name=One\naudience/two#a2 name=Two\n"
	desired := "audience/one name=One status=archived\n" +
		"audience/two name=Two\naudience/all name=All merge=audience/one|audience/two"
	p := diff(t, live, desired, live, "archives")
	want := `archive audience/one HELD(archives); status archived edit lower` +
		"\n" + `create audience/all; merge audience/one, audience/two edit create; name All edit create`
	if got := sketch(p.Changes); got != want {
		t.Errorf("plan is\n%s\nwant\n%s", got, want)
	}
}
