// Package overview puts in words what accounts spent of late, what they come to together, and who is to do something.
//
// It refuses to add up money of two currencies, and days that were not read. Its invariant: a sum of fewer accounts
// than there are says of how many it is.
package overview

import (
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// unknown stands where a figure would.
func unknown() string { return catalogue.Say("account.spend-unknown") }

// Spent is what an account spent of late.
type Spent struct {
	When      string // yesterday, or the day
	Day, Week string
	Change    string // of the week, against the seven days before; "" where that is not known
	Read      shown.Moment
}

// PacedOf says what an account spent of what was to be spent; "" where that is not known.
func PacedOf(a *daemon.Status) string {
	p := a.Paces()
	if p == nil {
		return ""
	}
	return shown.Text(p.Text(), 200)
}

// SpentOf returns what an account spent; nil where no day was read.
func SpentOf(a *daemon.Status, now time.Time, zone *time.Location) *Spent {
	s := a.Spent
	if s == nil {
		return nil
	}
	account := planview.Account{Currency: s.Currency}
	amount := func(micros *int64) string {
		if micros == nil {
			return unknown()
		}
		return shown.Money(*micros, account)
	}
	v := &Spent{When: catalogue.Say("account.on-day", "day", shown.Text(s.Day, 10)),
		Day: amount(s.OfDay), Week: amount(s.Week), Read: shown.MomentOf(s.Taken, zone)}
	if s.Fresh(now) {
		v.When = catalogue.Say("account.yesterday")
	}
	if s.Week != nil && s.WeekBefore != nil {
		v.Change = shown.Change(*s.Week, *s.WeekBefore)
	}
	return v
}

// Wait is something that waits for somebody.
type Wait struct{ Who, What string }

// Who is to do something.
const (
	approver = "who.approver"
	author   = "who.author"
	operator = "who.operator"
)

// waitFor is something that waits for somebody who has a text.
func waitFor(who, what string) Wait { return Wait{catalogue.Say(who), what} }

// classWaits are the texts of what a state waits for.
var classWaits = map[daemon.Class]Wait{
	daemon.Input:       {author, "waits.input"},
	daemon.Partial:     {author, "waits.partial"},
	daemon.Undecided:   {operator, "waits.undecided"},
	daemon.Credentials: {operator, "waits.credentials"},
	daemon.Misplaced:   {operator, "waits.misplaced"},
	daemon.Internal:    {operator, "waits.internal"},
}

// Waits returns what waits for whom at an account.
func Waits(a *daemon.Status) (all []Wait) {
	if a.Rewritten != nil {
		all = append(all, waitFor(approver, catalogue.Say("waits.history")))
	}
	if a.Figures != nil && a.Held > 0 && !a.PlanOnly {
		all = append(all, waitFor(approver, catalogue.Say("waits.changes", "n", a.Held)))
	}
	if w, waits := classWaits[a.State]; waits {
		all = append(all, waitFor(w.Who, catalogue.Say(w.What)))
	}
	all = append(all, passedWaits(a)...)
	for _, d := range DraftsOf(a) {
		all = append(all, waitFor(author, d))
	}
	if a.Rejected > 0 {
		all = append(all, waitFor(author, catalogue.Say("waits.ads", "n", a.Rejected)))
	}
	if s := a.Suspended; s != nil {
		who := shown.Name(s.By)
		if who == "" {
			who = catalogue.Say(operator)
		}
		all = append(all, Wait{who, catalogue.Say("waits.suspended")})
	}
	return all
}

// passedWaits are who looks after spend that passed: a budget is of the files, the cap of the operator.
func passedWaits(a *daemon.Status) (all []Wait) {
	budgets, caps := a.PassedMore, 0
	for i := range a.Passed {
		if a.Passed[i].ID == "" {
			caps++
		} else {
			budgets++
		}
	}
	if budgets > 0 {
		all = append(all, waitFor(author, catalogue.Say("waits.budgets", "n", budgets)))
	}
	if caps > 0 {
		all = append(all, waitFor(operator, catalogue.Say("waits.cap", "setting", "max_daily_exposure")))
	}
	return all
}

// DraftsOf returns the workbooks of an account that are drafts, in words.
func DraftsOf(a *daemon.Status) (all []string) {
	for _, d := range a.Drafts {
		all = append(all, shown.Text(d.File+": "+d.Words, 500))
	}
	return all
}

// passedShown is how much of what passed the page of an account names.
const passedShown = 10

// PassedOf returns measured spend of more than is allowed, in words.
func PassedOf(a *daemon.Status, zone *time.Location) (all []string) {
	for i := range a.Passed[:min(len(a.Passed), passedShown)] {
		all = append(all, shown.Reason(words.Upper(a.Passed[i].Text(zone))))
	}
	if more := len(a.Passed) - len(all) + a.PassedMore; more > 0 {
		all = append(all, catalogue.Say("account.passed-more", "n", planview.Thousands(more)))
	}
	return all
}

// Sums are what the accounts of a list come to.
type Sums struct {
	Lines   []Line
	Says    string // how many changes wait and ads are rejected; "" where none is known
	Unknown string // how many accounts are in no sum of yesterday; "" where each is
}

// Line is what those of one currency come to.
type Line struct {
	Currency, Accounts string
	Cells              []Cell // yesterday, seven days, their change, paced, possible a day
}

// Cell is an amount, and of how many accounts it is where that is not all.
type Cell struct{ Text, Of string }

// SumsOf adds up the accounts of a list; nil where there are not several.
func SumsOf(totals []daemon.Total) *Sums {
	v := &Sums{}
	var accounts, known, held, rejected int
	for _, t := range totals {
		accounts, known = accounts+t.Accounts, known+t.Day.Accounts
		held, rejected = held+t.Held, rejected+t.Rejected
		if t.Currency != "" {
			v.Lines = append(v.Lines, lineOf(&t))
		}
	}
	if accounts < 2 {
		return nil
	}
	v.Says = saysOf(accounts, held, rejected)
	if missing := accounts - known; missing > 0 {
		v.Unknown = catalogue.Say("accounts.unknown", "n", missing)
	}
	return v
}

func saysOf(accounts, held, rejected int) string {
	wait, ill := catalogue.Say("accounts.wait", "n", held), catalogue.Say("accounts.rejected", "n", rejected)
	switch {
	case held > 0 && rejected > 0:
		wait = catalogue.Say("accounts.and", "first", wait, "second", ill)
	case rejected > 0:
		wait = ill
	case held == 0:
		return ""
	}
	return catalogue.Say("accounts.says", "accounts", accounts, "what", wait)
}

func lineOf(t *daemon.Total) Line {
	amount := func(s daemon.Sum) Cell { return cellOf(planview.Amount(s.Micros), s.Accounts, t.Accounts) }
	of := catalogue.Say("accounts.n", "n", t.Accounts)
	return Line{Currency: shown.Text(t.Currency, 20), Accounts: of, Cells: []Cell{
		amount(t.Day), amount(t.Week),
		cellOf(shown.Change(t.Compared.Micros, t.WeekBefore), t.Compared.Accounts, t.Accounts),
		pacedCell(t), amount(t.Possible),
	}}
}

// pacedCell is how the budgets of accounts are spent together.
func pacedCell(t *daemon.Total) Cell {
	text := ""
	if t.Due > 0 {
		text = catalogue.Say("accounts.paced-of", "spent", planview.Amount(t.Paced.Micros),
			"due", planview.Amount(t.Due), "percent", t.PacedPercent())
	}
	return cellOf(text, t.Paced.Accounts, t.Accounts)
}

func cellOf(text string, of, all int) Cell {
	switch {
	case of == 0 || text == "":
		return Cell{Text: unknown()}
	case of < all:
		return Cell{text, catalogue.Say("accounts.of", "n", planview.Thousands(of))}
	}
	return Cell{Text: text}
}
