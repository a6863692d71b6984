package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

func TestDailyLimitRecord(t *testing.T) { // part 4, spend limit rules 4 and 7
	s := spendAt(t, ledger{today: 9_000_000, "2026-12-02": 3_000_000})
	reply := s.Must(t, "POST",
		daily, object{"amount_micros": 5_000_000, "expected_revision": 0}).Map(t)["spend_limits"].(map[string]any)
	rule := func(limits map[string]any) map[string]any { return limits["daily_limit"].(map[string]any) }
	id := rule(reply)["window_id"]
	want := object{
		"window_id": id, "amount_micros": 5_000_000,
		"start_date": "2026-12-02", "end_date": nil, "timezone": "America/New_York",
		"status": "upcoming", "spent_micros": nil, "remaining_micros": nil, "spend_as_of": nil, "next_reset": nil,
	}
	if diff := cmp.Diff(flat(want), flat(rule(reply))); diff != "" {
		t.Errorf("the first activation is not the next local day (-want +got):\n%s", diff)
	}
	s.Advance(t, 24*3600)
	want = with(with(with(want, "status", "active"), "spent_micros", 3_000_000), "remaining_micros", 2_000_000)
	want = with(with(want, "spend_as_of", "2026-12-02T03:00:00-05:00"), "next_reset", "2026-12-03T00:00:00-05:00")
	if diff := cmp.Diff(flat(want), flat(rule(limits(t, s)))); diff != "" {
		t.Errorf("on its first day (-want +got):\n%s", diff)
	}
	s.Advance(t, 24*3600)
	if got := rule(limits(t, s)); fmt.Sprintf("%v %v", got["spent_micros"], got["remaining_micros"]) != "0 5000000" {
		t.Errorf("next day: spent %v, remaining %v; want 0 and the whole amount, no carryover",
			got["spent_micros"], got["remaining_micros"])
	}
}

func TestDailyLimitFollowsLocalDaysAcrossDST(t *testing.T) { // part 4, spend limit rule 7
	rows := []struct{ name, zone, now, start, reset string }{
		{"clocks go forward in New York", "America/New_York",
			"2027-03-14T06:30:00Z", "2027-03-14", "2027-03-15T00:00:00-04:00"},
		{"clocks go back in New York", "America/New_York",
			"2026-11-01T05:30:00Z", "2026-11-01", "2026-11-02T00:00:00-05:00"},
		{"the day begins at one in Cairo", "Africa/Cairo",
			"2025-04-24T20:00:00Z", "2025-04-24", "2025-04-25T01:00:00+03:00"},
		{"a day ahead in Auckland", "Pacific/Auckland",
			"2026-12-01T12:00:00Z", "2026-12-02", "2026-12-03T00:00:00+13:00"},
	}
	for _, row := range rows {
		at, err := time.Parse(time.RFC3339, row.now)
		if err != nil {
			t.Fatal(err)
		}
		s := emulatortest.Start(t, func(o *emulator.Options) {
			o.Accounts[0].TimeZone = row.zone
			o.Now = func() time.Time { return at.AddDate(0, 0, -1) }
		})
		s.Must(t, "POST", daily, object{"amount_micros": 5_000_000, "expected_revision": 0})
		s.Advance(t, 24*3600)
		rule := limits(t, s)["daily_limit"].(map[string]any)
		if rule["start_date"] != row.start || rule["next_reset"] != row.reset || rule["status"] != "active" {
			t.Errorf("%s: start %v, status %v, next_reset %v; want %s, active, %s",
				row.name, rule["start_date"], rule["status"], rule["next_reset"], row.start, row.reset)
		}
	}
}

func TestDailyLimitStart(t *testing.T) { // part 4, spend limit rule 4
	for start, want := range map[string]refusal{
		"2026-11-30": unprocessable("budget_window_start_in_past", "start_date"),
		today:        unprocessable("budget_window_start_in_past", "start_date"),
		"2026-12-02": fine,
	} {
		s := spendAt(t, nil)
		expect(t, "daily limit from "+start, saveDaily(t, s, object{"amount_micros": 0, "start_date": start}), want)
	}
}

