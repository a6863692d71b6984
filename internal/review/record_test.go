package review

import (
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/state/kv"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func ad(said, reason string, issues ...string) Standing {
	return Standing{
		Address: "ad/s/r/hero", ID: "ad_1", Name: "Hero",
		In: "Spring › Runners", Said: said, Reason: reason, Issues: issues,
	}
}

// TestWhatIsTold: each row is what was read of one ad, in order, and what people are told.
func TestWhatIsTold(t *testing.T) {
	rejected, elsewhere := ad("rejected", "crawler_404"), ad("rejected", "robots_txt")
	waits, approved, limited := ad("in_review", ""),
		ad("approved", ""), ad("approved", "", "policy_country_targeting_limited")
	tests := []struct {
		name string
		read []Standing
		want string
	}{
		{"a new ad that is approved", []Standing{waits, approved}, ""},
		{"a new ad that is rejected", []Standing{waits, rejected}, "rejected"},
		{"a rejection that stands is told once", []Standing{rejected, rejected, rejected}, "rejected"},
		{"another reason is told", []Standing{rejected, elsewhere}, "rejected rejected"},
		{"mended and approved", []Standing{rejected, waits, approved}, "rejected approved"},
		{"mended, and rejected for the same reason", []Standing{rejected, waits, rejected}, "rejected rejected"},
		{"limited, and no longer", []Standing{approved, limited, approved}, "limited approved"},
		{"its campaign is paused", []Standing{approved, ad("approved", "", "campaign_not_active")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Record{}
			var told []string
			for i, s := range tt.read {
				r.See(noon.Add(time.Duration(i)*Soon), s, true)
				for _, l := range r.TakeNews() {
					told = append(told, string(l.State))
				}
			}
			if got := strings.Join(told, " "); got != tt.want {
				t.Errorf("told %q; want %q", got, tt.want)
			}
		})
	}
}

func TestIssuesStandWhereTheyWereNotAskedFor(t *testing.T) {
	r := &Record{}
	r.See(noon, ad("approved", "", "policy_country_targeting_limited"), true)
	r.See(noon.Add(time.Minute), ad("approved", ""), false)
	if l, _ := r.Line("ad/s/r/hero"); l.State != Limited || !l.Since.Equal(noon) {
		t.Errorf("after a plan the ad is %s since %s; want limited since %s", l.State, l.Since, noon)
	}
	r.See(noon.Add(time.Hour), ad("approved", ""), true)
	if l, _ := r.Line("ad/s/r/hero"); l.State != Approved {
		t.Errorf("after it was asked for the ad is %s; want approved", l.State)
	}
	if len(r.Changes) != 2 || r.Changes[1].Text() != "“Hero” in Spring › Runners is approved, was limited" {
		t.Errorf("changes are %+v; want that it was limited and is approved", r.Changes)
	}
}

func TestDueAreThoseInReviewFirst(t *testing.T) {
	r := &Record{Ads: map[string]*Standing{}}
	put := func(address, said string, ago time.Duration) {
		r.Ads[address] = &Standing{Address: address, Said: said, Asked: noon.Add(-ago)}
	}
	put("fresh", "approved", 10*time.Minute)
	put("old", "approved", 2*time.Hour)
	put("older", "rejected", 3*time.Hour)
	put("waits", "in_review", 5*time.Minute)
	put("waited", "in_review", time.Minute)
	put("future", "approved", -time.Hour)
	got := r.Due(noon, []string{"fresh", "future", "new", "old", "older", "waited", "waits"})
	if want := []string{"new", "waits", "older", "old", "future"}; !slices.Equal(got, want) {
		t.Errorf("Due(…) = %v; want %v", got, want)
	}
}

func TestTheRecordIsKept(t *testing.T) {
	s := kv.Folder{Dir: t.TempDir()}
	r := &Record{}
	r.See(noon, ad("rejected", "crawler_404"), true)
	r.TakeNews()
	if err := r.Save(s); err != nil {
		t.Fatal(err)
	}
	kept, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	kept.See(noon.Add(time.Hour), ad("rejected", "crawler_404"), true)
	if news := kept.TakeNews(); len(news) != 0 || len(kept.Changes) != 1 {
		t.Errorf("after a restart %d ads are told of, and %d changed; want none told again, and the one change",
			len(news), len(kept.Changes))
	}
}

func TestTheBudgetIsCountedAMinute(t *testing.T) {
	r := &Record{}
	for range 3 {
		if r.Allow(noon, 3) == 0 {
			t.Fatal("Allow(3) = 0 before 3 were spent")
		}
		r.Spend()
	}
	if got := r.Allow(noon.Add(59*time.Second), 3); got != 0 {
		t.Errorf("Allow(3) = %d within the minute; want 0", got)
	}
	if got := r.Allow(noon.Add(time.Minute), 3); got != 3 {
		t.Errorf("Allow(3) = %d a minute later; want 3", got)
	}
}

// TestApprovalsCrowdNothingOut: that a review begins and approves is seen, and is no entry of
// the history, which is of what went wrong and was mended.
func TestApprovalsCrowdNothingOut(t *testing.T) {
	r := &Record{}
	for i, s := range []Standing{ad("in_review", ""), ad("approved", ""),
		ad("in_review", ""), ad("rejected", "crawler_404"), ad("in_review", ""), ad("approved", "")} {
		r.moved = false
		r.See(noon.Add(time.Duration(i)*Soon), s, true)
		if !r.Moved() {
			t.Errorf("read %d: Moved() = false; want true, as the ad stands otherwise", i)
		}
	}
	var said []string
	for _, c := range r.Changes {
		said = append(said, string(c.State))
	}
	if got := strings.Join(said, ", "); got != "rejected, in review" {
		t.Errorf("the history says %q; want that it was rejected, and is in review again", got)
	}
}
