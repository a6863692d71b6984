package web

import (
	"strings"
	"testing"

	"adsync/internal/figures/overspend"
)

// TestThePageSaysWhichSpendPassed: on the account's page in words, among all accounts as what waits for whom, and in
// the status of the API; ten of many, and how many more there are.
func TestThePageSaysWhichSpendPassed(t *testing.T) {
	a := ask(t, nil)
	one := overspend.Passing{Rule: "daily", ID: "campaign_1", Name: "Hero <b>", Day: "2026-11-22", Currency: "USD",
		Spent: 83_100_000, Allowed: 80_000_000, SoFar: true, Since: noon}
	s := &a.desk.accounts[0]
	s.Passed = []overspend.Passing{one, {Rule: "cap", Day: one.Day, Currency: "USD", Spent: 2, Allowed: 1, Since: noon}}
	const says = "Hero &lt;b&gt; spent 83.10 USD on 2026-11-22 so far; " +
		"its daily budget allows 80.00 USD; seen since 2026-"
	if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, says) {
		t.Errorf("the page does not say %q", says)
	}
	page := text(t, a.get("/"))
	for _, want := range []string{"<b>Who writes the files:</b> 1 budget was passed by spend",
		"<b>The operator:</b> the account spent more than max_daily_exposure"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of all accounts does not say %q", want)
		}
	}
	answer := text(t, a.get("/api/v1/accounts/shoes"))
	for _, want := range []string{`"rule":"daily"`, `"spent_micros":83100000`, `"allowed_micros":80000000`,
		`"since":"2026-`} {
		if !strings.Contains(strings.ReplaceAll(answer, `": `, `":`), want) {
			t.Errorf("the API says %s; want %s", answer, want)
		}
	}
	s.Passed = s.Passed[:1]
	for range 49 {
		s.Passed = append(s.Passed, one)
	}
	s.PassedMore = 950
	page = text(t, a.get("/accounts/shoes"))
	if strings.Count(page, says) != 10 || !strings.Contains(page, `<li class="wait">And 990 more</li>`) {
		t.Errorf("the page names %d of 1,000; want 10, and how many more", strings.Count(page, says))
	}
}
