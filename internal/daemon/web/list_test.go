package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/daemon"
)

// many has the desk look after so many accounts, each third of which wants a person.
func (d *fakeDesk) many(n int) {
	d.accounts = nil
	for i := range n {
		s := daemon.Status{Name: fmt.Sprintf("shop-%04d", i), Source: "/srv/shop", State: daemon.InSync}
		if i%3 == 0 {
			s.State = daemon.Input
		}
		d.accounts = append(d.accounts, s)
	}
}

// A program reads all accounts part by part, and those that it searches.
func TestTheAPIListsAccountsByPart(t *testing.T) {
	a := ask(t, nil)
	a.desk.many(250)
	read := func(target string) (d accountsDocument) {
		t.Helper()
		if err := json.Unmarshal([]byte(text(t, a.get(target))), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	var names []string
	for after, parts := "", 0; ; parts++ {
		d := read("/api/v1/accounts?after=" + after)
		for _, s := range d.Accounts {
			names = append(names, s.Name)
		}
		if d.Total != 250 || len(d.Accounts) > listUsual || parts > 2 {
			t.Fatalf("part %d has %d of %d accounts", parts, len(d.Accounts), d.Total)
		}
		if after = d.Next; after == "" {
			break
		}
	}
	if len(names) != 250 || names[0] != "shop-0000" || names[249] != "shop-0249" {
		t.Errorf("%d accounts in all, want each of the 250 once: %.200q", len(names), names)
	}
	if d := read("/api/v1/accounts?q=SHOP-001&state=input&limit=2"); len(d.Accounts) != 2 || d.Total != 10 ||
		d.States["input"] != 3 || d.Accounts[0].Name != "shop-0012" || d.Next != "shop-0015" {
		t.Errorf("searched: %+v", d)
	}
	for _, wrong := range []string{"limit=0", "limit=501", "limit=x", "state=ill"} {
		wantProblem(t, a.get("/api/v1/accounts?"+wrong), 400, "bad_request")
	}
}

// A page of many accounts is a page, and offers to search; one of few does neither.
func TestThePageOfManyAccounts(t *testing.T) {
	a := ask(t, nil)
	if page := text(t, a.get("/")); strings.Contains(page, `class="search"`) || strings.Contains(page, "Next page") {
		t.Error("the page of three accounts offers to search them")
	}
	a.desk.many(3000)
	page := text(t, a.get("/"))
	for _, want := range []string{`class="search"`, "3000 accounts: 1000 want a person, 0 wait, 2000 are well.",
		`<a href="/?after=shop-0047" rel="next">Next page</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if n := strings.Count(page, `<li class="card`); n != cardsMost || len(page) > 100<<10 {
		t.Errorf("%d cards, %d bytes; want %d in 100 KiB", n, len(page), cardsMost)
	}
	page = text(t, a.get("/?q=shop-2&mood=ill&after=shop-2100"))
	for _, want := range []string{`value="shop-2"`, `<option value="ill" selected>`, "shop-2103", ">First page<",
		`/?after=shop-2244&amp;mood=ill&amp;q=shop-2`} {
		if !strings.Contains(page, want) {
			t.Errorf("the searched page does not have %s", want)
		}
	}
	if page := text(t, a.get("/?q=nothing")); !strings.Contains(page, "No account is so.") {
		t.Error("a search that finds nothing does not say so")
	}
}

// Where an account is another daemon's, its page says who told what is shown, and whether that one lives.
func TestThePageOfAnotherDaemonsAccount(t *testing.T) {
	a := ask(t, nil)
	told := &daemon.Told{Host: "host-a", At: noon, By: "host-a", Seen: noon, Lives: true}
	a.desk.accounts[0].Told = told
	for want, change := range map[string]func(){
		"host-a works on it; looks since then found nothing new.":                 func() {},
		`host-a worked on it, and was last seen <time datetime="2026-11-22T17:00`: func() { told.Lives = false },
		"No daemon works on it now.":                                              func() { told.By = "" },
	} {
		*told = daemon.Told{Host: "host-a", At: noon, By: "host-a", Seen: noon, Lives: true}
		change()
		if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, want) ||
			!strings.Contains(page, "Told by host-a") {
			t.Errorf("the page does not say %s", want)
		}
	}
}