func TestDailyLimitWindowIDIsThreeValued(t *testing.T) { // part 4, spend limit rule 2
	s := spendAt(t, nil)
	expect(t, "absent, with no rule: makes one",
		saveDaily(t, s, object{"amount_micros": 1_000_000, "end_date": "2026-12-10"}), fine)
	expect(t, "absent, with one rule: edits it", saveDaily(t, s, object{"amount_micros": 2_000_000}), fine)
	if got := dailyLimits(t, s); len(got) != 1 {
		t.Fatalf("after two saves without window_id there are %d rules, want 1: %v", len(got), got)
	}
	expect(t, "null: a separate rule",
		saveDaily(t, s, object{"window_id": nil, "amount_micros": 3_000_000, "start_date": "2026-12-10"}), fine)
	rules := dailyLimits(t, s)
	if len(rules) != 2 {
		t.Fatalf("after window_id null there are %d rules, want 2", len(rules))
	}
	for _, point := range []string{"422", "409", "400"} {
		s.Must(t, "POST", "/_emulator/open_points", object{"daily_limit_ambiguous_status": point})
		var status int
		fmt.Sscan(point, &status)
		expect(t, "absent, with two rules", saveDaily(t, s, object{"amount_micros": 1_000_000}),
			refusal{status, "daily_limit_ambiguous", "window_id"})
	}
	second := rules[1].(map[string]any)["window_id"]
	expect(t, "an id: that rule", saveDaily(t, s, object{"window_id": second, "amount_micros": 4_000_000}), fine)
	if got := dailyLimits(t, s)[1].(map[string]any)["amount_micros"]; fmt.Sprint(got) != "4000000" {
		t.Errorf("amount of the named rule = %v, want 4000000", got)
	}
	expect(t, "null over days that are taken", saveDaily(t, s, object{"window_id": nil,
		"amount_micros": 0, "start_date": "2026-12-05"}), unprocessable("budget_window_overlap", "start_date"))
	expect(t, "unknown id", saveDaily(t, s, object{"window_id": "slw_none", "amount_micros": 0}),
		refusal{404, "not_found", ""})
	expect(t, "id of a dated window", saveDaily(t, s, object{"window_id": addWindow(t, s, today, "2026-12-02", 0),
		"amount_micros": 0}), refusal{404, "not_found", ""})
	expect(t, "empty id", saveDaily(t, s, object{"window_id": "", "amount_micros": 0}),
		bad("string_below_min_length", "window_id"))
	expect(t, "another start", saveDaily(t, s, object{"window_id": second,
		"amount_micros": 0, "start_date": "2026-12-11"}), unprocessable("budget_window_start_fixed", "start_date"))
}

func TestDailyLimitEndIsThreeValued(t *testing.T) { // part 4, spend limit rule 3
	s := spendAt(t, nil)
	id := addDaily(t, s, "2026-12-02", "2026-12-20", 1_000_000)
	end := func() any { return dailyLimits(t, s)[0].(map[string]any)["end_date"] }
	expect(t, "absent keeps the end", saveDaily(t, s, object{"window_id": id, "amount_micros": 2_000_000}), fine)
	if end() != "2026-12-20" {
		t.Errorf("end without end_date = %v, want it kept", end())
	}
	expect(t, "null clears it",
		saveDaily(t, s, object{"window_id": id, "amount_micros": 2_000_000, "end_date": nil}), fine)
	if end() != nil {
		t.Errorf("end after null = %v, want none", end())
	}
	expect(t, "a value sets it",
		saveDaily(t, s, object{"window_id": id, "amount_micros": 2_000_000, "end_date": "2026-12-15"}), fine)
	expect(t, "the start, which is exclusive", saveDaily(t, s, object{"window_id": id,
		"amount_micros": 0, "end_date": "2026-12-02"}), unprocessable("budget_window_invalid_range", "end_date"))
	addDaily(t, s, "2026-12-15", nil, 1_000_000)
	expect(t, "an end into the next rule", saveDaily(t, s, object{"window_id": id,
		"amount_micros": 0, "end_date": "2026-12-16"}), unprocessable("budget_window_overlap", "start_date"))
	expect(t, "no end before another rule", saveDaily(t, s, object{"window_id": id,
		"amount_micros": 0, "end_date": nil}), unprocessable("budget_window_overlap", "start_date"))
	s.Advance(t, 3*24*3600)
	expect(t, "an active rule ended today", saveDaily(t, s, object{"window_id": id,
		"amount_micros": 0, "end_date": "2026-12-04"}), unprocessable("budget_window_end_not_in_future", "end_date"))
	expect(t, "an active rule ended tomorrow",
		saveDaily(t, s, object{"window_id": id, "amount_micros": 0, "end_date": "2026-12-05"}), fine)
	s.Advance(t, 24*3600)
	expect(t, "edit of a rule that has ended", saveDaily(t, s, object{"window_id": id, "amount_micros": 0}),
		unprocessable("budget_window_completed", ""))
}

