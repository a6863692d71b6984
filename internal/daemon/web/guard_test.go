package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/runview"
)

func TestX13WhatIsNotSafeDoesNotStart(t *testing.T) {
	token := theOptions(t).Token
	for _, row := range []struct {
		name string
		o    Options
		safe bool
	}{
		{"loopback without a token", Options{Listen: "127.0.0.1:8787"}, true},
		{"loopback by name", Options{Listen: "localhost:0"}, true},
		{"loopback of IPv6", Options{Listen: "[::1]:8787"}, true},
		{"no port", Options{Listen: "127.0.0.1"}, false},
		{"everywhere, with nothing", Options{Listen: ":8787"}, false},
		{"everywhere, with a token alone", Options{Listen: "0.0.0.0:8787", Token: token}, false},
		{"everywhere, with TLS alone", Options{Listen: "0.0.0.0:8787", TLS: &tls.Config{}}, false},
		{"everywhere, with both", Options{Listen: "[::]:8787", TLS: &tls.Config{}, Token: token}, true},
		{"behind a proxy, without a token", Options{Listen: "127.0.0.1:8787", BehindProxy: true}, false},
		{"behind a proxy", Options{Listen: "10.0.0.7:8787", BehindProxy: true, Token: token}, true},
		{"names from a header that anybody sends",
			Options{Listen: "127.0.0.1:8787", Token: token, UserHeader: "X-User"}, false},
		{"names from a proxy", Options{Listen: "127.0.0.1:8787",
			Token: token, UserHeader: "X-User", BehindProxy: true}, true},
	} {
		if _, err := New(row.o, theDesk(t)); (err == nil) != row.safe {
			t.Errorf("%s: %v; want it to start: %t", row.name, err, row.safe)
		}
	}
}

// X13, X1: the token shows itself nowhere, and a short one is none.
func TestX13TheTokenIsDrawnAndNeverShown(t *testing.T) {
	if _, err := roles.NewToken("  hunter2hunter2  "); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a short token: %v", err)
	}
	o := theOptions(t)
	if shown := fmt.Sprintf("%v %+v %#v", o, o.Token, o); strings.Contains(shown, theToken) {
		t.Error("the token is shown")
	}
	a := ask(t, nil)
	a.login("Ann")
	a.get("/api/v1/accounts", "Authorization: Bearer wrong-wrong-wrong-wrong-wrong")
	if said := a.log.String(); strings.Contains(said, theToken) ||
		strings.Contains(said, "wrong-wrong") || strings.Contains(said, a.cookie) {
		t.Errorf("the log holds a secret:\n%s", said)
	}
}

// allOrders are all that change something.
var allOrders = []string{
	"/api/v1/accounts/shoes/approvals", "/api/v1/accounts/shoes/wake",
	"/api/v1/accounts/shoes/suspend", "/api/v1/accounts/shoes/resume", "/api/v1/accounts/shoes/look?name=x.csv",
	"/api/v1/accounts/shoes/acceptances", "/api/v1/accounts/shoes/looks/x/commit",
	"/api/v1/accounts/shoes/pauses", "/api/v1/accounts/shoes/pauses/x/go-on",
	"/accounts/shoes/pause", "/accounts/shoes/pauses/x/go-on",
	"/accounts/shoes/approve", "/accounts/shoes/wake", "/accounts/shoes/suspend",
	"/api/v1/accounts/shoes/runs/x/undo", "/accounts/shoes/runs/x/undo",
	"/api/v1/accounts/shoes/theirs", "/accounts/shoes/theirs",
	"/api/v1/sessions/x/end",
	"/accounts/shoes/comments", "/accounts/shoes/comments/x/delete",
	"/api/v1/accounts/shoes/comments", "/api/v1/accounts/shoes/comments/x/delete",
	"/accounts/shoes/resume", "/accounts/shoes/look", "/accounts/shoes/accept", "/accounts/shoes/looks/x/commit",
	"/accounts/shoes/looks/x/merge",
}

func TestX13EveryOrderIsTried(t *testing.T) {
	for _, route := range ask(t, nil).server.routes {
		target := strings.NewReplacer("{account}", "shoes", "{look}", "x", "{pause}", "x", "{run}", "x",
			"{session}", "x", "{comment}", "x").
			Replace(route.path)
		tried := slices.ContainsFunc(allOrders, func(order string) bool {
			return strings.HasPrefix(order+"?", target+"?")
		})
		if route.method == "POST" && route.for_.role() > roles.Viewer && !tried {
			t.Errorf("%s is not among the orders that are tried without the token and from other sites", target)
		}
	}
}

