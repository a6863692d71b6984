package campaigns

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
)

const pacedColumn = "paced"

// Paced is what was spent of what today's budget has to be spent in the same time. What the budget was before, and when
// the resource was paused, is not known.
type Paced struct {
	Spent   string `json:"spent"` // decimal, in units of the currency
	Due     string `json:"due"`
	Percent int64  `json:"percent"`        // of Due, rounded
	Days    int    `json:"days,omitempty"` // of a daily budget: over how many whole days of the span
	ended   bool   // the last day of a lifetime budget is over
}

// freshFor is how old what was read of today may be to be called now: it is read every hour.
const freshFor = 3 * time.Hour

// pace says how the budgets of the lines are spent. now is in the account's zone.
func (f *Found) pace(kept figures.Kept, now time.Time) (map[string]Paced, error) {
	all := map[string]Paced{}
	put := func(id string, spent, due int64, p Paced) {
		if due > 0 {
			p.Spent, p.Due = resource.FormatMoney(spent), resource.FormatMoney(due)
			p.Percent = (min(spent, math.MaxInt64/200)*100 + due/2) / due
			all[id] = p
		}
	}
	begun := map[string]time.Time{} // those with a lifetime budget
	for i := range f.now.Lines {
		l := &f.now.Lines[i]
		s := f.settings[l.ID]
		switch {
		case s.Removed:
		case s.Daily > 0:
			spent, days, known := f.wholeDays(l, s, now)
			if known && s.Daily <= math.MaxInt64/int64(max(days, 1)) {
				put(l.ID, spent, s.Daily*int64(days), Paced{Days: days})
			}
		case s.Lifetime > 0 && !s.Ends.IsZero() && !beginOf(s).IsZero() && beginOf(s).Before(now):
			begun[l.ID] = beginOf(s)
		}
	}
	if len(begun) == 0 {
		return all, nil
	}
	spent, until, err := kept.Spent(f.asked.Level, begun, now)
	if err != nil || now.Sub(until) > freshFor {
		return all, err
	}
	for id, micros := range spent {
		s := f.settings[id]
		ended := !until.Before(s.Ends)
		due := s.Lifetime
		if !ended {
			due = share(s.Lifetime, until.Unix()-begun[id].Unix(), s.Ends.Unix()-begun[id].Unix())
		}
		put(id, micros, due, Paced{ended: ended})
	}
	return all, nil
}

// beginOf is the first moment at which a resource can have spent; zero where that is not known.
func beginOf(s daemon.Setting) time.Time {
	if s.Starts.After(s.Created) {
		return s.Starts
	}
	return s.Created
}

// wholeDays is what a line spent on the days of the span that it could spend on from their first moment to their last;
// false where one of them was not read whole, or the figure is not known.
func (f *Found) wholeDays(l *figures.Line, s daemon.Setting, now time.Time) (spent int64, days int, known bool) {
	total, known := l.Micros()
	if !known || beginOf(s).IsZero() {
		return 0, 0, false
	}
	for i, d := range f.now.Days {
		first, err := time.ParseInLocation(time.DateOnly, d.Date, now.Location())
		end := first.AddDate(0, 0, 1)
		if err != nil || first.Before(beginOf(s)) || !s.Ends.IsZero() && end.After(s.Ends) || end.After(now) {
			continue
		}
		if d.Gap || d.Preliminary || l.Spend == nil && total > 0 {
			return 0, 0, false
		}
		if l.Spend != nil {
			spent += l.Spend[i]
		}
		days++
	}
	return spent, days, true
}

// share is the part of an amount that some seconds are of more.
func share(amount, part, whole int64) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(part))
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}

// percent is how much of Due was spent, as programs get it; "" where that is not known.
func (p Paced) percent() string {
	if p.Due == "" {
		return ""
	}
	return strconv.FormatInt(p.Percent, 10)
}

func (p Paced) words() string {
	if p.Due == "" {
		return ""
	}
	spent, _ := insights.Shown("spend", p.Spent)
	due, _ := insights.Shown("spend", p.Due)
	switch {
	case p.Days > 0:
		return catalogue.Say("paced.days", "spent", spent, "due", due, "n", p.Days, "percent", p.Percent)
	case p.ended:
		return catalogue.Say("paced.ended", "spent", spent, "due", due, "percent", p.Percent)
	}
	return catalogue.Say("paced.now", "spent", spent, "due", due, "percent", p.Percent)
}
