package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/eyes"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// raises gives an account a plan in which so many daily budgets rise from 80 to 200, each of which waits, one rises to
// an amount that has to be said itself, and others change and wait for nothing. Also holds the first of them, too.
func (d *fakeDesk) raises(name string, waiting, others int, also ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var changes []string
	add := func(key, field, live, desired string, holds ...string) {
		held := ""
		if len(holds) > 0 {
			hold := `{"hazard": "%s", "message": "` + catalogue.Say("guard.cleared", "attribute", "7") + `", "allow": "%s"`
			for _, allow := range holds[1:] {
				hazard, _, _ := strings.Cut(allow, "=")
				held += fmt.Sprintf(hold+"},", hazard, allow)
			}
			held = fmt.Sprintf(`, "held": `+hold+`, "also": [%s]}`, "raises-spend", holds[0], strings.Trim(held, ","))
		}
		changes = append(changes, fmt.Sprintf(`{"address": "campaign/%s", "kind": "campaign", "action": "update",
			"name": "Campaign %[1]s", "fields": [{"name": %[2]q, "live": %[3]s, "desired": %[4]s%[5]s}]}`,
			key, field, live, desired, held))
	}
	for i := range waiting {
		key := fmt.Sprintf("c%05d", i)
		add(key, "budget.daily", "80000000", "200000000", append([]string{"raises-spend=campaign/" + key}, also...)...)
		also = nil
	}
	add("far", "budget.daily", "80000000", "800000000", "raises-spend=campaign/far=800")
	for i := range others {
		add(fmt.Sprintf("d%05d", i), "description", `"a"`, `"b"`)
	}
	p := *d.plans[name]
	p.Changes = nil
	if err := json.Unmarshal([]byte(`{"changes": [`+strings.Join(changes, ",")+`]}`), &p); err != nil {
		panic(err)
	}
	d.plans[name] = withAsks(&p)
	for i := range d.accounts {
		if d.accounts[i].Name == name {
			d.accounts[i].Reached = false
		}
	}
}

var kindBox = regexp.MustCompile(`name="kind" value="([0-9a-f]{32})"`)

// kind is what the box of the one kind of a page sends, and what the page says.
func (a *asker) kind() (value, page string) {
	a.t.Helper()
	page = html.UnescapeString(text(a.t, a.get("/accounts/shoes")))
	found := kindBox.FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		a.t.Fatalf("the page has %d boxes for all of a kind; want 1", len(found))
	}
	return found[0][1], page
}

func says(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// One box covers all 300 rises that are alike, of a plan whose changes the page does not list. How many, and what they
// come to, stands beside it: 300 times 80, and 300 times 200. What wants its very amount is not among them.
func TestAllOfAKindAreApprovedWithOneTick(t *testing.T) {
	a := ask(t, nil)
	a.desk.raises("shoes", 300, 700)
	a.login("Ann")
	box, page := a.kind()
	says(t, page, "All 300 of this kind. A budget, a bid or a limit rises: raise the daily budget of 300 campaigns",
		"Daily budget, all together: from 24,000.00 to 60,000.00 USD", "Each of the 300", ", to 800.00")
	answer := a.submit("/accounts/shoes/approve", url.Values{"kind": {box}, "note": {"the sale"}})
	wantStatus(t, answer, http.StatusSeeOther)
	given := a.desk.lastApproval()
	if len(given.Asks) != 300 || given.By != "Ann" || given.Note != "the sale" {
		t.Fatalf("%d are approved by %s; want the 300 by Ann", len(given.Asks), given.By)
	}
	for _, one := range given.Asks {
		if one.Allow == "raises-spend=campaign/far=800" {
			t.Error("what wants its very amount was approved along with the others")
		}
	}
	page = html.UnescapeString(text(t, a.get("/accounts/shoes")))
	says(t, page, "300 of 300 are approved already", "and 295 more")
	if kindBox.MatchString(page) {
		t.Error("what is approved has a box still")
	}
}

// What came since the page was shown is not approved with it, and neither is what has another amount by now: then
// nothing is. What changes beside the kind is no matter of it.
func TestAKindIsAsItWasShown(t *testing.T) {
	a := ask(t, nil)
	a.desk.raises("shoes", 300, 0)
	a.login("Ann")
	box, _ := a.kind()
	given := len(a.desk.approvals)
	a.desk.raises("shoes", 301, 0)
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"kind": {box}}), http.StatusConflict)
	a.desk.raises("shoes", 299, 0)
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"kind": {box}}), http.StatusConflict)
	a.desk.raises("shoes", 300, 0)
	p := a.desk.plans["shoes"]
	was := p.Asks[7]
	p.Asks[7].Parts = []planview.Part{{Address: was.Parts[0].Address, After: "more", Before: "before"}}
	p.Asks[7].Item = p.Asks[7].Digest()
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"kind": {box}}), http.StatusConflict)
	for _, no := range []string{"", "kind", strings.Repeat("0", 32), box + box} {
		wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"kind": {no}}), http.StatusConflict)
	}
	if len(a.desk.approvals) != given {
		t.Fatal("something was approved that was not shown")
	}
	a.desk.raises("shoes", 300, 40)
	a.desk.plans["shoes"].PlanHash = "another"
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"kind": {box}}), http.StatusSeeOther)
	if n := len(a.desk.lastApproval().Asks); n != 300 {
		t.Errorf("%d are approved; want 300", n)
	}
}

