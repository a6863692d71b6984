package web

import (
	"adsync/internal/orders"
	"adsync/internal/planview"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"

	"github.com/google/go-cmp/cmp"
)

// upload drops a file in the form.
func (a *asker) upload(name, content string) *http.Response {
	a.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("form", a.form())
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", name)},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	_, _ = part.Write([]byte(content))
	w.Close()
	return a.send("POST", "/accounts/shoes/look", b.String(),
		"Content-Type: "+w.FormDataContentType(), "Sec-Fetch-Site: same-origin")
}

func TestFormsGiveOrders(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	hash := a.desk.plans["shoes"].PlanHash
	goes := func(answer *http.Response, did string) {
		t.Helper()
		wantStatus(t, answer, http.StatusSeeOther)
		if to := answer.Header.Get("Location"); to != "/accounts/shoes?done="+did {
			t.Errorf("leads to %q", to)
		}
	}
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"plan": {hash}}), 400)
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"plan": {"other"}, "allow": {heldRaise}}), 409)
	goes(a.submit("/accounts/shoes/approve",
		url.Values{"plan": {hash}, "allow": {heldRaise}, "note": {"agreed"}, "by": {"eve"}}), "approved")
	if d := cmp.Diff(daemon.Approval{PlanHash: hash,
		Allow: []string{heldRaise}, Asks: []planview.Ask{a.desk.askOf("shoes", heldRaise)},
		Lineage: "lineage", Serial: 7, By: "Ann Example", From: "page 192.0.2.1", Note: "agreed",
		Time: noon}, a.desk.lastApproval()); d != "" {
		t.Error(d)
	}
	if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page,
		"approved by Ann Example, 2026-11-22 12:00 EST") || strings.Contains(page, "checkbox\" id=\"allow0") {
		t.Error("the page does not say that it was approved, by whom and when")
	}
	goes(a.submit("/accounts/shoes/wake", url.Values{"reason": {"a new\u202e feed"}}), "woken")
	if d := cmp.Diff([]orders.Ask{{By: "Ann Example", From: "page 192.0.2.1", Note: "a new\\u202e feed", Since: noon}},
		a.desk.asked); d != "" {
		t.Error(d)
	}
	wantStatus(t, a.submit("/accounts/shoes/suspend", url.Values{"reason": {" "}}), 400)
	goes(a.submit("/accounts/shoes/suspend", url.Values{"reason": {"the shop is down"}, "for": {"4h"}}), "suspended")
	if page := text(t, a.get("/accounts/shoes?done=suspended")); !strings.Contains(page, "the shop is down") ||
		!strings.Contains(page, "nothing is sent") || !strings.Contains(page, ">Resume<") {
		t.Error("the page does not say that it is suspended, why, and how it goes on")
	}
	goes(a.submit("/accounts/shoes/resume", url.Values{"reason": {"it is back"}}), "resumed")
	if d := cmp.Diff([]orders.Ordered{{Time: noon, By: "Ann Example", From: "page 192.0.2.1", Reason: "it is back"}},
		a.desk.resumed); d != "" {
		t.Error(d)
	}
	wantStatus(t, a.submit("/accounts/nobody/wake", url.Values{}), 404)
}

// Whose session ended, such as by a restart of the daemon, is told so where a form is
// sent, and comes from there to the form that asks for the token and back to the
// page: what the form was sent to is none.
func TestAFormOfASessionThatEndedLeadsToTheLogin(t *testing.T) {
	a := ask(t, nil)
	for path, back := range map[string]string{
		"/accounts/shoes/approve":                       "/accounts/shoes",
		"/accounts/shoes/suspend":                       "/accounts/shoes",
		"/accounts/boots%20%26%20bags/wake":             "/accounts/boots%20&%20bags",
		"/accounts/shoes/look":                          "/accounts/shoes",
		"/accounts/shoes/looks/0123456789abcdef/commit": "/accounts/shoes",
	} {
		answer := a.send("POST", path, "form=0123", formBody, "Sec-Fetch-Site: same-origin")
		wantStatus(t, answer, 401)
		page := html.UnescapeString(text(t, answer))
		if !strings.Contains(page, "You are not logged in, or not any more; nothing was done.") {
			t.Errorf("%s: the page does not say that nobody is logged in:\n%s", path, page)
		}
		link := `class="button" href="/login?` + url.Values{"back": {back}}.Encode() + `"`
		if !strings.Contains(page, link) {
			t.Errorf("%s: the page has no %s", path, link)
			continue
		}
		answer = a.send("POST", "/login", url.Values{"name": {"Ann"}, "token": {theToken}, "back": {back}}.Encode(),
			formBody, "Sec-Fetch-Site: same-origin")
		to := answer.Header.Get("Location")
		wantStatus(t, a.get(to), 200)
		if !strings.HasPrefix(to, back+"?") {
			t.Errorf("%s: logging in leads to %q; want %q", path, to, back)
		}
	}
}

