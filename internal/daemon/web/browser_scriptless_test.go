package web

import (
	"os"
	"path/filepath"
	"testing"

	"adsync/internal/daemon"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestWithoutScript goes the ways of the page in a browser that runs none of it:
// every order is a form, and what happens is seen by loading the page.
func TestWithoutScript(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.login("/accounts/shoes")
	if said := eval[string](p, `document.getElementById("stream").textContent`); said != "" {
		t.Fatalf("the page says %q; want no script to run", said)
	}
	p.do(chromedp.Click(chromedp.CSS("#allow0")), chromedp.Click(chromedp.CSS("form.approve button")))
	p.says("Approved. The next run applies it.")
	if a := p.desk.lastApproval(); a.By != "Ann Example" ||
		len(a.Allow) != 1 || a.PlanHash != p.desk.plans["shoes"].PlanHash {
		t.Errorf("the approval is %+v", a)
	}
	p.tabTo(".order summary")
	p.press(kb.Enter)
	p.tabTo("#reason")
	p.press("the shop is down" + kb.Enter)
	p.says("Suspended. Plans are made")
	p.do(chromedp.Click(chromedp.CSS(`form[action$="/resume"] button`)))
	p.says("Resumed.")
	p.do(chromedp.Click(chromedp.CSS(`form[action$="/wake"] button`)))
	p.wait(`location.search.includes("woken")`)
	p.desk.change("shoes", func(a *daemon.Status) { a.Running = true })
	p.visit("/accounts/shoes")
	p.says("a run goes on")
	file := filepath.Join(t.TempDir(), "spring.xlsx")
	if err := os.WriteFile(file, []byte("the bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}), chromedp.Click(chromedp.CSS(".drop button")))
	p.says("spring.xlsx:Ads!E17: title has 52 characters")
	p.looks(mergeOf("", false), "spring.xlsx")
	p.says("Nothing can be sent before each of these has its choice")
	p.desk.mu.Lock()
	p.desk.upload = mergeOf("", true)
	p.desk.mu.Unlock()
	p.tabTo(`input[name="clash-aa"]`)
	p.press(kb.ArrowDown) // from today's to yours
	p.do(chromedp.Click(chromedp.CSS(`input[name="clash-bb"][value="today"]`)),
		chromedp.Click(chromedp.CSS(`input[name="known"]`)), chromedp.Click(chromedp.CSS(".settle button")))
	p.says("Merge again")
	p.desk.mu.Lock()
	asked := p.desk.dropped[len(p.desk.dropped)-1]
	p.desk.mu.Unlock()
	if asked.Choices["aa"] != daemon.Yours || asked.Choices["bb"] != daemon.Todays || asked.Known != "0123" {
		t.Errorf("settled as %+v; want what was chosen", asked)
	}
	p.do(chromedp.Click(chromedp.CSS(".commit button")))
	p.says("Sent as pull request 12")
	p.visit("/accounts/shoes/campaigns?sort=clicks")
	p.do(chromedp.Click(chromedp.CSS(".search summary")), chromedp.Click(chromedp.CSS(`input[value="cpm"]`)),
		chromedp.Click(chromedp.CSS(".search button")))
	p.wait(`!document.querySelector("thead").innerText.includes("CPM") && location.search.includes("sort=clicks")`)
	p.visit("/accounts/shoes/ads")
	p.do(chromedp.SetValue(chromedp.CSS("#delivery"), "no"), chromedp.Click(chromedp.CSS(".search button")))
	p.wait(`location.search.includes("delivery=no")`)
	p.says("0 of 3 ads")
	p.visit("/accounts/shoes/runs/run-000042")
	p.do(chromedp.Click(chromedp.CSS(`article a[href*="/undo?of="]`)))
	p.says("Of this alone.")
	p.do(chromedp.SendKeys(chromedp.CSS("#undo-reason"), "too dear"), chromedp.Click(chromedp.CSS("form.stack button")))
	p.says("Written. The next run applies it")
	if len(p.desk.edits) != 1 || p.desk.edits[0].Of == "" {
		t.Errorf("ordered: %+v; want one change of the run", p.desk.edits)
	}
	p.visit("/accounts/shoes/runs/run-000042")
	p.do(chromedp.Click(chromedp.CSS(`form[action="/logout"] button`)))
	p.says("You are logged out.")
}
