package reconcile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/recover"
	"adsync/state"
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
	if got := w.limits(); !strings.Contains(got, `"end_date":"`+w.day(34)+`"`) ||
		strings.Count(got, `"window_id"`) != 4 {
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
	w.write("spend_limit_window/december", map[string]any{
		"amount": 6_000_000_000, "start": w.day(3), "end": w.day(30), "name": "December", "status": "archived",
	})
	w.write("daily_spend_limit/early", map[string]any{
		"amount": 200_000_000, "start": w.day(1), "end": w.day(9), "status": "archived",
	})
	w.write("daily_spend_limit/late", map[string]any{"amount": 450_000_000, "start": w.day(11), "status": "archived"})
	w.clean()
	if got := w.limits(); strings.Contains(got, "window_id") {
		t.Errorf("limits are %s; want none", got)
	}
}

func TestPixelEventSettingAndAccount(t *testing.T) {
	for _, only := range []bool{false, true} {
		w := newWorld(t, emulatortest.WithPoints(t, map[bool]string{true: "profile:interface"}[only]))
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
		w.write("account/account", map[string]any{
			"account_name": "Trail Shoes US", "legal_name": "Trail Shoes", "brand_name": "Trail", "status": "active",
		})
		w.clean()
	}
}

// dailyBodies keeps what is sent to the daily rules.
type dailyBodies struct {
	next  http.RoundTripper
	daily []string
	meet  func() // before the first write reaches the service
}

func (b *dailyBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/daily_spend_limit") {
		b.daily = append(b.daily, string(peek(r)))
		if b.meet != nil {
			b.meet()
			b.meet = nil
		}
	}
	return b.next.RoundTrip(r)
}

func (w *world) watched() *dailyBodies {
	w.t.Helper()
	b := &dailyBodies{next: http.DefaultTransport}
	w.agent = w.through(b, w.store)
	return b
}

// A10: absent, null and a value are three things, down to the bytes.
func TestA10DailyLimitFieldsAreAbsentNullOrAValue(t *testing.T) {
	w := newWorld(t)
	b := w.watched()
	w.permitAll("raises-spend")
	for _, step := range []struct {
		name   string
		values map[string]any
		want   []string
		never  []string
	}{
		{"a new rule", map[string]any{"amount": 300_000_000},
			[]string{`"window_id":null`, `"start_date":"`}, []string{"end_date"}},
		{"an end", map[string]any{"amount": 300_000_000, "end": w.day(9)},
			[]string{`"window_id":"slw_`, `"end_date":"` + w.day(10) + `"`}, []string{"start_date"}},
		{"an amount keeps the end", map[string]any{"amount": 200_000_000, "end": w.day(9)},
			[]string{`"window_id":"slw_`, `"amount_micros":200000000`}, []string{"end_date"}},
		{"no end any more", map[string]any{"amount": 200_000_000, "end": nil},
			[]string{`"window_id":"slw_`, `"end_date":null`}, nil},
		{"an end nobody manages", map[string]any{"amount": 250_000_000},
			[]string{`"amount_micros":250000000`}, []string{"end_date"}},
	} {
		b.daily = nil
		step.values["start"] = w.day(1)
		w.write("daily_spend_limit/winter", step.values)
		w.clean()
		sent := strings.Join(b.daily, "\n")
		if len(b.daily) != 1 || !strings.Contains(sent, `"expected_revision":`) {
			t.Errorf("%s: sent %s; want one body with a revision", step.name, sent)
		}
		for _, want := range step.want {
			if !strings.Contains(sent, want) {
				t.Errorf("%s: sent %s; want %s", step.name, sent, want)
			}
		}
		for _, never := range step.never {
			if strings.Contains(sent, never) {
				t.Errorf("%s: sent %s; want no %s", step.name, sent, never)
			}
		}
	}
}