func TestDecreaseBelowSpendIsRejected(t *testing.T) { // part 4, spend limit rules 5 and 6
	s := spendAt(t, ledger{"2026-12-02": 3_000_000, "2026-12-03": 1_000_000})
	rule := addDaily(t, s, "2026-12-02", nil, 5_000_000)
	window := addWindow(t, s, "2026-12-02", "2026-12-09", 5_000_000)
	below := unprocessable("budget_window_amount_below_spend", "amount_micros")
	expect(t, "an upcoming rule may be cut to nothing",
		saveDaily(t, s, object{"window_id": rule, "amount_micros": 0}), fine)
	expect(t, "and raised", saveDaily(t, s, object{"window_id": rule, "amount_micros": 5_000_000}), fine)
	s.Advance(t, 24*3600)
	expect(t, "daily: a cent below today's spend",
		saveDaily(t, s, object{"window_id": rule, "amount_micros": 2_990_000}), below)
	expect(t, "daily: today's spend", saveDaily(t, s, object{"window_id": rule, "amount_micros": 3_000_000}), fine)
	expect(t, "window: a cent below", s.Do(t, "POST", windows+"/"+window, object{"amount_micros": 2_990_000}), below)
	if got := limits(t, s)["daily_limit"].(map[string]any); fmt.Sprintf("%v %v",
		got["spent_micros"], got["remaining_micros"]) != "3000000 0" {
		t.Errorf("after the decrease: spent %v, remaining %v; want the counted spend kept",
			got["spent_micros"], got["remaining_micros"])
	}
	s.Advance(t, 24*3600)
	expect(t, "window: below the sum of its days",
		s.Do(t, "POST", windows+"/"+window, object{"amount_micros": 3_990_000}), below)
	expect(t, "window: the sum of its days",
		s.Do(t, "POST", windows+"/"+window, object{"amount_micros": 4_000_000}), fine)
	expect(t, "daily: below yesterday's spend",
		saveDaily(t, s, object{"window_id": rule, "amount_micros": 1_000_000}), fine)
}

func TestALimitThatIsOverspentMayBeRaised(t *testing.T) { // part 4, spend limit rule 6
	spent := ledger{}
	s := spendAt(t, spent)
	rule := addDaily(t, s, "2026-12-02", nil, 1_000_000)
	spent["2026-12-02"] = 3_000_000
	s.Advance(t, 24*3600)
	expect(t, "raised, still below the spend",
		saveDaily(t, s, object{"window_id": rule, "amount_micros": 2_000_000}), fine)
}

func TestRevision(t *testing.T) { // part 4, spend limit rule 8
	s := spendAt(t, nil)
	body := object{"window_id": nil, "amount_micros": 1_000_000, "start_date": "2026-12-02", "end_date": "2026-12-09"}
	expect(t, "without a revision", s.Do(t, "POST", daily, body),
		bad("missing_required_parameter", "expected_revision"))
	expect(t, "a revision from the future", s.Do(t, "POST", daily, with(body, "expected_revision", 1)),
		refusal{409, "stale_revision", ""})
	expect(t, "the latest", s.Do(t, "POST", daily, with(body, "expected_revision", 0)), fine)
	expect(t, "the one before", s.Do(t, "POST", daily, with(body, "expected_revision", 0)),
		refusal{409, "stale_revision", ""})
	expect(t, "deletion from the one before", s.Do(t, "POST", daily+"/delete", object{"expected_revision": 0}),
		refusal{409, "stale_revision", ""})
	addWindow(t, s, today, "2026-12-09", 0)
	if got := fmt.Sprint(limits(t, s)["revision"]); got != "2" {
		t.Errorf("revision after a daily rule and a window = %s, want 2", got)
	}
	s.Must(t, "POST", "/_emulator/open_points", object{
		"spend_revision_scope": "daily", "daily_limit_revision": "optional",
	})
	addWindow(t, s, "2026-12-09", "2026-12-10", 0)
	if got := fmt.Sprint(limits(t, s)["revision"]); got != "2" {
		t.Errorf("spend_revision_scope=daily: revision after a window = %s, want 2", got)
	}
	expect(t, "daily_limit_revision=optional", s.Do(t, "POST", daily, object{"amount_micros": 0}), fine)
	expect(t, "optional, but sent", s.Do(t, "POST", daily, object{"amount_micros": 0, "expected_revision": 1}),
		refusal{409, "stale_revision", ""})
}