// nothingDone holds that no order reached the desk.
func (a *asker) nothingDone() {
	a.t.Helper()
	if shoes, _ := a.desk.Account(context.Background(), "shoes"); len(a.desk.approvals) != 1 ||
		len(a.desk.woken)+len(a.desk.looked)+len(a.desk.accepted)+len(a.desk.handed)+len(a.desk.edits) != 0 ||
		shoes.Suspended != nil {
		a.t.Errorf("an order went through: %v %v %v %v", a.desk.approvals, a.desk.woken, a.desk.looked, shoes.Suspended)
	}
}

func TestX13NoOrderWithoutTheToken(t *testing.T) {
	for name, row := range map[string]struct {
		change  func(*Options)
		headers []string
		want    int
	}{
		"none":                 {nil, nil, 401},
		"a wrong one":          {nil, []string{"Authorization: Bearer 0123456789abcdef0123456789abcdee"}, 401},
		"an empty one":         {nil, []string{"Authorization: Bearer "}, 401},
		"another form":         {nil, []string{"Authorization: Basic " + theToken}, 401},
		"a cookie nobody gave": {nil, []string{"Cookie: adsync=" + theToken}, 401},
		"none is configured":   {func(o *Options) { o.Token = roles.Token{} }, nil, 403},
		"none is, and an empty is sent": {func(o *Options) { o.Token = roles.Token{} },
			[]string{"Authorization: Bearer "}, 401},
	} {
		a := ask(t, row.change)
		for i, order := range allOrders {
			from := fmt.Sprintf("From: 192.0.2.%d:99", i) // each from elsewhere, so that none is too many
			answer := a.send("POST", order, `{"by":"eve","reason":"x"}`, append(row.headers, jsonBody, from)...)
			if answer.StatusCode != row.want {
				t.Errorf("%s: POST %s gives %s; want %d", name, order, answer.Status, row.want)
			}
		}
		a.nothingDone()
	}
}

// A browser sends its cookie along with what another page makes it send.
func TestX13AnotherSiteCannotUseASession(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann")
	form := a.form()
	hash := a.desk.plans["shoes"].PlanHash
	for _, order := range allOrders {
		body := url.Values{"form": {form}, "plan": {hash}, "allow": {heldRaise}, "reason": {"x"}}.Encode()
		for _, headers := range [][]string{
			{"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"},
			{"Origin: https://evil.example"}, {"Origin: null"},
			{"Host: evil.example"}, {"Host: evil.example:8787", "Origin: http://evil.example:8787"},
		} {
			if answer := a.send("POST", order, body, append(headers, formBody)...); answer.StatusCode != 403 &&
				answer.StatusCode != 421 {
				t.Errorf("POST %s with %q gives %s", order, headers, answer.Status)
			}
		}
		for _, wrong := range []string{"", "0", strings.Repeat("0", 64), form + "0"} {
			fields := url.Values{"form": {wrong}, "plan": {hash}, "allow": {heldRaise}, "reason": {"x"}}.Encode()
			if answer := a.send("POST", order, fields,
				formBody, "Sec-Fetch-Site: same-origin"); answer.StatusCode < 400 {
				t.Errorf("POST %s with the form %q gives %s", order, wrong, answer.Status)
			}
		}
		if strings.HasPrefix(order, "/api/") {
			wantProblem(t, a.send("POST", order, `{"by":"eve"}`, jsonBody, "Sec-Fetch-Site: same-origin"), 403, "form")
		}
	}
	a.nothingDone()
}

