package emulator_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

// ledger is a delivery that spent what its days say, in micros.
type ledger map[world.Date]int64

func (l ledger) Spent(_ *world.Account, since, until string) (sum int64) {
	for day, micros := range l {
		if since <= string(day) && string(day) < until {
			sum += micros
		}
	}
	return sum
}

// spendAt is an emulator whose account in New York has the local time
// 2026-12-01 03:00 and has spent what the ledger says.
func spendAt(t *testing.T, spent ledger, change ...func(*emulator.Options)) *emulatortest.Service {
	t.Helper()
	s := emulatortest.Start(t, append([]func(*emulator.Options){frozen}, change...)...)
	s.World().Spending = spent
	return s
}

const (
	windows = "/ad_account/spend_limit_windows"
	daily   = "/ad_account/daily_spend_limit"
	today   = "2026-12-01"
)

func windowBody(start, end string, micros int64) object {
	return object{"start_date": start, "end_date": end, "amount_micros": micros}
}

func addWindow(t *testing.T, s *emulatortest.Service, start, end string, micros int64) string {
	t.Helper()
	return fmt.Sprint(s.Must(t, "POST", windows, windowBody(start, end, micros)).Map(t)["window_id"])
}

func limits(t *testing.T, s *emulatortest.Service) map[string]any {
	t.Helper()
	return s.Must(t, "GET", windows, nil).Map(t)
}

// saveDaily sends a daily limit's body with the present revision.
func saveDaily(t *testing.T, s *emulatortest.Service, body object) emulatortest.Reply {
	t.Helper()
	return s.Do(t, "POST", daily, with(body, "expected_revision", limits(t, s)["revision"]))
}

func dailyLimits(t *testing.T, s *emulatortest.Service) []any {
	t.Helper()
	all, _ := limits(t, s)["daily_limits"].([]any)
	return all
}

// addDaily makes a separate daily rule and gives its id.
func addDaily(t *testing.T, s *emulatortest.Service, start string, end any, micros int64) string {
	t.Helper()
	body := object{"window_id": nil, "start_date": start, "end_date": end, "amount_micros": micros}
	if got := saveDaily(t, s, body); got.Status != 200 {
		t.Fatalf("daily limit from %s = %d %s", start, got.Status, got.Body)
	}
	for _, each := range dailyLimits(t, s) {
		if rule := each.(map[string]any); rule["start_date"] == start {
			return rule["window_id"].(string)
		}
	}
	t.Fatalf("no daily limit starts on %s", start)
	return ""
}

func unprocessable(code, param string) refusal { return refusal{422, code, param} }

func TestSpendLimitsNeedPostpaidBilling(t *testing.T) { // part 4, spend limit rule 1
	prepaid := func(o *emulator.Options) { o.Accounts[0].Features.Postpaid = false }
	calls := []struct {
		method, path string
		body         any
	}{
		{"GET", windows, nil},
		{"POST", windows, windowBody(today, "2027-01-01", 1e6)},
		{"POST", windows + "/slw_1", object{"name": "x"}},
		{"POST", windows + "/slw_1/delete", nil},
		{"POST", daily, object{"amount_micros": 1_000_000, "expected_revision": 0}},
		{"POST", daily + "/delete", object{"expected_revision": 0}},
	}
	for _, status := range []int{403, 404, 422} {
		s := spendAt(t, nil, prepaid,
			emulatortest.WithPoints(t, fmt.Sprintf("%s=%d", openpoint.SpendUnavailable, status)))
		for _, call := range calls {
			expect(t, "prepaid "+call.method+" "+call.path,
				s.Do(t, call.method, call.path, call.body), refusal{status, "spend_limits_unavailable", ""})
		}
	}
}

func TestSpendWindowFields(t *testing.T) {
	base := windowBody("2027-02-01", "2027-03-01", 5_000_000)
	rows := []struct {
		name  string
		field string
		value any
		want  refusal
	}{
		{"without a start", "start_date", absent, bad("missing_required_parameter", "start_date")},
		{"without an end", "end_date", absent, bad("missing_required_parameter", "end_date")},
		{"without an amount", "amount_micros", absent, bad("missing_required_parameter", "amount_micros")},
		{"a start that is null", "start_date", nil, bad("invalid_type", "start_date")},
		{"a date as a number", "start_date", 20270201, bad("invalid_type", "start_date")},
		{"a short date", "start_date", "2027-2-1", bad("invalid_value", "start_date")},
		{"no day of the calendar", "end_date", "2027-02-30", bad("invalid_value", "end_date")},
		{"after 2100-01-01", "end_date", "2100-01-02", bad("invalid_value", "end_date")},
		{"on 2100-01-01", "end_date", "2100-01-01", fine},
		{"before 2000-01-01", "start_date", "1999-12-31", bad("invalid_value", "start_date")},
		{"on 2000-01-01, which is past", "start_date",
			"2000-01-01", unprocessable("budget_window_start_in_past", "start_date")},
		{"a negative amount", "amount_micros", -10_000, bad("integer_below_min_value", "amount_micros")},
		{"nothing at all", "amount_micros", 0, fine},
		{"10^15 micros", "amount_micros", int64(1e15), fine},
		{"10^15 micros and a cent", "amount_micros",
			int64(1e15) + 10_000, bad("integer_above_max_value", "amount_micros")},
		{"half a cent", "amount_micros", 5_000, bad("invalid_value", "amount_micros")},
		{"an amount as text", "amount_micros", "5000000", bad("invalid_type", "amount_micros")},
		{"256 characters", "io_id", text(256), fine},
		{"257 characters", "io_id", text(257), bad("string_above_max_length", "io_id")},
		{"name null", "name", nil, fine},
		{"unknown field", "spend_limit_micros", 1, bad("unknown_parameter", "spend_limit_micros")},
	}
	for _, row := range rows {
		s := spendAt(t, nil)
		expect(t, "window: "+row.name, s.Do(t, "POST", windows, with(base, row.field, row.value)), row.want)
	}
}

