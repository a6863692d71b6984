package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/daemon/openid"
	"adsync/internal/daemon/roles"
	"adsync/internal/secret"
	"adsync/internal/testing/openidtest"
)

// askProvided begins with a server at which a provider logs people in.
func askProvided(t *testing.T) (*asker, *openidtest.Provider, *atomic.Pointer[roles.Rules]) {
	t.Helper()
	p := openidtest.Start(t, func() time.Time { return noon })
	rules := &atomic.Pointer[roles.Rules]{}
	rules.Store(theRules(t))
	a := ask(t, func(o *Options) { o.Token, o.Rules, o.OpenID = roles.Token{}, rules.Load, providerOf(t, p, nil) })
	return a, p, rules
}

func providerOf(t *testing.T, p *openidtest.Provider, change func(*openid.Config)) *openid.Provider {
	t.Helper()
	c := openid.Config{Issuer: p.At, ClientID: openidtest.Client, Secret: secret.New(openidtest.Secret),
		Redirect: "http://localhost:8787" + openid.AnswerPath, Scopes: []string{"email"}, Name: "email",
		Groups: "groups", Lasts: 8 * time.Hour, Now: func() time.Time { return noon }}
	if change != nil {
		change(&c)
	}
	o, err := openid.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// answerOf goes to the provider, and returns the path it leads back to and the cookie of the way there.
func (a *asker) answerOf(back string) (path, flight string) {
	a.t.Helper()
	led := a.get(openid.Path + "?" + backTo(back))
	if led.StatusCode != 303 || len(led.Cookies()) != 1 {
		a.t.Fatalf("%s %s", led.Status, text(a.t, led))
	}
	c := led.Cookies()[0]
	if c.SameSite != http.SameSiteLaxMode || !c.HttpOnly || c.MaxAge > 600 || c.Path != "/" {
		a.t.Errorf("the cookie is %+v", c)
	}
	still := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := still.Get(led.Header.Get("Location"))
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	to, err := answer.Location()
	if err != nil || to.Host != "localhost:8787" {
		a.t.Fatal(to, err)
	}
	return to.RequestURI(), "Cookie: " + c.Name + "=" + c.Value
}

var refresh = regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]*)"`)

// provided logs in at the provider, and keeps the cookie.
func (a *asker) provided(back string) (page string) {
	a.t.Helper()
	path, flight := a.answerOf(back)
	answer := a.get(path, flight, "Sec-Fetch-Site: cross-site")
	page = html.UnescapeString(text(a.t, answer))
	goes := refresh.FindStringSubmatch(page)
	if answer.StatusCode != 200 || goes == nil {
		a.t.Fatalf("%s %s", answer.Status, page)
	}
	for _, c := range answer.Cookies() {
		if c.Name == a.server.cookieName() {
			a.cookie = c.Value
		}
	}
	to := a.get(goes[1]).Header.Get("Location")
	return to + "\n" + text(a.t, a.get(to))
}

func TestLoggingInAtTheProvider(t *testing.T) {
	a, _, _ := askProvided(t)
	asked := a.get("/accounts/shoes?sort=spend").Header.Get("Location")
	page := html.UnescapeString(text(t, a.get(asked)))
	if !strings.Contains(page, `href="/login/openid?back=%2Faccounts%2Fshoes%3Fsort%3Dspend"`) {
		t.Errorf("the form does not lead to the provider: %.2000s", page)
	}
	page = a.provided("/accounts/shoes?sort=spend")
	if !strings.HasPrefix(page, "/accounts/shoes?sort=spend&done=login\n") || !strings.Contains(page, "(approver)") {
		t.Fatalf("%.500s", page)
	}
	wantStatus(t, a.approve(), 303)
	if by := a.desk.lastApproval().By; by != "anna" {
		t.Errorf("approved by %q", by)
	}
	if page := text(t, a.get("/sessions")); !strings.Contains(page, "at 127.0.0.1:") {
		t.Errorf("how she logged in is not said: %s", page)
	}
	out := a.submit("/logout", url.Values{}).Header.Get("Location")
	if page := text(t, a.get(out)); !strings.Contains(page, "/logout?client_id=adsync") ||
		!strings.Contains(page, "You are logged out.") {
		t.Errorf("%s does not lead to the provider's own logout: %.2000s", out, page)
	}
	wantStatus(t, a.get("/accounts/shoes"), 303)
	for _, hidden := range []string{openidtest.Secret, openidtest.Code, url.QueryEscape(openidtest.Code),
		openidtest.Access, a.cookie, "state"} {
		if strings.Contains(a.log.String(), hidden) {
			t.Errorf("the log has %q in it:\n%s", hidden, a.log)
		}
	}
}