// Where nothing is ever applied no approval does anything: none is offered or taken.
// Where nothing is sent for now, who approves is told so.
func TestAnApprovalSaysWhatItDoes(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	hash := a.desk.plans["shoes"].PlanHash
	a.desk.accounts[0].Suspended = &daemon.Suspension{By: "bob", Since: noon, Reason: "the sale"}
	answer := a.submit("/accounts/shoes/approve", url.Values{"plan": {hash}, "allow": {heldRaise}})
	wantStatus(t, answer, http.StatusSeeOther)
	if page := text(t, a.get(answer.Header.Get("Location"))); !strings.Contains(page,
		"Nothing is sent while the account is suspended") || strings.Contains(page, "The next run applies it") {
		t.Error("who approves in a suspended account is told that the next run applies it")
	}
	a.desk.accounts[0].Suspended, a.desk.accounts[0].PlanOnly = nil, true
	page := text(t, a.get("/accounts/shoes"))
	if strings.Contains(page, ">Approve<") || !strings.Contains(page, "--allow "+heldRaise) ||
		!strings.Contains(page, "planned, not applied") {
		t.Error("an account that is never applied offers approvals, or does not say what the plan holds")
	}
	given := len(a.desk.approvals)
	wantStatus(t, a.submit("/accounts/shoes/approve", url.Values{"plan": {hash}, "allow": {heldRaise}}), 409)
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/approvals",
		`{"plan_hash":"`+hash+`","allow":["`+heldRaise+`"],"by":"ann"}`, bearer, jsonBody), 409, "plan_only")
	if len(a.desk.approvals) != given {
		t.Error("an approval is kept that nothing comes of")
	}
}

// G3: a person accepts rewritten history by its commit, and it is recorded who, when
// and why.
func TestRewrittenHistoryIsAccepted(t *testing.T) {
	a := ask(t, nil)
	commit := a.desk.rewrite("shoes")
	if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, "the history was rewritten") ||
		!strings.Contains(page, "adsync reconcile --accept-commit 973fd1f7f63f") ||
		strings.Contains(page, `action="/accounts/shoes/accept"`) {
		t.Error("who is not logged in is not told what waits, or may accept it")
	}
	wantStatus(t, a.send("POST", "/accounts/shoes/accept",
		url.Values{"commit": {commit}}.Encode(), formBody, "Sec-Fetch-Site: same-origin"), 401)
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/acceptances", `{"commit":"`+commit+`","by":"eve"}`, jsonBody),
		401, "token")
	a.login("Ann Example")
	if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, `name="commit" value="`+commit+`"`) ||
		!strings.Contains(page, "another past") {
		t.Error("the page does not have the form that accepts the commit")
	}
	wantStatus(t, a.submit("/accounts/shoes/accept", url.Values{"commit": {commit[:12]}}), 409)
	wantStatus(t, a.submit("/accounts/shoes/accept", url.Values{"commit": {strings.Repeat("0", 40)}}), 409)
	wantStatus(t, a.submit("/accounts/hats/accept", url.Values{"commit": {commit}}), 409)
	if len(a.desk.accepted) != 0 {
		t.Fatalf("accepted: %+v; want nothing yet", a.desk.accepted)
	}
	wantStatus(t, a.submit("/accounts/shoes/accept",
		url.Values{"commit": {commit}, "note": {"a key was in it"}, "by": {"eve"}}), 303)
	if d := cmp.Diff([]daemon.Acceptance{{Commit: commit, By: "Ann Example", From: "page 192.0.2.1",
		Note: "a key was in it", Time: noon}}, a.desk.accepted); d != "" {
		t.Error(d)
	}
	if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, "Accepted history") ||
		!strings.Contains(page, "a key was in it") || strings.Contains(page, "/accept\"") {
		t.Error("the page does not say who accepted what, or offers it again")
	}
	a.cookie = ""
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/acceptances",
		`{"commit":"`+commit+`","by":"ann"}`, bearer, jsonBody), 409, "other_commit")
	a.desk.rewrite("shoes")
	wantStatus(t, a.send("POST", "/api/v1/accounts/shoes/acceptances",
		`{"commit":"`+commit+`","by":"ann","note":"meant"}`, bearer, jsonBody), 201)
	if n := len(a.desk.accepted); n != 2 || a.desk.accepted[1].By != "ann" {
		t.Errorf("accepted: %+v; want ann's too", a.desk.accepted)
	}
}