func TestX13OnlyItsOwnNamesAreAnswered(t *testing.T) {
	a := ask(t, func(o *Options) { o.Hosts = []string{"ads.example"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8787": 200, "LOCALHOST.": 200,
		"127.0.0.1:8787": 200, "[::1]:8787": 200, "ads.example": 200, "Ads.Example:443": 200, "10.2.3.4": 200,
		"evil.example": 421, "ads.example.evil.example": 421,
		"127.0.0.1.nip.example": 421, "": 421, "localhost:8787@evil.example": 421,
	} {
		for _, target := range []string{"/", "/api/v1/accounts", "/healthz", "/metrics"} {
			if answer := a.get(target, "Host: "+host); answer.StatusCode != want {
				t.Errorf("%s of %q gives %s; want %d", target, host, answer.Status, want)
			}
		}
	}
}

// Whom others reach tells nothing without the token, but that it lives.
func TestX13WhomOthersReachIsReadWithTheToken(t *testing.T) {
	a := ask(t, func(o *Options) { o.Listen, o.TLS, o.Pprof = "0.0.0.0:8787", &tls.Config{}, true })
	a.desk.accounts[2].State = "" // hats is not ready
	a.server.Alive = func() error { return errors.New("shoes stands still") }
	for _, route := range a.server.routes {
		if route.method != "GET" {
			continue
		}
		target := strings.NewReplacer("{account}",
			"shoes", "{run}", "run-000001", "{look}", "x", "{$}", "").Replace(route.path)
		body := text(t, a.get(target))
		answer := a.get(target)
		switch {
		case route.for_ == everybody:
			if strings.Contains(body, "shoes") || strings.Contains(body, "hats") {
				t.Errorf("%s tells strangers: %s", target, body)
			}
		case answer.StatusCode == 303 && strings.HasPrefix(answer.Header.Get("Location"), "/login?"):
		case answer.StatusCode != 401:
			t.Errorf("%s gives %s", target, answer.Status)
		}
	}
	wantStatus(t, a.get("/metrics", bearer), 200)
	wantStatus(t, a.get("/debug/pprof/", bearer), 200)
	wantStatus(t, ask(t, nil).get("/debug/pprof/"), 404)
	a.login("Ann")
	if answer := a.get("/accounts/shoes"); answer.StatusCode != 200 ||
		answer.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %v", answer.Status, answer.Header)
	}
}

func TestX13TheWayBackStaysHere(t *testing.T) {
	a := ask(t, nil)
	for _, back := range []string{"https://evil.example",
		"//evil.example", "/\\evil.example", "javascript:alert(1)", "/accounts/\r\nx", "", "/logout",
		"https://evil.example/accounts/shoes?x=1", "//evil.example/accounts/shoes", "/\\evil.example/accounts/x?y",
		"evil.example/accounts/", "http:/accounts/shoes", "//u:p@/accounts/", "?done=approved", "/%zz",
		"/accounts/" + strings.Repeat("x", backMost)} {
		answer := a.send("POST",
			"/login", url.Values{"name": {"Ann"}, "token": {theToken}, "back": {back}}.Encode(), formBody)
		if to := answer.Header.Get("Location"); to != "/?done=login" {
			t.Errorf("back to %q leads to %q", back, to)
		}
	}
}

func TestX13WrongTokensAreCounted(t *testing.T) {
	a := ask(t, nil)
	wrong := "Authorization: Bearer 0123456789abcdef0123456789abcdee"
	for range wrongMost {
		wantProblem(t, a.get("/api/v1/accounts", wrong), 401, "token")
	}
	wantProblem(t, a.get("/api/v1/accounts", wrong), 429, "too_many")
	wantProblem(t, a.get("/api/v1/accounts", bearer), 429, "too_many")
	if got := a.get("/api/v1/accounts", bearer).Header.Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After %q", got)
	}
	wantStatus(t, a.send("POST", "/login", url.Values{"name": {"Eve"}, "token": {theToken}}.Encode(), formBody), 429)
	wantStatus(t, a.get("/api/v1/accounts", bearer, "From: 192.0.2.7:1"), 200)
	a.server.Now = func() time.Time { return noon.Add(wrongWithin) }
	wantStatus(t, a.get("/api/v1/accounts", bearer), 200)
}

func TestX13WhoIsCounted(t *testing.T) {
	direct, proxied := &Options{}, &Options{BehindProxy: true}
	for _, row := range []struct {
		o                     *Options
		remote, header, wants string
	}{
		{direct, "192.0.2.1:5", "203.0.113.9", "192.0.2.1"},
		{direct, "[2001:db8:1:2:3:4:5:6]:5", "", "2001:db8:1:2::"},
		{proxied, "10.0.0.1:5", "1.2.3.4, 203.0.113.9", "203.0.113.9"},
		{proxied, "10.0.0.1:5", "", "10.0.0.1"},
		{proxied, "10.0.0.1:5", "junk", "?"},
	} {
		r, _ := http.NewRequest("GET", "/", nil)
		r.RemoteAddr = row.remote
		if row.header != "" {
			r.Header.Set("X-Forwarded-For", row.header)
		}
		if got := row.o.from(r); got != row.wants {
			t.Errorf("%s, %q: %s; want %s", row.remote, row.header, got, row.wants)
		}
	}
	var th throttle
	for i := range 2 * wrongKnown {
		th.note(fmt.Sprint(i), noon)
	}
	if len(th.wrong) > wrongKnown {
		t.Errorf("%d addresses are remembered", len(th.wrong))
	}
}

