package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
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

// TestTheAuthorOfAPullRequestCannotApproveIt: anna opened it, who is ann at the forge. Merged and held, her own yes is
// refused, and ben's alone is enough. What she pushes without a pull request nobody is known to have written.
func TestTheAuthorOfAPullRequestCannotApproveIt(t *testing.T) {
	t.Parallel()
	hash := filepath.Join(t.TempDir(), "the.hash")
	saveFile(t, hash, hashOf(t, annasPassword))
	person := "{role: approver, password: {file: " + hash + "}, forge: "
	q := newProposed(t, "1s", "approvers: [zoe]}\npeople: {anna: "+person+"Ann}, ben: "+person+"ben-gh}")
	saveFile(t, q.operator, "policy: {max_daily_exposure: 1000.00, approvals: {raises: not-author}}\n")
	pull := q.proposes(7, "daily: 50.00", "daily: 120.00")
	q.forge.Set(pull)
	q.says(7, pull.Head[:12], "120.00")
	q.judged(pull.Head, "pending", "needs approval: 1 change held")
	q.merges(pull)
	q.p.until("msg", "run ended", "class", "held")
	enters := func(name string) *guest {
		jar, err := cookiejar.New(nil)
		noError(t, err)
		g := &guest{T: t, client: http.Client{Jar: jar}, at: q.at}
		g.post("/login", url.Values{"name": {name}, "password": {annasPassword}})
		return g
	}
	box := regexp.MustCompile(`name="item" value="([0-9a-f]{32})"`)
	approves := func(g *guest) (int, string) {
		t.Helper()
		_, page := g.get("/accounts/shop")
		found := box.FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("nothing can be ticked:\n%s", page)
		}
		status, page := g.post("/accounts/shop/approve", url.Values{"item": {found[1]}})
		return status, html.UnescapeString(page)
	}
	anna, ben := enters("anna"), enters("ben")
	if _, page := anna.get("/accounts/shop"); !strings.Contains(page, "Anna wrote it: it wants the approval") {
		t.Errorf("the page does not say who wrote it:\n%s", page)
	}
	if status, page := approves(anna); status != 403 || !strings.Contains(page, "Anna wrote 1 of the 1") {
		t.Errorf("anna approves: %d %s", status, page)
	}
	if status, page := approves(ben); status != 200 || !strings.Contains(page, "Approved. The next run applies it.") {
		t.Errorf("ben approves: %d %s", status, page)
	}
	q.p.until("msg", "run ended", "class", "applied")

	q.save("daily: 120.00", "daily: 290.00", "More")
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "held")
	if _, page := ben.get("/accounts/shop"); !strings.Contains(page, "Who wrote it is not known") {
		t.Errorf("the page says who wrote what was pushed:\n%s", page)
	}
	q.p.end()
}

// TestACommentReachesWhomItConcerns: no entry of notify names anybody. Who commented on a run hears of what others say
// there, once, and so does who approved the run; nobody hears themselves.
func TestACommentReachesWhomItConcerns(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	saveFile(t, operator, allowsRises)
	home := t.TempDir()
	messages := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var one told
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil || len(one.Sections) == 0 {
			t.Errorf("%s: %v, %+v", r.URL.Path, err, one)
			return
		}
		messages <- r.URL.Path + " " + strings.Join(one.Topics, ",") + ": " + one.Sections[0].Items[0].Text
	}))
	defer hook.Close()
	saveFile(t, filepath.Join(home, "the.hash"), hashOf(t, annasPassword))
	saveFile(t, filepath.Join(home, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
state: %s
operator: %s
every: 2s
settle: 200ms
people:
  anna: {role: editor, password: {file: the.hash}, webhook: {url: {env: ANNA}, key: {env: HOOK_KEY}}}
  ben: {role: editor, password: {file: the.hash}, webhook: {url: {env: BEN}, key: {env: HOOK_KEY}}}
  cleo: {role: approver, password: {file: the.hash}, webhook: {url: {env: CLEO}, key: {env: HOOK_KEY}}}
accounts: [{name: shop, folder: %s}]
`, filepath.Join(home, "states"), operator, dir))
	p := startDaemonWith(t, s.environment("HOOK_KEY=a key of the webhook",
		"ANNA="+hook.URL+"/anna", "BEN="+hook.URL+"/ben", "CLEO="+hook.URL+"/cleo"),
		"--config", filepath.Join(home, "daemon.yaml"))
	at := fmt.Sprint(p.until("msg", "the daemon answers")["address"])
	p.until("msg", "run ended", "class", "applied")
	enters := func(name string) *guest {
		t.Helper()
		jar, err := cookiejar.New(nil)
		noError(t, err)
		g := &guest{T: t, client: http.Client{Jar: jar}, at: at}
		g.post("/login", url.Values{"name": {name}, "password": {annasPassword}})
		return g
	}
	run := "run-000001"
	says := func(name, text string) {
		t.Helper()
		if status, page := enters(name).post("/accounts/shop/comments",
			url.Values{"run": {run}, "text": {text}}); status != 200 || !strings.Contains(page, text) {
			t.Fatalf("%s comments: %d %s", name, status, page)
		}
	}
	hears := func(want string) {
		t.Helper()
		select {
		case got := <-messages:
			if got != want {
				t.Errorf("told %q; want %q", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("nobody is told; want %q", want)
		}
	}
	says("anna", "Was this meant?") // whom it concerns nobody knows yet
	says("ben", "Yes: the sale.")
	hears("/anna comment: ben on run-000001: Yes: the sale.")
	says("anna", "Thank you.")
	hears("/ben comment: anna on run-000001: Thank you.")

	saveEdit(t, dir, "daily: 50.00", "daily: 120.00")
	p.until("msg", "run ended", "class", "held")
	cleo := enters("cleo")
	_, page := cleo.get("/accounts/shop")
	asked := regexp.MustCompile(`name="item" value="([0-9a-f]{32})"`).FindStringSubmatch(page)
	if asked == nil {
		t.Fatalf("nothing can be approved:\n%s", page)
	}
	cleo.post("/accounts/shop/approve", url.Values{"item": {asked[1]}})
	run = fmt.Sprint(p.until("msg", "run ended", "class", "applied")["run"])
	says("anna", "Why so much?")
	hears("/cleo comment: anna on " + run + ": Why so much?")
	select {
	case more := <-messages:
		t.Errorf("told beside that: %q", more)
	default:
	}
}