// X13: who stands nowhere has what their groups had when they logged in, by the rules of now, for as long as is said.
func TestX13RolesOfWhomTheProviderNames(t *testing.T) {
	a, p, rules := askProvided(t)
	p.Claims = openidtest.Object{"email": "carl@example.com"}
	a.provided("/accounts/shoes")
	p.Claims = openidtest.Object{"email": "carl@example.com", "groups": []string{}}
	wantStatus(t, a.approve(), 303)
	if by := a.desk.lastApproval().By; by != "carl@example.com" {
		t.Errorf("approved by %q", by)
	}
	wantStatus(t, a.get("/accounts/hats"), 404)
	fewer := theRules(t)
	fewer.Groups = nil
	rules.Store(fewer)
	wantStatus(t, a.get("/accounts/shoes"), 404)
	rules.Store(theRules(t))
	wantStatus(t, a.get("/accounts/shoes"), 200)
	own := a.server.OpenID
	a.server.OpenID = providerOf(t, p, func(c *openid.Config) { c.ClientID = "another" })
	wantStatus(t, a.get("/accounts/shoes"), 303)
	a.server.OpenID = own
	a.server.Now = func() time.Time { return noon.Add(8 * time.Hour) }
	wantStatus(t, a.get("/accounts/shoes"), 303)
}

// X13: whomever the provider does not prove, or whom nobody gave a role, gets no session, and is told why.
func TestX13WhomTheProviderDoesNotProve(t *testing.T) {
	nobody := func(email string) openidtest.Object {
		return openidtest.Object{"email": email, "groups": []string{}}
	}
	for name, row := range map[string]struct {
		claims openidtest.Object
		status int
		says   string
	}{
		"nobody here":               {nobody("eve@x.example"), 403, "No role is given to eve@x.example;"},
		"called as a person is":     {openidtest.Object{"email": "anna"}, 403, "No role is given to anna;"},
		"called as a program is":    {openidtest.Object{"email": "the-operator"}, 403, "No role is given"},
		"a name that is not shown":  {openidtest.Object{"email": "anna@example.com\u202e"}, 403, "cannot be shown"},
		"a long name":               {openidtest.Object{"email": strings.Repeat("x", 200)}, 403, "cannot be shown"},
		"markup":                    {nobody("<b>@x"), 403, "&lt;b&gt;@x;"},
		"mail that is not verified": {openidtest.Object{"email_verified": nil}, 403, "has not verified"},
		"of another login":          {openidtest.Object{"nonce": "x"}, 403, "nonce"},
	} {
		a, p, _ := askProvided(t)
		p.Claims = row.claims
		path, flight := a.answerOf("/accounts/shoes")
		answer := a.get(path, flight)
		if page := text(t, answer); answer.StatusCode != row.status || !strings.Contains(page, row.says) ||
			!strings.Contains(page, "/login/openid?back=%2Faccounts%2Fshoes") {
			t.Errorf("%s: %s %.1500s", name, answer.Status, page)
		}
		for _, c := range answer.Cookies() {
			if c.Name == a.server.cookieName() {
				t.Errorf("%s: has a session", name)
			}
		}
	}
}