func TestAmountsAreWholeCoins(t *testing.T) {
	rows := []struct {
		currency string
		micros   int64
		want     refusal
	}{
		{"EUR", 10_000, fine},
		{"JPY", 10_000, bad("invalid_value", "amount_micros")},
		{"JPY", 1_000_000, fine},
		{"KWD", 1_000, fine},
		{"KWD", 500, bad("invalid_value", "amount_micros")},
	}
	for _, row := range rows {
		s := spendAt(t, nil, func(o *emulator.Options) { o.Accounts[0].Currency = row.currency })
		expect(t, fmt.Sprint(row.micros, " micros ", row.currency),
			s.Do(t, "POST", windows, windowBody(today, "2027-01-01", row.micros)), row.want)
	}
}

func TestSpendWindowDates(t *testing.T) {
	rows := []struct {
		name       string
		start, end string
		want       refusal
	}{
		{"today", today, "2026-12-02", fine},
		{"yesterday", "2026-11-30", "2026-12-05", unprocessable("budget_window_start_in_past", "start_date")},
		{"end on the start, which is exclusive", "2026-12-03",
			"2026-12-03", unprocessable("budget_window_invalid_range", "end_date")},
		{"end before the start", "2026-12-04", "2026-12-03", unprocessable("budget_window_invalid_range", "end_date")},
		{"the day the next one starts is free", "2026-12-05", "2026-12-10", fine},
		{"one shared day at the end", "2026-12-05", "2026-12-11", unprocessable("budget_window_overlap", "start_date")},
		{"one shared day at the start", "2026-12-19",
			"2026-12-25", unprocessable("budget_window_overlap", "start_date")},
		{"the day the one before ends is free", "2026-12-20", "2026-12-25", fine},
		{"inside", "2026-12-12", "2026-12-13", unprocessable("budget_window_overlap", "start_date")},
	}
	for _, row := range rows {
		s := spendAt(t, nil)
		addWindow(t, s, "2026-12-10", "2026-12-20", 5_000_000)
		expect(t, "window: "+row.name, s.Do(t, "POST", windows, windowBody(row.start, row.end, 5_000_000)), row.want)
	}
}

func TestSixtyFutureWindows(t *testing.T) {
	s := spendAt(t, nil)
	addWindow(t, s, today, "2026-12-02", 0) // active, so it does not count
	day := world.Date("2027-01-01")
	for range 60 {
		addWindow(t, s, string(day), string(day.Add(1)), 0)
		day = day.Add(1)
	}
	if got := limits(t, s)["earliest_dated_start_date"]; got != nil {
		t.Errorf("with 60 future windows earliest_dated_start_date = %v, want null", got)
	}
	expect(t, "future window 61", s.Do(t, "POST", windows, windowBody(string(day), string(day.Add(1)), 0)),
		unprocessable("budget_window_limit_reached", ""))
}

