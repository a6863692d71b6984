package journeys

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// shows PATH PATTERN: somebody reloads the page of the daemon until it reads so.
func pageShows(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[1])
	var page string
	until(ts, func() string { return args[0] + " never shows " + args[1] + ":\n" + page }, func() bool {
		page = words(visit(ts, http.DefaultClient, ts.Getenv("PAGE")+args[0], nil))
		return pattern.MatchString(page)
	})
}

// tag is what of a page is not read.
var tag = regexp.MustCompile(`<[^>]*>`)

// words is a page as it is read: without tags, and without line breaks that mean nothing.
func words(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(page, " "))), " ")
}

// visit loads a page, or sends a form.
func visit(ts *testscript.TestScript, browser *http.Client, address string, form url.Values) string {
	got, err := browser.Get(address)
	if form != nil {
		got, err = browser.PostForm(address, form)
	}
	ts.Check(err)
	defer got.Body.Close()
	page, err := io.ReadAll(got.Body)
	ts.Check(err)
	if got.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s\n%s", address, got.Status, words(string(page)))
	}
	return string(page)
}

// hidden finds what a form sends along unseen, and the boxes that can be ticked, each
// with the words beside it.
var (
	hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)
	box    = regexp.MustCompile(`(?s)<input type="checkbox" id="\w+" name="item" value="([^"]*)">(.*?)</div>`)
)

// approves NAME ACCOUNT PATTERN NOTE: logs in to the page with a browser of her own, ticks
// the box beside these words, says why, and sends the form.
func approveOnPage(ts *testscript.TestScript, _ bool, args []string) {
	name, account, pattern, note := args[0], "/accounts/"+args[1], regexp.MustCompile(args[2]), args[3]
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	browser := &http.Client{Jar: jar}
	root := ts.Getenv("PAGE")
	visit(ts, browser, root+"/login", url.Values{
		"back": {account}, "name": {name}, "token": {ts.Getenv("ADSYNC_DAEMON_TOKEN")},
	})
	var form url.Values
	var page string
	until(ts, func() string { return "nothing to tick reads " + args[2] + ":\n" + page }, func() bool {
		page = visit(ts, browser, root+account, nil)
		_, page, _ = strings.Cut(page, `<form class="approve"`)
		page, _, _ = strings.Cut(page, "</form>")
		form = url.Values{"note": {note}}
		for _, field := range hidden.FindAllStringSubmatch(page, -1) {
			form.Set(field[1], html.UnescapeString(field[2]))
		}
		for _, choice := range box.FindAllStringSubmatch(page, -1) {
			if pattern.MatchString(words(choice[2])) {
				form.Add("item", html.UnescapeString(choice[1]))
			}
		}
		return form.Has("item")
	})
	if page := words(visit(ts, browser, root+account+"/approve", form)); !strings.Contains(page, "pproved") {
		ts.Fatalf("after the approval of %s the page does not say so:\n%s", name, page)
	}
}
