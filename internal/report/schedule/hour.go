package schedule

import (
	"strings"
	"time"

	"adsync/internal/insights"
)

// Plan is a report that is sent again and again.
type Plan struct {
	Day  string        // daily, monday to sunday, or first-of-month
	At   time.Duration // since midnight, by the clock on the wall of the account
	Span string        // as insights names it
	To   []string      // places, by identity
}

// openLeast is how long after its hour a report may be sent at least. It may be until the day of the hour is over.
const openLeast = 6 * time.Hour

// mostOpen is how many days back an hour may lie whose report may still be sent.
const mostOpen = 1

// due returns the last hour of the plan at or before now, and until when its report may be sent; false where that has
// passed. now is in the zone of the account.
func (p *Plan) due(now time.Time) (hour, ends time.Time, ok bool) {
	for back := range mostOpen + 1 {
		year, month, day := now.AddDate(0, 0, -back).Date()
		if !p.on(year, month, day) {
			continue
		}
		hour, ends = p.hour(year, month, day, now.Location())
		if !hour.After(now) {
			return hour, ends, now.Before(ends)
		}
	}
	return time.Time{}, time.Time{}, false
}

// next returns the next hour of the plan after now, where it is today or tomorrow; else a moment to look again.
func (p *Plan) next(now time.Time) time.Time {
	for ahead := range 2 {
		year, month, day := now.AddDate(0, 0, ahead).Date()
		if !p.on(year, month, day) {
			continue
		}
		if hour, _ := p.hour(year, month, day, now.Location()); hour.After(now) {
			return hour
		}
	}
	return now.Add(12 * time.Hour)
}

// on reports whether the plan is of a day.
func (p *Plan) on(year int, month time.Month, day int) bool {
	switch p.Day {
	case "daily":
		return true
	case "first-of-month":
		return day == 1
	}
	return strings.ToLower(time.Date(year, month, day, 12, 0, 0, 0, time.UTC).Weekday().String()) == p.Day
}

// hour returns the moment of the plan on a day, and until when its report may be sent.
func (p *Plan) hour(year int, month time.Month, day int, zone *time.Location) (hour, ends time.Time) {
	hour = wall(year, month, day, p.At, zone)
	ends = wall(year, month, day+1, 0, zone)
	if least := hour.Add(openLeast); ends.Before(least) {
		ends = least
	}
	return hour, ends
}

// wall returns the first moment of a day at which the clock on the wall shows a time or, where it is put forward over
// that time, a later one.
func wall(year int, month time.Month, day int, since time.Duration, zone *time.Location) time.Time {
	want := time.Date(year, month, day, 0, int(since/time.Minute), 0, 0, time.UTC)
	at := time.Date(year, month, day, 0, int(since/time.Minute), 0, 0, zone)
	begins, ends := at.ZoneBounds()
	switch shows := shown(at); {
	case shows.After(want): // the clock is put forward over it
		return begins.In(zone)
	case shows.Before(want):
		return ends.In(zone)
	case begins.IsZero():
		return at
	}
	_, before := begins.Add(-time.Second).Zone()
	_, now := at.Zone()
	first := at.Add(time.Duration(now-before) * time.Second)
	if first.Before(begins) && shown(first).Equal(want) { // it shows the time twice
		return first
	}
	return at
}

// shown is what the clock on the wall shows, as a moment of no zone.
func shown(at time.Time) time.Time {
	_, ahead := at.Zone()
	return at.UTC().Add(time.Duration(ahead) * time.Second)
}

// span returns the days of a report that was due at an hour.
func (p *Plan) span(hour time.Time) (insights.Span, error) {
	year, month, day := hour.Date()
	return insights.NamedSpan(p.Span, time.Date(year, month, day, 12, 0, 0, 0, hour.Location()))
}
