// Package figurestest keeps figures that a test chooses, for what shows them.
//
// It refuses to speak to a service. Its invariant: what is kept was read by the collector that the daemon has.
package figurestest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/figures"
	"adsync/state/kv"
)

// Kept returns the last 28 days of campaigns with these names, each with an ad group and an ad. of gives the figures of
// a day, by the service's words; nil where nothing was shown. now is in the account's zone.
func Kept(t testing.TB, now time.Time, names []string, of func(campaign, daysAgo int) map[string]string) figures.Kept {
	t.Helper()
	kept := figures.Kept{Store: kv.Folder{Dir: t.TempDir()}}
	c := figures.Collector{Kept: kept, Service: delivered{now, names, of}, Currency: "USD", Brand: "Trail & Shoes",
		Now: now}
	if _, err := c.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	return kept
}

// delivered is a service that has these figures.
type delivered struct {
	now   time.Time
	names []string
	of    func(campaign, daysAgo int) map[string]string
}

// Figures returns the rows of a question about days.
func (d delivered) Figures(_ context.Context, _ string, q url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	var span struct{ Since, Until string }
	err := json.Unmarshal([]byte(q.Get("time_ranges")), &span)
	return func(yield func(adsapi.InsightsRow, error) bool) {
		if err != nil {
			yield(adsapi.InsightsRow{}, err)
			return
		}
		midnight := time.Date(d.now.Year(), d.now.Month(), d.now.Day(), 0, 0, 0, 0, d.now.Location())
		for back := range 60 {
			day := midnight.AddDate(0, 0, -back)
			if date := day.Format(time.DateOnly); date < span.Since || date > span.Until {
				continue
			}
			for i, name := range d.names {
				fields := d.of(i, back)
				if fields == nil {
					continue
				}
				for _, of := range figures.Levels {
					fields[of+"_id"], fields[of+"_name"] = fmt.Sprintf("%s_%d", of, i), of+" of "+name
				}
				fields[figures.Levels[0]+"_name"] = name
				row := adsapi.InsightsRow{Start: day.Unix(), End: day.AddDate(0, 0, 1).Unix(), Fields: fields}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}