func TestRevisionIsAnAddition(t *testing.T) {
	s := spendAt(t, nil, emulatortest.WithPoints(t, "profile:interface"))
	expect(t, "interface only: without a revision", s.Do(t, "POST", daily, object{"amount_micros": 0}), fine)
}

func TestDailyLimitDeletion(t *testing.T) { // part 4, spend limit rule 9
	s := spendAt(t, nil)
	remove := func(body object) emulatortest.Reply {
		return s.Do(t, "POST", daily+"/delete", with(body, "expected_revision", limits(t, s)["revision"]))
	}
	addWindow(t, s, "2026-12-02", "2026-12-09", 5_000_000)
	expect(t, "with no rule there is nothing to do", remove(object{}), fine)
	first := addDaily(t, s, "2026-12-02", "2026-12-09", 1_000_000)
	second := addDaily(t, s, "2026-12-09", nil, 2_000_000)
	expect(t, "absent, with two rules", remove(object{}), unprocessable("daily_limit_ambiguous", "window_id"))
	expect(t, "null", remove(object{"window_id": nil}), bad("invalid_type", "window_id"))
	expect(t, "unknown", remove(object{"window_id": "slw_none"}), refusal{404, "not_found", ""})
	expect(t, "named", remove(object{"window_id": second}), fine)
	expect(t, "named again", remove(object{"window_id": second}), refusal{404, "not_found", ""})
	expect(t, "absent, with one rule", remove(object{}), fine)
	if got := limits(t, s); len(got["daily_limits"].([]any)) != 0 ||
		got["daily_limit"] != nil || len(got["data"].([]any)) != 1 {
		t.Errorf("after the deletions: %v; want the dated window and no rule", got)
	}
	expect(t, "after a removal the start must be named",
		saveDaily(t, s, object{"amount_micros": 0}), bad("missing_required_parameter", "start_date"))
	expect(t, "with a start", saveDaily(t, s, object{"amount_micros": 0, "start_date": "2026-12-02"}), fine)
	var kept []string
	all, err := s.World().History()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.ResourceID == first {
			kept = append(kept, fmt.Sprintf("%s after=%v", m.Action, string(m.After) != "null"))
		}
	}
	if diff := cmp.Diff([]string{"create after=true", "delete after=false"}, kept); diff != "" {
		t.Errorf("history of the first rule (-want +got):\n%s", diff)
	}
}

func TestWhereLimitsCanBeMade(t *testing.T) {
	s := spendAt(t, nil)
	look := func(when, earliestDaily, earliestDated string, can bool) {
		t.Helper()
		got := limits(t, s)
		want := []any{earliestDaily, earliestDated, can}
		if diff := cmp.Diff(want, []any{got["earliest_daily_start_date"],
			got["earliest_dated_start_date"], got["can_create_daily_limit"]}); diff != "" {
			t.Errorf("%s: earliest daily, earliest dated, can create (-want +got):\n%s", when, diff)
		}
	}
	look("at first", "2026-12-02", today, true)
	addWindow(t, s, today, "2026-12-05", 0)
	addWindow(t, s, "2026-12-05", "2026-12-06", 0)
	id := addDaily(t, s, "2026-12-02", "2026-12-09", 0)
	look("behind what there is", "2026-12-09", "2026-12-06", true)
	saveDaily(t, s, object{"window_id": id, "amount_micros": 0, "end_date": nil})
	look("behind a rule without an end", "2026-12-02", "2026-12-06", false)
}
