package delivery

import (
	"fmt"
	"testing"
	"time"

	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// monday is 00:00 UTC of a Monday.
var monday = time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)

func after(d time.Duration) int64 { return monday.Add(d).UnixMilli() }

// oneAd is a campaign, an ad group and an ad that may serve from monday on.
func oneAd(change func(*Campaign, *AdGroup, *Ad)) []Change {
	c := Campaign{ID: "c", Active: true, Daily: 50_000_000, Goals: "ces_1"}
	g := AdGroup{ID: "g", CampaignID: "c", Active: true, Bid: 1_250_000}
	d := Ad{ID: "d", AdGroupID: "g", Active: true, SubmittedAt: after(0)}
	if change != nil {
		change(&c, &g, &d)
	}
	return []Change{{At: after(0), Campaign: &c}, {At: after(0), AdGroup: &g}, {At: after(0), Ad: &d}}
}

func run(zone *time.Location, until time.Duration, changes ...Change) *Book {
	b := NewBook(Account{Seed: 7, Zone: zone, ReviewDelay: time.Minute, Standing: Standing{Active: true}})
	for _, c := range changes {
		b.Add(c)
	}
	b.RunTo(monday.Add(until))
	return b
}

// perHour is what all ads had, by hour since monday.
func perHour(b *Book) map[int]Tally {
	hours := map[int]Tally{}
	for _, d := range b.Days(0, unlimited) {
		d.EachHour(func(_ int, start int64, t Tally) {
			sum := hours[int((start-after(0))/3_600_000)]
			sum.Add(t)
			hours[int((start-after(0))/3_600_000)] = sum
		})
	}
	return hours
}

func total(b *Book) (sum Tally) {
	for _, d := range b.Days(0, unlimited) {
		d.Each(func(_ int, t Tally) { sum.Add(t) })
	}
	return sum
}

func TestNothingIsDeliveredByWhatCannotServe(t *testing.T) {
	hour := int64(3600)
	day := 24 * time.Hour
	paused := func(at time.Duration) Change { return Change{At: after(at), Standing: &Standing{}} }
	for _, tt := range []struct {
		name        string
		changes     []Change
		first, last int // hours in which something may be shown
	}{
		{"part 3: active, approved, in schedule", oneAd(nil), 0, 23},
		{"part 3: the campaign is paused", oneAd(func(c *Campaign, _ *AdGroup, _ *Ad) { c.Active = false }), 1, 0},
		{"part 3: the ad group is paused", oneAd(func(_ *Campaign, g *AdGroup, _ *Ad) { g.Active = false }), 1, 0},
		{"part 3: the ad is paused", oneAd(func(_ *Campaign, _ *AdGroup, d *Ad) { d.Active = false }), 1, 0},
		{"part 2: the review rejected the creative", oneAd(func(_ *Campaign, _ *AdGroup, d *Ad) {
			d.Rejected = true
		}), 1, 0},
		{"part 2: the creative is in review until 9:00", oneAd(func(_ *Campaign, _ *AdGroup, d *Ad) {
			d.SubmittedAt = after(9*time.Hour - time.Minute)
		}), 9, 23},
		{"part 2: the campaign starts at 6:00", oneAd(func(c *Campaign, _ *AdGroup, _ *Ad) {
			c.Start = monday.Unix() + 6*hour
		}), 6, 23},
		{"part 2: the campaign ends at 20:00", oneAd(func(c *Campaign, _ *AdGroup, _ *Ad) {
			c.End = monday.Unix() + 20*hour
		}), 0, 19},
		{"part 3: the account is paused at 12:00", append(oneAd(nil), paused(12*time.Hour)), 0, 11},
		{"service facts 5: the brand is in review from 8:00", append(oneAd(nil), Change{At: after(8 * time.Hour),
			Standing: &Standing{Active: true, SubmittedAt: after(30 * time.Hour)}}), 0, 7},
		{"part 3: the campaign is paused at 12:00", append(oneAd(nil),
			Change{At: after(12 * time.Hour), Campaign: &Campaign{ID: "c", Daily: 50_000_000}}), 0, 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hours := perHour(run(time.UTC, day, tt.changes...))
			for h, got := range hours {
				if h < tt.first || h > tt.last {
					t.Errorf("hour %d has %+v, want nothing", h, got)
				}
			}
			if tt.first <= tt.last && len(hours) < (tt.last-tt.first)/2 {
				t.Errorf("%d hours have something, want most of %d to %d", len(hours), tt.first, tt.last)
			}
		})
	}
}

func TestAChangeKeepsTheSlotItFallsInFromServing(t *testing.T) {
	changes := oneAd(nil)
	campaign := *changes[0].Campaign
	campaign.Active = false
	changes = append(changes, Change{At: after(12*time.Hour + 7*time.Minute), Campaign: &campaign})
	before, paused := run(time.UTC, 12*time.Hour, changes...), run(time.UTC, 14*time.Hour, changes...)
	if got, want := total(paused), total(before); got != want {
		t.Errorf("paused at 12:07: delivered %+v, want what there was at 12:00, %+v", got, want)
	}
}

