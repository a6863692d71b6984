package world

import (
	"strings"
	"time"
)

// Review is the reviewer of ads: how long it takes and what it rejects. The
// first rule that matches an ad rejects it; without one it is approved.
type Review struct {
	Delay time.Duration // from submission to the outcome, on the emulator's clock
	Rules []ReviewRule
}

// ReviewRule rejects the creatives whose target URL, title or body contains Contains.
type ReviewRule struct {
	Contains string
	Reason   string // such as crawler_404
}

// Outcome is an ad's review status (in_review, approved, rejected) and its reason.
// A target URL with /review/REASON/ in it is rejected for that reason.
func (r Review) Outcome(d Ad, now time.Time) (status, reason string) {
	if now.Before(time.UnixMilli(d.SubmittedAt).Add(r.Delay)) {
		return "in_review", ""
	}
	if reason := r.reject(d.Creative); reason != "" {
		return "rejected", reason
	}
	return "approved", ""
}

func (r Review) reject(c Creative) string {
	for _, rule := range r.Rules {
		if strings.Contains(c.TargetURL, rule.Contains) ||
			strings.Contains(c.Title, rule.Contains) || strings.Contains(c.Body, rule.Contains) {
			return rule.Reason
		}
	}
	return reasonIn(c.TargetURL)
}
