package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/daemon"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// takesOver gives an account a plan that takes over campaigns that are live already.
func (d *fakeDesk) takesOver(name string, campaigns int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := *d.plans[name]
	first := p.Changes[0]
	p.Changes, p.Asks = nil, nil
	for i := range campaigns {
		c := first
		c.Kind, c.Action = "campaign", "adopt"
		c.Address, c.Name = fmt.Sprintf("campaign/c%d", i), fmt.Sprintf("Campaign %d", i)
		p.Changes = append(p.Changes, c)
	}
	d.plans[name] = &p
	for i := range d.accounts {
		if d.accounts[i].Name == name {
			d.accounts[i].Reached = false
		}
	}
}

// Sixty campaigns that are taken over stand behind their count, and the link of one of them leads into it. What is
// searched is found there, too.
func TestWhatIsAlikeStandsBehindItsCount(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), func(*Options) {})
	p.desk.takesOver("shoes", 60)
	p.seen(1280, 800, "light")
	p.visit("/accounts/shoes")
	if high := eval[int](p, `document.getElementById("changes").parentElement.scrollHeight`); high > 1500 {
		t.Errorf("the changes are %d pixels tall; want at most 1500", high)
	}
	text := eval[string](p, `document.body.innerText`)
	for _, want := range []string{"Take over “Campaign 0”, which is already live", "Take over 57 more campaigns"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	const folded = `[...document.querySelectorAll(".alike article")].find(a => a.textContent.includes("“Campaign 42”"))`
	p.visit("/accounts/shoes#" + eval[string](p, folded+".id"))
	p.wait(folded + ".checkVisibility()")
	p.visit("/accounts/shoes")
	eval[bool](p, `((f) => { f.value = "campaign 43"; f.dispatchEvent(new Event("input")); return true })(filter)`)
	p.wait(`document.querySelectorAll(".alike[open] article:not([data-hidden])").length === 1`)
}

// Whoever has no mouse decides a conflict either way.
func TestAConflictIsDecidedByKeyboard(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.desk.conflicts()
	p.login("/accounts/shoes")
	p.tabTo(`button[aria-label^="Keep mine: "]`)
	p.press(kb.Enter)
	p.says("Approved. The next run applies it.")
	if a := p.desk.lastApproval(); a.By != "Ann Example" ||
		!slices.Equal(a.Allow, []string{"conflict=" + p.desk.plans["shoes"].Changes[0].Address}) {
		t.Errorf("the approval is %+v; want the conflict's", a)
	}
	p.visit("/accounts/shoes")
	p.tabTo(`a[aria-label^="Take theirs: "]`)
	p.press(kb.Enter)
	p.says("Take over what is live")
	p.tabTo("#undo-reason")
	p.press("theirs is better" + kb.Enter)
	p.says("Written. The next run applies it")
	e := p.desk.edits
	if len(e) != 1 || e[0].Run != "" || e[0].By != "Ann Example" || e[0].Reason != "theirs is better" {
		t.Errorf("ordered: %+v; want what is live, by Ann, with her reason", e)
	}
}

// Whoever only reads sees the plan of now: nothing of it is pulled from under a hand, and what was opened stays open.
func TestThePlanIsThatOfNow(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.login("/accounts/shoes")
	p.says("Shown as it happens.")
	figures := `document.querySelector("#live-exposure details").open`
	p.do(chromedp.Click(chromedp.CSS("#live-exposure summary")))
	p.wait(figures)
	takes := func(hash string) {
		p.desk.mu.Lock()
		other := *p.desk.plans["shoes"]
		other.PlanHash = hash
		p.desk.plans["shoes"] = &other
		p.desk.mu.Unlock()
		p.desk.change("shoes", func(a *daemon.Status) { a.Running, a.Doing = true, hash })
	}
	takes("the second")
	p.wait(`document.querySelector("#live-plan [name=plan]").value === "the second" && ` + figures +
		` && document.getElementById("moved").hidden`)
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "trail"))
	p.wait(`document.getElementById("found").innerText.includes(" of ")`)
	takes("the third")
	p.says("The plan is another by now.")
	if now := eval[string](p, `document.querySelector("#live-plan [name=plan]").value`); now != "the second" {
		t.Errorf("beneath who searches the plan became %q", now)
	}
	eval[bool](p, `(f => { f.value = ""; f.dispatchEvent(new Event("input")); f.blur(); return true })`+
		`(document.getElementById("filter"))`)
	eval[bool](p, `document.querySelector("form.approve button").scrollIntoView({block: "center"}), true`)
	box := eval[[2]float64](p,
		`(r => [r.x + 5, r.y + 5])(document.querySelector("form.approve button").getBoundingClientRect())`)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0], box[1]))
	takes("the fourth")
	p.wait(`document.getElementById("live").innerText.includes("the fourth")`)
	if now := eval[string](p, `document.querySelector("#live-plan [name=plan]").value`); now != "the second" {
		t.Errorf("beneath who is about to approve the plan became %q", now)
	}
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	takes("the fifth")
	p.wait(`document.querySelector("#live-plan [name=plan]").value === "the fifth"`)
}