func TestSpendStaysWithinBudgetsAndLimits(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	limit := func(l Limit) Change { return Change{At: after(0), Limit: &l} }
	budget := func(daily, lifetime int64, end time.Duration) []Change {
		return oneAd(func(c *Campaign, _ *AdGroup, _ *Ad) {
			c.Daily, c.Lifetime = daily, lifetime
			if end > 0 {
				c.End = monday.Add(end).Unix()
			}
		})
	}
	week := 7 * 24 * time.Hour
	for _, tt := range []struct {
		name             string
		changes          []Change
		perDay, together int64 // bounds, micros
	}{
		{"part 2: daily budget", budget(5_000_000, 0, 0), 5_000_000, 40_000_000},
		{"part 2: lifetime budget", budget(0, 9_000_000, 0), 9_000_000, 9_000_000},
		{"part 2: lifetime budget over a week", budget(0, 35_000_000, week), 10_000_000, 35_000_000},
		{"part 4, spend limit rule 7: the daily amount repeats each account-local day", append(budget(90_000_000, 0, 0),
			limit(Limit{ID: "r", Daily: true, Since: "2026-11-01", Micros: 4_000_000})), 4_000_000, 32_000_000},
		{"part 4: a dated window bounds the sum of its days", append(budget(90_000_000, 0, 0),
			limit(Limit{ID: "w", Since: "2026-11-01", Until: "2026-12-01", Micros: 7_000_000})), 7_000_000, 7_000_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := run(newYork, week, tt.changes...)
			for _, d := range b.Days(0, unlimited) {
				if d.Spent > tt.perDay {
					t.Errorf("%s spent %d, want at most %d", d.Name, d.Spent, tt.perDay)
				}
			}
			if got := total(b).Spend; got > tt.together || got < tt.together/2 {
				t.Errorf("spent %d, want at most %d and most of it", got, tt.together)
			}
		})
	}
}

func TestLimitEndsWithItsLastDay(t *testing.T) {
	none := Limit{ID: "w", Since: "2026-11-03", Until: "2026-11-04"}
	b := run(time.UTC, 3*24*time.Hour, append(oneAd(nil), Change{At: after(0), Limit: &none})...)
	for day, want := range map[string]bool{"2026-11-02": true, "2026-11-03": false, "2026-11-04": true} {
		next := day[:9] + string(day[9]+1)
		if got := b.Spent(day, next) > 0; got != want {
			t.Errorf("spent on %s: %v, want %v (part 4: inclusive start, exclusive end)", day, got, want)
		}
	}
}

func TestPricesNeverExceedTheBid(t *testing.T) {
	for _, bid := range []int64{1, 99, 60_000, 1_250_000, 30_400_000_000_000} {
		for _, perImpression := range []bool{false, true} {
			b := run(time.UTC, 48*time.Hour, oneAd(func(c *Campaign, g *AdGroup, _ *Ad) {
				c.Daily, c.PerImpression, g.Bid = 1_000_000_000_000_000, perImpression, bid
			})...)
			got := total(b)
			billed := got.Clicks
			if perImpression {
				billed = got.Impressions
			}
			if got.Spend > billed*bid {
				t.Errorf("bid %d, per impression %v: %+v costs more than the bid", bid, perImpression, got)
			}
		}
	}
}

func TestDaysAreLocalAndFollowDaylightSaving(t *testing.T) {
	for _, tt := range []struct {
		zone, day string
		hours     int64
	}{
		{"America/New_York", "2026-03-08", 23}, {"America/New_York", "2026-11-01", 25},
		{"Asia/Kolkata", "2026-03-08", 24}, {"Africa/Cairo", "2026-04-24", 23},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, _ := time.ParseInLocation("2006-01-02 15", tt.day+" 12", zone)
		d := newDay(at.UnixMilli(), zone)
		if d.Name != tt.day || (d.End-d.Start)/3_600_000 != tt.hours {
			t.Errorf("%s in %s is %s of %d hours, want %d",
				tt.day, tt.zone, d.Name, (d.End-d.Start)/3_600_000, tt.hours)
		}
	}
}

// drawHistory draws an account with a few campaigns and what happens to them in a week.
func drawHistory(rt *rapid.T) []Change {
	at := rapid.Custom(func(rt *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(0, 7*24*60).Draw(rt, "minute")) * time.Minute
	})
	var times []time.Duration
	for range rapid.IntRange(3, 25).Draw(rt, "changes") {
		times = append(times, at.Draw(rt, "at"))
	}
	var all []Change
	for i := range times {
		all = append(all, drawChange(rt, i, after(times[i])))
	}
	return append(oneAd(nil), all...)
}

