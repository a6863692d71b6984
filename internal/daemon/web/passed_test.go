package web

import (
	"strings"
	"testing"
	"time"

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

// TestThePageOfAnAccountSaysWhatItSpent: yesterday, in seven days, and of how much its budgets had to be spent; where
// that is not known it is not there.
func TestThePageOfAnAccountSaysWhatItSpent(t *testing.T) {
	a := ask(t, nil)
	s := &a.desk.accounts[0]
	wants := []string{"<dt>Spent yesterday</dt><dd>48.21 USD</dd>",
		"<dd>331.94 USD (&#43;14% against the 7 before)</dd>",
		"<dd>331.94 of 560.00 USD in the 7 days to 2026-11-21, 59%, for 5 of 6 campaigns</dd>"}
	s.Paced = &overspend.Paced{Currency: "USD", Day: "2026-11-21", Days: 7, Until: noon.Add(time.Hour),
		Spent: 331_940_000, Due: 560_000_000, Known: 5, Delivering: 6}
	page := text(t, a.get("/accounts/shoes"))
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	s.Paced.Currency = "EUR" // of before the account's money became another
	if page := text(t, a.get("/accounts/shoes")); strings.Contains(page, "Paced") {
		t.Error("the page has pacing in other money")
	}
	s.Spent = nil
	if page := text(t, a.get("/accounts/shoes")); strings.Contains(page, "Spent yesterday") {
		t.Error("the page says what was spent, which nobody knows")
	}
}
