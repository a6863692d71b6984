package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"adsync/internal/insights"
	"adsync/internal/report"
	"adsync/internal/review"
	"adsync/internal/testing/figurestest"
	"adsync/internal/testing/golden"

	"github.com/google/go-cmp/cmp"
)

// figure is a total as text: value, that of before, change.
func figure(r *report.Report, name string) string {
	for _, f := range r.Totals {
		if f.Name == name {
			return f.Value + ", " + f.Before + ", " + f.Change
		}
	}
	return "not there"
}

func TestTheFormForReading(t *testing.T) {
	golden.File(t, "testdata/week.md", form(t, made(t, facts(t, []string{hostile, "Second", "Third"})), "markdown"))
}

// Every number is worked out here by hand: three campaigns that spend 10.50, 20.50 and 30.50 a day, and 8.50, 16.50 and
// 24.50 before; a budget of 12.00 a day, and one of 1,000.00 since 2 November.
func TestFiguresAddUp(t *testing.T) {
	r := made(t, facts(t, []string{"First", "Second", "Third"}))
	for _, row := range []struct{ name, want string }{
		{"spend", "430.5, 346.5, 0.242424"}, // 7 × 61.50, 7 × 49.50
		{"impressions", "42000, 42007, -0.000167"},
		{"clicks", "490, 490, 0"},
		{"ctr", "0.011667, 0.011665, 0.000171"},
		{"cpc", "0.878571, 0.707143, 0.242423"}, // of six decimals,
		{"conversions", "28, 28, 0"},
		{"cpa", "15.375, 12.375, 0.242424"},
		{"order_created_roas", "not there"},
	} {
		if got := figure(r, row.name); got != row.want {
			t.Errorf("%s is %s; want %s", row.name, got, row.want)
		}
	}
	var campaigns []string
	for _, c := range r.Campaigns {
		said := c.Name + " " + c.Figures["spend"]
		if b := c.Budget; b != nil {
			said += fmt.Sprintf(": %s %s, %s of %s is %s", b.Kind, b.Amount, b.Spent, b.Within, b.Share)
		}
		campaigns = append(campaigns, said)
	}
	if diff := cmp.Diff([]string{
		"Third 213.5: daily 12, 213.5 of 84 is 2.541667",
		"Second 143.5: lifetime 1000, 374.5 of 1000 is 0.3745", // 14 days of 16.50 and 7 of 20.50
		"First 73.5: daily 12, 73.5 of 84 is 0.875",
	}, campaigns); diff != "" {
		t.Error(diff)
	}
	names := func(ads []report.Ad) (all []string) {
		for _, a := range ads {
			all = append(all, a.Name)
		}
		return all
	}
	if got := names(r.Top); !cmp.Equal(got, []string{"ad of Third", "ad of First"}) {
		t.Errorf("the best ads are %q; want those that sell, Third before First", got)
	}
	if got := names(r.Bottom); !cmp.Equal(got, []string{"ad of Second"}) {
		t.Errorf("the worst ads are %q; want Second, which spends and sells nothing", got)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	names := []string{"First", "Second"}
	for _, row := range []struct {
		name string
		make func(*report.Facts)
		want []string // in the form for reading
		not  []string
	}{
		{
			name: "nothing sold in either span: no columns of it, and ads go by clicks",
			make: func(f *report.Facts) { f.Kept = figurestest.Kept(t, f.Now, names, delivered(false)) },
			want: []string{"## Ads with the most clicks"}, not: []string{"Conversions", "CPA", "ROAS"},
		},
		{
			name: "no day was read: no figure, and none is zero",
			make: func(f *report.Facts) { f.Span = insights.Span{From: "2026-08-03", To: "2026-08-09"} },
			want: []string{"No figures of these days were read", "Not compared"}, not: []string{"## Figures", "| 0"},
		},
		{
			name: "a day that was not read is a gap, and nothing is compared",
			make: func(f *report.Facts) { f.Span = insights.Span{From: "2026-10-26", To: "2026-11-01"} },
			want: []string{"| 2026-10-26 | not read |", "Not read, and in no figure here: 2026-10-26",
				"Not compared with 2026-10-19 to 2026-10-25, as not every day of both was read"},
			not: []string{"| Change |  |"},
		},
		{
			name: "the day that is not over is not compared with a whole one",
			make: func(f *report.Facts) { f.Span = insights.Span{From: "2026-11-17", To: "2026-11-23"} },
			want: []string{"| 2026-11-23 \\* |", "Preliminary", "as the current day is not over"},
			not:  []string{"+24.2%"},
		},
		{
			name: "no review was read",
			make: func(f *report.Facts) { f.Reviews = &review.Record{} },
			want: []string{"reviews were not read yet"},
		},
		{
			name: "nothing was rejected when the reviews were read, and an ad waited for its review",
			make: func(f *report.Facts) {
				f.Reviews = &review.Record{Read: f.Now.Add(-time.Hour)}
				f.Reviews.See(f.Now, review.Standing{Address: "ad/c0/g/c", ID: "ad_8", Said: "in_review"}, true)
			},
			want: []string{"limited, as of 2026-11-23 08:00 EST\n\nNone. 1 ad in review then.\n\n##"},
		},
		{
			name: "no daemon: what is held is not known, and what was refused is",
			make: func(f *report.Facts) { f.Waiting.At, f.Waiting.Waits = nil, f.Waiting.Waits[1:] },
			want: []string{"Without a daemon nobody knows which changes are held", "Campaign “Second”"},
			not:  []string{"Nothing waits", "somebody, as of"},
		},
		{
			name: "nothing was applied yet",
			make: func(f *report.Facts) { f.Record, f.Runs = nil, nil },
			want: []string{"Nothing was changed by adsync."}, not: []string{"a day |", "in all |"},
		},
	} {
		f := facts(t, names)
		row.make(&f)
		text := string(form(t, made(t, f), "markdown"))
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the report lacks %q:\n%s", row.name, want, text)
			}
		}
		for _, not := range row.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: the report has %q:\n%s", row.name, not, text)
			}
		}
	}
}

// A run belongs to the day on which it began in the account's zone, not in UTC.
func TestRunsOfTheDaysOfTheAccount(t *testing.T) {
	f := facts(t, []string{"First", "Second"})
	sunday := time.Date(2026, 11, 22, 23, 30, 0, 0, newYork(t)).UTC() // is Monday in UTC
	f.Runs = append(f.Runs[:0], head("run-000009", sunday.Add(time.Hour), 1), head("run-000008", sunday, 1))
	r := made(t, f)
	if len(r.Runs) != 1 || r.Runs[0].Run != "run-000008" {
		t.Errorf("runs are %+v; want run-000008 alone", r.Runs)
	}
	if diff := cmp.Diff([]string{"Changed: campaign “First”; Daily budget: 10.00 → 12.00 (+2.00, ×1.20)",
		"Created: campaign “c1”"}, r.Runs[0].Changes); diff != "" {
		t.Error(diff)
	}
}
