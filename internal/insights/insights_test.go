package insights

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"adsync/internal/adsapi"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// answers gives one row list for every request, by the segment asked for.
type answers map[string][]map[string]string

func (a answers) Figures(_ context.Context, _ string, q url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	return func(yield func(adsapi.InsightsRow, error) bool) {
		for i, fields := range a[q.Get("segments")] {
			day := firstDay.AddDate(0, 0, i)
			if !yield(adsapi.InsightsRow{Start: day.Unix(), End: day.AddDate(0, 0, 1).Unix(), Fields: fields}, nil) {
				return
			}
		}
	}
}

func asked(t *testing.T, service Service, q Question) *Report {
	t.Helper()
	q.Zone, q.Span = newYork(t), Span{From: "2026-11-02", To: "2026-11-11"}
	r, err := Insights(t.Context(), service, q, aboutDays(t, q), true)
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

// A rate of several rows is that of their sums, and what has no parts has none.
func TestRatesOfTotalsAreOfSums(t *testing.T) {
	r := asked(t, answers{"": {
		{"impressions": "1000", "clicks": "1", "spend": "0.1",
			"ctr": "0.001", "cpc": "0.1", "post_click_cvr": "0.5", "reach": "7"},
		{"impressions": "10", "clicks": "9", "spend": "0.2",
			"ctr": "0.9", "cpc": "0.022222", "post_click_cvr": "0.5", "reach": "7"},
	}}, Question{
		Level: "campaign", By: "day", ViewThrough: -1,
		Fields: []string{"ctr", "cpc", "cpm", "cpa", "post_click_cvr", "reach"},
	})
	got := map[string]string{}
	for i := range r.Columns {
		if c := &r.Columns[i]; r.Totals[0].Of(c) != "" {
			got[c.Name] = r.Totals[0].Of(c)
		}
	}
	want := map[string]string{"impressions": "1010", "clicks": "10", "spend": "0.3",
		"ctr": "0.009901", "cpc": "0.03", "cpm": "0.29703"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("totals (-want +got), where neither CPA nor post-click CVR nor reach has one:\n%s", diff)
	}
}

// Sums of two segments stand apart: each is of the same whole.
// TestWhatIsNotKnownIsInNoTotal: a row without a figure, or with money of another currency, is left out of the
// sum, and that is said; no rate and no change is made of a sum of some rows.
func TestWhatIsNotKnownIsInNoTotal(t *testing.T) {
	r := asked(t, answers{"": {
		{"clicks": "2", "spend": "4", "order_created_attributed_sales": "8",
			"order_created_attributed_sales_currency": "USD"},
		{"clicks": "3", "order_created_attributed_sales": "16", "order_created_attributed_sales_currency": "EUR"},
	}}, Question{Level: "campaign", By: "day", ViewThrough: -1,
		Fields: []string{"clicks", "spend", "cpc", "order_created_attributed_sales"}})
	got := map[string]string{}
	for i := range r.Columns {
		if c := &r.Columns[i]; c.metric != nil {
			got[c.Name] = r.Totals[0].Of(c) + "|" + r.Totals[0].Change(c)
		}
	}
	want := map[string]string{"clicks": "5|0", "spend": "4|", "cpc": "|", "order_created_attributed_sales": "8|"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("totals and changes (-want +got):\n%s", diff)
	}
	var cells []string
	for row, err := range r.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, row.Cells[len(row.Cells)-1])
	}
	if got := strings.Join(cells, ", "); got != "8, 16 EUR" {
		t.Errorf("sales of the rows are %s; want the currency where it is not the account's", got)
	}
	for _, form := range []string{"text", "json", "html", "markdown"} {
		out := shownAs(t, r, form)
		for _, note := range []string{"Spend in USD not known of 1 of 2 rows:",
			"Sales in USD not known of 1 of 2 rows:",
			"Spend in USD not known of 1 of 2 rows of the span before"} {
			if !strings.Contains(out, note) {
				t.Errorf("%s does not say %q:\n%s", form, note, out)
			}
		}
	}
}

func TestSegmentsAreNotAddedUp(t *testing.T) {
	r := asked(t, answers{
		"country": {{"country_impressions": "10"}, {"country_impressions": "20"}},
		"device":  {{"device_impressions": "30"}},
	}, Question{Level: "campaign", By: "day", ViewThrough: -1, Segments: []string{"country", "device"}})
	for i, want := range []string{"country 30", "device 30"} {
		for n := range r.Columns {
			if c := &r.Columns[n]; c.Name == "impressions" {
				if got := r.Totals[i].Segment + " " + r.Totals[i].Of(c); got != want {
					t.Errorf("total %d is %s; want %s", i, got, want)
				}
			}
		}
	}
}