func drawChange(rt *rapid.T, i int, at int64) Change {
	yes := rapid.IntRange(0, 3).Draw(rt, "active") > 0
	id := fmt.Sprint(rapid.IntRange(0, 2).Draw(rt, "id"))
	switch rapid.IntRange(0, 4).Draw(rt, "what") {
	case 0:
		return Change{At: at, Standing: &Standing{Active: yes}}
	case 1:
		return Change{
			At: at, Campaign: &Campaign{
				ID: id, Active: yes, Daily: 1_000_000 * rapid.Int64Range(1, 9).Draw(rt, "daily"), Goals: "x y",
			},
		}
	case 2:
		return Change{
			At: at, AdGroup: &AdGroup{
				ID: id, CampaignID: id, Active: yes, Bid: rapid.Int64Range(1, 2_000_000).Draw(rt, "bid"),
			},
		}
	case 3:
		return Change{At: at, Ad: &Ad{ID: id, AdGroupID: id, Active: yes, SubmittedAt: at}}
	}
	return Change{
		At: at, Limit: &Limit{
			ID: id, Daily: true, Since: "2026-11-03",
			Micros: rapid.Int64Range(0, 9_000_000).Draw(rt, "limit"), Gone: !yes,
		},
	}
}

// report is everything a book tells.
func report(b *Book) map[string]any {
	all := map[string]any{}
	for _, d := range b.Days(0, unlimited) {
		d.EachHour(func(ad int, start int64, t Tally) {
			id, _, _ := b.Ad(ad)
			all[fmt.Sprint(id, start)] = t
		})
		all["spent "+d.Name] = d.Spent
		all["touches "+d.Name] = append([]Touch(nil), d.Touches...)
	}
	return all
}

func TestGoingOnExtendsAndNeverRewrites(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		changes := drawHistory(rt)
		whole := NewBook(Account{Seed: 1, Zone: time.UTC, Standing: Standing{Active: true}})
		steps := NewBook(Account{Seed: 1, Zone: time.UTC, Standing: Standing{Active: true}})
		var seen map[string]any
		for i, c := range changes {
			whole.Add(c)
			steps.Add(c)
			if i%3 == 0 { // look at a moment before the next change; the clock may go back for it
				steps.RunTo(time.UnixMilli(c.At))
			}
		}
		for _, h := range []int{100, 120, 200} {
			steps.RunTo(monday.Add(time.Duration(h) * time.Hour))
			now := report(steps)
			for what, was := range seen {
				if diff := cmp.Diff(was, now[what]); diff != "" && what[0] != 's' && what[0] != 't' {
					rt.Fatalf("%s was rewritten at hour %d:\n%s", what, h, diff)
				}
			}
			seen = now
		}
		whole.RunTo(monday.Add(200 * time.Hour))
		if diff := cmp.Diff(report(whole), seen); diff != "" {
			rt.Fatalf("one run and many differ:\n%s", diff)
		}
	})
}

func TestConversionsFollowClicksAndHaveAValue(t *testing.T) {
	b := run(time.UTC, 20*24*time.Hour, oneAd(func(c *Campaign, _ *AdGroup, _ *Ad) { c.Daily = 500_000_000 })...)
	clicks, views, late := 0, 0, 0
	for _, d := range b.Days(0, unlimited) {
		for _, one := range d.Touches {
			if one.At < d.Start || one.At >= d.End || one.Delay < 0 || one.Value <= 0 || one.Goal != "ces_1" {
				t.Fatalf("touch %+v of %s is not of that day", one, d.Name)
			}
			clicks++
			if one.View {
				views++
			}
			if one.Delay > 7*24*3_600_000 {
				late++
			}
		}
	}
	if n := int(total(b).Clicks); clicks-views == 0 || clicks-views > n/5 || views == 0 || late == 0 {
		t.Errorf("%d touches (%d views, %d after a week) of %d clicks, want some of each", clicks, views, late, n)
	}
}

func BenchmarkThirtyDaysOf15000(b *testing.B) {
	for range b.N {
		book := NewBook(Account{Seed: 1, Zone: time.UTC, Standing: Standing{Active: true}})
		for i := range 5000 {
			id := fmt.Sprint(i)
			book.Add(Change{At: after(0), Campaign: &Campaign{ID: id, Active: true, Daily: 50_000_000}})
			book.Add(Change{At: after(0), AdGroup: &AdGroup{ID: id, CampaignID: id, Active: true, Bid: 1_250_000}})
			book.Add(Change{At: after(0), Ad: &Ad{ID: id, AdGroupID: id, Active: true, SubmittedAt: after(0)}})
		}
		book.RunTo(monday.Add(30 * 24 * time.Hour))
	}
}