// X13: an answer counts in the browser that asked, once, and guesses are slowed.
func TestX13AnAnswerIsOfTheBrowserThatAsked(t *testing.T) {
	a, p, _ := askProvided(t)
	path, flight := a.answerOf("/")
	asked := p.Asked()
	for _, headers := range [][]string{nil, {"Cookie: adsync-login=x"}, {"Cookie: adsync-login="}} {
		answer := a.get(path, headers...)
		if page := text(t, answer); answer.StatusCode != 400 || !strings.Contains(page, "not begun in this browser") {
			t.Errorf("%q gives %s %.300s", headers, answer.Status, page)
		}
	}
	if p.Asked() != asked {
		t.Error("the provider was asked")
	}
	wantStatus(t, a.get(path, flight), 200)
	for range wrongMost {
		wantStatus(t, a.get(path, flight), 403) // the code was taken
	}
	wantStatus(t, a.get(path, flight), 429)
}

// X13: where the provider leads back to is what the configuration says, whatever a request has in it.
func TestX13TheAddressOfTheAnswerIsConfigured(t *testing.T) {
	a, _, _ := askProvided(t)
	to := a.get(openid.Path+"?back=%2Faccounts%2Fshoes", "Host: 127.0.0.1:8787").Header.Get("Location")
	if to != "http://localhost:8787/login/openid?back=%2Faccounts%2Fshoes&here=1" {
		t.Errorf("at another name of this machine one is led to %q", to)
	}
	wantStatus(t, a.get(openid.Path, "Host: evil.example"), 421)
	for _, headers := range [][]string{{"X-Forwarded-Host: evil.example"}, {"Forwarded: host=evil.example"},
		{"Host: 127.0.0.1:99"}, {"Origin: https://evil.example"}} {
		led := a.get(openid.Path+"?here=1&back=//evil.example/", headers...).Header.Get("Location")
		if u, err := url.Parse(led); err != nil || strings.Contains(led, "evil") ||
			u.Query().Get("redirect_uri") != "http://localhost:8787/login/openid/answer" {
			t.Errorf("%q leads to %q", headers, led)
		}
	}
	if page := a.provided("//evil.example/accounts/x"); !strings.HasPrefix(page, "/?done=login\n") {
		t.Errorf("%.100s", page)
	}
}

// A provider that is down keeps nobody from what needs none.
func TestAProviderThatIsDown(t *testing.T) {
	a, p, _ := askProvided(t)
	p.Answer = map[string]openidtest.Answer{"/.well-known/openid-configuration": func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}}
	answer := a.get(openid.Path)
	if page := text(t, answer); answer.StatusCode != 502 || !strings.Contains(page, "Nobody can log in at 127.0.0.1:") {
		t.Errorf("%s %.500s", answer.Status, page)
	}
	wantStatus(t, a.loginAs("ben", thePassword), 303)
	wantStatus(t, a.get("/accounts/shoes"), 200)
	out := a.submit("/logout", url.Values{}).Header.Get("Location")
	if page := text(t, a.get(out)); strings.Contains(page, "log out there, too") {
		t.Error("a logout is offered that nobody knows")
	}
}

// A browser that keeps no cookies is told so, and led in no circle.
func TestWithoutCookiesNobodyLogsInAtTheProvider(t *testing.T) {
	a, _, _ := askProvided(t)
	path, flight := a.answerOf("/accounts/shoes")
	goes := refresh.FindStringSubmatch(html.UnescapeString(text(t, a.get(path, flight))))
	if goes == nil {
		t.Fatal("it leads nowhere")
	}
	answer := a.get(goes[1])
	if page := text(t, answer); answer.StatusCode != 400 || !strings.Contains(page, "did not send back the cookie") {
		t.Errorf("%s %.300s", answer.Status, page)
	}
}
