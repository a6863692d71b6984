package web

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/sessions"

	"golang.org/x/crypto/argon2"
)

const (
	thePassword = "correct horse battery staple"
	theSecret   = "what only the proxy knows: 7f3a91"
)

// tokenOf is the token of a machine.
func tokenOf(name string) string { return "the token of " + name + ", drawn: 0f1e2d" }

func drawnToken(t *testing.T, text string) roles.Token {
	t.Helper()
	token, err := roles.NewToken(text)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// cheapHash is that of a password which costs little to look at; its salt is another each time.
func cheapHash(password string) string {
	salt := []byte(drawn())
	b64 := base64.RawStdEncoding.EncodeToString
	key := argon2.IDKey([]byte(password), salt, 1, 8, 1, 32)
	return fmt.Sprintf("$argon2id$v=19$m=8,t=1,p=1$%s$%s", b64(salt), b64(key))
}

// theRules have a machine for each role, two people with passwords, and a proxy.
func theRules(t *testing.T) *roles.Rules {
	t.Helper()
	hash := cheapHash(thePassword)
	r := &roles.Rules{
		People: []roles.Person{
			{Name: "anna", Login: "anna@example.com", Password: hash, Grant: roles.Grant{Everywhere: roles.Approver}},
			{Name: "ben", Login: "ben", Password: hash,
				Grant: roles.Grant{On: map[string]roles.Role{"shoes": roles.Viewer}}},
		},
		Groups: map[string]roles.Grant{"buyers": {On: map[string]roles.Role{"shoes": roles.Approver}}},
		Proxy:  roles.Proxy{User: "X-User", Groups: "X-Groups", Secret: drawnToken(t, theSecret)},
	}
	for _, name := range roles.Names {
		r.Machines = append(r.Machines, roles.Machine{Name: "the-" + name, Token: drawnToken(t, tokenOf(name)),
			Grant: roles.Grant{Everywhere: roles.Of(name)}, Ends: noon.Add(time.Hour)})
	}
	r.Machines = append(r.Machines, roles.Machine{Name: "of-shoes", Token: drawnToken(t, tokenOf("shoes")),
		Grant: roles.Grant{On: map[string]roles.Role{"shoes": roles.Operator}}, Ends: noon.Add(time.Hour)})
	return r
}

// askNamed begins with a server whose rules can be changed.
func askNamed(t *testing.T) (*asker, *atomic.Pointer[roles.Rules]) {
	t.Helper()
	rules := &atomic.Pointer[roles.Rules]{}
	rules.Store(theRules(t))
	return ask(t, func(o *Options) { o.Token, o.Rules, o.BehindProxy = roles.Token{}, rules.Load, true }), rules
}

func bearerFor(name string) string { return "Authorization: Bearer " + tokenOf(name) }

// What each order asks for, as docs/operate/web.md says it.
var rolesOfOrders = map[string]string{
	"approvals": "approver", "approve": "approver", "go-on": "approver", "resume": "approver",
	"acceptances": "operator", "accept": "operator",
	"wake": "editor", "suspend": "editor", "look": "editor", "pauses": "editor", "pause": "editor", "commit": "editor",
	"merge":    "editor",
	"comments": "editor", "delete": "editor", "undo": "editor", "theirs": "editor", "end": "operator",
}

func TestX13RolesSayWhoMayWhat(t *testing.T) {
	for i, role := range roles.Names {
		a, _ := askNamed(t)
		for _, order := range allOrders {
			path, _, _ := strings.Cut(order, "?")
			wanted := rolesOfOrders[path[strings.LastIndex(path, "/")+1:]]
			if wanted == "" {
				t.Fatalf("which role %s wants is not written down here", order)
			}
			answer := a.send("POST", order, `{"reason":"x"}`, bearerFor(role), jsonBody)
			may := i >= slices.Index(roles.Names, wanted)
			refused := answer.StatusCode == 403 && strings.Contains(text(t, answer), "want the role")
			if refused == may {
				t.Errorf("%s: POST %s gives %s; want it to be let in: %t", role, order, answer.Status, may)
			}
		}
		if role == "viewer" {
			a.nothingDone()
		}
	}
}

// Who may see one account learns of no other, not even that it is there.
func TestX13AnAccountIsSeenByItsOwn(t *testing.T) {
	a, _ := askNamed(t)
	of := bearerFor("shoes")
	wantStatus(t, a.get("/api/v1/accounts/shoes", of), 200)
	for _, other := range []string{"hats", "no-such-account"} {
		for _, path := range []string{"", "/plan", "/runs", "/figures", "/activity", "/files", "/file?name=x"} {
			wantProblem(t, a.get("/api/v1/accounts/"+other+path, of), 404, "no_account")
		}
		wantProblem(t, a.send("POST", "/api/v1/accounts/"+other+"/wake", `{}`, of, jsonBody), 404, "no_account")
		wantProblem(t, a.get("/api/v1/events?account="+other, of), 404, "no_account")
	}
	for _, path := range []string{"/api/v1/accounts", "/api/v1/accounts?q=hats", "/", "/?sort=spend", "/readyz",
		"/healthz"} {
		if page := text(t, a.get(path, of)); strings.Contains(page, "hats") || strings.Contains(page, "boots") {
			t.Errorf("%s tells of other accounts: %.300s", path, page)
		}
	}
	wantProblem(t, a.get("/metrics", of), 403, "role")
	wantProblem(t, a.get("/api/v1/accounts"), 401, "token")
	if page := text(t, a.get("/api/v1/accounts", bearerFor("viewer"))); !strings.Contains(page, "hats") {
		t.Errorf("who may see all sees %.300s", page)
	}
	a.nothingDone()
}

// Events of other accounts are told to nobody who may not see them, and a stream ends when who may what changes.
func TestX13EventsAreOfTheOwnAccounts(t *testing.T) {
	a, rules := askNamed(t)
	server := httptest.NewServer(a.server)
	defer server.Close()
	r, err := http.NewRequest("GET", server.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+tokenOf("shoes"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	a.desk.events <- daemon.Event{Account: "hats", Kind: "status"}
	a.desk.events <- daemon.Event{Account: "shoes", Kind: "run"}
	rules.Store(theRules(t))
	a.desk.events <- daemon.Event{Account: "shoes", Kind: "wave"}
	a.desk.events <- daemon.Event{Account: "shoes", Kind: "wave"}
	var kinds []string
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if kind, is := strings.CutPrefix(lines.Text(), "event: "); is {
			kinds = append(kinds, kind)
		}
	}
	if said := strings.Join(kinds, " "); strings.Contains(said, "status") || len(kinds) > 2 {
		t.Errorf("told of %q; want the run of shoes, and an end", said)
	}
}

// A program is called as its token is, and its token ends.
func TestX13AMachineHasItsOwnName(t *testing.T) {
	a, _ := askNamed(t)
	plan := `"plan_hash":"` + a.desk.plans["shoes"].PlanHash + `","allow":["` + heldRaise + `"]`
	wantProblem(t, a.send("POST", allOrders[0], `{`+plan+`,"by":"anna"}`, bearerFor("approver"), jsonBody),
		403, "other_name")
	a.nothingDone()
	for _, by := range []string{"", `,"by":"the-approver"`} {
		wantStatus(t, a.send("POST", allOrders[0], `{`+plan+by+`}`, bearerFor("approver"), jsonBody), 201)
		if by := a.desk.lastApproval().By; by != "the-approver" {
			t.Errorf("by %q", by)
		}
	}
	a.server.Now = func() time.Time { return noon.Add(time.Hour) }
	wantProblem(t, a.get("/api/v1/accounts", bearerFor("operator")), 401, "token")
}

func (a *asker) loginAs(name, password string) *http.Response {
	a.t.Helper()
	answer := a.send("POST", "/login", url.Values{"name": {name}, "password": {password}}.Encode(), formBody)
	if len(answer.Cookies()) == 1 {
		a.cookie = answer.Cookies()[0].Value
	}
	return answer
}

func (a *asker) approve() *http.Response {
	a.t.Helper()
	return a.submit("/accounts/shoes/approve",
		url.Values{"plan": {a.desk.plans["shoes"].PlanHash}, "allow": {heldRaise}, "by": {"eve"}, "name": {"eve"}})
}

func TestX13APersonIsWhoThePasswordProves(t *testing.T) {
	a, rules := askNamed(t)
	for _, wrong := range [][2]string{{"anna", ""}, {"anna", thePassword + " "}, {"", thePassword},
		{"anna@example.com", thePassword}, {"carl", thePassword}} {
		answer := a.loginAs(wrong[0], wrong[1])
		page := text(t, answer)
		if answer.StatusCode != 401 || !strings.Contains(page, "The name or the password is wrong.") {
			t.Errorf("%q gives %s %.200s", wrong, answer.Status, page)
		}
	}
	wantStatus(t, a.loginAs("anna", thePassword), 429) // five were wrong
	a.server.Now = func() time.Time { return noon.Add(2 * wrongWithin) }
	wantStatus(t, a.loginAs("anna", thePassword), 303)
	if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, ">anna</a> <span class=\"why\">(approver)") {
		t.Error("the page does not say who is logged in, and as what")
	}
	wantStatus(t, a.approve(), 303)
	if by := a.desk.lastApproval().By; by != "anna" {
		t.Errorf("approved by %q", by)
	}
	wantStatus(t, a.submit("/accounts/shoes/accept", url.Values{"commit": {"x"}}), 403)

	again := theRules(t) // the same passwords under other salts, as after a change of them
	rules.Store(again)
	if page := a.get("/accounts/shoes"); page.StatusCode != 303 {
		t.Errorf("a session of the password before gives %s", page.Status)
	}
	a.cookie = ""
	wantStatus(t, a.loginAs("anna", thePassword), 303)
	rules.Store(&roles.Rules{People: again.People[1:]})
	if page := a.get("/accounts/shoes"); page.StatusCode != 303 {
		t.Errorf("the session of somebody who is gone gives %s", page.Status)
	}
}

// A viewer is shown no button, and refused in words.
func TestAViewerIsShownWhatTheyMay(t *testing.T) {
	a, _ := askNamed(t)
	wantStatus(t, a.loginAs("ben", thePassword), 303)
	page := text(t, a.get("/accounts/shoes"))
	for _, button := range []string{"/wake", "/suspend", "/approve", "/pause\"", "/look\""} {
		if strings.Contains(page, button) {
			t.Errorf("a viewer is shown %s", button)
		}
	}
	if !strings.Contains(page, "(viewer)") {
		t.Error("the page does not say that they are a viewer")
	}
	answer := a.approve()
	if said := text(t, answer); answer.StatusCode != 403 || !strings.Contains(said, "want the role approver") {
		t.Errorf("approving gives %s %.300s", answer.Status, said)
	}
	wantStatus(t, a.get("/accounts/hats"), 404)
	a.nothingDone()
}

// Names that were given along with the one token prove nothing once names are proven, and the other way round.
func TestX13SessionsOfOneKindAreOfNoOther(t *testing.T) {
	kept := sessions.InMemory(func() time.Time { return noon })
	free := ask(t, func(o *Options) { o.Sessions = kept })
	free.login("anna")
	named, _ := askNamed(t)
	named.server.Sessions = kept
	named.cookie = free.cookie
	if answer := named.get("/accounts/shoes"); answer.StatusCode != 303 {
		t.Errorf("a session by the token gives %s where names are proven", answer.Status)
	}
	named.cookie = ""
	wantStatus(t, named.loginAs("ben", thePassword), 303)
	free.cookie = named.cookie
	if page := text(t, free.get("/accounts/shoes")); strings.Contains(page, "Log out") {
		t.Error("a session by a password counts where the token alone lets in")
	}
	if answer := named.get("/accounts/shoes", proxySays("anna@example.com")...); answer.StatusCode != 303 {
		t.Errorf("a session by password gives %s to somebody of the proxy", answer.Status)
	}
}

func proxySays(user string, more ...string) []string {
	return append([]string{"X-Adsync-Proxy: " + theSecret, "X-User: " + user}, more...)
}

func TestX13TheProxyProvesItself(t *testing.T) {
	a, _ := askNamed(t)
	wantProblem(t, a.get("/api/v1/accounts", "X-User: anna@example.com"), 401, "token")
	wantProblem(t, a.get("/api/v1/accounts", "X-User: anna@example.com", "X-Adsync-Proxy: wrong"), 401, "token")
	wantProblem(t, a.get("/api/v1/accounts", "X-User: anna@example.com", "X-Adsync-Proxy: "), 401, "token")
	wantStatus(t, a.get("/api/v1/accounts", proxySays("anna@example.com")...), 200)
	wantStatus(t, a.get("/api/v1/accounts", proxySays("ANNA@Example.com")...), 200)
	for _, nobody := range []string{"", "carl", "anna", "anna@example.com.evil", "ann\u0131a@example.com"} {
		answer := a.get("/api/v1/accounts", proxySays(nobody)...)
		if answer.StatusCode != 401 && answer.StatusCode != 403 {
			t.Errorf("%q gives %s", nobody, answer.Status)
		}
	}
	wantStatus(t, a.get("/api/v1/accounts/shoes", proxySays("carl", "X-Groups: sellers, buyers")...), 200)
	wantProblem(t, a.get("/api/v1/accounts/hats", proxySays("carl", "X-Groups: buyers")...), 404, "no_account")
	wantProblem(t, a.get("/api/v1/accounts/shoes", proxySays("anna", "X-Groups: buyers")...), 404, "no_account")

	r := httptest.NewRequest("GET", "/api/v1/accounts", nil)
	r.Host = "localhost"
	r.Header = http.Header{"X-Adsync-Proxy": {theSecret}, "X-User": {"carl", "anna@example.com"}}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	wantProblem(t, w.Result(), 403, "no_name")
}

// Somebody whom the proxy does not name logs in by their password, through the proxy too.
func TestAPasswordCountsWhereTheProxyNamesNobody(t *testing.T) {
	a, _ := askNamed(t)
	wantStatus(t, a.loginAs("ben", thePassword), 303)
	wantStatus(t, a.get("/accounts/shoes", proxySays("")...), 200)
	wantProblem(t, a.get("/api/v1/accounts/hats", proxySays("")...), 404, "no_account")
	if answer := a.get("/accounts/shoes", proxySays("anna@example.com")...); answer.StatusCode != 303 {
		t.Errorf("whom the proxy names is answered by another's session: %s", answer.Status)
	}
}

func TestThroughTheProxyNobodyTypesAnything(t *testing.T) {
	a, _ := askNamed(t)
	anna := proxySays("anna@example.com")
	first := a.get("/accounts/shoes", anna...)
	if first.StatusCode != 303 || first.Header.Get("Location") != "/login?back=%2Faccounts%2Fshoes" {
		t.Fatalf("%s to %q", first.Status, first.Header.Get("Location"))
	}
	begun := a.get(first.Header.Get("Location"), anna...)
	if begun.StatusCode != 303 || len(begun.Cookies()) != 1 {
		t.Fatalf("%s %v", begun.Status, begun.Cookies())
	}
	a.cookie = begun.Cookies()[0].Value
	page := text(t, a.get("/accounts/shoes", anna...))
	form := formField.FindStringSubmatch(page)
	if form == nil || !strings.Contains(page, "Approve") {
		t.Fatalf("no form: %.500s", page)
	}
	fields := url.Values{"form": {form[1]}, "plan": {a.desk.plans["shoes"].PlanHash}, "allow": {heldRaise}}.Encode()
	// The cookie alone, and the cookie of one with the name of another, are nobody.
	wantStatus(t, a.send("POST", "/accounts/shoes/approve", fields, formBody), 401)
	wantStatus(t, a.send("POST", "/accounts/shoes/approve", fields,
		append(proxySays("carl", "X-Groups: buyers"), formBody)...), 403)
	wantProblem(t, a.send("POST", allOrders[0], `{}`, append(anna, jsonBody)...), 403, "form")
	a.nothingDone()
	wantStatus(t, a.send("POST", "/accounts/shoes/approve", fields, append(anna, formBody)...), 303)
	if by := a.desk.lastApproval().By; by != "anna" {
		t.Errorf("by %q", by)
	}
}
