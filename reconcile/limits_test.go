package reconcile_test

import (
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/plan"
)

// day is a day of the account, so many days from today.
func (w *world) day(days int) string {
	w.t.Helper()
	if w.agent.Zone == nil {
		w.plan()
	}
	return resource.DayPlus(w.now().In(w.agent.Zone).Format("2006-01-02"), days)
}

func (w *world) permitAll(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		allowance, err := plan.ParseAllowance(text)
		if err != nil {
			w.t.Fatal(err)
		}
		w.allow = append(w.allow, allowance)
	}
}

// limits are what the service has now, in its own words.
func (w *world) limits() string {
	w.t.Helper()
	return string(w.service.Must(w.t, "GET", "/ad_account/spend_limit_windows", nil).Body)
}

// E2E of spend limits: created, edited, their end cleared, removed; the second
// plan is empty after each.
func TestSpendLimitsComeChangeAndGo(t *testing.T) {
	w := newWorld(t)
	window := func(amount int, last string) map[string]any {
		return map[string]any{"amount": amount, "start": w.day(3), "end": last, "name": "December"}
	}
	w.write("spend_limit_window/december", window(5_000_000_000, w.day(33)))
	w.write("daily_spend_limit/early", map[string]any{"amount": 300_000_000, "start": w.day(1), "end": w.day(10)})
	w.write("daily_spend_limit/late", map[string]any{"amount": 400_000_000, "start": w.day(11)})
	w.clean()
	if got := w.limits(); !strings.Contains(got, `"end_date":"`+w.day(34)+`"`) || strings.Count(got, `"window_id"`) != 4 {
		t.Errorf("limits are %s; want the exclusive end, and one window and two rules (the first of them twice)", got)
	}
	w.permitAll("raises-spend")
	w.write("spend_limit_window/december", window(6_000_000_000, w.day(30)))
	w.write("daily_spend_limit/early", map[string]any{"amount": 200_000_000, "start": w.day(1), "end": w.day(9)})
	w.write("daily_spend_limit/late", map[string]any{"amount": 450_000_000, "start": w.day(11), "end": nil})
	w.clean()
	w.write("daily_spend_limit/late", map[string]any{"amount": 450_000_000, "start": w.day(11), "end": w.day(60)})
	w.clean()
	w.write("daily_spend_limit/late", map[string]any{"amount": 450_000_000, "start": w.day(11), "end": nil})
	w.clean()
	w.write("spend_limit_window/december", map[string]any{"amount": 6_000_000_000, "start": w.day(3), "end": w.day(30), "name": "December", "status": "archived"})
	w.write("daily_spend_limit/early", map[string]any{"amount": 200_000_000, "start": w.day(1), "end": w.day(9), "status": "archived"})
	w.write("daily_spend_limit/late", map[string]any{"amount": 450_000_000, "start": w.day(11), "status": "archived"})
	w.clean()
	if got := w.limits(); strings.Contains(got, "window_id") {
		t.Errorf("limits are %s; want none", got)
	}
}

func TestPixelEventSettingAndAccount(t *testing.T) {
	for _, only := range []bool{false, true} {
		w := newWorld(t, func(o *emulator.Options) { o.InterfaceOnly = only })
		w.write("pixel/shop", map[string]any{"name": "Web shop"})
		w.clean()
		id := ""
		if view := w.plan(); view.Last.Get(resource.Address{Kind: "pixel", Key: "shop"}) != nil {
			id = view.Last.Get(resource.Address{Kind: "pixel", Key: "shop"}).ID
		}
		w.write("event_setting/orders", map[string]any{"name": "Orders", "event_type": "order_created", "source": id})
		w.write("account/account", map[string]any{"name": "Trail Shoes", "status": "paused"})
		w.clean()
		w.permitAll("activates")
		w.write("account/account", map[string]any{"account_name": "Trail Shoes US", "legal_name": "Trail Shoes", "brand_name": "Trail", "status": "active"})
		w.clean()
	}
}
