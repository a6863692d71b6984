package report_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"testing"
	"time"

	"adsync/internal/insights"
	"adsync/internal/kinds"
	"adsync/internal/planview"
	"adsync/internal/report"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/internal/testing/figurestest"
	"adsync/plan"
	"adsync/state"
)

// hostile is a name that is a formula, markup of two kinds, and ends a line.
const hostile = "=1+1|<b>*x*</b>\n[a](http://x)"

func newYork(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// monday is when the week of the tests is over: 23 November 2026 in New York.
func monday(t testing.TB) time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, newYork(t)) }

// week is Monday to Sunday before monday.
var week = insights.Span{From: "2026-11-16", To: "2026-11-22"}

// delivered is what campaign n does on each day: in the last seven days it spends n tens, and before n eights.
func delivered(conversions bool) func(n, daysAgo int) map[string]string {
	return func(n, daysAgo int) map[string]string {
		n++
		spend := n * 10
		if daysAgo > 7 {
			spend = n * 8
		}
		impressions := n * 1000
		if n == 1 && daysAgo > 7 { // one more a day: no change that can be seen
			impressions++
		}
		did := map[string]string{"spend": fmt.Sprintf("%d.50", spend), "impressions": fmt.Sprint(impressions),
			"clicks": fmt.Sprint(n * n * 5), "conversions": "0"}
		if conversions && n != 2 { // the second sells nothing
			did["conversions"] = fmt.Sprint(n)
		}
		return did
	}
}

// facts are those of an account of these campaigns, in which everything happened that a report tells.
func facts(t testing.TB, names []string) report.Facts {
	t.Helper()
	now := monday(t)
	record := &resource.Snapshot{}
	for n, name := range names {
		address := resource.Address{Kind: "campaign", Key: fmt.Sprintf("c%d", n)}
		var values resource.Attributes
		values.Set("name", resource.Text(name))
		if n == 1 {
			values.Set("budget.lifetime", resource.Number(1_000_000_000))
			values.Set("start", resource.Text("2026-11-02"))
		} else {
			values.Set("budget.daily", resource.Number(12_000_000))
		}
		record.Put(&resource.Resource{Address: address, ID: fmt.Sprintf("campaign_%d", n), Attributes: values})
	}
	reviews := &review.Record{Read: now.Add(-time.Hour)}
	reviews.See(now.Add(-48*time.Hour), review.Standing{Address: "ad/c0/g/a", ID: "ad_0", Name: names[0],
		In: "Spring › Runners", Said: "rejected", Reason: "crawl_failed"}, true)
	reviews.See(now, review.Standing{Address: "ad/c0/g/b", ID: "ad_9", Name: "Good one", Said: "approved"}, true)
	reviews.See(now, review.Standing{Address: "ad/c0/g/c", ID: "ad_8", Name: "New one", Said: "in_review"}, true)
	looked := now.Add(-10 * time.Minute).UTC()
	return report.Facts{
		Name: "shop", Account: planview.Account{ID: "adacct_1", Currency: "USD", TimeZone: "America/New_York"},
		Now: now, Span: week, Kept: figurestest.Kept(t, now, names, delivered(true)), Source: "kept",
		Record: record, Schemas: kinds.All(), Reviews: reviews,
		Runs: []runview.Head{
			head("run-000003", now, 1),                     // this Monday: after the week
			head("run-000002", now.AddDate(0, 0, -4), 2),   // Thursday
			head("run-000001", now.AddDate(0, 0, -5), 0),   // applied nothing
			head("run-000000", now.AddDate(0, 0, -20), 30), // long before
		},
		Document: func(run string) *runview.Document { return document(run, names[0]) },
		Waiting: report.Waiting{At: &looked, Waits: []report.Wait{
			{What: "1 change held; campaign/c0: budget.daily rises, from 20.00 to 80.00"},
			{What: "campaign/c1", Why: "the service refused it: no"},
		}},
	}
}

// pictured has each ad show a picture of its own, whose title says whose it is.
func pictured(t testing.TB, f report.Facts, title string) report.Facts {
	t.Helper()
	f.Picture = func(ad string) *report.Picture {
		m := image.NewRGBA(image.Rect(0, 0, 96, 96))
		for i := range m.Pix {
			m.Pix[i] = byte(i*len(ad)) ^ ad[len(ad)-1]
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, nil); err != nil {
			t.Error(err)
		}
		return &report.Picture{JPEG: b.Bytes(), Title: title + " of " + ad}
	}
	return f
}

func head(run string, at time.Time, applied int) runview.Head {
	return runview.Head{Run: run, Command: runview.Apply, Ended: runview.Finished, Started: at, Finished: at,
		By: "ann@desk", Summary: map[string]int{string(state.OutcomeApplied): applied}}
}

func document(run, name string) *runview.Document {
	d := &runview.Document{Head: runview.Head{Run: run}}
	d.Outcomes = append(d.Outcomes,
		runview.Outcome{Address: "campaign/c0", Name: name, Action: plan.Update, Outcome: state.OutcomeApplied,
			Fields: []runview.Field{{Name: "budget.daily", Before: resource.Number(10_000_000),
				After: resource.Number(12_000_000), Applied: true}}},
		runview.Outcome{Address: "campaign/c1", Action: plan.Create, Outcome: state.OutcomeApplied},
		runview.Outcome{Address: "campaign/c2", Action: plan.Create, Outcome: state.OutcomeFailed})
	return d
}

func made(t testing.TB, f report.Facts) *report.Report {
	t.Helper()
	r, err := report.Make(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func form(t testing.TB, r *report.Report, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, name); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
