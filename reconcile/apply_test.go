package reconcile_test

import (
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/resource"
)

func TestNewTreeIsCreatedInOneJobAndActivatedLast(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	live := w.plan().Live.Snapshot.Get(resource.Address{Kind: "campaign", Key: "spring"})
	if got := live.Value("status").Text(); got != "active" {
		t.Errorf("campaign is %q; want active", got)
	}
}

func TestDailyBudgetTrackingScheduleAndLocalImageTakeTheirRoutes(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "status": "active", "bidding_type": "clicks",
		"budget.daily": 50_000_000, "start": "2027-03-01", "end": "2027-05-31",
		"tracking": "utm_source=chat", "targeting.countries": []string{"US"},
		"targeting.platforms": []string{"web"}, "description": "for spring",
	})
	w.write("ad/spring/g/local", map[string]any{
		"name": "Local", "status": "active", "title": "Local picture",
		"body": "Text.", "target_url": "https://shop.example/l", "image": w.image(testImage(t)),
	})
	w.write("ad_group/spring/max", map[string]any{
		"name": "Maximise", "status": "active", "bid.strategy": "maximize_clicks",
		"exclusion_hints": []string{"football boots"},
	})
	w.clean()
}

// A campaign that takes the place of one that was paid for otherwise bids as the
// new one is paid for, in a job and by single requests.
func TestWhatTakesAPlaceBidsAsTheNewCampaign(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk })
		w.permitAll("replace", "archives", "raises-spend")
		w.tree("spring", "paused")
		w.clean()
		for _, bidding := range []string{"impressions", "clicks"} {
			w.desired.Get(resource.Address{Kind: "campaign", Key: "spring"}).Set("bidding_type", resource.Text(bidding))
			w.clean()
		}
	}
}