// Of 15,000 rises the page lists 600 and says how many the box covers; page and approval take a moment.
func TestAKindCoversWhatHasNoLine(t *testing.T) {
	a := ask(t, nil)
	a.desk.raises("shoes", 15_000, 0)
	a.login("Ann")
	began := time.Now()
	box, page := a.kind()
	says(t, page, "All 15,000 of this kind", "and 14400 more, which have no line here: the box above covers them, too",
		"from 1,200,000.00 to 3,000,000.00 USD", "and 1 more of other kinds")
	if n := strings.Count(page, `name="item"`); n != 600 {
		t.Errorf("%d have a line; want 600", n)
	}
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"kind": {box}}), http.StatusSeeOther)
	if n := len(a.desk.lastApproval().Asks); n != 15_000 {
		t.Errorf("%d are approved; want 15,000", n)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}

// In a browser the box ticks those that it stands for. Who takes one out approves the others.
func TestABoxTicksAllOfItsKind(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	browser := chromium(t)
	audit, err := os.ReadFile("testdata/audit.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name       string
		scriptless bool
		without    bool
		anew       bool // the plan is put in anew before, as one of now
		want       int
	}{{"all", false, false, false, 12}, {"all but one", false, true, false, 11},
		{"without script", true, false, false, 12},
		{"all but one, of a plan that was put in anew", false, true, true, 11}} {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, browser, nil)
			p.desk.raises("shoes", 12, 0)
			p.login("/accounts/shoes")
			if tt.scriptless {
				if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
					emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
					t.Fatal(err)
				}
				p.visit("/accounts/shoes")
			}
			p.seen(390, 800, "dark")
			if !tt.scriptless {
				for _, found := range eval[[]string](p, string(audit)) {
					t.Error(found)
				}
				p.visit("/accounts/shoes")
			}
			if tt.anew {
				p.says("Shown as it happens.")
				p.desk.mu.Lock()
				other := *p.desk.plans["shoes"]
				other.PlanHash = "anew"
				p.desk.plans["shoes"] = &other
				p.desk.mu.Unlock()
				p.desk.change("shoes", func(a *daemon.Status) { a.Running = true })
				p.wait(`document.querySelector("#live-plan [name=plan]").value === "anew"`)
			}
			p.tabTo(`input[name="kind"]`)
			p.press(" ")
			if tt.without {
				p.do(chromedp.Click(chromedp.CSS(".kind summary")), chromedp.Click(chromedp.CSS("#allow3")))
				if eval[bool](p, `document.querySelector("[name=kind]").checked`) {
					t.Error("the box stays ticked without one of those it stands for")
				}
			}
			p.do(chromedp.Click(chromedp.CSS("form.approve button")))
			p.says("Approved. The next run applies it.")
			if n := len(p.desk.lastApproval().Asks); n != tt.want {
				t.Errorf("%d are approved; want %d", n, tt.want)
			}
		})
	}
}

