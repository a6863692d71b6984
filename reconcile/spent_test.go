package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
)

// running makes a campaign with a lifetime budget that has delivered for twenty days.
func (w *world) running() {
	body := emulatortest.CampaignBody("Spring")
	body["budget"] = map[string]any{"lifetime_spend_limit_micros": 900_000_000}
	campaign := w.service.Must(w.t, "POST", "/campaigns", body).ID(w.t)
	group := w.service.AdGroup(w.t, campaign, "Runners")
	ad := w.service.Ad(w.t, group, "Hero")
	for _, path := range []string{"/campaigns/" + campaign, "/ad_groups/" + group, "/ads/" + ad} {
		w.service.Must(w.t, "POST", path+"/activate", nil)
	}
	w.pass(20 * 24 * time.Hour)
}

func (w *world) money() plan.Money {
	w.t.Helper()
	view, err := w.agent.Plan(context.Background(), reconcile.Desired{Snapshot: w.desired})
	if err != nil {
		w.t.Fatal(err)
	}
	return view.Plan.Money
}

func TestMoneyTakesOffWhatALifetimeBudgetHasSpent(t *testing.T) {
	w := newWorld(t)
	w.running()
	m := w.money()
	if left := m.Lifetime.Before; left <= 0 || left >= 900_000_000 || m.SpentUnknown {
		t.Errorf("%d of 900000000 micros are left, unknown: %v; want less than the whole, after twenty days",
			left, m.SpentUnknown)
	}
	if asked := w.asked(t); len(asked) != 1 {
		t.Errorf("asked %v what was spent; want it asked once", asked)
	}
	if m.Today == "" || m.Currency == "" {
		t.Errorf("today is %q, currency %q; want those of the account", m.Today, m.Currency)
	}
}

// TestSpendIsAskedByTheServicesClock: that of this machine is two days ahead, days that the service refuses.
func TestSpendIsAskedByTheServicesClock(t *testing.T) {
	w := newWorld(t)
	w.running()
	now := w.service.Must(t, "GET", "/_emulator/clock", nil).Map(t)["now"].(string)
	w.service.Must(t, "POST", "/_emulator/clock", map[string]any{"now": backBy(t, now, 48*time.Hour)})
	if m := w.money(); m.SpentUnknown || m.Lifetime.Before >= 900_000_000 {
		t.Errorf("%d micros are left, unknown: %v; want less than the whole", m.Lifetime.Before, m.SpentUnknown)
	}
}

func backBy(t *testing.T, moment string, d time.Duration) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil {
		t.Fatal(err)
	}
	return at.Add(-d).Format(time.RFC3339)
}

func TestSpendThatCannotBeHadCountsAsLeft(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) {
		faults, err := emulator.ReadFaults(strings.NewReader(`{"faults": [{"match": ` +
			`{"path": "/ad_account/insights"}, "action": {"status": {"code": 403}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = faults
	})
	w.running()
	if m := w.money(); m.Lifetime.Before != 900_000_000 || !m.SpentUnknown {
		t.Errorf("%d micros are left, unknown: %v; want the whole budget, and that it is not known",
			m.Lifetime.Before, m.SpentUnknown)
	}
}

func TestNobodyIsAskedWhatWasSpentWithoutALifetimeBudget(t *testing.T) {
	w := newWorld(t)
	w.service.Campaign(t, "Spring")
	w.money()
	if asked := w.asked(t); len(asked) != 0 {
		t.Errorf("asked %v; want nothing", asked)
	}
}
