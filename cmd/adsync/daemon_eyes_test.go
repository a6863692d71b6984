package main

import (
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestARaiseOfAFolderWantsTwoPeople: who saved a file in a folder nobody knows. A raise that waits there goes once two
// people approved it who proved who they are, and not by two yeses of one, nor by that of a program.
func TestARaiseOfAFolderWantsTwoPeople(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, home := t.TempDir(), t.TempDir()
	saveFile(t, filepath.Join(dir, "adsync.yaml"), "policy: {approvals: {raises: not-author}}\n")
	saveFile(t, filepath.Join(dir, "spring.yaml"), springAt("50.00"))
	saveFile(t, filepath.Join(home, "operator.yaml"), allowsRises)
	saveFile(t, filepath.Join(home, "the.hash"), hashOf(t, annasPassword))
	const robot = "drawn-for-the-robot-0123456789"
	saveFile(t, filepath.Join(home, "robot"), robot)
	saveFile(t, filepath.Join(home, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
state: %s
operator: %s
every: 2s
settle: 200ms
people:
  anna: {role: approver, password: {file: the.hash}}
  ben: {role: approver, password: {file: the.hash}}
tokens: {robot: {token: {file: robot}, role: approver, ends: 2099-01-01}}
accounts: [{name: shop, folder: %s}]
`, filepath.Join(home, "states"), filepath.Join(home, "operator.yaml"), dir))
	p := startDaemonWith(t, s.environment(), "--config", filepath.Join(home, "daemon.yaml"))
	at := fmt.Sprint(p.until("msg", "the daemon answers")["address"])
	p.until("msg", "run ended", "class", "applied")
	enters := func(name string) *guest {
		jar, err := cookiejar.New(nil)
		noError(t, err)
		g := &guest{T: t, client: http.Client{Jar: jar}, at: at}
		if status, page := g.post("/login", url.Values{"name": {name}, "password": {annasPassword},
			"back": {"/accounts/shop"}}); status != 200 {
			t.Fatalf("%d %s", status, page)
		}
		return g
	}
	anna, ben := enters("anna"), enters("ben")
	saveFile(t, filepath.Join(dir, "spring.yaml"), springAt("120.00"))
	p.until("msg", "run ended", "class", "held")

	box := regexp.MustCompile(`name="item" value="([0-9a-f]{32})"`)
	// approves ticks what waits, and returns what the page says then.
	approves := func(g *guest) string {
		t.Helper()
		_, page := g.get("/accounts/shop")
		found := box.FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("nothing can be ticked:\n%s", page)
		}
		_, page = g.post("/accounts/shop/approve", url.Values{"item": {found[1]}})
		return html.UnescapeString(page)
	}
	says := func(page string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
	}
	_, page := anna.get("/accounts/shop")
	says(page, "Who wrote it is not known: it wants the approval of two people")
	if found := box.FindStringSubmatch(page); found != nil {
		r, err := http.NewRequest("POST", "http://"+at+"/api/v1/accounts/shop/approvals",
			strings.NewReader(`{"items": ["`+found[1]+`"]}`))
		noError(t, err)
		r.Header.Set("Authorization", "Bearer "+robot)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		noError(t, err)
		if status, said := anna.read(answer); status != 403 || !strings.Contains(said, `"code":"no_person"`) {
			t.Errorf("a program approves: %d %s", status, said)
		}
	}
	says(approves(anna), "It goes once somebody else approves it, too.")
	p.until("msg", "run ended", "class", "held")
	_, page = anna.get("/accounts/shop")
	says(html.UnescapeString(page), "Approved by anna; it wants one more person than anna")
	says(approves(anna), "It goes once somebody else approves it, too.")
	p.until("msg", "run ended", "class", "held")
	says(approves(ben), "Approved. The next run applies it.")
	p.until("msg", "run ended", "class", "applied")
	_, page = ben.get("/accounts/shop")
	says(html.UnescapeString(page), "120.00 USD")
}
