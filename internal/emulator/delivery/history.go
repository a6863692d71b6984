// Package delivery simulates what an account's ads would have had: impressions,
// clicks, spend and conversions, hour by hour.
//
// It is a pure function of the account's history, a seed and the time: no clock,
// no records, no requests. Time is cut into slots of 15 minutes; a slot is
// delivered when it has ended, to ads that could serve during all of it, and a
// change inside a slot keeps what it changed from serving in it. So going on in
// time adds slots and rewrites none. It refuses to spend: no slot starts beyond a
// budget or a spend limit, and no price is above the bid. Its invariant: the same
// history, seed and time give the same numbers.
//
// Open serve.go first: what an ad gets in a slot. market.go draws demand and price, day.go adds up.
package delivery

import "time"

// Account is what does not change in an account's life.
type Account struct {
	Seed        uint64
	Zone        *time.Location // of its days
	ReviewDelay time.Duration  // from submission to the outcome
	Standing    Standing       // before the first change
}

// Standing is what the account itself lets be delivered.
type Standing struct {
	Active      bool
	SubmittedAt int64 // Unix milliseconds; the review of the brand starts here; 0: long ago
	Rejected    bool  // what the review comes to
}

// Change is one change of one thing. Exactly one pointer is set; it is the whole
// thing as it is from then on.
type Change struct {
	At       int64     // Unix milliseconds
	Standing *Standing // the account
	Campaign *Campaign
	AdGroup  *AdGroup
	Ad       *Ad
	Limit    *Limit
}

// Campaign is what decides a campaign's delivery. 0 is none for times and budgets.
type Campaign struct {
	ID              string
	Active          bool
	Start, End      int64 // Unix seconds; served from Start to before End
	Daily, Lifetime int64 // micros
	PerImpression   bool  // billed by impression, not by click
	PerAcquisition  bool  // the bid is for a conversion; billing stays per click
	Goals           string
}

// AdGroup is what decides an ad group's delivery.
type AdGroup struct {
	ID, CampaignID string
	Active         bool
	Bid            int64 // micros; 0: the service bids by itself
}

// Ad is what decides an ad's delivery.
type Ad struct {
	ID, AdGroupID string
	Active        bool
	SubmittedAt   int64 // Unix milliseconds; the review of the creative starts here
	Rejected      bool  // what the review comes to
}

// Limit is an account-wide spend limit over account-local days: of their sum, or
// of each. It holds from Since to before Until (YYYY-MM-DD); "" is no end.
type Limit struct {
	ID           string
	Daily        bool
	Since, Until string
	Micros       int64
	Gone         bool // removed
}

func (l Limit) holds(day string) bool {
	return !l.Gone && l.Since <= day && (l.Until == "" || day < l.Until)
}

// Tally counts deliveries; Spend is micros.
type Tally struct{ Impressions, Clicks, Spend int64 }

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Impressions += o.Impressions
	t.Clicks += o.Clicks
	t.Spend += o.Spend
}
