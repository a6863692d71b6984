package web

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/loggedin"

	"github.com/chromedp/chromedp/kb"
)

// Whoever has to log in first comes back to the page as they had chosen it.
func TestLoggingInLeadsBackToWhatWasChosen(t *testing.T) {
	a, _ := askNamed(t)
	asked := a.get("/accounts/shoes?q=boots+%26+bags&sort=spend&done=approved").Header.Get("Location")
	u, err := url.Parse(asked)
	if err != nil || u.Path != "/login" {
		t.Fatal(asked, err)
	}
	field := regexp.MustCompile(`name="back" value="([^"]*)"`).FindStringSubmatch(text(t, a.get(asked)))
	if field == nil {
		t.Fatal("the form does not know the way back")
	}
	answer := a.send("POST", "/login", url.Values{"name": {"anna"}, "password": {thePassword},
		"back": {html.UnescapeString(field[1])}}.Encode(), formBody)
	if to := answer.Header.Get("Location"); to != "/accounts/shoes?q=boots+%26+bags&sort=spend&done=login" {
		t.Errorf("leads to %q", to)
	}
}

// A browser that keeps no cookies is told so behind the proxy, and led in no circle.
func TestABrowserWithoutCookiesIsToldSo(t *testing.T) {
	a, _ := askNamed(t)
	anna, to := proxySays("anna@example.com"), "/accounts/shoes?sort=spend"
	for range 4 {
		answer := a.get(to, anna...)
		if to = answer.Header.Get("Location"); to == "" {
			if page := text(t, answer); answer.StatusCode != 400 ||
				!strings.Contains(page, "did not send back the cookie") {
				t.Errorf("%s %.300s", answer.Status, page)
			}
			return
		}
	}
	t.Errorf("still on the way, to %s", to)
}

// A cookie that no other site's page sends along is missing where somebody follows a link of a mail: a page of this
// site leads there once more, with it.
func TestALinkOfAnotherSiteFindsWhoIsLoggedIn(t *testing.T) {
	a, _ := askNamed(t)
	const path = "/accounts/shoes?sort=spend"
	answer := a.get(path, "Sec-Fetch-Site: cross-site")
	page := html.UnescapeString(text(t, answer))
	if answer.StatusCode != 200 || !strings.Contains(page, `http-equiv="refresh" content="0; url=`+path+`"`) ||
		strings.Contains(page, "Spring") {
		t.Errorf("%s %.500s", answer.Status, page)
	}
	if again := a.get(path, "Sec-Fetch-Site: same-origin"); again.StatusCode != 303 {
		t.Errorf("who is not logged in gets %s", again.Status)
	}
	wantProblem(t, a.get("/api/v1/accounts", "Sec-Fetch-Site: cross-site"), 401, "token")
}

var sessionField = regexp.MustCompile(`name="session" value="([0-9a-f]{64})"`)

// browser is one more, of the same server.
func (a *asker) browser(name string) *asker {
	a.t.Helper()
	other := *a
	other.cookie = ""
	wantStatus(a.t, other.loginAs(name, thePassword), 303)
	return &other
}

func TestX13SessionsAreSeenAndEndedByTheirOwn(t *testing.T) {
	a, rules := askNamed(t)
	anna, phone, ben := a.browser("anna"), a.browser("anna"), a.browser("ben")
	page := text(t, ben.get("/sessions"))
	own := sessionField.FindAllStringSubmatch(page, -1)
	if len(own) != 1 || strings.Contains(page, "anna") || !strings.Contains(page, "(this browser)") ||
		!strings.Contains(page, "by a password") || !strings.Contains(page, "192.0.2.1") {
		t.Fatalf("ben sees %d sessions: %s", len(own), page)
	}
	all := sessionField.FindAllStringSubmatch(text(t, anna.get("/sessions")), -1)
	if len(all) != 2 {
		t.Fatalf("anna sees %d sessions; want her two", len(all))
	}
	wantStatus(t, ben.submit("/sessions/end", url.Values{"session": {all[0][1]}}), 404)
	wantStatus(t, ben.submit("/sessions/end", url.Values{"session": {"x"}}), 404)
	wantStatus(t, ben.send("POST", "/sessions/end", "session="+own[0][1], formBody), 403)
	for _, in := range []*asker{anna, phone, ben} {
		wantStatus(t, in.get("/accounts/shoes"), 200)
	}
	answer := ben.submit("/sessions/end", url.Values{"session": {own[0][1]}})
	if to := answer.Header.Get("Location"); to != "/login?done=logout" || answer.Cookies()[0].MaxAge >= 0 {
		t.Errorf("whoever ends their own is led to %q", to)
	}
	wantStatus(t, ben.get("/accounts/shoes"), 303)

	more := *rules.Load()
	more.People = append([]roles.Person{{Name: "olga", Password: cheapHash(thePassword),
		Grant: roles.Grant{Everywhere: roles.Operator}}}, more.People...)
	rules.Store(&more)
	olga := a.browser("olga")
	for _, one := range all {
		answer := olga.submit("/sessions/end", url.Values{"session": {one[1]}})
		if to := answer.Header.Get("Location"); to != "/sessions?done=ended" {
			t.Errorf("%s to %q", answer.Status, to)
		}
	}
	wantStatus(t, anna.get("/accounts/shoes"), 303)
	wantStatus(t, phone.get("/accounts/shoes"), 303)
	if log := a.log.String(); !strings.Contains(log, `msg="a session was ended" of=anna how=password by=olga from=`) {
		t.Errorf("the log does not say who ended what:\n%s", log)
	}
}

// sessionsOf is what a program that is an operator is told.
func sessionsOf(t *testing.T) string {
	t.Helper()
	a, _ := askNamed(t)
	a.browser("anna")
	return text(t, a.get("/api/v1/sessions", bearerFor("operator")))
}

