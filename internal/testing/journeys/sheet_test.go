package journeys

import (
	"bytes"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"adsync/internal/testing/forgetest"

	"github.com/rogpeppe/go-internal/testscript"
)

// visitor is somebody who has logged in to the page of the daemon, and what they see.
type visitor struct {
	browser *http.Client
	page    string
}

// visitors find the one of a script.
var visitors sync.Map

func visitorOf(ts *testscript.TestScript) *visitor {
	v, ok := visitors.Load(ts)
	if !ok {
		ts.Fatalf("nobody has logged in")
	}
	return v.(*visitor)
}

// visits: $WHO logs in to the page with a browser of their own.
func logInToPage(ts *testscript.TestScript, _ bool, _ []string) {
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	v := &visitor{browser: &http.Client{Jar: jar}}
	v.page = visit(ts, v.browser, ts.Getenv("PAGE")+"/login", url.Values{
		"back": {"/"}, "name": {ts.Getenv("WHO")}, "token": {ts.Getenv("ADSYNC_DAEMON_TOKEN")},
	})
	visitors.Store(ts, v)
}

// link finds where a page leads to, by what is read there.
var link = regexp.MustCompile(`<a href="([^"]*)"[^>]*>([^<]*)</a>`)

// follow returns where the words on a page lead to.
func (v *visitor) follow(ts *testscript.TestScript, words string) string {
	for _, found := range link.FindAllStringSubmatch(v.page, -1) {
		if html.UnescapeString(found[2]) == words {
			return ts.Getenv("PAGE") + html.UnescapeString(found[1])
		}
	}
	ts.Fatalf("nothing on the page is %q:\n%s", words, v.page)
	return ""
}

// downloads ACCOUNT FILE TO: they download a file of an account as it is today.
func downloadFromPage(ts *testscript.TestScript, _ bool, args []string) {
	v := visitorOf(ts)
	v.page = visit(ts, v.browser, ts.Getenv("PAGE")+"/accounts/"+args[0], nil)
	v.page = visit(ts, v.browser, v.follow(ts, "Download them"), nil)
	content := visit(ts, v.browser, v.follow(ts, args[1]), nil)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[2])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(content), 0o644))
}

// drops ACCOUNT FILE: they drop a file in the page of an account, and see what it would change.
func dropInPage(ts *testscript.TestScript, _ bool, args []string) {
	v, account := visitorOf(ts), ts.Getenv("PAGE")+"/accounts/"+args[0]
	content, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	until(ts, func() string { return "nothing can be dropped:\n" + v.page }, func() bool {
		v.page = visit(ts, v.browser, account, nil)
		return strings.Contains(v.page, `class="stack drop"`)
	})
	_, form, _ := strings.Cut(v.page, `class="stack drop"`)
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	ts.Check(parts.WriteField("form", hidden.FindStringSubmatch(form)[2]))
	file, err := parts.CreateFormFile("file", filepath.Base(args[1]))
	ts.Check(err)
	_, err = file.Write(content)
	ts.Check(err)
	ts.Check(parts.Close())
	got, err := v.browser.Post(account+"/look", parts.FormDataContentType(), &body)
	ts.Check(err)
	defer got.Body.Close()
	page, err := io.ReadAll(got.Body)
	ts.Check(err)
	v.page = string(page)
}

// sees PATTERN: what they see reads so, or does not.
func seesOnPage(ts *testscript.TestScript, neg bool, args []string) {
	if page := words(visitorOf(ts).page); regexp.MustCompile(args[0]).MatchString(page) == neg {
		ts.Fatalf("the page reads %q: %t\n%s", args[0], neg, page)
	}
}

// What a page says of a file that was sent.
var (
	sendForm   = regexp.MustCompile(`<form class="stack commit" method="post" action="([^"]*)">`)
	sentAs     = regexp.MustCompile(`<h1>Sent as pull request (\d+)</h1>`)
	sentBranch = regexp.MustCompile(`From branch <code>([^<]*)</code>`)
)

// sends NOTE: they send the file that they see, and adsync opens a pull request of it.
func sendFromPage(ts *testscript.TestScript, _ bool, args []string) {
	v, h := visitorOf(ts), hubOf(ts)
	at := sendForm.FindStringSubmatchIndex(v.page)
	if at == nil {
		ts.Fatalf("it cannot be sent:\n%s", words(v.page))
	}
	form := url.Values{"note": {args[0]}, "form": {hidden.FindStringSubmatch(v.page[at[1]:])[2]}}
	before := map[string]string{}
	for _, p := range h.pulls {
		if p.merged == "" { // a branch whose pull request was merged begins anew
			before[p.branch] = p.head
		}
	}
	v.page = visit(ts, v.browser, ts.Getenv("PAGE")+html.UnescapeString(v.page[at[2]:at[3]]), form)
	number, branch := sentAs.FindStringSubmatch(v.page), sentBranch.FindStringSubmatch(v.page)
	if number == nil || branch == nil {
		ts.Fatalf("it was not sent:\n%s", words(v.page))
	}
	p := pull{branch: branch[1], author: forgetest.User, pushers: []string{forgetest.User}}
	p.number, _ = strconv.Atoi(number[1])
	push := forgetest.Push{By: forgetest.User, Branch: p.branch, Action: "pushed", From: before[p.branch],
		To: h.tip(ts, p.branch)}
	if push.From == "" {
		push.Action, push.From = "created", strings.Repeat("0", 40)
		h.pulls = append(h.pulls, p)
	}
	if h.others != nil {
		h.others.Push(push)
	}
	h.show(ts)
}