// Where a proxy says who asks, nobody says so themselves.
func TestX13TheProxyNamesWhoAsks(t *testing.T) {
	a := ask(t, func(o *Options) { o.BehindProxy, o.UserHeader = true, "X-User" })
	body := `{"plan_hash":"` + a.desk.plans["shoes"].PlanHash + `","allow":["` + heldRaise + `"],"by":"eve"}`
	wantProblem(t, a.send("POST", allOrders[0], body, bearer, jsonBody), 403, "no_name")
	wantStatus(t, a.send("POST", allOrders[0], body, bearer, jsonBody, "X-User: ann@example.com"), 201)
	if by := a.desk.lastApproval().By; by != "ann@example.com" {
		t.Errorf("by %q", by)
	}
}

func TestX13BodiesHaveBounds(t *testing.T) {
	a := ask(t, nil)
	large := strings.Repeat("x", bodyMost)
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/wake", `{"by":"`+large+`"}`, bearer, jsonBody),
		413, "too_large")
	a.login("Ann")
	wantStatus(t, a.submit("/accounts/shoes/suspend", url.Values{"reason": {large}}), 413)
	wantStatus(t, a.send("POST", "/login", "token="+large, formBody), 413)
	a.nothingDone()
}

func TestX13PathsLeadNowhereElse(t *testing.T) {
	a := ask(t, nil)
	for _, target := range []string{
		"/accounts/..%2F..%2Fetc%2Fpasswd", "/accounts/shoes/runs/..%2F..%2F..%2Fetc%2Fpasswd",
		"/api/v1/accounts/%2e%2e/plan", "/page.css/..%2Fpage.html",
		"/accounts/shoes%00", "/html/page.html", "/.adsync", "/accounts/shoes/looks/..%2Fx/marked", "/debug/vars",
	} {
		if answer := a.get(target, bearer); answer.StatusCode != 404 {
			t.Errorf("%s gives %s", target, answer.Status)
		}
	}
}

var fieldValue = regexp.MustCompile(`name="allow" value="[^"]*"`)

// X5: whatever campaigns, files and people are called stays text.
func TestX5NothingForeignIsMarkup(t *testing.T) {
	const attack = `<script>alert(1)</script><img src=x onerror=alert(1)>"'{{.}}` + "\u202e"
	a := ask(t, nil)
	d := a.desk
	const program = "javascript:alert(1)//https://git.example/"
	plan, run := d.plans["shoes"], d.runs["shoes"][0]
	plan.Changes[0].Name, plan.Changes[0].Held, plan.Account.ID = attack, plan.Changes[0].Fields[0].Held, attack
	for i := range plan.Changes {
		for j := range plan.Changes[i].Fields {
			if h := plan.Changes[i].Fields[j].Held; h != nil {
				h.Message, h.Allow = attack, attack
			}
		}
	}
	run.Outcomes[0].Name, run.Outcomes[0].Message, run.By, run.Error = attack, attack, attack, attack
	d.accounts[0].Message, d.accounts[0].Source, d.accounts[0].Revision.Subject, d.accounts[0].Revision.Author = attack,
		attack, attack, attack
	d.accounts[0].Suspended = &daemon.Suspension{By: attack, Reason: attack, Since: noon}
	d.accounts[0].Account.Currency, d.accounts[0].Woken = attack, []daemon.Trigger{attack}
	d.approvals[0].By, d.approvals[0].Note, d.approvals[0].Allow = attack, attack, []string{attack}
	d.approvals[0].Link, run.Approved = program, []runview.Approver{{By: attack, Link: program}}
	d.upload.Problems, d.upload.Name = []string{attack}, attack
	a.login(attack)
	pages := []string{text(t, a.upload(attack, "x"))}
	for _, target := range []string{"/", "/accounts/shoes",
		"/accounts/shoes/runs", "/accounts/shoes/runs/run-000042", "/accounts/" + url.PathEscape(attack),
		"/?done=" + url.QueryEscape(attack), "/login?back=" + url.QueryEscape(attack)} {
		pages = append(pages, text(t, a.get(target)))
	}
	for _, page := range pages {
		page = fieldValue.ReplaceAllString(page, "") // is sent back as it is, and shown to nobody
		if strings.Contains(page, "<script>") || strings.Contains(page, "<img") ||
			strings.Contains(page, "\u202e") || strings.Contains(page, "ZgotmplZ") ||
			strings.Contains(page, "javascript:") {
			i := max(strings.Index(page, "javascript:"), strings.Index(page, "<script>"),
				strings.Index(page, "<img"), strings.Index(page, "\u202e"), strings.Index(page, "ZgotmplZ"))
			t.Errorf("markup of somebody else: %.200s", page[max(0, i-80):])
		}
	}
	for _, target := range []string{"/api/v1/accounts", "/api/v1/accounts/shoes/plan", "/metrics"} {
		if body := text(t, a.get(target)); strings.Contains(body, "\u202e") && target != "/metrics" {
			t.Errorf("%s shows what nobody sees", target)
		}
	}
}

