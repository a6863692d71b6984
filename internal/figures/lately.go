package figures

import (
	"time"

	"adsync/internal/insights"
)

// Lately is what an account spent of late, in micros of its currency. What is not known is nil: a day was not read
// after its end, or the service did not say it. It is never changed.
type Lately struct {
	Currency   string    `json:"currency"`
	Day        string    `json:"day"`     // the last of which the figures were read after its end
	Until      time.Time `json:"until"`   // Day is yesterday before
	Taken      time.Time `json:"read_at"` // when Day was read
	OfDay      *int64    `json:"day_micros,omitempty"`
	Week       *int64    `json:"week_micros,omitempty"`        // of the seven days to Day
	WeekBefore *int64    `json:"week_before_micros,omitempty"` // of the seven days before these
}

// Fresh reports whether Day is yesterday.
func (s *Lately) Fresh(now time.Time) bool { return s != nil && now.Before(s.Until) }

// Lately adds up the last days of the account; nil where none is kept that had ended when it was read.
func (k Kept) Lately() (*Lately, error) {
	index, err := k.Index()
	if err != nil {
		return nil, err
	}
	day, read := index.lastWhole()
	if !read {
		return nil, nil
	}
	const week = 7
	t, err := k.Table(Levels[0], insights.Span{
		From: day.AddDate(0, 0, 1-2*week).Format(dateForm), To: day.Format(dateForm),
	})
	if err != nil {
		return nil, err
	}
	s := &Lately{
		Currency: t.Currency, Day: day.Format(dateForm), Until: day.AddDate(0, 0, 2),
		Taken: time.Unix(index.Taken[day.Format(dateForm)], 0).UTC(),
		OfDay: whole(t.Days[2*week-1:]), Week: whole(t.Days[week:]), WeekBefore: whole(t.Days[:week]),
	}
	return s, nil
}

// lastWhole returns the newest day that had ended when it was read.
func (i *Index) lastWhole() (last time.Time, read bool) {
	now, known := i.Now(time.Time{})
	if !known {
		return last, false
	}
	for date, taken := range i.Taken {
		day, err := time.ParseInLocation(dateForm, date, now.Location())
		if err == nil && taken >= day.AddDate(0, 0, 1).Unix() && day.After(last) {
			last, read = day, true
		}
	}
	return last, read
}

// whole returns what was spent on days together; nil where it is not known of each.
func whole(days []DayTotal) *int64 {
	var sums Sums
	for _, d := range days {
		if d.Gap || d.Preliminary {
			return nil
		}
		sums.Add(&d.Sums)
	}
	micros, known := sums.Micros()
	if !known {
		return nil
	}
	return &micros
}
