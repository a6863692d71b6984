package insights

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// firstDay is 00:00 in New York, where the account of the tests is.
var firstDay = time.Date(2026, 11, 2, 5, 0, 0, 0, time.UTC)

// capped refuses an answer of more than most rows, as the service does of conversions.
type capped struct {
	Service
	most    int // 0: any number
	refused int
}

func (c *capped) Figures(ctx context.Context, path string, q url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	var rows []adsapi.InsightsRow
	var failed error
	for row, err := range c.Service.Figures(ctx, path, q) {
		if failed = err; err == nil {
			rows = append(rows, row)
		}
	}
	return func(yield func(adsapi.InsightsRow, error) bool) {
		if c.most > 0 && len(rows) > c.most {
			c.refused++
			// what came before the refusal must not stay
			if yield(rows[0], nil) {
				yield(adsapi.InsightsRow{}, &adsapi.Error{Status: http.StatusRequestEntityTooLarge})
			}
			return
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if failed != nil {
			yield(adsapi.InsightsRow{}, failed)
		}
	}
}

// advertised is an account of four campaigns with two ads each, after ten days.
func advertised(t *testing.T, change ...func(*emulator.Options)) *adsapi.Client {
	t.Helper()
	change = append(change, func(o *emulator.Options) { o.Now = func() time.Time { return firstDay } })
	w := emulatortest.Start(t, change...)
	for i := range 4 {
		body := emulatortest.CampaignBody(fmt.Sprintf("Campaign %d", i))
		body["status"] = "active"
		c := w.Must(t, "POST", "/campaigns", body).ID(t)
		group := emulatortest.AdGroupBody(c, fmt.Sprintf("Group %d", i))
		group["status"] = "active"
		g := w.Must(t, "POST", "/ad_groups", group).ID(t)
		for j := range 2 {
			ad := emulatortest.AdBody(g, fmt.Sprintf("Ad %d.%d", i, j), w.File(t))
			ad["status"] = "active"
			w.Must(t, "POST", "/ads", ad)
		}
	}
	w.Advance(t, 10*86_400)
	client, err := adsapi.New(adsapi.Config{BaseURL: w.BaseURL, Key: adsapi.NewSecret(w.Key), ReadOnly: true,
		Limits: adsapi.Limits{PerEndpoint: 1_000_000, Overall: 1_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func aboutDays(t *testing.T, q Question) About {
	t.Helper()
	return About{Title: "Figures", Account: "adacct_test", Currency: "USD", Zone: q.Zone, By: q.By, Level: q.Level,
		Now: firstDay.AddDate(0, 0, 10).In(q.Zone), Span: q.Span, Segments: q.Segments}
}

func newYork(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// What the service refuses for its size is asked for in parts, by time and by campaign,
// and what comes of it is byte for byte what one answer would have given, whatever the
// order of the service.
func TestPartsAreOneAnswer(t *testing.T) {
	for _, points := range []string{"profile:published", "profile:interface", "insights_row_order=newest_first"} {
		client := advertised(t, emulatortest.WithPoints(t, points))
		for _, q := range []Question{
			{Level: "ad", By: "day"}, {Level: "campaign", By: "hour"}, {Level: "ad", By: "none"},
			{Level: "ad", By: "month"}, {Level: "account", By: "day"}, {Level: "account", By: "hour"},
			{Level: "ad", By: "day", Sort: []Order{{"spend", "desc"}}},
			{Level: "ad_group", By: "none", Segments: []string{"country", "device"}},
			{Level: "ad", By: "none", Fields: []string{"spend", "ctr", "cpa", "campaign.status"}},
		} {
			q.Zone, q.ViewThrough = newYork(t), -1
			q.Span = Span{From: "2026-10-30", To: "2026-11-11"}
			want, _ := written(t, &capped{Service: client}, q)
			if n := bytes.Count(want, []byte("\n")); n < 8 {
				t.Fatalf("%+v: %d lines:\n%s", q, n, want)
			}
			got, refused := written(t, &capped{Service: client, most: 7}, q)
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %s by %s, %v: in parts\n%s\nwant\n%s", points, q.Level, q.By, q.Segments, got, want)
			}
			if refused == 0 && bytes.Count(want, []byte("\n")) > 9 {
				t.Errorf("%s by %s: nothing was refused", q.Level, q.By)
			}
		}
	}
}

// written is the report of a question as CSV and text, and how often it was refused.
func written(t *testing.T, service *capped, q Question) ([]byte, int) {
	t.Helper()
	r, err := Insights(t.Context(), service, q, aboutDays(t, q), false)
	if err != nil {
		t.Fatalf("%s by %s: %v", q.Level, q.By, err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out bytes.Buffer
	for _, form := range []string{"csv", "text"} {
		if err := r.Write(&out, form, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes(), service.refused
}

// What cannot be cut any further is refused, not shown in part.
func TestWhatCannotBeCutIsRefused(t *testing.T) {
	client := advertised(t)
	q := Question{Level: "ad", By: "none", Zone: newYork(t), ViewThrough: -1,
		Span: Span{From: "2026-11-02", To: "2026-11-11"}}
	if r, err := Insights(t.Context(), &capped{Service: client, most: 1},
		q, aboutDays(t, q), false); !errors.Is(err, adsapi.ErrTooManyRows) {
		t.Errorf("%v, %v; want the service's refusal", r, err)
	}
}
