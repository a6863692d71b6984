package web

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"adsync/internal/daemon/roles"
)

const ofSpring = "campaign/spring-launch"

// What somebody says of a change is shown at the change, on a page of its own, and in Activity, with who and when; of a
// run at the run. It is text, whatever is in it.
func TestPeopleCommentOnChangesAndRuns(t *testing.T) {
	a := ask(t, nil)
	shoes := &a.desk.accounts[0]
	shoes.Reached = false
	a.login("Ann <b>Example</b>")
	answer := a.submit("/accounts/shoes/comments",
		url.Values{"of": {ofSpring}, "text": {"Is 120 right?\n<script>alert(1)</script> {{.Form}}"}})
	wantStatus(t, answer, http.StatusSeeOther)
	if to := answer.Header.Get("Location"); to != "/accounts/shoes/comments?of=campaign%2Fspring-launch" {
		t.Errorf("leads to %q", to)
	}
	wantStatus(t, a.submit("/accounts/shoes/comments", url.Values{"run": {"run-000042"}, "text": {"Too dear."}}),
		http.StatusSeeOther)
	for path, wants := range map[string][]string{
		"/accounts/shoes": {"Comments (1)", "Is 120 right? &lt;script&gt;"},
		"/accounts/shoes/comments?of=" + ofSpring: {"Ann &lt;b&gt;Example&lt;/b&gt;",
			"<br>&lt;script&gt;alert(1)&lt;/script&gt;", "2026-11-22 12:00 EST", "from 50 to 120 USD", "Take away"},
		"/accounts/shoes/activity": {"Commented on Raise the daily budget of", "Commented on run-000042",
			"Too dear."},
		"/accounts/shoes/runs/run-000042":         {"Too dear.", "Ann &lt;b&gt;Example&lt;/b&gt;"},
		"/accounts/shoes/activity?of=" + ofSpring: {"Commented on Raise the daily budget of"},
	} {
		page := text(t, a.get(path))
		says(t, page, wants...)
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<b>Example") {
			t.Errorf("%s: what somebody wrote is markup", path)
		}
	}
	if page := text(t, a.get("/accounts/shoes/runs/run-000041")); strings.Contains(page, "Too dear.") {
		t.Error("another run has it, too")
	}
}

// A viewer reads comments and writes none; each takes away their own alone.
func TestACommentIsOfWhoWroteIt(t *testing.T) {
	a, rules := askNamed(t)
	bens := func(role roles.Role) {
		r := theRules(t)
		for i := range r.People { // the password stays, and with it the sessions
			r.People[i].Password = rules.Load().People[i].Password
		}
		r.People[1].Grant = roles.Grant{Everywhere: role}
		rules.Store(r)
	}
	bens(roles.Editor)
	wantStatus(t, a.loginAs("anna", thePassword), http.StatusSeeOther)
	wantStatus(t, a.submit("/accounts/shoes/comments", url.Values{"of": {ofSpring}, "text": {"mine"}, "by": {"ben"}}),
		http.StatusSeeOther)
	all, err := a.desk.comments.All()
	if err != nil || len(all) != 1 || all[0].By != "anna" {
		t.Fatalf("%+v, %v; want one of anna", all, err)
	}
	away := "/accounts/shoes/comments/" + all[0].ID + "/delete"
	wantStatus(t, a.loginAs("ben", thePassword), http.StatusSeeOther)
	if page := text(t, a.get("/accounts/shoes/comments?of="+ofSpring)); strings.Contains(page, "Take away") {
		t.Error("somebody else is offered to take it away")
	}
	wantStatus(t, a.submit(away, url.Values{"of": {ofSpring}}), http.StatusForbidden)
	wantProblem(t, a.send("POST", "/api/v1"+away, "{}", bearerFor("operator"), jsonBody), 403, "their_comment")
	bens(roles.Viewer)
	page := html.UnescapeString(text(t, a.get("/accounts/shoes/comments?of="+ofSpring)))
	if !strings.Contains(page, "mine") || strings.Contains(page, "Your comment") {
		t.Error("a viewer does not read it, or is offered to write")
	}
	wantStatus(t, a.submit("/accounts/shoes/comments", url.Values{"of": {ofSpring}, "text": {"x"}}),
		http.StatusForbidden)
	wantStatus(t, a.loginAs("anna", thePassword), http.StatusSeeOther)
	wantStatus(t, a.submit(away, url.Values{"of": {ofSpring}}), http.StatusSeeOther)
	if all, _ := a.desk.comments.All(); len(all) != 0 {
		t.Errorf("left are %+v", all)
	}
}

func TestProgramsComment(t *testing.T) {
	a, _ := askNamed(t)
	post := func(body string) *http.Response {
		return a.send("POST", "/api/v1/accounts/shoes/comments", body, bearerFor("editor"), jsonBody)
	}
	statuses := map[string]int{"bad_request": 400, "other_name": 403, "no_run": 404, "no_change": 404}
	for body, code := range map[string]string{
		`{"text": "x"}`: "bad_request",
		`{"text": "x", "run": "run-000042", "address": "` + ofSpring + `"}`:  "bad_request",
		`{"text": " ", "run": "run-000042"}`:                                 "bad_request",
		`{"text": "x", "run": "run-999999"}`:                                 "no_run",
		`{"text": "x", "address": "campaign/gone"}`:                          "no_change",
		`{"text": "x", "address": "../x"}`:                                   "no_change",
		`{"text": "` + strings.Repeat("x", 2001) + `", "run": "run-000042"}`: "bad_request",
		`{"text": "x", "run": "run-000042", "by": "anna"}`:                   "other_name",
	} {
		wantProblem(t, post(body), statuses[code], code)
	}
	wantStatus(t, post(`{"text": "nightly looked at it", "address": "`+ofSpring+`"}`), http.StatusCreated)
	var d commentsDocument
	got := text(t, a.get("/api/v1/accounts/shoes/comments", bearerFor("viewer")))
	if err := json.Unmarshal([]byte(got), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Comments) != 1 || d.Comments[0].By != "the-editor" || !d.Comments[0].Time.Equal(noon) {
		t.Fatalf("%+v; want that of the-editor", d.Comments)
	}
	wantStatus(t, a.send("POST", "/api/v1/accounts/shoes/comments/"+d.Comments[0].ID+"/delete", "{}",
		bearerFor("editor"), jsonBody), 200)
}