// A11: a lower limit goes before what it must bound; a removal waits for consent.
func TestA11LimitsFollowTheOrderOfMoney(t *testing.T) {
	w := newWorld(t)
	w.write("daily_spend_limit/winter", map[string]any{"amount": 300_000_000, "start": w.day(1)})
	w.clean()
	w.write("daily_spend_limit/winter", map[string]any{"amount": 300_000_000, "start": w.day(1), "status": "archived"})
	view := w.plan()
	if len(view.Plan.Changes) != 1 || len(view.Plan.Applicable()) != 0 ||
		view.Plan.Changes[0].Holds()[0].Hazard != plan.RaisesSpend {
		t.Errorf("removal of a limit: %s; want it held as raises-spend", describe(view.Plan))
	}
	w.write("daily_spend_limit/winter", map[string]any{"amount": 100_000_000, "start": w.day(1)})
	w.write("spend_limit_window/december", map[string]any{"amount": 900_000_000, "start": w.day(3), "end": w.day(9)})
	for _, c := range w.plan().Plan.Applicable() {
		for _, f := range c.Fields {
			if f.Phase != plan.Lower {
				t.Errorf("%s %s goes in phase %s; want lower", c.Address, f.Name, f.Phase)
			}
		}
	}
	w.clean()
}

// A12: an account that is not on postpaid billing; everything else goes on.
func TestA12LimitsOfAnotherBillingAreHeldWithTheReason(t *testing.T) {
	for _, status := range []string{"403", "404", "422"} {
		w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Postpaid = false },
			emulatortest.WithPoints(t, "spend_limits_unavailable_status="+status))
		w.write("daily_spend_limit/winter", map[string]any{"amount": 300_000_000, "start": w.day(1)})
		w.tree("spring", "paused")
		report := w.apply()
		held := report.Outcomes[slices.IndexFunc(report.Outcomes, func(o apply.Outcome) bool {
			return o.Address.Kind == "daily_spend_limit"
		})]
		if held.Outcome != apply.OutcomeHeld ||
			!strings.Contains(held.Message, "postpaid invoice billing") || report.Count(state.OutcomeApplied) != 3 {
			t.Errorf("%s: limit is %s %q, %s; want it held with the reason, the rest applied",
				status, held.Outcome, held.Message, report.Summary())
		}
	}
}

// A13: days stay the account's days, whatever its time zone, over the changes of
// the clock too.
func TestA13DaysOfLimitsAreNotShifted(t *testing.T) {
	for _, zone := range []string{"Pacific/Kiritimati",
		"Pacific/Pago_Pago", "America/New_York", "Australia/Lord_Howe", "UTC"} {
		w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].TimeZone = zone })
		w.write("spend_limit_window/spring", map[string]any{
			"amount": 300_000_000, "start": "2031-03-30", "end": "2031-10-26",
		})
		w.write("daily_spend_limit/tomorrow", map[string]any{"amount": 300_000_000, "start": w.day(1), "end": w.day(1)})
		w.clean()
		if got := w.limits(); !strings.Contains(got, `"start_date":"2031-03-30","end_date":"2031-10-27"`) ||
			!strings.Contains(got, `"start_date":"`+w.day(1)+`","end_date":"`+w.day(2)+`"`) {
			t.Errorf("%s: %s; want the days as the files say them", zone, got)
		}
		w.write("daily_spend_limit/today", map[string]any{"amount": 300_000_000, "start": w.day(0), "end": w.day(0)})
		if late := fmt.Sprint(w.plan().Plan.Late); !strings.Contains(late, "want "+w.day(1)+" or later") {
			t.Errorf("%s: late are %s; want tomorrow at the earliest", zone, late)
		}
	}
}

// C12: somebody changes the limits between the reading of the revision and the
// write. The write is refused, not repeated; the next plan starts from what is there.
func TestC12StaleRevisionIsReadAndPlannedAnew(t *testing.T) {
	w := newWorld(t)
	w.write("daily_spend_limit/winter", map[string]any{"amount": 300_000_000, "start": w.day(1)})
	w.clean()
	b := w.watched()
	b.meet = func() {
		w.service.Must(t, "POST", "/ad_account/spend_limit_windows", map[string]any{
			"amount_micros": 900_000_000, "start_date": w.day(3), "end_date": w.day(9),
		})
	}
	w.write("daily_spend_limit/winter", map[string]any{"amount": 200_000_000, "start": w.day(1)})
	report := w.apply()
	if len(b.daily) != 1 || report.Count(state.OutcomeFailed) != 1 ||
		!strings.Contains(report.Outcomes[0].Message, "stale_revision") {
		t.Errorf("%d writes, %+v; want one, refused as stale", len(b.daily), report.Outcomes)
	}
	w.clean()
}