func TestX13ProgramsEndSessionsByTheirRole(t *testing.T) {
	a, _ := askNamed(t)
	anna := a.browser("anna")
	var said sessionsDocument
	if err := json.Unmarshal([]byte(text(t, a.get("/api/v1/sessions", bearerFor("operator")))), &said); err != nil ||
		len(said.Sessions) != 1 || said.Sessions[0].Name != "anna" {
		t.Fatal(said, err)
	}
	end := "/api/v1/sessions/" + said.Sessions[0].ID + "/end"
	if page := text(t, a.get("/api/v1/sessions", bearerFor("approver"))); strings.Contains(page, "anna") {
		t.Errorf("an approver is told %s", page)
	}
	wantProblem(t, a.get("/api/v1/sessions"), 401, "token")
	wantProblem(t, a.send("POST", end, `{}`, bearerFor("approver"), jsonBody), 403, "role")
	wantProblem(t, a.send("POST", end, `{"by":"anna"}`, bearerFor("operator"), jsonBody), 403, "other_name")
	wantProblem(t, anna.send("POST", end, `{}`, jsonBody), 403, "role")
	wantStatus(t, anna.get("/accounts/shoes"), 200)
	wantStatus(t, a.send("POST", end, `{}`, bearerFor("operator"), jsonBody), 200)
	wantProblem(t, a.send("POST", end, `{}`, bearerFor("operator"), jsonBody), 404, "no_session")
	wantStatus(t, anna.get("/accounts/shoes"), 303)
}

// Where everybody has the one token everybody is an operator; who reads without it sees nobody.
func TestSessionsByTheOneToken(t *testing.T) {
	a := ask(t, nil)
	if answer := a.get("/sessions"); answer.StatusCode != 303 {
		t.Errorf("a stranger gets %s", answer.Status)
	}
	wantProblem(t, a.get("/api/v1/sessions"), 401, "token")
	a.login("Ann")
	if page := text(t, a.get("/sessions")); !strings.Contains(page, "with the daemon&#39;s token") {
		t.Errorf("%.500s", page)
	}
	lost := ask(t, func(o *Options) { o.Sessions = lostSessions{} })
	wantProblem(t, lost.get("/api/v1/sessions", bearer), 503, "not_now")
}

// follow opens the events in a browser, and returns the stream once it is open.
func (a *asker) follow(server *httptest.Server) *bufio.Reader {
	a.t.Helper()
	r, err := http.NewRequest("GET", server.URL+"/api/v1/events", nil)
	if err != nil {
		a.t.Fatal(err)
	}
	r.AddCookie(&http.Cookie{Name: a.server.cookieName(), Value: a.cookie})
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewReader(answer.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "retry: 5000\n" {
		a.t.Fatal(line, err)
	}
	return lines
}

// The end of a session ends what it follows at once, and nothing else.
func TestX13TheEndOfASessionEndsItsEvents(t *testing.T) {
	a, _ := askNamed(t)
	server := httptest.NewServer(a.server)
	t.Cleanup(server.Close) // after those who follow
	anna, ben := a.browser("anna"), a.browser("ben")
	annas, bens := anna.follow(server), ben.follow(server)
	wantStatus(t, anna.submit("/logout", url.Values{}), 303)
	if _, err := io.ReadAll(annas); err != nil { // it ends, or this waits for ever
		t.Error(err)
	}
	a.desk.events <- daemon.Event{Account: "shoes", Kind: "run"}
	if line, err := bens.ReadString('\n'); err != nil {
		t.Errorf("ben follows no more: %q %v", line, err)
	}
}

// What another daemon ended is noticed with the next beat.
func TestX13AnEndElsewhereEndsEventsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := ask(t, nil)
		a.cookie = drawn()
		hash := hashOf(a.cookie)
		s := loggedin.Session{How: loggedin.ByToken, Name: "Ann"}
		if err := a.server.Sessions.Begin(t.Context(), hash, s.Text(), sessionLasts); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/api/v1/events", nil)
		r.Host = "localhost"
		r.AddCookie(&http.Cookie{Name: a.server.cookieName(), Value: a.cookie})
		ended := make(chan bool)
		go func() { a.server.ServeHTTP(httptest.NewRecorder(), r); close(ended) }()
		synctest.Wait()
		if err := a.server.Sessions.End(t.Context(), hash); err != nil {
			t.Fatal(err)
		}
		<-ended // the clock goes on by itself, to the next beat
	})
}

// Who is logged out while a page is open is told that it is old.
func TestAPageOfASessionThatEndedSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rules := theRules(t)
	p := open(t, chromium(t), func(o *Options) {
		o.Token, o.Rules = roles.Token{}, func() *roles.Rules { return rules }
	})
	p.visit("/accounts/shoes")
	p.tabTo("#name")
	p.press("anna")
	p.tabTo("#password")
	p.press(thePassword + kb.Enter)
	p.says("Shown as it happens.")
	all, err := p.server.Sessions.All(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	for hash := range all {
		r, err := http.NewRequest("POST", p.root+"/api/v1/sessions/"+hex.EncodeToString(hash[:])+"/end",
			strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + tokenOf("operator")}, "Content-Type": {"application/json"}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		wantStatus(t, answer, 200)
	}
	p.says("This page is not kept up to date any more. Load it again.")
}

func TestTheNewestSessionsAreShown(t *testing.T) {
	lines := make([]loggedin.Line, 250)
	lines[0].Name = "anna"
	if v := loggedin.ViewOf(lines, true, ""); len(v.Rows)+v.More != 250 || v.More != 50 || v.Rows[0].Name != "anna" {
		t.Errorf("%d are shown, and %d not", len(v.Rows), v.More)
	}
}
