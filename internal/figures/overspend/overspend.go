// Package overspend finds measured spend that is more than a budget, an even pace or the operator's cap allows, and how
// the budgets of a whole account are spent.
//
// It refuses to guess: where a day was not read, a figure is not known, or a budget was changed on the day, it finds
// nothing. Its invariant: of one resource and day a rule is found new once, whoever looks.
//
// overspend.go finds and words, keep.go knows what was found before, watch.go when to look; paced.go is of a whole
// account.
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

// Rule is what spend has passed.
type Rule string

// The rules.
const (
	daily    Rule = "daily"    // a daily budget, on that day
	pace     Rule = "pace"     // the part of a lifetime budget that is even to the end of that day, and the margin
	lifetime Rule = "lifetime" // a lifetime budget
	limit    Rule = "cap"      // max_daily_exposure of the policy, by the whole account on that day
)

// Budget is what a resource may spend, as the service has it.
type Budget struct {
	Name            string
	Daily, Lifetime int64 // in micros; 0: none
	Begins, Ends    time.Time
	Changed         time.Time // when anything of the resource was changed last; zero: not known
	Delivers        bool      // by its own status
}

// Limits are what else bounds spend.
type Limits struct {
	OverDaily int64 // percent above a daily budget that is still let pass
	OverEven  int64 // percent above an even pace
	Cap       int64 // in micros, of the whole account on a day; 0: none
	// Largest is the largest daily budget that a resource had from a moment to another, of one that was changed since;
	// false where that is not known. nil knows none.
	Largest func(id string, from, to time.Time) (int64, bool)
}

// Passing is spend that passed what was allowed. It is never changed.
type Passing struct {
	Rule     Rule      `json:"rule"`
	ID       string    `json:"id,omitempty"` // of the resource; "" of the account
	Name     string    `json:"name,omitempty"`
	Day      string    `json:"day"` // the last that counts
	Currency string    `json:"currency"`
	Spent    int64     `json:"spent_micros"`
	Allowed  int64     `json:"allowed_micros"`
	Since    time.Time `json:"since"`             // the first reading that shows it
	SoFar    bool      `json:"so_far,omitempty"`  // that day had not ended
	Percent  int64     `json:"percent,omitempty"` // of a pace: above which it is told
}

// Find finds what passed by now, today and yesterday: a reading of yesterday may be of after its end. now is in the
// account's zone.
func Find(kept figures.Kept, budgets map[string]Budget, l Limits, now time.Time) (all []Passing, _ error) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	yesterday := today.AddDate(0, 0, -1)
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	if in, known := index.Now(now); !known || in.Location().String() != now.Location().String() {
		return nil, nil // its days are others
	}
	t, err := kept.Table(figures.Levels[0], insights.Span{
		From: yesterday.Format(time.DateOnly), To: today.Format(time.DateOnly)})
	if err != nil {
		return nil, err
	}
	for i, from := range []time.Time{yesterday, today} {
		day := &t.Days[i]
		if day.Gap {
			continue
		}
		one := Passing{Day: day.Date, Currency: t.Currency, SoFar: day.Preliminary,
			Since: time.Unix(index.Taken[day.Date], 0).UTC()}
		for k := range t.Lines {
			line := &t.Lines[k]
			b, known := budgets[line.ID]
			if !known || line.Spend == nil || b.Daily <= 0 {
				continue
			}
			allowed, known := l.largest(line.ID, &b, from)
			if known && allowed > 0 && line.Spend[i] > over(allowed, l.OverDaily) {
				p := one
				p.Rule, p.ID, p.Name, p.Spent, p.Allowed = daily, line.ID, b.Name, line.Spend[i], allowed
				all = append(all, p)
			}
		}
		if spent, known := day.Micros(); known && l.Cap > 0 && spent > l.Cap {
			p := one
			p.Rule, p.Spent, p.Allowed = limit, spent, l.Cap
			all = append(all, p)
		}
	}
	paced, err := findPaced(kept, budgets, l, now)
	for i := range paced {
		paced[i].Currency = t.Currency
	}
	return append(all, paced...), err
}

