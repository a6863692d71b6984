package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

// listed reads live resources as a list gives them: `campaign c1 name=Spring`,
// `ad_group g1<c1 name=Runners` beneath campaign c1.
func listed(t testing.TB, text string) []*resource.Resource {
	t.Helper()
	var live []*resource.Resource
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		id, parent, _ := strings.Cut(fields[1], "<")
		r := parse(t, append([]string{fields[0] + "/-"}, fields[2:]...))
		r.Address, r.ID, r.ParentID = resource.Address{Kind: resource.Kind(fields[0])}, id, parent
		live = append(live, r)
	}
	return live
}

func TestIdentify(t *testing.T) {
	tests := []struct {
		name          string
		last, desired string
		live          string
		want          string // id=address, by address
		problems      string
	}{
		{name: "by the binding, whatever the name", last: "campaign/x#c1 name=Spring",
			desired: "campaign/x name=Spring", live: "campaign c1 name=Other", want: "c1=campaign/x"},
		{name: "by the binding, though the files do not name it",
			last: "campaign/x#c1 name=Spring", live: "campaign c1 name=Other", want: "c1=campaign/x"},
		{name: "by the id in the files", desired: "campaign/x#c1 name=Spring",
			live: "campaign c1 name=Other", want: "c1=campaign/x"},
		{name: "by the id in the files, archived as it is", desired: "campaign/x#c1 name=Spring",
			live: "campaign c1 name=Other status=archived", want: "c1=campaign/x"},
		{name: "by name", desired: "campaign/x name=Spring", live: "campaign c1 name=Spring", want: "c1=campaign/x"},
		{name: "by name but for case", desired: "campaign/x name=Spring",
			live: "campaign c1 name=SPRING", want: "c1=campaign/x"},
		{name: "by the exact name before another case", desired: "campaign/x name=Spring",
			live: "campaign c1 name=SPRING\ncampaign c2 name=Spring", want: "c2=campaign/x c1=campaign/~c1"},
		{name: "never an archived one by name", desired: "campaign/x name=Spring",
			live: "campaign c1 name=Spring status=archived", want: "c1=campaign/~c1"},
		{name: "never by name what is bound to another id", last: "campaign/x#c9 name=Spring",
			desired: "campaign/x name=Spring", live: "campaign c1 name=Spring", want: "c1=campaign/~c1"},
		{name: "never by name what has an id in the files", desired: "campaign/x#c9 name=Spring status=archived",
			live: "campaign c1 name=Spring", want: "c1=campaign/~c1",
			problems: `id is "c9", and the service has no such campaign; want the id of a live one, or none (ADS1011)`},
		{name: "archived in the files, its id that of another than the key's",
			last: "campaign/x#c1 name=Spring", desired: "campaign/x#c9 name=Spring status=archived",
			live: "campaign c1 name=Spring", want: "c1=campaign/x",
			problems: `id is "c9", and the key is bound to "c1"; want that id, or another key (ADS1014)`},
		{name: "archived in the files, and gone since",
			last: "campaign/x#c9 name=Spring", desired: "campaign/x#c9 name=Spring status=archived"},
		{name: "beneath its parent only", desired: "campaign/x name=Spring\nad_group/x/r name=Runners",
			live: "campaign c1 name=Spring\ncampaign c2 name=Other\nad_group g2<c2 name=Runners",
			want: "c1=campaign/x c2=campaign/~c2 g2=ad_group/~c2/~g2"},
		{name: "a whole tree", desired: "campaign/x name=Spring\nad_group/x/r name=Runners\nad/x/r/a name=Hero",
			live: "ad a1<g1 name=Hero\nad_group g1<c1 name=Runners\ncampaign c1 name=Spring",
			want: "c1=campaign/x g1=ad_group/x/r a1=ad/x/r/a"},
		{name: "an ad without a name by its title",
			desired: "campaign/x name=Spring\nad_group/x/r name=Runners\nad/x/r/a title=Shoes_one",
			live:    "campaign c1 name=Spring\nad_group g1<c1 name=Runners\nad a1<g1 name=Anything title=Shoes_one",
			want:    "c1=campaign/x g1=ad_group/x/r a1=ad/x/r/a"},
		{name: "of a parent that is not listed", live: "ad_group g1<c1 name=Runners", want: "g1=ad_group/~g1"},
		{name: "one of two of the same name", desired: "campaign/x name=Spring",
			live: "campaign c2 name=Spring\ncampaign c1 name=Spring", want: "c1=campaign/~c1 c2=campaign/~c2",
			problems: `warning: name is "Spring", which fits ` +
				`c1, c2 at the service and one resource of the files; give the id of the one that is meant (ADS1024)`},
		{name: "one for two of the same title", desired: "campaign/x name=Spring\n" +
			"ad_group/x/r name=Runners\nad/x/r/a title=Shoes_one\nad/x/r/b title=Shoes_one",
			live: "campaign c1 name=Spring\nad_group g1<c1 name=Runners\nad a1<g1 name=Shoes title=Shoes_one",
			want: "c1=campaign/x g1=ad_group/x/r a1=ad/x/r/~a1",
			problems: `warning: title is "Shoes one", which fits a1 at the service and 2 resources of the files; give the id of the one that is meant (ADS1024)
warning: title is "Shoes one", which fits a1 at the service and 2 resources of the files; give the id of the one that is meant (ADS1024)`},
		{name: "an id that is not live", desired: "campaign/x#c9 name=Spring",
			live: "campaign c1 name=Other", want: "c1=campaign/~c1",
			problems: `id is "c9", and the service has no such campaign; want the id of a live one, or none (ADS1011)`},
		{name: "an id that is not live any more, and was ours",
			last: "campaign/x#c9 name=Spring", desired: "campaign/x#c9 name=Spring"},
		{name: "an id of another key", last: "campaign/y#c1 name=Spring", desired: "campaign/x#c1 " +
			"name=Spring\ncampaign/y name=Spring", live: "campaign c1 name=Spring", want: "c1=campaign/y",
			problems: `id is "c1", which is that of campaign/y; want another id, or the same key (ADS1014)`},
		{name: "an id besides the bound one", last: "campaign/x#c1 name=Spring", desired: "campaign/x#c2 name=Spring",
			live: "campaign c1 name=Spring\ncampaign c2 name=Other", want: "c1=campaign/x c2=campaign/~c2",
			problems: `id is "c2", and the key is bound to "c1"; want that id, or another key (ADS1014)`},
		{name: "an id twice", desired: "campaign/x#c1 name=Spring\ncampaign/y#c1 name=Other",
			live: "campaign c1 name=Spring", want: "c1=campaign/x",
			problems: `id is "c1", as that of campaign/x; want an id once (ADS1012)`},
		{name: "an ad of another ad group", desired: "campaign/x name=Spring\n" +
			"ad_group/x/r name=Runners\nad_group/x/s name=Sprinters\nad/x/s/a#a1 name=Hero",
			live: "campaign c1 name=Spring\nad_group g1<c1 name=Runners\nad_group g2<c1 name=Sprinters\n" +
				"ad a1<g1 name=Hero", want: "c1=campaign/x g1=ad_group/x/r a1=ad/x/r/~a1 g2=ad_group/x/s",
			problems: `id is "a1", which is beneath ` +
				`ad_group/x/r at the service, and the row is beneath ad_group/x/s; nothing moves to another ` +
				`parent: put the row back, or leave the id out and give another key, to make a new one (ADS1014)`},
		{name: "a key that moved, named by its id, takes its tree along", last: "campaign/old#c1 name=Spring\n" +
			"ad_group/old/r#g1 name=Runners", desired: "campaign/new#c1 name=Spring\nad_group/new/r name=Runners",
			live: "campaign c1 name=Spring\nad_group g1<c1 name=Runners", want: "c1=campaign/new g1=ad_group/new/r"},
		{name: "a key that moved onto one that is bound",
			last: "campaign/x#c1 name=Spring\ncampaign/y#c2 name=Other", desired: "campaign/y#c1 name=Spring",
			live: "campaign c1 name=Spring\ncampaign c2 name=Other", want: "c2=campaign/y c1=campaign/~c1",
			problems: `id is "c1", and the key is bound to "c2"; want that id, or another key (ADS1014)`},
		{name: "a key that moved onto one that is bound, to a smaller id",
			last: "campaign/x#c2 name=Spring\ncampaign/y#c1 name=Other", desired: "campaign/y#c2 name=Spring",
			live: "campaign c1 name=Other\ncampaign c2 name=Spring", want: "c1=campaign/y c2=campaign/~c2",
			problems: `id is "c2", and the key is bound to "c1"; want that id, or another key (ADS1014)`},
		{name: "a key that moved onto one whose resource is gone",
			last: "campaign/x#c1 name=Spring\ncampaign/y#c2 name=Other", desired: "campaign/y#c1 name=Spring",
			live: "campaign c1 name=Spring", want: "c1=campaign/y"},
		{name: "listed twice", last: "campaign/x#c1",
			live: "campaign c1 name=Spring\ncampaign c1 name=Spring", want: "c1=campaign/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			live := listed(t, tt.live)
			got, found := plan.Identify(kinds.All(), snapshot(t, tt.last), snapshot(t, tt.desired), live)
			if d := cmp.Diff(tt.want, identities(got)); d != "" {
				t.Errorf("Identify (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.problems, problems(found)); d != "" {
				t.Errorf("problems (-want +got):\n%s", d)
			}
			slices.Reverse(live)
			again, _ := plan.Identify(kinds.All(), snapshot(t, tt.last), snapshot(t, tt.desired), live)
			if d := cmp.Diff(identities(got), identities(again)); d != "" {
				t.Errorf("Identify of the list reversed (-first +second):\n%s", d)
			}
		})
	}
}