// Two guards hold one change: two people tick one each, in any order, and each is told what the other did.
func TestTwoPeopleApproveTwoGuards(t *testing.T) {
	const rises, exceeds = "raises-spend=campaign/c00000", "exceeds-files=campaign/c00000"
	for _, order := range [][]string{{rises, exceeds}, {exceeds, rises}} {
		a := ask(t, nil)
		a.desk.raises("shoes", 1, 0, exceeds)
		for i, by := range []string{"Ann", "Ben"} {
			a.login(by)
			page := html.UnescapeString(text(t, a.get("/accounts/shoes")))
			item := a.desk.askOf("shoes", order[i]).Item
			says(t, page, `name="item" value="`+item+`"`)
			if i > 0 {
				says(t, page, "approved by Ann, ")
			}
			wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"item": {item}}), http.StatusSeeOther)
		}
		all, err := a.desk.Approvals(context.Background(), "shoes")
		if err != nil || len(all) < 2 {
			t.Fatalf("%d approvals, %v", len(all), err)
		}
		for i, one := range all[len(all)-2:] {
			if one.By != []string{"Ann", "Ben"}[i] || len(one.Allow) != 1 || one.Allow[0] != order[i] {
				t.Errorf("%s approved %q; want %q", one.By, one.Allow, order[i])
			}
		}
	}
}

// Of what wants other eyes than those of who wrote it: the page says who has to approve it, refuses who wrote it and
// who is nobody, and says so where one more is wanted.
func TestNobodyApprovesWhatTheyWrote(t *testing.T) {
	a, rules := askNamed(t)
	r := theRules(t)
	r.People[1].Grant.Everywhere, r.People[0].Forge = roles.Approver, "anna-gh"
	rules.Store(r)
	a.desk.raises("shoes", 3, 0)
	p := a.desk.plans["shoes"]
	item := func(i int) string { return a.desk.askOf("shoes", fmt.Sprintf("raises-spend=campaign/c%05d", i)).Item }
	p.Eyes = map[string]*eyes.Lack{
		item(0): {Known: true, Authors: []eyes.Who{{Login: "Anna-gh"}}},
		item(1): {Agreed: []eyes.Who{{Name: "ben"}}},
		item(2): {},
	}
	given := len(a.desk.approvals)
	for _, by := range []string{"approver", "operator", "shoes"} {
		wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/approvals", `{"items": ["`+item(0)+`"]}`, bearerFor(by),
			jsonBody), 403, "no_person")
	}
	wantStatus(t, a.loginAs("anna", thePassword), http.StatusSeeOther)
	box, page := a.kind()
	says(t, page, "Anna-gh (at the forge) wrote it: it wants the approval of somebody else",
		"Approved by ben; it wants one more person than ben",
		"Who wrote it is not known: it wants the approval of two people")
	answer := a.submit("/accounts/shoes/approve", url.Values{"item": {item(0)}})
	wantStatus(t, answer, http.StatusForbidden)
	says(t, html.UnescapeString(text(t, answer)), "Anna wrote 1 of the 1 that are chosen")
	answer = a.submit("/accounts/shoes/approve", url.Values{"kind": {box}})
	wantStatus(t, answer, http.StatusForbidden)
	says(t, html.UnescapeString(text(t, answer)), "Anna wrote 1 of the 3 that are chosen")
	if len(a.desk.approvals) != given {
		t.Fatal("who wrote it approved it")
	}
	goes := func(i int, did string) {
		t.Helper()
		answer := a.submit("/accounts/shoes/approve", url.Values{"item": {item(i)}})
		wantStatus(t, answer, http.StatusSeeOther)
		if to := answer.Header.Get("Location"); to != "/accounts/shoes?done="+did {
			t.Errorf("leads to %q; want %s", to, did)
		}
		if who := a.desk.lastApproval().Who; who == nil || *who != (eyes.Who{Name: "anna", Login: "anna-gh"}) {
			t.Errorf("recorded is %v; want anna", who)
		}
	}
	goes(1, "approved")
	goes(2, "agreed")
	says(t, text(t, a.get("/accounts/shoes?done=agreed")), "It goes once somebody else approves it, too.")
}

// With the one token anybody may give any name: no yes by it counts as somebody's.
func TestTheOneTokenIsNobody(t *testing.T) {
	a := ask(t, nil)
	a.desk.raises("shoes", 1, 0)
	item := a.desk.askOf("shoes", "raises-spend=campaign/c00000").Item
	a.desk.plans["shoes"].Eyes = map[string]*eyes.Lack{item: {Known: true, Authors: []eyes.Who{{Name: "anna"}}}}
	a.login("ben")
	answer := a.submit("/accounts/shoes/approve", url.Values{"item": {item}})
	wantStatus(t, answer, http.StatusForbidden)
	says(t, html.UnescapeString(text(t, answer)), "ben came by a token; want somebody who logs in by a name of their")
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/approvals", `{"items":["`+item+`"],"by":"cleo"}`, bearer,
		jsonBody), 403, "no_person")
}
