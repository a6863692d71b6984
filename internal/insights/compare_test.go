package insights

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"testing"
	"time"

	"adsync/internal/adsapi"

	"github.com/google/go-cmp/cmp"
)

// days answers with a row a day, or one of all days, of each campaign that shows returns figures for.
type days struct {
	zone  *time.Location
	shows func(campaign string, day time.Time) (impressions, clicks int)
}

func (d days) Figures(_ context.Context, _ string, q url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	return func(yield func(adsapi.InsightsRow, error) bool) {
		var span struct{ Since, Until string }
		if err := json.Unmarshal([]byte(q.Get("time_ranges")), &span); err != nil {
			yield(adsapi.InsightsRow{}, err)
			return
		}
		first, _ := time.ParseInLocation(time.DateOnly, span.Since, d.zone)
		last, _ := time.ParseInLocation(time.DateOnly, span.Until, d.zone)
		for _, campaign := range []string{"a", "b"} {
			row := adsapi.InsightsRow{Start: first.Unix(), End: last.AddDate(0, 0, 1).Unix()}
			sum, clicked, shown := 0, 0, false
			for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
				impressions, clicks := d.shows(campaign, day)
				sum, clicked = sum+impressions, clicked+clicks
				shown = shown || impressions > 0
				if q.Get("time_granularity") == "none" && day.Before(last) {
					continue
				}
				if q.Get("time_granularity") == "daily" {
					row.Start, row.End = day.Unix(), day.AddDate(0, 0, 1).Unix()
				}
				row.Fields = map[string]string{"campaign_id": campaign, "campaign_name": "Campaign " + campaign,
					"impressions": fmt.Sprint(sum), "clicks": fmt.Sprint(clicked),
					"campaign_status": day.Weekday().String()}
				if shown && !yield(row, nil) {
					return
				}
				sum, clicked, shown = 0, 0, false
			}
		}
	}
}