// An ad that was moved to another ad group keeps its address and its record: it
// is never taken for one of the other ad group.
func TestH9AnAdMovedToAnotherAdGroup(t *testing.T) {
	const live = "campaign c1 name=Spring\nad_group " +
		"g1<c1 name=Runners\nad_group g2<c1 name=Sprinters\nad a1<g1 name=Hero"
	const above = "campaign/x#c1 name=Spring\nad_group/x/r#g1 name=Runners\nad_group/x/s#g2 name=Sprinters\n"
	const beneathOther = `id is "a1", which is ` +
		`beneath ad_group/x/r at the service, and the row is beneath ad_group/x/s; nothing moves to ` +
		`another parent: put the row back, or leave the id out and give another key, to make a new one (ADS1014)`
	tests := []struct{ name, last, desired, want, problems string }{
		{"managed, the id taken along", above + "ad/x/r/a#a1 name=Hero",
			above + "ad/x/s/a#a1 name=Hero", "ad/x/r/a", beneathOther},
		{"managed, the id taken along under another key",
			above + "ad/x/r/a#a1 name=Hero", above + "ad/x/s/b#a1 name=Hero", "ad/x/r/a", beneathOther},
		{"not managed yet", above, above + "ad/x/s/a#a1 name=Hero", "ad/x/r/~a1", beneathOther},
		{"to a new ad group", above + "ad/x/r/a#a1 name=Hero",
			above + "ad_group/x/new name=New\nad/x/new/a#a1 name=Hero", "ad/x/r/a",
			strings.ReplaceAll(beneathOther, "x/s;", "x/new;")},
		{"without its id it is another", above + "ad/x/r/a#a1 name=Hero", above + "ad/x/s/a name=Hero", "ad/x/r/a", ""},
		{"another key beneath the same ad group", above + "ad/x/r/a#a1 name=Hero",
			above + "ad/x/r/b#a1 name=Hero", "ad/x/r/b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := plan.Identify(kinds.All(), snapshot(t, tt.last), snapshot(t, tt.desired), listed(t, live))
			if d := cmp.Diff(tt.problems, problems(found)); d != "" {
				t.Errorf("problems (-want +got):\n%s", d)
			}
			if !strings.Contains(identities(got), "a1="+tt.want+" ") {
				t.Errorf("Identify = %s, want a1=%s", identities(got), tt.want)
			}
		})
	}
}