// C12: the same where the files raise the limit and start a campaign: what the limits
// are by now is not what was planned with, and nothing starts before the next plan.
func TestC12NothingStartsBehindALimitThatSomebodyChanged(t *testing.T) {
	for _, points := range []string{"conflict_status=409",
		"conflict_status=422,error_body=html", "conflict_status=400,error_body=text"} {
		t.Run(points, func(t *testing.T) { nothingStartsBehindALimit(t, points) })
	}
}

func nothingStartsBehindALimit(t *testing.T, points string) {
	w := newWorld(t, emulatortest.WithPoints(t, points))
	w.write("daily_spend_limit/winter", map[string]any{"amount": 20_000_000, "start": w.day(1)})
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "status": "paused", "bidding_type": "clicks", "budget.daily": 90_000_000,
	})
	w.clean()
	w.watched().meet = func() {
		w.service.Must(t, "POST", "/ad_account/daily_spend_limit", map[string]any{
			"window_id":     w.last("daily_spend_limit/winter").ID,
			"amount_micros": 80_000_000, "expected_revision": w.Revision(),
		})
	}
	w.permitAll("raises-spend", "activates")
	w.write("daily_spend_limit/winter", map[string]any{"amount": 25_000_000, "start": w.day(1)})
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "status": "active", "bidding_type": "clicks", "budget.daily": 90_000_000,
	})
	if got := outcomes(w.apply()); got["campaign/spring"] != state.OutcomeSkipped ||
		got["daily_spend_limit/winter"] != state.OutcomeFailed {
		t.Errorf("outcomes are %v; want the limit refused as stale, and the campaign to wait", got)
	}
	if held := describe(w.plan().Plan); !strings.Contains(held, "held: exceeds-files") {
		t.Errorf("the next plan is %s; want the start held, as the limit is somebody's", held)
	}
	if blocked, err := w.store.Blocked(t.Context()); err != nil || len(blocked) > 0 {
		t.Errorf("%v is set aside, %v; want none, as what was refused was the moment", blocked, err)
	}
}

// A limit that is refused for what it says, with the revision as it was, is set aside.
func TestALimitThatIsRefusedForWhatItSaysIsSetAside(t *testing.T) {
	w := newWorld(t)
	w.write("daily_spend_limit/winter", map[string]any{"amount": 20_000_000, "start": w.day(1)})
	w.clean()
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "ad_account/daily_spend_limit") {
			return answer(r, 422, refusal)
		}
		return send(r)
	}), w.store)
	w.permitAll("raises-spend")
	w.write("daily_spend_limit/winter", map[string]any{"amount": 25_000_000, "start": w.day(1)})
	w.apply()
	if blocked, err := w.store.Blocked(t.Context()); err != nil || len(blocked) != 1 {
		t.Errorf("%d are set aside, %v; want the limit", len(blocked), err)
	}
}

// Revision is that of the limits, as the service has it now.
func (w *world) Revision() int64 {
	w.t.Helper()
	var shown struct {
		Revision int64 `json:"revision"`
	}
	if err := json.Unmarshal([]byte(w.limits()), &shown); err != nil {
		w.t.Fatal(err)
	}
	return shown.Revision
}

