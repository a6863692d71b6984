package daemon

import (
	"cmp"
	"math"
	"slices"
	"time"

	"adsync/internal/figures"
	"adsync/internal/figures/overspend"
)

// Total is what accounts of one currency come to.
type Total struct {
	Currency   string `json:"currency"` // "" of accounts that were not read yet
	Accounts   int    `json:"accounts"`
	Held       int    `json:"held"`            // changes
	Rejected   int    `json:"rejected"`        // ads
	Possible   Sum    `json:"possible"`        // spend a day
	Day        Sum    `json:"day"`             // spent yesterday
	Week       Sum    `json:"week"`            // spent in the seven days to yesterday
	Compared   Sum    `json:"compared"`        // as Week, of those of which WeekBefore is known, too
	WeekBefore int64  `json:"compared_before"` // what these spent in the seven days before, in micros
	Paced      Sum    `json:"paced"`           // spent in these seven days by what delivers and has a known budget
	Due        int64  `json:"paced_due"`       // what its budgets of now had to be spent on them, in micros
}

// Sum is an amount in micros of as many accounts as it is known of.
type Sum struct {
	Accounts int   `json:"accounts"`
	Micros   int64 `json:"micros"`
}

// of is the sum of one account; nil: it is not known.
func of(micros *int64) Sum {
	if micros == nil {
		return Sum{}
	}
	return Sum{1, *micros}
}

// Spends returns what the account spent of late; nil where that is not known in the currency of its money.
func (s *Status) Spends() *figures.Lately {
	if s.Spent == nil || s.Spent.Currency != s.Currency() {
		return nil
	}
	return s.Spent
}

// Paces returns how the account's budgets are spent; nil where that is not known in the currency of its money.
func (s *Status) Paces() *overspend.Paced {
	if s.Paced == nil || s.Paced.Currency != s.Currency() {
		return nil
	}
	return s.Paced
}

// Currency is that of the account's money; "" where nothing was read of it yet.
func (s *Status) Currency() string {
	if s.Account.Currency == "" && s.Spent != nil {
		return s.Spent.Currency
	}
	return s.Account.Currency
}

// total is that of one account.
func (s *Status) total(now time.Time) Total {
	t := Total{Currency: s.Currency(), Accounts: 1, Rejected: s.Rejected}
	if s.Figures != nil {
		t.Held, t.Possible = s.Held, of(&s.Exposure.Daily)
	}
	if spent := s.Spends(); spent.Fresh(now) {
		t.Day, t.Week = of(spent.OfDay), of(spent.Week)
		if spent.Week != nil && spent.WeekBefore != nil {
			t.Compared, t.WeekBefore = t.Week, *spent.WeekBefore
		}
	}
	if p := s.Paces(); p.Fresh(now) {
		t.Paced, t.Due = of(&p.Spent), p.Due
	}
	return t
}

// Count counts accounts of a state and a currency: in Totals where the query chooses that state.
func (l *List) Count(q Query, state Class, t Total) {
	l.Counts[state] += t.Accounts
	if !q.takes(state) {
		return
	}
	at, there := slices.BinarySearchFunc(l.Totals, t.Currency, func(t Total, currency string) int {
		return cmp.Compare(t.Currency, currency)
	})
	if !there {
		l.Totals = slices.Insert(l.Totals, at, Total{Currency: t.Currency})
	}
	l.Totals[at].add(t)
}

func (t *Total) add(o Total) {
	t.Accounts, t.Held, t.Rejected = t.Accounts+o.Accounts, t.Held+o.Held, t.Rejected+o.Rejected
	t.Possible.add(o.Possible)
	t.Day.add(o.Day)
	t.Week.add(o.Week)
	t.Compared.add(o.Compared)
	t.WeekBefore = added(t.WeekBefore, o.WeekBefore)
	t.Paced.add(o.Paced)
	t.Due = added(t.Due, o.Due)
}

// PacedPercent returns how much of Due was spent, rounded; Due is above zero.
func (t *Total) PacedPercent() int64 { return overspend.Percent(t.Paced.Micros, t.Due) }

func (s *Sum) add(o Sum) { s.Accounts, s.Micros = s.Accounts+o.Accounts, added(s.Micros, o.Micros) }

// added is a sum of money, at most the largest there is.
func added(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// bySpend puts accounts in an order: the most of the last seven days first, currency by currency, those of which that
// is not known last.
func bySpend(now time.Time) func(a, b Status) int {
	return func(a, b Status) int {
		s, t := a.total(now), b.total(now)
		return cmp.Or(cmp.Compare(t.Week.Accounts, s.Week.Accounts), cmp.Compare(s.Currency, t.Currency),
			cmp.Compare(t.Week.Micros, s.Week.Micros))
	}
}
