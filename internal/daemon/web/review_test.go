package web

import (
	"strings"
	"testing"

	"adsync/internal/review"
)

// TestThePageSaysWhatTheReviewSaid: which ads are not approved, by their names, why and what
// to do, though the account is in sync; and what the review judged lately.
func TestThePageSaysWhatTheReviewSaid(t *testing.T) {
	a := ask(t, nil)
	known := &review.Record{}
	for i, said := range []string{"in_review", "rejected"} {
		s := review.Standing{Address: "ad/s/r/hero", ID: "ad_1", Name: "Hero <b>", In: "Spring › Runners", Said: said}
		if i == 1 {
			s.Reason = "crawler_404"
		}
		known.See(noon, s, true)
	}
	a.desk.plans["shoes"].Review = known.Summary()
	a.desk.accounts[0].Review = "1 ad rejected"
	page := text(t, a.get("/accounts/shoes"))
	for _, want := range []string{
		"Review at the service:", "1 ad rejected",
		"“Hero &lt;b&gt;” in Spring › Runners: the landing page is not there (404)<", "To do: open the Target URL",
		"“Hero &lt;b&gt;” in Spring › Runners is rejected, was in review",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "ad/s/r/hero") || strings.Contains(page, "ad_1") {
		t.Error("the page names the ad by its address or id; want its name")
	}
	if cards := text(t, a.get("/")); !strings.Contains(cards, "<dt>Review</dt><dd>1 ad rejected</dd>") {
		t.Error("the page of all accounts does not say that an ad was rejected")
	}
	answer := text(t, a.get("/api/v1/accounts/shoes/plan"))
	if !strings.Contains(answer, `"rejected":1`) && !strings.Contains(answer, `"rejected": 1`) {
		t.Errorf("the plan of the API has no reviews: %.300s", answer)
	}
}
