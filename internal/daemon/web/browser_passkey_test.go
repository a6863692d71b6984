package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/internal/testing/openidtest"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// askKeys begins with a server at which passkeys log in, in a browser with a device that has a fingerprint sensor.
func askKeys(t *testing.T) (*tab, *atomic.Pointer[roles.Rules], webauthn.AuthenticatorID) {
	t.Helper()
	rules := &atomic.Pointer[roles.Rules]{}
	rules.Store(theRules(t))
	party := func(page string) *passkey.Party {
		p, err := passkey.New(page, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := open(t, chromium(t), func(o *Options) {
		o.Token, o.Rules, o.Passkeys = roles.Token{}, rules.Load, party("http://localhost")
	})
	p.root = strings.Replace(p.root, "127.0.0.1", "localhost", 1)
	p.server.Passkeys = party(p.root) // its port is known by now
	if _, err := chromedp.Call(p.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	device, err := chromedp.Call(p.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{Protocol: webauthn.AuthenticatorProtocolCtap2,
			Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p, rules, device.AuthenticatorID
}

// withKey are the rules in which anna has a passkey.
func withKey(t *testing.T, lines ...string) *roles.Rules {
	t.Helper()
	r := theRules(t)
	r.People[0].Passkeys = lines
	return r
}

// TestAPasskeyLogsIn goes the way of a person by keyboard: make one, have the operator take it up, log in.
func TestAPasskeyLogsIn(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p, rules, device := askKeys(t)
	p.visit("/login")
	p.tabTo(`a[href="/passkey"]`)
	p.press(kb.Enter)
	p.wait(`location.pathname === "/passkey" && !!document.querySelector("#name")`)
	p.tabTo("#name")
	p.press("Anna" + kb.Enter)
	p.says("A passkey was made")
	line := eval[string](p, `document.querySelector(".line").innerText.trim()`)
	if err := passkey.Check(line); err != nil {
		t.Fatal(line, err)
	}

	p.visit("/accounts/shoes?sort=spend")
	p.click(`form[data-passkey] button`)
	p.says("The passkey is nobody's here.") // the operator has not taken it up
	rules.Store(withKey(t, line))
	p.tabTo(`form[data-passkey] button`)
	p.press(kb.Enter)
	p.wait(`location.pathname + location.search === "/accounts/shoes?sort=spend&done=login"`)
	p.says("(approver)")
	p.visit("/sessions")
	p.says("by a passkey")
	rules.Store(withKey(t))
	p.visit("/sessions")
	p.wait(`location.pathname === "/login"`)

	rules.Store(withKey(t, line))
	p.visit("/login")
	if _, err := chromedp.Call(p.ctx, webauthn.SetUserVerified,
		webauthn.SetUserVerifiedParams{AuthenticatorID: device}); err != nil {
		t.Fatal(err)
	}
	p.click(`form[data-passkey] button`)
	p.says("No passkey was given") // the finger is another's
}

func (p *tab) click(selector string) {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// answered is what a form of a passkey sends.
type answered struct{ Flight, Answer string }

// answers has the device answer what the page asks, without sending it.
func (p *tab) answers(options string) answered {
	p.Helper()
	p.visit("/login")
	const get = `(() => { window.got = ""; const form = document.querySelector("form[data-passkey]"), ` +
		`asked = Object.assign(JSON.parse(form.dataset.options), OPTIONS); ` +
		`navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked) })` +
		`.then(c => window.got = JSON.stringify({ Flight: form.elements.flight.value, ` +
		`Answer: JSON.stringify(c.toJSON()) }), e => window.got = String(e)); return true })()`
	eval[bool](p, strings.Replace(get, "OPTIONS", options, 1))
	p.wait(`!!window.got`)
	var a answered
	if err := json.Unmarshal([]byte(eval[string](p, `window.got`)), &a); err != nil {
		p.Fatal(err, eval[string](p, `window.got`))
	}
	return a
}

func (p *tab) sends(a answered) *http.Response {
	p.Helper()
	still := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := still.PostForm(p.root+"/login/passkey", url.Values{"flight": {a.Flight}, "answer": {a.Answer}})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { answer.Body.Close() })
	return answer
}

// X13: an answer counts once, for the challenge of this process, and unchanged.
func TestX13APasskeyAnswersOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p, rules, _ := askKeys(t)
	p.visit("/passkey")
	p.do(chromedp.Click(chromedp.CSS("#name")), chromedp.KeyEvent("Anna"+kb.Enter))
	p.says("A passkey was made")
	rules.Store(withKey(t, eval[string](p, `document.querySelector(".line").innerText.trim()`)))
	a := p.answers(`{}`)
	wantStatus(t, p.sends(answered{"", a.Answer}), 401)
	wantStatus(t, p.sends(answered{a.Flight[:len(a.Flight)-4], a.Answer}), 401)
	wantStatus(t, p.sends(a), 303)
	if answer := p.sends(a); answer.StatusCode != 401 || !strings.Contains(text(t, answer), "answered before") {
		t.Errorf("the same answer once more gives %s", answer.Status)
	}
	other := p.answers(`{ challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }`)
	wantStatus(t, p.sends(other), 401)
	unverified := p.answers(`{}`)
	var c struct {
		Response struct {
			Signature string `json:"signature"`
		} `json:"response"`
	}
	if err := json.Unmarshal([]byte(unverified.Answer), &c); err != nil || len(c.Response.Signature) < 20 {
		t.Fatal(err, unverified.Answer)
	}
	sign := c.Response.Signature
	changed := strings.Replace(unverified.Answer, sign, sign[:12]+flip(sign[12:13])+sign[13:], 1)
	wantStatus(t, p.sends(answered{unverified.Flight, changed}), 401)
	wantStatus(t, p.sends(answered{unverified.Flight, unverified.Answer}), 401) // the challenge was used up
}

// flip returns another letter.
func flip(letter string) string {
	if letter == "A" {
		return "B"
	}
	return "A"
}

// TestLoggingInIsForEverybody looks at the pages of all ways to log in at once, as TestEveryPageIsForEverybody does.
func TestLoggingInIsForEverybody(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p, _, _ := askKeys(t)
	p.server.OpenID = providerOf(t, openidtest.Start(t, time.Now), nil)
	audit, err := os.ReadFile("testdata/audit.js")
	if err != nil {
		t.Fatal(err)
	}
	axe := axeCore(t)
	look := func(path, scheme string, wide int64) {
		for _, found := range p.audited(string(audit), axe) {
			t.Errorf("%s, %s, %d wide: %s", path, scheme, wide, found)
		}
	}
	for scheme, wide := range map[string]int64{"light": 320, "dark": 1280} {
		p.seen(wide, 800, scheme)
		for _, path := range []string{"/login?done=logout", "/passkey"} {
			p.visit(path)
			look(path, scheme, wide)
		}
		p.do(chromedp.Click(chromedp.CSS("#name")), chromedp.KeyEvent("Anna"+kb.Enter))
		p.says("A passkey was made")
		look("the line of a passkey", scheme, wide)
	}
}