// A name cannot become a formula, markup, or another cell in any form.
func TestNamesAreNamesInEveryForm(t *testing.T) {
	const name = "=HYPERLINK(\"http://x\")<script>alert(1)</script>|x\x1b[31m"
	r := asked(t, answers{"": {{"campaign_name": name, "impressions": "1"}}},
		Question{Level: "campaign", By: "none", ViewThrough: -1})
	for form, never := range map[string][]string{
		"csv": {",=HY", "\n=HY", "\n\"=HY"}, "html": {"<script>", "\x1b"},
		"markdown": {"<script>", ")|x", "\x1b"}, "text": {"\x1b"},
	} {
		var out bytes.Buffer
		charted := map[string][]string{"html": {"impressions"}, "text": {"impressions"}}[form]
		if err := r.Write(&out, form, charted, 80); err != nil {
			t.Fatal(err)
		}
		for _, text := range never {
			if strings.Contains(out.String(), text) {
				t.Errorf("%s has %q:\n%s", form, text, &out)
			}
		}
	}
	var book bytes.Buffer
	if err := r.Write(&book, "xlsx", []string{"impressions"}, 0); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&book)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	formula, err := f.GetCellFormula(rowsSheet, "A2")
	if text, _ := f.GetCellValue(rowsSheet, "A2"); err != nil ||
		formula != "" || !strings.HasPrefix(text, "=HYPERLINK") {
		t.Errorf("A2 has the formula %q and the text %q: %v; want the text alone", formula, text, err)
	}
}

// The document is one JSON value, with and without rows.
func TestTheDocumentIsWhole(t *testing.T) {
	for _, rows := range [][]map[string]string{nil,
		{{"impressions": "1"}}, {{"impressions": "1"}, {"impressions": "2"}}} {
		r := asked(t, answers{"": rows}, Question{Level: "campaign", By: "day", ViewThrough: -1})
		var out bytes.Buffer
		if err := r.Write(&out, "json", nil, 0); err != nil {
			t.Fatal(err)
		}
		var d Document
		if err := json.Unmarshal(out.Bytes(), &d); err != nil || len(d.Rows) != len(rows) {
			t.Errorf("%d rows, %v in\n%s\nwant %d", len(d.Rows), err, &out, len(rows))
		}
	}
}

func TestSpans(t *testing.T) {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) // a Wednesday
	for _, tt := range []struct{ name, want, before string }{
		{"today", "2026-03-11", "2026-03-10"},
		{"yesterday", "2026-03-10", "2026-03-09"},
		{"7d", "2026-03-04 to 2026-03-10", "2026-02-25 to 2026-03-03"},
		{"this-week", "2026-03-09 to 2026-03-11", "2026-03-06 to 2026-03-08"},
		{"last-week", "2026-03-02 to 2026-03-08", "2026-02-23 to 2026-03-01"},
		{"this-month", "2026-03-01 to 2026-03-11", "2026-02-18 to 2026-02-28"},
		{"last-month", "2026-02-01 to 2026-02-28", "2026-01-01 to 2026-01-31"},
		{"2026-01-05..2026-01-06", "2026-01-05 to 2026-01-06", "2026-01-03 to 2026-01-04"},
		{"2026-03-11T05..2026-03-11T08", "2026-03-11T05 to 2026-03-11T08", "2026-03-11T01 to 2026-03-11T04"},
	} {
		s, err := NamedSpan(tt.name, now)
		if err != nil || s.String() != tt.want || s.Before().String() != tt.before {
			t.Errorf("%s is %s, before it %s, %v; want %s and %s", tt.name, s, s.Before(), err, tt.want, tt.before)
		}
	}
	for _, wrong := range []string{"0d", "soon", "2026-03-12..2026-03-13", "2026-02-30..2026-03-01",
		"2026-03-02..2026-03-01", "2020-01-01..2020-01-02", "2026-03-01..2026-03-01T05"} {
		if s, err := NamedSpan(wrong, now); err == nil {
			t.Errorf("%s is %s; want an error", wrong, s)
		}
	}
}

func TestConditions(t *testing.T) {
	for text, want := range map[string]string{
		`campaign.name=Spring\, late,Winter`: `{"field":"campaign.name","operator":"IN","value":["Spring, ` +
			`late","Winter"]}`,
		"spend>10.50": `{"field":"spend","operator":"GREATER_THAN","value":10.50}`,
		"ctr < 0.01":  `{"field":"ctr","operator":"LESS_THAN","value":0.01}`,
		`{"field":"ad.id","operator":"IN","value":["a"]}`: `{"field":"ad.id","operator":"IN","value":["a"]}`,
		"spend>ten": "", "=x": "", `{"field":"a"}`: "", "Spend>1": "",
	} {
		c, err := ParseCondition(text)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if got, _ := json.Marshal(c); string(got) != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
}

// The largest and the least amount that is kept have their sign and all their digits, in every form.
func TestTheLargestAmountIsShown(t *testing.T) {
	const most, least = "9223372036854.775807", "-9223372036854.775808"
	for _, row := range []struct{ metric, text, want string }{
		{"spend", most, "9,223,372,036,854.78"}, {"spend", least, "-9,223,372,036,854.78"},
		{"ctr", most, "922,337,203,685,477.58%"}, {"ctr", least, "-922,337,203,685,477.58%"},
		{"impressions", most, "9,223,372,036,855"}, {"impressions", least, "-9,223,372,036,855"},
		{"ctr", "0.12345", "12.35%"}, {"ctr", "-0.00001", "-0.00%"}, {"spend", "0.00125", "0.0013"},
	} {
		if shown, _ := Shown(row.metric, row.text); shown != row.want {
			t.Errorf("Shown(%s, %s) = %s, want %s", row.metric, row.text, shown, row.want)
		}
	}
	if text := decimal(math.MinInt64); text != least {
		t.Errorf("decimal of the least = %s, want %s", text, least)
	}
}