func TestAFileIsLookedAtInThePage(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	page := text(t, a.upload("spring.xlsx", "the bytes"))
	if a.desk.looked[0] != "spring.xlsx: the bytes" ||
		!strings.Contains(page, "spring.xlsx:Ads!E17") || !strings.Contains(page, "Possible spend a day") {
		t.Errorf("read %q; the page shows %.2000s", a.desk.looked, page)
	}
	_, rest, _ := strings.Cut(page, `class="button" href="`)
	link, _, _ := strings.Cut(rest, `"`)
	if got := text(t, a.get(link)); got != "the marked copy" {
		t.Errorf("the marked copy at %q is %q", link, got)
	}
	a.desk.upload = &daemon.Upload{}
	if page := text(t, a.upload("spring.xlsx", "x")); !strings.Contains(page, "No problems.") ||
		strings.Contains(page, "marked copy") {
		t.Error("a file without problems has some")
	}
	wantStatus(t, a.upload("spring.xlsx", ""), 400)
	wantStatus(t, a.upload("", "x"), 400)
}

// A file that was looked at is committed by a person's word, as the bytes that were
// looked at; one that may not be is not.
func TestAFileThatWasLookedAtIsCommitted(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	commitOf := regexp.MustCompile(`action="(/accounts/shoes/looks/[0-9a-f]{64}/commit)"`)
	if page := text(t, a.upload("spring.xlsx", "the bytes")); commitOf.MatchString(page) {
		t.Error("a file may be committed that no branch is for")
	}
	a.desk.upload = &daemon.Upload{Branch: "adsync/uploads"}
	found := commitOf.FindStringSubmatch(text(t, a.upload("spring.xlsx", "the bytes")))
	if found == nil {
		t.Fatal("the page has no way to commit the file")
	}
	wantStatus(t, a.send("POST", found[1], "note=x", formBody, "Sec-Fetch-Site: same-origin"), 403)
	wantStatus(t, a.submit("/accounts/hats/looks/"+strings.Split(found[1], "/")[4]+"/commit", url.Values{}), 404)
	page := text(t, a.submit(found[1], url.Values{"note": {"as agreed"}, "by": {"eve"}}))
	if !strings.Contains(page, "ads/spring.xlsx") ||
		!strings.Contains(page, "4f1c0de5a2b3c4d5e6f708192a3b4c5d6e7f8091") {
		t.Errorf("the page does not say where it is: %.1000s", page)
	}
	if d := cmp.Diff([]daemon.Handed{{File: "spring.xlsx",
		Content: []byte("the bytes"), By: "Ann Example", From: "page 192.0.2.1", Note: "as agreed",
		Time: noon}}, a.desk.handed); d != "" {
		t.Error(d)
	}
	for err, want := range map[error]int{
		daemon.ErrMoved: 409, daemon.ErrNotOpened: 502,
		daemon.ErrNotValid: 409, daemon.ErrNoUploads: 404, daemon.ErrNotPushed: 502, daemon.ErrNotNow: 503,
	} {
		a.desk.broken = err
		wantStatus(t, a.submit(found[1], url.Values{}), want)
	}
	a.desk.broken, a.cookie = nil, ""
	var seen lookDocument
	if err := json.Unmarshal([]byte(text(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", "x", bearer))),
		&seen); err != nil || seen.Branch != "adsync/uploads" {
		t.Fatalf("%v; the look gives %+v; want where it may be committed", err, seen)
	}
	wantProblem(t, a.send("POST", seen.Commit, `{"by":"eve"}`, jsonBody), 401, "token")
	wantProblem(t, a.send("POST", seen.Commit, `{}`, jsonBody, bearer), 400, "no_name")
	wantStatus(t, a.send("POST", seen.Commit, `{"by":"ann","note":"meant"}`, jsonBody, bearer), 201)
	wantProblem(t, a.get(strings.Replace(seen.Commit, "/commit", "/marked", 1), bearer), 404, "no_look")
}

// What goes into a folder says so before and after, and names the former file.
func TestAFileThatWasLookedAtIsSentIntoTheFolder(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	for base, says := range map[string]string{"": "beside the others", "a sum": "takes the place of the one"} {
		a.desk.upload = &daemon.Upload{Saves: true, Base: base}
		page := text(t, a.upload("spring.xlsx", "the bytes"))
		found := regexp.MustCompile(`action="(/accounts/shoes/looks/[0-9a-f]{64}/commit)"`).FindStringSubmatch(page)
		if found == nil || !strings.Contains(page, ">Send</button>") || !strings.Contains(page, says) {
			t.Fatalf("with the base %q the page does not say %q: %.3000s", base, says, page)
		}
		page = text(t, a.submit(found[1], url.Values{"note": {"as agreed"}}))
		if !strings.Contains(page, "<h1>Sent</h1>") || !strings.Contains(page, "spring.xlsx</code> is in the folder") ||
			!strings.Contains(page, "spring (before 2026-11-22 1700).xlsx") {
			t.Errorf("sent: %.3000s", page)
		}
	}
	a.desk.change("shoes", func(s *daemon.Status) { s.PlanOnly = true })
	page := text(t, a.upload("spring.xlsx", "x"))
	found := regexp.MustCompile(`action="([^"]*/commit)"`).FindStringSubmatch(page)
	sent := text(t, a.submit(found[1], url.Values{}))
	if strings.Contains(page+sent, "The next run applies it") ||
		!strings.Contains(page, "never applied by the daemon") ||
		!strings.Contains(sent, "whoever applies applies it") {
		t.Errorf("of an account that is only planned: %.2000s\n%.2000s", page, sent)
	}
	a.desk.broken = fmt.Errorf("%w: spring.xlsx: file is open in an editor", daemon.ErrNotWritten)
	answer := a.submit(found[1], url.Values{})
	wantStatus(t, answer, 409)
	if page := text(t, answer); !strings.Contains(page, "open in an editor") {
		t.Errorf("while it is open: %.2000s", page)
	}
}

// Where a pull request is opened, the page says which, where it is, and what happens next. What a forge did not open is
// asked for again with the same note; an address that a browser may not be sent to is no link.
func TestAFileThatWasLookedAtIsSent(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	commitOf := regexp.MustCompile(`action="(/accounts/shoes/looks/[0-9a-f]{64}/commit)"`)
	a.desk.upload = &daemon.Upload{Into: "main"}
	if page := text(t, a.upload("spring.xlsx", "x")); commitOf.MatchString(page) ||
		!strings.Contains(page, "there is nothing to send") {
		t.Error("what the branch has already can be sent")
	}
	a.desk.upload = &daemon.Upload{Branch: "adsync/uploads", Into: "main", Base: "a sum"}
	page := text(t, a.upload("spring.xlsx", "the bytes"))
	found := commitOf.FindStringSubmatch(page)
	if found == nil || !strings.Contains(page, ">Send</button>") || !strings.Contains(page, "pull request into main") {
		t.Fatalf("the page has no way to send the file: %.3000s", page)
	}
	a.desk.broken = fmt.Errorf("%w: <b>down</b>", daemon.ErrNotOpened)
	answer := a.submit(found[1], url.Values{"note": {`"as agreed"`}})
	page = text(t, answer)
	for _, want := range []string{"Not sent yet", "did not open a pull request of it: &lt;b&gt;down", "is safe",
		`action="` + found[1] + `"`, `name="note" value="&#34;as agreed&#34;"`} {
		if !strings.Contains(page, want) || answer.StatusCode != 502 {
			t.Errorf("%s, and the page does not say %s: %.3000s", answer.Status, want, page)
		}
	}
	a.desk.broken = daemon.ErrMoved
	page = text(t, a.submit(found[1], url.Values{}))
	if !strings.Contains(page, "changed this file since you looked") {
		t.Errorf("a file that moved: %.2000s", page)
	}
	a.desk.broken, a.desk.pulls = nil, "https://forge.example/acme/ads/pulls"
	page = text(t, a.submit(found[1], url.Values{"note": {"as agreed"}}))
	for _, want := range []string{"<h1>Sent as pull request 12</h1>", "Somebody approves and merges it there",
		`<a href="https://forge.example/acme/ads/pulls/12" rel="noreferrer">`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s: %.3000s", want, page)
		}
	}
	if got := a.desk.handed[0]; got.Base != "a sum" || got.By != "Ann Example" || got.Note != "as agreed" {
		t.Errorf("handed on is %+v; want the file whose place it took", got)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(gone, "POST", "/api/v1"+found[1], strings.NewReader(`{"by":"ann"}`))
	r.Host = "localhost:8787"
	r.Header.Set("Authorization", "Bearer "+theToken)
	r.Header.Set("Content-Type", "application/json")
	if a.server.ServeHTTP(httptest.NewRecorder(), r); len(a.desk.handed) != 2 {
		t.Errorf("%d files are handed on; want also that of somebody who went away", len(a.desk.handed))
	}
	a.desk.pulls = "javascript:alert(1)//"
	if page := text(t, a.submit(found[1], url.Values{})); strings.Contains(page, "javascript:") {
		t.Errorf("the page leads to a script: %.3000s", page)
	}
}

// What an account is read from can be downloaded by who may read, and nothing else.
func TestTodaysFileIsDownloaded(t *testing.T) {
	a := ask(t, nil)
	page := text(t, a.get("/accounts/shoes/files"))
	linkTo := regexp.MustCompile(`<a href="(/accounts/shoes/file\?name=[^"]*)" download>`)
	links := linkTo.FindAllStringSubmatch(page, -1)
	if len(links) != 2 || strings.Contains(page, "<b>") || strings.Contains(page, "\u202e") ||
		!strings.Contains(page, "raise the budget for spring") {
		t.Fatalf("the page is %.3000s; want both files, and the version they are of", page)
	}
	for i, want := range []string{"x", "today's"} {
		answer := a.get(html.UnescapeString(links[i][1]))
		kind, named, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
		if got := text(t, answer); got != want || kind != "attachment" || err != nil ||
			strings.Contains(named["filename"], "/") ||
			answer.Header.Get("Content-Type") != "application/octet-stream" ||
			answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is %q, %s %q, %v; want %q as a download", links[i][1], got, kind, named, err, want)
		}
	}
	for _, name := range []string{"adsync.yaml", "../hats/hats.xlsx", "/etc/passwd", "", "spring.xlsx/"} {
		wantProblem(t, a.get("/api/v1/accounts/shoes/file?name="+url.QueryEscape(name)), 404, "no_source")
	}
	wantProblem(t, a.get("/api/v1/accounts/gone/file?name=spring.xlsx"), 404, "no_account")
	behind := ask(t, func(o *Options) { o.BehindProxy = true })
	wantStatus(t, behind.get("/accounts/shoes/file?name=spring.xlsx"), 303)
	wantProblem(t, behind.get("/api/v1/accounts/shoes/file?name=spring.xlsx"), 401, "token")
}

// What the page says to those who cannot give orders, and where there is nothing
// to show.
func TestThePageSaysWhatIsNotThere(t *testing.T) {
	a := ask(t, func(o *Options) { o.Token = roles.Token{} })
	page := text(t, a.get("/accounts/shoes"))
	for _, want := range []string{"For reading only",
		"--allow " + heldRaise, "Possible spend a day", "spring.yaml:7:17"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "<form") {
		t.Error("a page for reading has a form")
	}
	page = text(t, a.get("/accounts/hats"))
	for _, want := range []string{"No plan yet", "No runs yet",
		"Nothing has been approved yet", "Nothing has been noted yet", "hats.xlsx:Ads!E17", "files cannot be planned"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of an account without anything does not say %q", want)
		}
	}
	wantStatus(t, a.get("/login"), 404)
	a.desk.accounts = nil
	if page := text(t, a.get("/")); !strings.Contains(page, "No account is configured yet") {
		t.Error("a page without accounts does not say so")
	}
	if page := text(t, a.get("/accounts/gone")); !strings.Contains(page, "No account of that name.") {
		t.Error("a page of no account does not say so")
	}
}

// Times of the page are those of the account, and how a run ended shows before it
// is read.
func TestRunsShowWhenAndHowTheyEnded(t *testing.T) {
	a := ask(t, nil)
	a.desk.runs["shoes"][0].Started = noon
	a.login("Ann Example")
	page := text(t, a.get("/accounts/shoes/runs"))
	for _, want := range []string{`<li class="ill"><a href="/accounts/shoes/runs/run-000042">`,
		`<li class="well"><a href="/accounts/shoes/runs/run-000001">`} {
		if !strings.Contains(page, want) {
			t.Errorf("the runs lack %s", want)
		}
	}
	if page := text(t, a.get("/accounts/shoes/runs/run-000042")); !strings.Contains(page, " EST; by ann@desk") ||
		strings.Contains(page, "UTC; by") {
		t.Error("the page of a run does not say when it was in the time of the account")
	}
}
