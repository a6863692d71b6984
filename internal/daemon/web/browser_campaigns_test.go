package web

import (
	"testing"

	"adsync/internal/planview"

	"github.com/chromedp/chromedp/kb"
)

// By keyboard alone: what changed this week, in the order of how budgets are spent; from a line to its history, and to
// what the plan changes of it.
func TestCampaignsLeadToWhatHappenedToThem(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.desk.changedThisWeek()
	p.visit("/accounts/shoes/campaigns")
	p.says("All 4")
	p.tabTo(`[name="changed"]`)
	p.press(" ")
	p.tabTo(".search button")
	p.press(kb.Enter)
	p.says("All 3 of 5")
	p.tabTo(`th a[href*="sort=paced"]`)
	p.press(kb.Enter)
	p.wait(`document.querySelector("[aria-sort]").innerText.startsWith("Paced") && location.search.includes("changed=7d")`)
	p.says("220.00 of 525.00 by now, 42%")
	p.tabTo(`[aria-label="History of Hiking boots"]`)
	p.press(kb.Enter)
	p.says("Activity of Name of campaign_0")
	p.visit("/accounts/shoes/campaigns")
	p.tabTo(`td a[href="/accounts/shoes#` + planview.Anchor("campaign/second") + `"]`)
	p.press(kb.Enter)
	p.wait(`location.pathname === "/accounts/shoes" && location.hash.length > 1`)
}