// largest is the largest daily budget of the day that begins at a moment; false where that is not known.
func (l *Limits) largest(id string, b *Budget, day time.Time) (int64, bool) {
	if b.stood(day) {
		return b.Daily, true
	}
	if l.Largest == nil || b.Changed.IsZero() {
		return 0, false
	}
	return l.Largest(id, day, day.AddDate(0, 0, 1))
}

// stood reports whether a budget is known to be what it was since a moment.
func (b *Budget) stood(since time.Time) bool { return !b.Changed.IsZero() && b.Changed.Before(since) }

// freshFor is how old what was read of today may be to be called now: it is read every hour.
const freshFor = 3 * time.Hour

// findPaced finds lifetime budgets that are spent faster than evenly, or are spent.
func findPaced(kept figures.Kept, budgets map[string]Budget, l Limits, now time.Time) (all []Passing, _ error) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	begun := map[string]time.Time{}
	for id := range budgets {
		b := budgets[id]
		if b.Lifetime > 0 && !b.Begins.IsZero() && b.Begins.Before(now) && b.stood(today) {
			begun[id] = b.Begins
		}
	}
	if len(begun) == 0 {
		return nil, nil
	}
	spent, until, err := kept.Spent(figures.Levels[0], begun, now)
	if err != nil || now.Sub(until) > freshFor || until.Before(today) {
		return nil, err
	}
	for id, micros := range spent {
		b := budgets[id]
		p := Passing{Rule: lifetime, ID: id, Name: b.Name, Day: today.Format(time.DateOnly), Spent: micros,
			Allowed: b.Lifetime, Since: until.UTC(), SoFar: true}
		if micros <= b.Lifetime {
			p.Rule, p.Percent = pace, l.OverEven
			if p.Allowed = b.even(today.AddDate(0, 0, 1)); p.Allowed == 0 || micros <= over(p.Allowed, l.OverEven) {
				continue
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// even is the part of a lifetime budget that is spent at a moment where it is spent evenly; 0: it has no last day.
func (b *Budget) even(at time.Time) int64 {
	whole := b.Ends.Unix() - b.Begins.Unix()
	if b.Ends.IsZero() || whole <= 0 {
		return 0
	}
	part := min(at.Unix()-b.Begins.Unix(), whole)
	high, low := bits.Mul64(uint64(b.Lifetime), uint64(max(part, 0)))
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}

// over is an amount and so many percent of it, at most the largest there is.
func over(micros, percent int64) int64 {
	if micros > math.MaxInt64/(100+percent) {
		return math.MaxInt64
	}
	return micros * (100 + percent) / 100
}

// Title says in short what passed.
func (p *Passing) Title() string {
	return catalogue.Say("passed.title."+string(p.Rule), "name", p.brief())
}

// Text is the whole of it. zone is the account's.
func (p *Passing) Text(zone *time.Location) string {
	spent, allowed := p.shown()
	on := "passed.on"
	if p.SoFar {
		on = "passed.on-so-far"
	}
	return catalogue.Say("passed."+string(p.Rule), "name", p.brief(), "spent", spent, "allowed", allowed,
		"day", p.Day, "on", catalogue.Say(on, "day", p.Day), "percent", p.Percent,
		"since", p.Since.In(zone).Format("2006-01-02 15:04 MST"))
}

// brief is the name, cut so that it pushes no figure out of a message.
func (p *Passing) brief() string {
	const most = 100
	if runes := []rune(p.Name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return p.Name
}

// shown are the amounts to the cent, and whole where they would be the same.
func (p *Passing) shown() (spent, allowed string) {
	amount := func(decimals string) string {
		text, _ := insights.Shown("spend", decimals)
		return strings.TrimSpace(text + " " + p.Currency)
	}
	exact, bound := resource.FormatMoney(p.Spent), resource.FormatMoney(p.Allowed)
	if spent, allowed = amount(exact), amount(bound); spent == allowed {
		return strings.TrimSpace(exact + " " + p.Currency), allowed
	}
	return spent, allowed
}
