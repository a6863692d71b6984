package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/planview"
)

// TestAConflictIsDecidedInThePage: what the files and somebody else both changed stands there with three values and
// whose they are. Take theirs writes what is live into the file and sends nothing; Keep mine has the files win.
func TestAConflictIsDecidedInThePage(t *testing.T) {
	t.Parallel()
	q := newPausing(t)
	const address, theirs = "ad_group/spring-launch/runners", "<b>Runners & Co</b>: trail"
	group := groupOf(t, q.service, "Trail runners").ID
	rename := func(name string) {
		body, err := json.Marshal(map[string]string{"name": name})
		noError(t, err)
		askServiceAs(t, q.service, strangerKey, http.MethodPost, "/ad_groups/"+group, string(body), nil)
	}
	rename(theirs)
	saveEdit(t, q.dir, "name: Trail runners", "name: Trail runs")
	conflict := q.plan("both values", func(p *planview.Document) string {
		for _, a := range p.Asks {
			if a.Allow == "conflict="+address {
				return a.Item
			}
		}
		return ""
	})
	page := q.page("/accounts/shop")
	for _, want := range []string{
		"Changed outside: whose value counts?", "&lt;b&gt;Runners &amp; Co&lt;/b&gt;: trail",
		"&#34;Trail runs&#34; <span class=\"at\">spring.yaml:",
		"<dt>Applied last</dt><dd>&#34;Trail runners&#34;</dd>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
	if conflict == "" || strings.Contains(page, "<b>Runners") {
		t.Error("nobody can keep the file's value, or a name is no text")
	}
	path := "/api/v1/accounts/shop/theirs"
	var d daemon.Draft
	askDaemon(t, q.at, "GET", path+"?"+url.Values{"of": {address}}.Encode(), nil, 200, &d)
	if len(d.Values) != 1 || d.Values[0].Was != `"Trail runs"` || d.Values[0].Is != `"`+theirs+`"` || d.Plan == nil ||
		d.Plan.Summary.Update != 0 {
		t.Fatalf("what is live would be taken over as %+v; want the name, and nothing to apply", d)
	}
	sent := len(q.sent)
	q.order("theirs", `{"of":"`+address+`","digest":"`+d.Digest+`","by":"Ann","reason":"theirs is better"}`, 201)
	q.until("both are alike", func(s daemon.Status) bool { return s.State == daemon.InSync && s.Held == 0 })
	content, err := os.ReadFile(filepath.Join(q.dir, "spring.yaml"))
	noError(t, err)
	if !strings.Contains(string(content), "name: \""+theirs+"\"\n") || groupOf(t, q.service, theirs).ID != group ||
		len(q.sent) != sent {
		t.Errorf("%d requests were sent, and the file says\n%s\nwant none, and what is live", len(q.sent)-sent, content)
	}

	rename("Another")
	saveEdit(t, q.dir, "name: \""+theirs+"\"", "name: Trail runs")
	item := q.plan("the next conflict", func(p *planview.Document) string {
		for _, a := range p.Asks {
			if a.Allow == "conflict="+address && a.Item != conflict {
				return a.Item
			}
		}
		return ""
	})
	q.order("approvals", `{"items":["`+item+`"],"by":"Ann"}`, 201)
	q.until("the files have won", func(s daemon.Status) bool {
		return (s.State == daemon.InSync || s.State == daemon.Applied) && s.Held == 0
	})
	if groupOf(t, q.service, "Trail runs").ID != group {
		t.Error("the name is not that of the files")
	}
	var refused struct{ Code string }
	for of, code := range map[string]string{"ad_group/nobody/x": "no_edit", "": "no_edit", "<b>": "no_edit"} {
		askDaemon(t, q.at, "GET", path+"?"+url.Values{"of": {of}}.Encode(), nil, 409, &refused)
		if refused.Code != code {
			t.Errorf("of %q: %s; want %s", of, refused.Code, code)
		}
	}
	q.p.end()
}

// TestTheirsIsTakenOverInGit: what is live goes to a branch of this order of this person, with a pull request. The
// branch that is read follows once somebody merges it, and then both are alike: nothing is sent.
func TestTheirsIsTakenOverInGit(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	const address, theirs = "ad_group/spring-launch/runners", "Runners & Co: trail"
	group := groupOf(t, q.account, "Trail runners").ID
	askServiceAs(t, q.account, strangerKey, http.MethodPost, "/ad_groups/"+group, `{"name":"`+theirs+`"}`, nil)
	q.save("name: Trail runners", "name: Trail runs", "Shorter")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "held")

	path := "/api/v1/accounts/shop/theirs"
	var d daemon.Draft
	askDaemon(t, q.at, "GET", path+"?"+url.Values{"of": {address}}.Encode(), nil, 200, &d)
	if len(d.Values) != 1 || d.Values[0].Is != `"`+theirs+`"` || d.Into != "main" || d.Refused != "" {
		t.Fatalf("what is live would be taken over as %+v; want the name, in a pull request", d)
	}
	main := q.git("-C", q.upstream, "rev-parse", "main")
	order := func(digest string, status int) (done struct {
		daemon.Edited
		Code string
	}) {
		t.Helper()
		askDaemon(t, q.at, "POST", path, []byte(`{"of":"`+address+`","digest":"`+digest+
			`","by":"Ann","reason":"theirs is better"}`), status, &done)
		return done
	}
	if said := order("of another", 409); said.Code != "moved" {
		t.Errorf("another draft: %+v; want it refused", said)
	}
	q.opensNone.Store(true)
	if said := order(d.Digest, 502); said.Code != "not_opened" {
		t.Errorf("the forge is down: %+v; want it said", said)
	}
	q.opensNone.Store(false)
	done := order(d.Digest, 201)
	pulls := q.forge.Pulls(done.Branch)
	if !done.Same || done.Pull == nil || len(pulls) != 1 || pulls[0].Base != "main" ||
		pulls[0].Title != "Take over what is live of ad_group spring-launch runners by Ann" ||
		!strings.Contains(pulls[0].Body, "Why: `theirs is better`") {
		t.Fatalf("it is sent as %+v, %+v; want one pull request of what was pushed", done, pulls)
	}
	if diff := q.git("-C", q.upstream, "diff", "main", done.Branch); !strings.Contains(diff, theirs) ||
		q.changes(done.Branch) != "spring.yaml" || q.git("-C", q.upstream, "rev-parse", "main") != main {
		t.Errorf("the branch changes %s:\n%s\nwant the name alone, and main as it was", q.changes(done.Branch), diff)
	}
	q.git("fetch", "-q", q.upstream, done.Branch)
	q.git("merge", "-q", "--no-ff", "-m", "Merge", "FETCH_HEAD")
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "in_sync")
	if groupOf(t, q.account, theirs).ID != group {
		t.Error("the name is not what was live")
	}
	if said := order(d.Digest, 409); said.Code != "no_edit" {
		t.Errorf("once it is merged: %+v; want nothing left", said)
	}
	q.p.end()
}

// plan waits until something is found in the last plan.
func (q *pausing) plan(what string, find func(*planview.Document) string) (found string) {
	q.Helper()
	q.until(what, func(daemon.Status) bool {
		var p planview.Document
		askDaemon(q.T, q.at, "GET", "/api/v1/accounts/shop/plan", nil, 200, &p)
		found = find(&p)
		return found != ""
	})
	return found
}

// page is what a reader of the page sees.
func (q *pausing) page(path string) string {
	q.Helper()
	answer, err := http.Get("http://" + q.at + path)
	noError(q.T, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	noError(q.T, err)
	return string(content)
}
