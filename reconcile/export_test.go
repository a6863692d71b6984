package reconcile_test

import (
	"context"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/resource"
)

// An export says of each ad what the review said and what keeps it from being
// shown; plans never ask for it.
func TestExportSaysWhatOnlyTheServiceKnows(t *testing.T) {
	w := newWorld(t)
	group := w.service.AdGroup(t, w.service.Campaign(t, "Spring"), "Runners")
	w.service.Ad(t, group, "Hero")
	live, err := w.agent.Export(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ad := live.Get(resource.Address{Kind: "ad", Key: "spring/runners/hero"})
	if ad == nil {
		t.Fatalf("exported %v, want the ad", live.Addresses())
	}
	if got, want := ad.Facts.Value("review").Text(), "in_review"; got != want {
		t.Errorf("review = %q, want %q", got, want)
	}
	if got := ad.Facts.Value("serving_issues").Text(); !strings.Contains(got, "ad_in_review") {
		t.Errorf("serving issues = %q, want ad_in_review among them", got)
	}
	if _, stray := ad.Attributes.Value("review"), ad.Value("serving_issues"); !stray.IsAbsent() {
		t.Error("a fact is among the attributes, which are compared and sent")
	}
	for _, r := range live.Addresses() {
		got := live.Get(r).Facts.Value("serving_issues").Text()
		if r.Kind != "account" && !strings.Contains(got, "not_active") && !strings.Contains(got, "in_review") {
			t.Errorf("%s: serving issues = %q, want why it is not shown", r, got)
		}
	}
}

// A service that does not know the parameter still lists its ads.
func TestExportGoesOnWhereFactsAreRefused(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) {
		faults, err := emulator.ReadFaults(strings.NewReader(`{"faults": [{"match": ` +
			`{"method": "GET", "path": "/ads", "nth": 1}, "action": {"status": {"code": 400}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = faults
	})
	group := w.service.AdGroup(t, w.service.Campaign(t, "Spring"), "Runners")
	w.service.Ad(t, group, "Hero")
	live, err := w.agent.Export(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ad := live.Get(resource.Address{Kind: "ad", Key: "spring/runners/hero"})
	if got := ad.Facts.Value("review").Text() + ad.Facts.Value("serving_issues").Text(); got != "in_review" {
		t.Errorf("facts = %q, want the review alone", got)
	}
}