func askedOf(t *testing.T, d days, q Question) *Report {
	t.Helper()
	q.Level, q.Zone, q.ViewThrough = "campaign", d.zone, -1
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	about := aboutDays(t, q)
	about.Span = q.Span
	r, err := Insights(t.Context(), d, q, about, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func shownAs(t *testing.T, r *Report, form string) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Write(&out, form, nil, 0); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// columnsOf are some columns of a CSV, a line a row.
func columnsOf(t *testing.T, text string, names ...string) []string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, record := range records[1:] {
		var cells []string
		for _, name := range names {
			cell := "no column"
			for i, head := range records[0] {
				if head == name {
					cell = record[i]
				}
			}
			cells = append(cells, cell)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}

// Weeks begin on Monday, are sums of their days, whose rates are of sums, and say where days of
// them are not in the span. A clock that changes in one makes it no other.
func TestWeeksAreJoinedFromDays(t *testing.T) {
	d := days{zone: newYork(t), shows: func(campaign string, day time.Time) (int, int) {
		return day.Day() * 10, map[string]int{"a": 1}[campaign]
	}}
	q := Question{By: "week", Span: Span{From: "2026-10-29", To: "2026-11-10"}, Sort: []Order{{Field: "impressions",
		Direction: "desc"}}, Fields: []string{"impressions", "clicks", "ctr", "campaign.status"}}
	r := askedOf(t, d, q)
	got := columnsOf(t, shownAs(t, r, "csv"),
		"time", "id", "impressions", "clicks", "ctr", "campaign.status", "partial")
	want := []string{
		"2026-10-26 a 910 4 0.004396  yes", "2026-10-26 b 910 0 0  yes", // Thursday 29 to Sunday 1
		"2026-11-02 a 350 7 0.02  ", "2026-11-02 b 350 0 0  ",
		"2026-11-09 a 190 2 0.010526  yes", "2026-11-09 b 190 0 0  yes", // Monday and Tuesday
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("weeks (-want +got):\n%s", diff)
	}
	text := shownAs(t, r, "text")
	for _, want := range []string{"by week", "weeks by their first day, a Monday", "2026-10-26 (partial)",
		"\n2026-11-02  ", "\n(partial) not all days", "Total"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if r.Totals[0].Rows != 6 || r.Totals[0].Of(r.columnOf("impressions")) != "2900" {
		t.Errorf("%d rows of %s; want 6 of 2900", r.Totals[0].Rows, r.Totals[0].Of(r.columnOf("impressions")))
	}
	for form, want := range map[string]string{"json": `"partial":true`, "markdown": "(partial)", "html": "(partial)"} {
		if !strings.Contains(shownAs(t, r, form), want) {
			t.Errorf("%s lacks %s", form, want)
		}
	}
}

// Each row stands beside that of the same piece of the span before, across a change of the clock; one
// that has none says nothing, and what had figures only before is counted.
func TestRowsAreComparedWithThoseBefore(t *testing.T) {
	d := days{zone: newYork(t), shows: func(campaign string, day time.Time) (int, int) {
		switch date := day.Format(time.DateOnly); {
		case campaign == "b" && date < "2026-10-31":
			return 0, 0 // b has begun since
		case campaign == "b" && date == "2026-11-03":
			return 0, 0
		case date < "2026-11-02":
			return 100 + day.Day(), 10
		}
		return 200 + 2*day.Day(), 5
	}}
	q := Question{By: "day", Span: Span{From: "2026-11-02", To: "2026-11-04"}, CompareRows: true,
		Fields: []string{"impressions", "clicks"}}
	r := askedOf(t, d, q) // before: 30 October to 1 November, when the clock changed
	out := shownAs(t, r, "csv")
	got := columnsOf(t, out, "time", "id", "impressions", "impressions_before", "impressions_change", "clicks_change")
	want := []string{"2026-11-02 a 204 130 0.569231 -0.5", "2026-11-02 b 204   ",
		"2026-11-03 a 206 131 0.572519 -0.5", "2026-11-04 a 208 101 1.059406 -0.5",
		"2026-11-04 b 208 101 1.059406 -0.5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if r.gone != 1 { // b of 31 October
		t.Errorf("%d rows were gone; want 1", r.gone)
	}
	for form, want := range map[string][]string{
		"text":     {"Impressions change", "+56.9%", "-50.0%", "rows of the span before that have none now: 1"},
		"markdown": {"| Impressions | Impressions change | Clicks |", "| +56.9% |"},
		"html":     {`<th class="n">Impressions change</th>`, `<td class="n">+56.9%</td>`},
		"json": {`"before":{"clicks":"10","impressions":"130"},"change":{"clicks":"-0.5","impressions":"0.569231"}`,
			`"before":{},"change":{}`, `"gone": 1`},
	} {
		text := shownAs(t, r, form)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", form, w, text)
			}
		}
	}
	if r.Totals[0].Before.Of(r.columnOf("impressions")) != "594" {
		t.Errorf("before: %s; want 594", r.Totals[0].Before.Of(r.columnOf("impressions")))
	}
	// Without time the whole spans stand beside each other; of weeks, week by week.
	q.By = "none"
	if got := columnsOf(t, shownAs(t, askedOf(t, d, q), "csv"), "id", "impressions_before"); !cmp.Equal(got,
		[]string{"a 362", "b 232"}) {
		t.Errorf("whole spans: %q", got)
	}
	q.By, q.Span = "week", Span{From: "2026-11-02", To: "2026-11-08"}
	if got := columnsOf(t, shownAs(t, askedOf(t, d, q), "csv"), "time", "id", "impressions_before"); !cmp.Equal(got,
		[]string{"2026-11-02 a 872", "2026-11-02 b 232"}) {
		t.Errorf("weeks: %q", got)
	}
}

func TestWhatCannotBeComparedRowByRow(t *testing.T) {
	spends := []Condition{{Field: "spend", Operator: "GREATER_THAN", Value: json.Number("1")}}
	ten, month := Span{From: "2026-11-01", To: "2026-11-10"}, Span{From: "2026-10-01", To: "2026-10-31", months: 1}
	for _, tt := range []struct {
		q    Question
		want string
	}{
		{Question{By: "week", Span: ten, CompareRows: true}, "whole weeks"},
		{Question{By: "month", Span: ten, CompareRows: true}, "--span last-month"},
		{Question{By: "day", Span: ten, CompareRows: true, Conditions: spends}, "--filter of figures"},
		{Question{By: "week", Span: ten, Conditions: spends}, "would choose days"},
		{Question{By: "month", Span: month, CompareRows: true}, ""},
		{Question{By: "week", Span: ten}, ""},
	} {
		tt.q.Level, tt.q.ViewThrough = "campaign", -1
		err := tt.q.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v; want %q", tt.q, err, tt.want)
		}
		hotels := HotelQuestion{By: tt.q.By, Span: tt.q.Span,
			CompareRows: tt.q.CompareRows, Conditions: tt.q.Conditions}
		if err := hotels.Check(); (err == nil) != (tt.want == "") {
			t.Errorf("hotels %+v: %v; want %q", tt.q, err, tt.want)
		}
	}
}
