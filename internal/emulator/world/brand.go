package world

import (
	"strings"
	"time"
)

// Brand is the outcome of an account's brand review (in_review, approved,
// rejected) and its reason. A review begins with each change of the legal or
// brand name, the address or the icon; nothing is delivered until it is approved.
// The rules of ads hold for names and address as well.
func (r Review) Brand(p Profile, now time.Time) (status, reason string) {
	if now.Before(time.Unix(p.BrandSince, 0).Add(r.Delay)) && p.BrandSince != 0 {
		return "in_review", ""
	}
	if reason := r.rejectBrand(p); reason != "" {
		return "rejected", reason
	}
	return "approved", ""
}

func (r Review) rejectBrand(p Profile) string {
	for _, rule := range r.Rules {
		if strings.Contains(p.LegalName, rule.Contains) ||
			strings.Contains(p.BrandName, rule.Contains) || strings.Contains(p.URL, rule.Contains) {
			return rule.Reason
		}
	}
	return reasonIn(p.URL)
}

// reasonIn is REASON of an address with /review/REASON/ in it.
func reasonIn(address string) string {
	_, rest, _ := strings.Cut(address, "/review/")
	reason, _, found := strings.Cut(rest, "/")
	if !found {
		return ""
	}
	return reason
}
