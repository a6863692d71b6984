package overspend

import (
	"math"
	"math/bits"
	"strings"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
)

// pacedDays is over how many whole days an account is paced.
const pacedDays = 7

// Paced is what the resources of an account that deliver spent on the last whole days, and what their budgets of now
// have to be spent on these. What a budget was before, and when one was paused, is not seen. It is never changed.
type Paced struct {
	Currency string    `json:"currency"`
	Day      string    `json:"day"`   // the last of the days
	Until    time.Time `json:"until"` // Day is yesterday before
	Days     int       `json:"days"`
	Spent    int64     `json:"spent_micros"`
	Due      int64     `json:"due_micros"`
	Capped   bool      `json:"capped,omitempty"` // Due is the cap of the account, as the budgets come to more
	// how many resources these amounts are of, and how many deliver: of the others one of the two is not known
	Known      int `json:"known"`
	Delivering int `json:"delivering"`
}

// Fresh reports whether Day is yesterday.
func (p *Paced) Fresh(now time.Time) bool { return p != nil && now.Before(p.Until) }

// Percent is how much of Due was spent, rounded.
func Percent(spent, due int64) int64 {
	high, low := bits.Mul64(uint64(max(spent, 0)), 100)
	low, carry := bits.Add64(low, uint64(due)/2, 0)
	if high += carry; high >= uint64(due) {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, uint64(due))
	return int64(min(quotient, math.MaxInt64))
}

// Pace says how the budgets of an account are spent; nil where that is known of no resource that delivers, as on a day
// that was not read. most is what the whole account may spend on a day; 0: nothing says so. now is in the account's
// zone.
func Pace(kept figures.Kept, budgets map[string]Budget, most int64, now time.Time) (*Paced, error) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	first := today.AddDate(0, 0, -pacedDays)
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	if in, known := index.Now(now); !known || in.Location().String() != now.Location().String() {
		return nil, nil // its days are others
	}
	last := today.AddDate(0, 0, -1).Format(time.DateOnly)
	t, err := kept.Table(figures.Levels[0], insights.Span{From: first.Format(time.DateOnly), To: last})
	if err != nil {
		return nil, err
	}
	for i := range t.Days {
		if t.Days[i].Gap || t.Days[i].Preliminary {
			return nil, nil
		}
	}
	lines := map[string]*figures.Line{}
	for i := range t.Lines {
		lines[t.Lines[i].ID] = &t.Lines[i]
	}
	p := &Paced{Currency: t.Currency, Day: last, Until: today.AddDate(0, 0, 1), Days: pacedDays}
	for id := range budgets {
		b := budgets[id]
		if !b.Delivers || !b.Ends.IsZero() && !b.Ends.After(now) || b.Begins.After(now) {
			continue
		}
		p.Delivering++
		if spent, due, known := b.paced(lines[id], first, now.Location()); known {
			p.Known++
			p.Spent, p.Due = added(p.Spent, spent), added(p.Due, due)
		}
	}
	if max(p.Spent, p.Due) == math.MaxInt64 {
		return nil, nil // no sum says how much that is
	}
	if most > 0 && most <= math.MaxInt64/pacedDays && p.Due > most*pacedDays {
		p.Due, p.Capped = most*pacedDays, true
	}
	if p.Due == 0 {
		return nil, nil
	}
	return p, nil
}

// paced is what was spent on the days from the first on that a resource could spend on from their first moment to their
// last, and what was to be spent on these. It is not known since when it is there, of a lifetime budget without a last
// day, and where the service does not say what was spent.
func (b *Budget) paced(l *figures.Line, first time.Time, zone *time.Location) (spent, due int64, known bool) {
	if l != nil {
		if _, known := l.Micros(); !known || l.Spend == nil {
			return 0, 0, false
		}
	}
	length := b.Ends.Unix() - b.Begins.Unix()
	if b.Begins.IsZero() || b.Daily <= 0 && (b.Lifetime <= 0 || b.Ends.IsZero() || length <= 0) {
		return 0, 0, false
	}
	for i := range pacedDays {
		day, end := first.AddDate(0, 0, i), first.AddDate(0, 0, i+1)
		if day.Before(b.Begins) || !b.Ends.IsZero() && end.After(b.Ends) {
			continue
		}
		if l != nil {
			spent = added(spent, l.Spend[i])
		}
		if b.Daily > 0 {
			due = added(due, b.Daily)
		} else {
			due = added(due, b.even(end)-b.even(day))
		}
	}
	return spent, due, true
}

// added is a sum of money, at most the largest there is.
func added(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// amountOf is an amount as people read it.
func amountOf(micros int64, currency string) string {
	text, _ := insights.Shown("spend", resource.FormatMoney(micros))
	return strings.TrimSpace(text + " " + currency)
}

// Text is the whole of it.
func (p *Paced) Text() string {
	text := catalogue.Say("paced.text", "spent", amountOf(p.Spent, ""), "due", amountOf(p.Due, p.Currency),
		"n", p.Days, "day", p.Day, "percent", Percent(p.Spent, p.Due))
	if p.Known < p.Delivering {
		text = catalogue.Say("paced.some", "paced", text, "known", p.Known, "n", p.Delivering)
	}
	if p.Capped {
		text = catalogue.Say("paced.capped", "paced", text)
	}
	return text
}
