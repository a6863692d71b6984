package ledger

import (
	"testing"
	"time"

	"adsync/internal/emulator/clock"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/store"
	"adsync/internal/emulator/world"
)

// desk is a world whose log is written by hand.
type desk struct {
	*Ledger
	account *world.Account
}

var monday = time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)

// brand is an account as the log shows it.
type brand struct {
	Status    world.Status `json:"status"`
	BrandName string       `json:"brand_name"`
}

// newDesk is an account with one ad that runs from monday on.
func newDesk(t *testing.T) *desk {
	t.Helper()
	st, err := store.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	w, err := world.Load(st, clock.New(func() time.Time { return monday }), openpoint.Defaults(), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := w.AddAccount(world.Profile{ID: "adacct_1",
		TimeZone: "UTC", BrandName: "Shop", Status: world.Active}, "sk-1")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{New(w, world.Review{Delay: time.Hour}, 1), a}
	budget, bid := int64(500_000_000), int64(1_000_000)
	d.log(t, "campaign", "c", nil, world.Campaign{
		ID: "c", Status: world.Active, BiddingType: "clicks", Budget: world.Budget{Daily: &budget},
	})
	d.log(t, "ad_group", "g", nil, world.AdGroup{
		ID: "g", CampaignID: "c", Status: world.Active, Bidding: world.Bidding{MaxBidMicros: &bid},
	})
	d.log(t, "ad", "d", nil, world.Ad{ID: "d", AdGroupID: "g", Status: world.Active})
	return d
}

func (d *desk) log(t *testing.T, resource, id string, before, after any) {
	t.Helper()
	err := d.account.Update(world.Cause{}, func(tx *world.Tx) error {
		tx.Record(world.Mutation{Action: "update", Resource: resource, ResourceID: id}, before, after)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) spent(t *testing.T) (micros int64) {
	t.Helper()
	err := d.account.View(func() error {
		micros = d.Spent(d.account, "2026-11-01", "2026-12-01")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return micros
}

// grows moves the clock and reports whether anything was spent meanwhile.
func (d *desk) grows(t *testing.T, by time.Duration) bool {
	t.Helper()
	before := d.spent(t)
	d.world.Clock.Advance(by)
	return d.spent(t) > before
}

func TestWhatTheLogSaysIsWhatIsDelivered(t *testing.T) {
	end := world.Date("2026-12-01")
	limit := world.SpendLimit{ID: "slw_1", Start: "2026-11-02", End: &end}
	shop, renamed := brand{world.Active, "Shop"}, brand{world.Active, "Store"}
	day := 12 * time.Hour
	for _, tt := range []struct {
		name          string
		resource, id  string
		before, after any
		want          bool
	}{
		{"nothing changed", "file", "f", nil, world.File{ID: "f"}, true},
		{"the account is paused", "ad_account", "adacct_1", shop, brand{world.Paused, "Shop"}, false},
		{"a window of nothing", world.ResourceSpendWindow, "slw_1", nil, limit, false},
		{"a window that was removed", world.ResourceSpendWindow, "slw_1", limit, nil, true},
		{"the campaign is archived", "campaign", "c", nil, world.Campaign{ID: "c", Status: world.Archived}, false},
		{"the ad is in review for an hour, then approved", "ad",
			"d", nil, world.Ad{ID: "d", AdGroupID: "g", Status: world.Active, SubmittedAt: monday.UnixMilli()}, true},
		{"the new creative is rejected", "ad", "d", nil, world.Ad{ID: "d", AdGroupID: "g", Status: world.Active,
			Creative: world.Creative{TargetURL: "https://s.example/review/crawler_404/x"}}, false},
		{"the brand is in review for an hour, then approved", "ad_account", "adacct_1", shop, renamed, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.log(t, tt.resource, tt.id, tt.before, tt.after)
			if got := d.grows(t, day); got != tt.want {
				t.Errorf("something is spent in %v: %v, want %v", day, got, tt.want)
			}
		})
	}
}

func TestABrandInReviewDeliversNothing(t *testing.T) {
	d := newDesk(t)
	if !d.grows(t, 12*time.Hour) {
		t.Fatal("nothing is spent on the first morning")
	}
	d.log(t, "ad_account", "adacct_1", brand{world.Active, "Shop"}, brand{world.Active, "Store"})
	if d.grows(t, 59*time.Minute) {
		t.Error("something is spent while the brand is in review (service facts 5)")
	}
	if !d.grows(t, 5*time.Hour) {
		t.Error("nothing is spent after the brand was approved")
	}
}

func TestALedgerThatBeginsLateReadsTheSame(t *testing.T) {
	d := newDesk(t)
	d.world.Clock.Advance(30 * time.Hour)
	early := d.spent(t)
	d.log(t, "ad_account", "adacct_1", brand{world.Active, "Shop"}, brand{world.Paused, "Shop"})
	d.world.Clock.Advance(30 * time.Hour)
	late := &desk{New(d.world, d.review, 1), d.account}
	if got := late.spent(t); got != d.spent(t) || got != early || got == 0 {
		t.Errorf("a ledger that begins late has %d, one from the start %d, before the pause %d", got, d.spent(t), early)
	}
}