func TestX13EveryAnswerIsGuarded(t *testing.T) {
	a := ask(t, nil)
	for _, target := range []string{"/", "/accounts/shoes",
		"/api/v1/accounts", "/healthz", "/page.js", "/htmx.js", "/page.css", "/nothing", "/login"} {
		h, kept := a.get(target).Header, "no-store"
		if strings.HasSuffix(target, ".js") || strings.HasSuffix(target, ".css") {
			kept = "no-cache" // it has nothing of anybody, and is asked for again each time
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": contentPolicy, "X-Frame-Options": "DENY",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": kept,
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q; want %q", target, name, got, want)
			}
		}
		if page := text(t, a.get(target)); target != "/htmx.js" && strings.Contains(page, "<script>") ||
			strings.Contains(page, "style=") || strings.Contains(page, "onclick") {
			t.Errorf("%s holds script or style of its own", target)
		}
	}
	if strings.Contains(contentPolicy, "unsafe") {
		t.Error("the policy allows what is unsafe")
	}
}

// TestX13ASlowSenderIsCutOff: one that sends a byte now and then holds no
// connection for long, in its headers or in its body.
func TestX13ASlowSenderIsCutOff(t *testing.T) {
	for _, row := range []struct {
		name, first string
		most        time.Duration
	}{
		{"headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", headerTime},
		{"body", "POST /api/v1/accounts/shoes/look?name=x.csv HTTP/1.1\r\nHost: localhost\r\n" +
			bearer + "\r\nContent-Length: 1000000\r\n\r\n", bodyTime},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := ask(t, nil)
				listener := newPipes()
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- a.server.Serve(ctx, listener) }()
				c := listener.dial()
				began := time.Now()
				go io.Copy(io.Discard, c)
				_, err := io.Copy(c, strings.NewReader(row.first))
				for err == nil && time.Since(began) < time.Hour {
					time.Sleep(time.Second)
					_, err = io.Copy(c, bytes.NewReader([]byte("x")))
				}
				if took := time.Since(began); took > row.most+2*time.Second {
					t.Errorf("it was listened to for %s; want at most %s", took, row.most)
				}
				c.Close()
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// X13: who opens connections and says nothing takes neither the daemon's descriptors
// nor anybody's turn.
func TestX13ManySilentConnectionsShutNobodyOut(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	a := ask(t, nil)
	a.server.connsMost = 8
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- a.server.Serve(ctx, listener) }()
	var silent []net.Conn
	for i := range 40 {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		said := "GET /heal" // and no more
		if i%2 > 0 {
			said = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" // and then nothing
		}
		if _, err := io.WriteString(c, said); err != nil && i < 8 {
			t.Fatal(err)
		}
		silent = append(silent, c)
		answer, err := http.Get("http://" + listener.Addr().String() + "/healthz")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("beside %d silent connections: %v, %v; want an answer", i+1, answer, err)
		}
		answer.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}
	closed := make(chan bool, len(silent))
	for _, c := range silent {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		go func() { _, err := io.Copy(io.Discard, c); closed <- !errors.Is(err, os.ErrDeadlineExceeded) }()
	}
	for n := range len(silent) - 8 { // which is the latest is for the server to say
		if !<-closed {
			t.Fatalf("%d of 40 silent connections were let go; want all but eight", n)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
