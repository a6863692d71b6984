package ledger

import (
	"encoding/json"
	"strings"
	"time"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/world"
)

// delivers names the resources of the log that delivery depends on.
var delivers = map[string]bool{
	"ad_account": true, "campaign": true, "ad_group": true, "ad": true,
	world.ResourceSpendWindow: true, world.ResourceDailyLimit: true,
}

// standing is what the log says of the account as a whole.
type standing struct {
	Status    world.Status `json:"status"`
	LegalName string       `json:"legal_name"`
	BrandName string       `json:"brand_name"`
	URL       string       `json:"url"`
	Icon      *string      `json:"preview_url"`
	since     int64        // Unix milliseconds of the last change that is reviewed; 0: long ago
	held      bool         // the account carries a hold since it was seeded
}

func (s standing) brand() [3]string { return [3]string{s.LegalName, s.BrandName, s.URL} }

func (s standing) icon() string {
	if s.Icon == nil {
		return ""
	}
	return *s.Icon
}

// begin opens a book with the account as it was before its first log entry.
func (l *Ledger) begin(b *book, p world.Profile, entries []world.Mutation) {
	b.standing = standing{
		Status: p.Status, LegalName: p.LegalName, BrandName: p.BrandName, URL: p.URL, since: p.BrandSince * 1000,
	}
	for _, m := range entries {
		if m.Resource == "ad_account" && json.Unmarshal(m.Before, &b.standing) == nil {
			b.standing.since = 0
			break
		}
	}
	// assumption: holds are seeded and do not change while the emulator runs.
	b.standing.held = len(p.Holds) > 0
	b.Book = delivery.NewBook(delivery.Account{
		Seed: l.seed ^ uint64(delivery.Scatter(l.seed, p.ID, 1<<62)), Zone: p.Zone(),
		ReviewDelay: l.review.Delay, Standing: l.standing(b.standing),
	})
}

// standing lets the reviewer judge the brand as it will be once it is reviewed.
func (l *Ledger) standing(s standing) delivery.Standing {
	p := world.Profile{LegalName: s.LegalName, BrandName: s.BrandName, URL: s.URL}
	outcome, _ := l.review.Brand(p, time.UnixMilli(1<<52))
	return delivery.Standing{
		Active: s.Status == world.Active && !s.held, SubmittedAt: s.since, Rejected: outcome == "rejected",
	}
}

// enter adds one log entry to a book.
func (l *Ledger) enter(b *book, m world.Mutation) error {
	c := delivery.Change{At: m.At}
	var err error
	switch m.Resource {
	case "ad_account":
		err = l.enterAccount(&c, b, m)
	case "campaign":
		c.Campaign, err = decode(m.After, campaignOf)
	case "ad_group":
		c.AdGroup, err = decode(m.After, adGroupOf)
	case "ad":
		c.Ad, err = decode(m.After, l.adOf)
	default:
		c.Limit, err = limitOf(m)
	}
	if err == nil {
		b.Add(c)
	}
	return err
}

func decode[R, T any](raw json.RawMessage, of func(R) T) (*T, error) {
	var record R
	if err := json.Unmarshal(raw, &record); err != nil {
		return nil, err
	}
	decided := of(record)
	return &decided, nil
}

func (l *Ledger) enterAccount(c *delivery.Change, b *book, m world.Mutation) error {
	before := b.standing
	b.standing.Icon = nil
	if err := json.Unmarshal(m.After, &b.standing); err != nil {
		return err
	}
	if before.brand() != b.standing.brand() || before.icon() != b.standing.icon() {
		b.standing.since = m.At
	}
	to := l.standing(b.standing)
	c.Standing = &to
	return nil
}

func campaignOf(c world.Campaign) delivery.Campaign {
	return delivery.Campaign{
		ID: c.ID, Active: c.Status == world.Active,
		Start: orZero(c.StartTime), End: orZero(c.EndTime),
		Daily: orZero(c.Budget.Daily), Lifetime: orZero(c.Budget.Lifetime),
		PerImpression: c.BillingEvent() == "impression", PerAcquisition: c.BiddingType == "conversions",
		Goals: strings.Join(c.EventSettingIDs, " "),
	}
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func adGroupOf(g world.AdGroup) delivery.AdGroup {
	return delivery.AdGroup{
		ID: g.ID, CampaignID: g.CampaignID, Active: g.Status == world.Active, Bid: orZero(g.Bidding.MaxBidMicros),
	}
}

func (l *Ledger) adOf(d world.Ad) delivery.Ad {
	outcome, _ := l.review.Outcome(d, time.UnixMilli(1<<52))
	return delivery.Ad{
		ID: d.ID, AdGroupID: d.AdGroupID, Active: d.Status == world.Active,
		SubmittedAt: d.SubmittedAt, Rejected: outcome == "rejected",
	}
}

// limitOf: an entry without a record after it removes the limit.
func limitOf(m world.Mutation) (*delivery.Limit, error) {
	limit := &delivery.Limit{ID: m.ResourceID, Daily: m.Resource == world.ResourceDailyLimit, Gone: true}
	if string(m.After) == "null" {
		return limit, nil
	}
	var record world.SpendLimit
	if err := json.Unmarshal(m.After, &record); err != nil {
		return nil, err
	}
	limit.Since, limit.Micros, limit.Gone = string(record.Start), record.Amount, false
	if record.End != nil {
		limit.Until = string(*record.End)
	}
	return limit, nil
}