// What names another by its key is created after it, with the id it was given,
// in one apply; what the service refused is not named.
func TestWhatIsNamedByKeyIsMadeFirst(t *testing.T) {
	for _, only := range []bool{false, true} {
		w := newWorld(t, emulatortest.WithPoints(t, map[bool]string{true: "profile:interface"}[only]))
		w.write("pixel/shop", map[string]any{"name": "Web shop"})
		w.write("event_setting/orders", map[string]any{
			"name": "Orders", "event_type": "order_created", "source": "pixel/shop",
		})
		w.write("campaign/spring", map[string]any{
			"name": "Spring", "bidding_type": "conversions",
			"budget.daily": 100_000_000, "conversion_goal": "event_setting/orders",
		})
		w.write("ad_group/spring/g", map[string]any{"name": "Group", "bid.max": 1_250_000})
		w.clean()
		w.write("campaign/summer", map[string]any{
			"name": "Summer", "bidding_type": "conversions",
			"budget.daily": 100_000_000, "conversion_goal": "event_setting/orders",
		})
		w.clean()
	}
	w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Conversions = false })
	w.write("pixel/shop", map[string]any{"name": "Web shop"})
	w.write("event_setting/orders", map[string]any{
		"name": "Orders", "event_type": "order_created", "source": "pixel/none",
	})
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "bidding_type": "conversions",
		"budget.daily": 100_000_000, "conversion_goal": "event_setting/orders",
	})
	if got := describe(w.plan().Plan); !strings.Contains(got, "source is pixel/none, which is not at the service") ||
		!strings.Contains(got, "conversion_goal is event_setting/orders, which is held") {
		t.Errorf("plan is %s; want both held", got)
	}
}

// An audience is named once its people are in it: with the next apply.
func TestAnAudienceIsNamedOnceItIsThere(t *testing.T) {
	w := newWorld(t)
	w.write("audience/customers", map[string]any{"name": "Customers"})
	w.tree("spring", "paused")
	spring := w.desired.Get(resource.Address{Kind: "campaign", Key: "spring"})
	spring.Set("targeting.excluded_audiences", resource.List([]string{"audience/customers"}))
	if report := w.apply(); report.Count(state.OutcomeApplied) != 1 {
		t.Errorf("first apply: %s; want the audience alone", report.Summary())
	}
	w.clean()
}

// A12: the account may have no limits any more, right after one was written, or while
// what became of one is unknown. The run ends, and neither recovery nor a person's
// word is in the way of what comes next.
func TestA12LimitsThatNobodyMaySeeAnyMoreStopNothing(t *testing.T) {
	for _, status := range []int{403, 404, 422} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, its answer lost: %v", status, lost), func(t *testing.T) {
				w := newWorld(t)
				window := func(amount int) {
					w.write("spend_limit_window/now", map[string]any{
						"amount": amount, "start": w.day(3), "end": w.day(9),
					})
				}
				window(300_000_000)
				w.clean()
				window(200_000_000)
				view, gone := w.plan(), false
				w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
					limits := strings.Contains(r.URL.Path, "/ad_account/spend_limit_windows")
					if limits && gone {
						return answer(r, status, `{"error":{"message":"Spend limits are available `+
							`only for ad accounts on postpaid invoice billing.","code":"spend_limits_unavailable"}}`)
					}
					response, err := send(r)
					if limits && r.Method == http.MethodPost {
						if gone = true; lost {
							_ = response.Body.Close()
							return nil, errCrash
						}
					}
					return response, err
				}), w.store)
				if _, err := w.agent.Apply(t.Context(), view); err != nil {
					t.Fatalf("apply: %v", err)
				}
				address := resource.Address{Kind: "spend_limit_window", Key: "now"}
				if _, err := w.agent.Recover(t.Context()); err != nil {
					t.Fatalf("recover: %v", err)
				}
				evidence, err := w.agent.Evidence(t.Context(), address)
				if err != nil {
					t.Fatalf("evidence: %v", err)
				}
				if evidence != nil {
					if err := w.agent.Resolve(t.Context(), evidence,
						recover.Decision{As: state.OutcomeSkipped, Unproven: true, By: "a person"}); err != nil {
						t.Fatalf("resolve: %v", err)
					}
				}
				if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) > 0 {
					t.Fatalf("recover again: %+v, %v", recovered, err)
				}
				w.tree("spring", "active")
				if got := outcomes(w.apply())["campaign/spring"]; got != state.OutcomeApplied {
					t.Errorf("a campaign that comes next is %s; want applied", got)
				}
			})
		}
	}
}
