package tracking

import (
	"net/url"
	"testing"

	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRules(t *testing.T) {
	type templates = map[Level]string
	ids := map[string]string{"campaign_id": "cmpn_1", "ad_id": "ad_9", "oppref": "opp/1"}
	for _, tt := range []struct {
		name        string
		destination string
		feed        bool
		mode        Mode
		templates   templates
		want        string
	}{
		{"rule 1: parameters of the levels combine", "https://s.example/p", false, New,
			templates{Account: "a=1", Campaign: "b=2", AdGroup: "c=3", Ad: "d=4"},
			"https://s.example/p?a=1&b=2&c=3&d=4"},
		{"rule 2: the highest level wins, custom keys included", "https://s.example/p", false, New,
			templates{Account: "mine=account", AdGroup: "mine=group"}, "https://s.example/p?mine=group"},
		{"rule 3: ad over ad group over campaign over account over feed", "https://s.example/p?k=feed", true, New,
			templates{Account: "k=account", Campaign: "k=campaign", AdGroup: "k=group", Ad: "k=ad"},
			"https://s.example/p?k=ad"},
		{"rule 3: campaign over account", "https://s.example/p?k=feed", true, New,
			templates{Account: "k=account", Campaign: "k=campaign"}, "https://s.example/p?k=campaign"},
		{"rule 4: configured parameters override the feed's",
			"https://s.example/p?utm_source=feed&colour=red", true, New,
			templates{Account: "utm_source=ads"}, "https://s.example/p?utm_source=ads&colour=red"},
		{"rule 4: feed parameters without a counterpart stay", "https://s.example/p?colour=red&size=9#top", true, New,
			templates{Ad: "x=1"}, "https://s.example/p?colour=red&size=9&x=1#top"},
		{"rule 5: in Legacy ordering the feed wins", "https://s.example/p?k=feed", true, Legacy,
			templates{Account: "k=account", Ad: "k=ad"}, "https://s.example/p?k=feed"},
		{"rule 5: after the feed's utm_* are removed", "https://s.example/p?utm_source=feed&k=feed", true, Legacy,
			templates{Campaign: "utm_source=ads"}, "https://s.example/p?utm_source=ads&k=feed"},
		{"rule 5: Legacy ordering is for product feeds", "https://s.example/p?k=own", false, Legacy,
			templates{Ad: "k=ad"}, "https://s.example/p?k=ad"},
		{"rule 6: after migration the same account has the new order",
			"https://s.example/p?utm_source=feed&k=feed", true, New,
			templates{Campaign: "k=campaign"}, "https://s.example/p?utm_source=feed&k=campaign"},
		{"rule 7: the ad's settings apply to product destinations", "https://s.example/sku-1?colour=red", true, New,
			templates{Ad: "ad={ad_id}"}, "https://s.example/sku-1?colour=red&ad=ad_9"},
		{"part 2: placeholders", "https://s.example/p", false, New,
			templates{Campaign: "c={campaign_id}&a={ad_id}&o={oppref}"},
			"https://s.example/p?c=cmpn_1&a=ad_9&o=opp%2F1"},
		{"a destination's own placeholders are text",
			"https://s.example/p?c={ad_id}", false, New, nil, "https://s.example/p?c={ad_id}"},
		{"a key several times in one level keeps its values", "https://s.example/p?k=1&z=0&k=2", false, New,
			templates{Account: "k=3&k=4"}, "https://s.example/p?k=3&k=4&z=0"},
		{"keys are compared decoded", "https://s.example/p?a%20b=1",
			true, New, templates{Ad: "a+b=2"}, "https://s.example/p?a+b=2"},
		{"nothing to add", "https://s.example/p", false, New, nil, "https://s.example/p"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Combine(Input{
				Destination: tt.destination, FromFeed: tt.feed, Mode: tt.mode, Templates: tt.templates, Values: ids,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, r.URL); diff != "" {
				t.Errorf("final URL:\n%s", diff)
			}
		})
	}
}

func TestStepsSayWhatHappened(t *testing.T) {
	r, err := Combine(Input{
		Destination: "https://s.example/p?utm_source=feed&k=feed", FromFeed: true, Mode: Legacy,
		Templates: map[Level]string{Campaign: "k=campaign"},
	})
	if err != nil {
		t.Fatal(err)
	}
	last := r.Steps[4]
	one := []Parameter{{Key: "k", Value: "feed", raw: "k=feed"}}
	want := Step{
		Level: Feed, Query: "utm_source=feed&k=feed", Given: one, After: one,
		Removed:   []Parameter{{Key: "utm_source", Value: "feed", raw: "utm_source=feed"}},
		Overrides: []Parameter{{Key: "k", Value: "campaign", raw: "k=campaign"}},
	}
	if diff := cmp.Diff(want, last, cmp.AllowUnexported(Parameter{})); diff != "" {
		t.Errorf("last step:\n%s", diff)
	}
}

func TestEveryKeyHasTheValuesOfOneLevel(t *testing.T) {
	query := rapid.StringMatching(`([ab]=[0-9](&[abc]=[0-9]){0,3})?`)
	rapid.Check(t, func(rt *rapid.T) {
		in := Input{
			Destination: "https://s.example/?" + query.Draw(rt, "feed"), FromFeed: true,
			Mode:      rapid.SampledFrom([]Mode{New, Legacy}).Draw(rt, "mode"),
			Templates: map[Level]string{},
		}
		for _, l := range []Level{Account, Campaign, AdGroup, Ad} {
			in.Templates[l] = query.Draw(rt, string(l))
		}
		r, err := Combine(in)
		if err != nil {
			rt.Fatal(err)
		}
		final, _ := url.Parse(r.URL)
		want := url.Values{}
		for _, step := range r.Steps {
			given, _ := url.ParseQuery(step.Query)
			for key, values := range given {
				want[key] = values
			}
		}
		if diff := cmp.Diff(want, final.Query()); diff != "" {
			rt.Fatalf("%s:\n%s", r.URL, diff)
		}
	})
}

func FuzzCombine(f *testing.F) {
	f.Add("https://s.example/p?a=%zz&b", "x={ad_id}&&=1")
	f.Fuzz(func(t *testing.T, destination, template string) {
		r, err := Combine(Input{
			Destination: destination, FromFeed: true, Mode: New, Templates: map[Level]string{Ad: template},
		})
		if err == nil && len(r.Steps) != 5 {
			t.Errorf("%d steps, want five", len(r.Steps))
		}
	})
}
