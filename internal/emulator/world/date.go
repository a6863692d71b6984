package world

import "time"

// Date is a calendar day, written YYYY-MM-DD. Text order is time order.
type Date string

const dateForm = "2006-01-02"

// ParseDate reads YYYY-MM-DD; false for anything else and for days that no calendar has.
func ParseDate(text string) (Date, bool) {
	t, err := time.Parse(dateForm, text)
	return Date(text), err == nil && t.Format(dateForm) == text
}

// DateOf is the day that t falls on in a time zone.
func DateOf(t time.Time, zone *time.Location) Date { return Date(t.In(zone).Format(dateForm)) }

// Add is the day n days later.
func (d Date) Add(n int) Date { return Date(d.utc().AddDate(0, 0, n).Format(dateForm)) }

func (d Date) utc() time.Time {
	t, err := time.Parse(dateForm, string(d))
	if err != nil {
		panic("date is " + string(d))
	}
	return t
}

// Start is the first moment of the day in a time zone. Where clocks go forward
// at midnight, that is not midnight.
func (d Date) Start(zone *time.Location) time.Time {
	midnight := d.utc()
	year, month, day := midnight.Date()
	near := time.Date(year, month, day, 0, 0, 0, 0, zone)
	from, until := near.ZoneBounds()
	_, offset := near.Zone()
	moments := []time.Time{from, until, midnight.Add(-time.Duration(offset) * time.Second)}
	for _, side := range []time.Time{from.Add(-time.Second), until} {
		_, offset := side.In(zone).Zone()
		moments = append(moments, midnight.Add(-time.Duration(offset)*time.Second))
	}
	first := near
	for _, m := range moments {
		if DateOf(m, zone) == d && (m.Before(first) || DateOf(first, zone) != d) {
			first = m
		}
	}
	return first.In(zone)
}

// Zone is the account's time zone. Profiles are only made with known ones.
func (p Profile) Zone() *time.Location {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		panic("account " + p.ID + " has time zone " + p.TimeZone)
	}
	return zone
}
