package plan

// Money is what a plan does to possible spend, in micros of the account's
// currency: the headline of every form of a plan.
type Money struct {
	Currency  string          `json:"currency"`
	Day       Moved           `json:"day"`        // the most that can be spent on one day from today on
	Month     Moved           `json:"month"`      // the most that can be spent from today to the end of the month
	MonthEnds string          `json:"month_ends"` // last day of the month in the account's time zone, YYYY-MM-DD; "" where today is not known
	Lifetime  Moved           `json:"lifetime"`   // what is left of the lifetime budgets of what is active
	Bounds    []SpendBound    `json:"bounds"`     // the account's own limits, where they bind
	Campaigns []CampaignMoney `json:"campaigns"`  // those whose possible spend moves, the largest rise first
}

// Moved is an amount as it is, and as the plan leaves it.
type Moved struct {
	Before int64 `json:"before_micros"`
	After  int64 `json:"after_micros"`
}

// SpendBound is a spend limit of the account that possible spend cannot pass.
type SpendBound struct {
	Address string `json:"address"` // "" for one the files do not name
	Per     string `json:"per"`     // "day" or "window"
	Amount  Moved  `json:"amount"`
}

// CampaignMoney is what becomes of the possible spend of one campaign.
type CampaignMoney struct {
	Address string `json:"address"`
	Name    string `json:"name"`
	Day     Moved  `json:"day"`
	Month   Moved  `json:"month"`
}
