package activity

import (
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
)

// Compared is what all campaigns of the account did in the seven days before the day of a run, and in the seven after
// it. It is a comparison, and proves nothing.
type Compared struct {
	SpendBefore  string `json:"spend_before"` // decimal, in units of the currency
	SpendAfter   string `json:"spend_after"`
	ClicksBefore string `json:"clicks_before"`
	ClicksAfter  string `json:"clicks_after"`
}

// How many days are compared, and how far back from the newest run of a page.
const (
	daysCompared = 7
	reachMost    = 120
)

// Compare adds to the runs among events what the account did before and after, where all those days are known.
func Compare(kept figures.Kept, events []Event, now time.Time) error {
	index, err := kept.Index()
	if err != nil {
		return err
	}
	if len(index.Taken) == 0 {
		return nil
	}
	today, _ := index.Now(now)
	var first, last time.Time
	for i := range events {
		if e := &events[i]; e.changed {
			day, _ := index.Now(e.Time)
			if last.IsZero() {
				last = day.AddDate(0, 0, daysCompared)
			}
			if day.After(last.AddDate(0, 0, -reachMost)) {
				first = day.AddDate(0, 0, -daysCompared)
			}
		}
	}
	if first.IsZero() {
		return nil
	}
	if last.After(today) {
		last = today
	}
	t, err := kept.Table(figures.Levels[0], insights.Span{
		From: first.Format(time.DateOnly), To: last.Format(time.DateOnly),
	})
	if err != nil {
		return err
	}
	days := map[string]*figures.DayTotal{}
	for i := range t.Days {
		if d := &t.Days[i]; !d.Gap && !d.Preliminary {
			days[d.Date] = d
		}
	}
	for i := range events {
		if e := &events[i]; e.changed {
			day, _ := index.Now(e.Time)
			before, known := sum(days, day.AddDate(0, 0, -daysCompared))
			after, ended := sum(days, day.AddDate(0, 0, 1))
			if known && ended {
				e.Compared = &Compared{before.Of("spend"), after.Of("spend"), before.Of("clicks"), after.Of("clicks")}
			}
		}
	}
	return nil
}

// sum adds up seven days; false where one of them is not known.
func sum(days map[string]*figures.DayTotal, from time.Time) (*figures.Sums, bool) {
	total := &figures.Sums{}
	for i := range daysCompared {
		d := days[from.AddDate(0, 0, i).Format(time.DateOnly)]
		if d == nil {
			return nil, false
		}
		total.Add(&d.Sums)
	}
	_, known := total.Micros()
	return total, known
}