// A list that changes while it is read may repeat a resource.
func TestTheLaterReadingCounts(t *testing.T) {
	live := listed(t, "campaign c1 name=Spring\ncampaign c2 name=Other\ncampaign c1 name=Later\ncampaign c2 name=Last")
	got, _ := plan.Identify(kinds.All(), snapshot(t, "campaign/x#c1 name=Spring"), nil, live)
	for address, want := range map[string]string{"x": "Later", "~c2": "Last"} {
		r := got.Get(resource.Address{Kind: kinds.Campaign, Key: address})
		if r == nil || r.Value("name").Text() != want {
			t.Errorf("campaign/%s is %v; want the name %s", address, r, want)
		}
	}
}

func identities(s *resource.Snapshot) string {
	var all []string
	for r := range s.All() {
		all = append(all, fmt.Sprintf("%s=%s", r.ID, r.Address))
	}
	return strings.Join(all, " ")
}

func TestIdentifyLeavesItsInputAlone(t *testing.T) {
	live := listed(t, "campaign c1 name=Spring")
	if _, found := plan.Identify(kinds.All(), nil, snapshot(t, "campaign/x name=Spring"), live); len(found) > 0 {
		t.Errorf("problems: %s", problems(found))
	}
	if live[0].Address.Key != "" {
		t.Errorf("Identify wrote %s into the resource it was given", live[0].Address)
	}
}
