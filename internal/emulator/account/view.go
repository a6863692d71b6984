package account

import (
	"time"

	"adsync/internal/emulator/world"
)

// view is an ad account as the service shows it (service facts 9.1).
type view struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"` // equals legal_name
	LegalName   string       `json:"legal_name"`
	AccountName string       `json:"account_name"`
	BrandName   string       `json:"brand_name"`
	URL         string       `json:"url"`
	PreviewURL  *string      `json:"preview_url"` // of the icon; null without one
	Status      world.Status `json:"status"`
	TimeZone    string       `json:"timezone"`
	Currency    string       `json:"currency_code"`
	Country     string       `json:"origin_country_code,omitempty"`
	Review      review       `json:"review"`
	Integrity   integrity    `json:"account_integrity_review"`
}

// review is the review of the account's brand.
type review struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

type integrity struct {
	Review review `json:"review"`
}

// suspended is the hold of an account that failed its integrity review.
const suspended = "ad_account_suspended"

func (r *Room) show(p world.Profile, now time.Time) view {
	v := view{
		ID: p.ID, Name: p.LegalName, LegalName: p.LegalName, AccountName: p.AccountName, BrandName: p.BrandName,
		URL: p.URL, Status: p.Status, TimeZone: p.TimeZone, Currency: p.Currency, Country: p.Country,
		Integrity: integrity{review{Status: "approved"}},
	}
	v.Review.Status, v.Review.Reason = r.review.Brand(p, now)
	if p.FaviconID != "" {
		// assumption: the address of the icon's preview is not published.
		preview := "https://ads.openai.com/previews/favicons/" + p.FaviconID
		v.PreviewURL = &preview
	}
	for _, hold := range p.Holds {
		if hold == suspended {
			v.Integrity.Review = review{"rejected", suspended}
		}
	}
	return v
}

// Issues are the codes of what keeps the whole account from serving (service
// facts 4.5), its spend limits excepted.
func Issues(p world.Profile, reviewer world.Review, now time.Time) []string {
	issues := append([]string{}, p.Holds...)
	if p.Status != world.Active {
		// assumption: no code of its own is published for a paused account.
		issues = append(issues, suspended)
	}
	switch status, reason := reviewer.Brand(p, now); {
	case status == "in_review":
		issues = append(issues, "ad_account_brand_review_in_progress")
	case status == "rejected" && (reason == "missing_favicon" || reason == "escalated_review"):
		issues = append(issues, "ad_account_brand_review_"+reason)
	case status == "rejected":
		issues = append(issues, "ad_account_brand_review_rejected")
	}
	return issues
}

// Holds are the codes a seeded account may carry.
var Holds = []string{
	suspended,
	"ad_account_payment_method_missing_or_unauthorized",
	"ad_account_threshold_payment_failed",
	"ad_account_persona_verification_not_approved",
	"ad_account_persona_verification_step_up_required",
}