func TestSpendWindowLife(t *testing.T) {
	spent := ledger{"2026-11-30": 9_000_000, today: 2_000_000, "2026-12-02": 1_000_000}
	s := spendAt(t, spent)
	id := addWindow(t, s, "2026-12-02", "2026-12-04", 5_000_000)
	record := func() map[string]any { return limits(t, s)["data"].([]any)[0].(map[string]any) }
	want := object{
		"window_id": id, "start_date": "2026-12-02",
		"end_date": "2026-12-04", "amount_micros": "5000000", "name": "<nil>", "io_id": "<nil>",
		"status": "upcoming", "can_edit": true, "can_edit_start_date": true, "can_delete": true,
	}
	check := func(when string) {
		t.Helper()
		if diff := cmp.Diff(flat(want), flat(record())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("before it starts")
	s.Advance(t, 24*3600)
	want = with(with(with(want, "status", "active"), "can_edit_start_date", false), "spent_micros", 1_000_000)
	check("on its first day")
	expect(t, "edit of an active start", s.Do(t, "POST", windows+"/"+id, object{"start_date": "2026-12-03"}),
		unprocessable("budget_window_start_fixed", "start_date"))
	expect(t, "the same start", s.Do(t, "POST", windows+"/"+id, object{"start_date": "2026-12-02"}), fine)
	expect(t, "an active window ended today", s.Do(t, "POST", windows+"/"+id, object{"end_date": "2026-12-02"}),
		unprocessable("budget_window_invalid_range", "end_date"))
	s.Advance(t, 24*3600)
	expect(t, "an active window ended today", s.Do(t, "POST", windows+"/"+id, object{"end_date": "2026-12-03"}),
		unprocessable("budget_window_end_not_in_future", "end_date"))
	expect(t, "ends tomorrow", s.Do(t, "POST", windows+"/"+id, object{"end_date": "2026-12-04"}), fine)
	s.Advance(t, 24*3600)
	want = with(with(with(with(want, "status", "completed"), "can_edit", false), "can_delete", false),
		"spent_micros", absent)
	check("after it ended")
	expect(t, "edit of a completed window", s.Do(t, "POST", windows+"/"+id, object{"name": "x"}),
		unprocessable("budget_window_completed", ""))
	expect(t, "deletion of a completed window", s.Do(t, "POST", windows+"/"+id+"/delete", nil),
		unprocessable("budget_window_completed", ""))
}

// flat writes every value as text.
func flat(record object) map[string]string {
	all := map[string]string{}
	for name, value := range record {
		all[name] = fmt.Sprint(value)
	}
	return all
}

func TestSpendWindowEdit(t *testing.T) {
	s := spendAt(t, nil)
	id := addWindow(t, s, "2026-12-10", "2026-12-20", 5_000_000)
	at := windows + "/" + id
	expect(t, "no field", s.Do(t, "POST", at, object{}), bad("missing_required_parameter", ""))
	expect(t, "start null", s.Do(t, "POST", at, object{"start_date": nil}), bad("invalid_type", "start_date"))
	expect(t, "unknown window", s.Do(t, "POST", windows+"/slw_none", object{"name": "x"}),
		refusal{404, "not_found", ""})
	s.Must(t, "POST", at, object{"name": "Q4", "io_id": "io-7"})
	if got := s.Must(t, "POST", at, object{"name": nil}).Map(t); got["name"] != nil || got["io_id"] != "io-7" {
		t.Errorf("after name null: name %v, io_id %v; want null and io-7", got["name"], got["io_id"])
	}
	rule := addDaily(t, s, "2026-12-02", nil, 1_000_000)
	expect(t, "a daily rule is no window", s.Do(t, "POST", windows+"/"+rule, object{"name": "x"}),
		refusal{404, "not_found", ""})
	deleted := s.Must(t, "POST", at+"/delete", nil).Map(t)
	if diff := cmp.Diff(map[string]any{"window_id": id,
		"object": "ad_account_spend_limit_window.deleted", "deleted": true}, deleted); diff != "" {
		t.Errorf("deletion (-want +got):\n%s", diff)
	}
	expect(t, "delete again", s.Do(t, "POST", at+"/delete", nil), refusal{404, "not_found", ""})
}

func TestWindowsAreListedByStart(t *testing.T) {
	s := spendAt(t, nil)
	for _, start := range []string{"2027-03-01", "2027-01-01", "2027-02-01"} {
		addWindow(t, s, start, string(world.Date(start).Add(1)), 0)
	}
	var starts []any
	for _, each := range limits(t, s)["data"].([]any) {
		starts = append(starts, each.(map[string]any)["start_date"])
	}
	if diff := cmp.Diff([]any{"2027-01-01", "2027-02-01", "2027-03-01"}, starts); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestAnExhaustedAccountDoesNotServe(t *testing.T) {
	spent := ledger{}
	s := spendAt(t, spent)
	w := newTree(t, s)
	addDaily(t, s, "2026-12-02", nil, 3_000_000)
	exhausted := func() bool { return hasIssue(t, s, w.campaign, "ad_account_budget_exhausted") }
	s.Advance(t, 24*3600)
	spent["2026-12-02"] = 2_990_000
	if exhausted() {
		t.Error("a cent below the daily limit the account counts as exhausted")
	}
	spent["2026-12-02"] = 3_000_000
	if !exhausted() {
		t.Error("at the daily limit the account does not count as exhausted")
	}
	s.Advance(t, 24*3600)
	if exhausted() {
		t.Error("the next local day the account still counts as exhausted")
	}
}

// hasIssue reports whether a campaign shows a serving issue.
func hasIssue(t *testing.T, s *emulatortest.Service, campaign, code string) bool {
	t.Helper()
	issues, _ := s.Must(t, "GET", "/campaigns/"+campaign+"?include[]=serving_issues",
		nil).Map(t)["serving_issues"].([]any)
	for _, each := range issues {
		if each.(map[string]any)["code"] == code {
			return true
		}
	}
	return false
}

func TestAKilledEmulatorKeepsSpendLimits(t *testing.T) {
	dir := t.TempDir()
	inDir := func(o *emulator.Options) { o.Dir = dir }
	s := spendAt(t, nil, inDir)
	addWindow(t, s, "2026-12-10", "2026-12-20", 5_000_000)
	addDaily(t, s, "2026-12-02", nil, 1_000_000)
	before := limits(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, limits(t, spendAt(t, nil, inDir))); diff != "" {
		t.Errorf("limits after a restart (-want +got):\n%s", diff)
	}
}
