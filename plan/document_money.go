package plan

// Money is what a plan does to possible spend, in micros of the account's
// currency: the headline of every form of a plan. It counts what is active,
// whatever lies beneath it, and nothing that has ended: no account can spend
// more, and few spend as much.
type Money struct {
	Currency  string `json:"currency"`
	Today     string `json:"today"`      // in the account's time zone, YYYY-MM-DD; "" where it is not known
	MonthEnds string `json:"month_ends"` // last day of the month; "" where today is not known
	Totals

	WithoutBounds Totals `json:"without_bounds"` // the same, were there no bounds
	// were everything allowed that a flag can allow; nil where nothing is held
	IfAllowed *Totals `json:"if_allowed,omitempty"`
	// what lifetime budgets have spent could not be read: they are counted whole
	SpentUnknown bool `json:"spent_unknown"`

	Bounds    []SpendBound    `json:"bounds"`    // the account's own limits that are in force or ahead, and its pause
	Campaigns []CampaignMoney `json:"campaigns"` // those whose possible spend moves, the largest rise first
}

// Totals is possible spend, counted three ways.
type Totals struct {
	Day Moved `json:"day"` // daily caps: the most they allow on one day from today on
	// the most that can be spent from today to the end of the month, of lifetime budgets too
	Month    Moved `json:"month"`
	Lifetime Moved `json:"lifetime"` // what is left of lifetime budgets
}

// Moved is an amount as it is, and as the plan leaves it.
type Moved struct {
	Before int64 `json:"before_micros"`
	After  int64 `json:"after_micros"`
}

// SpendBound is what the account as a whole cannot spend more than.
type SpendBound struct {
	Address string `json:"address"`
	Per     string `json:"per"`                     // "day" and "range" of spend limits, "paused" of the account
	First   string `json:"first"`                   // first day it holds, YYYY-MM-DD; "" for one without
	Last    string `json:"last"`                    // last day; "" for no end
	Before  *int64 `json:"before_micros,omitempty"` // left out where it does not hold yet
	After   *int64 `json:"after_micros,omitempty"`  // left out where it holds no more
	Binds   bool   `json:"binds"`                   // without it more could be spent, before or after
}

// CampaignMoney is what becomes of the possible spend of one campaign, without
// the bounds of the account.
type CampaignMoney struct {
	Address string `json:"address"`
	Name    string `json:"name"`
	Totals
}

func (m Moved) Moves() bool { return m.Before != m.After }

// rise is by how much more can be spent on a day and of lifetime budgets.
func (t *Totals) Rise() int64 {
	return Plus(t.Day.After-t.Day.Before, t.Lifetime.After-t.Lifetime.Before)
}
