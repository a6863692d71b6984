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
