package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/testing/openidtest"
	"adsync/internal/testing/ports"
)

const annasPassword = "correct horse battery staple"

// hashOf is what adsync hash-password prints.
func hashOf(t *testing.T, password string) string {
	t.Helper()
	c := asAdsync("hash-password")
	c.Stdin = strings.NewReader(password + "\n")
	out, err := c.Output()
	noError(t, err)
	return string(out)
}

// guest is a browser without script, as far as logging in goes.
type guest struct {
	*testing.T
	client http.Client
	at     string
}

func (g *guest) get(path string) (status int, page string) {
	g.Helper()
	answer, err := g.client.Get("http://" + g.at + path)
	noError(g.T, err)
	return g.read(answer)
}

func (g *guest) read(answer *http.Response) (int, string) {
	g.Helper()
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	noError(g.T, err)
	return answer.StatusCode, string(page)
}

var formOfPage = regexp.MustCompile(`name="form" value="([0-9a-f]{64})"`)

// post sends a form as the page at back shows it.
func (g *guest) post(path string, fields url.Values) (int, string) {
	g.Helper()
	if _, page := g.get("/accounts/shop"); formOfPage.MatchString(page) {
		fields.Set("form", formOfPage.FindStringSubmatch(page)[1])
	}
	answer, err := g.client.PostForm("http://"+g.at+path, fields)
	noError(g.T, err)
	return g.read(answer)
}

// TestRolesOfADaemon: people log in by passwords of their own, a program has a token of its own, each may what their
// role says, sessions are there after a restart, and who loses a role loses it at once.
func TestRolesOfADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	home := t.TempDir()
	saveFile(t, filepath.Join(home, "anna.hash"), hashOf(t, annasPassword))
	const nightly = "drawn-for-nightly-0123456789"
	saveFile(t, filepath.Join(home, "nightly"), nightly)
	configuration := filepath.Join(home, "daemon.yaml")
	configure := func(annas string) {
		saveFile(t, configuration, fmt.Sprintf(`
listen: 127.0.0.1:0
state: %s
operator: %s
every: 2s
settle: 200ms
people: {anna: {role: {shop: %s}, password: {file: anna.hash}}}
tokens: {nightly: {token: {file: nightly}, role: viewer, ends: 2099-01-01}}
accounts: [{name: shop, folder: %s}]
`, filepath.Join(home, "states"), operator, annas, dir))
	}
	configure("approver")
	jar, err := cookiejar.New(nil)
	noError(t, err)
	anna := &guest{T: t, client: http.Client{Jar: jar}}
	start := func() *process {
		p := startDaemonWith(t, s.environment(), "--config", configuration)
		anna.at = fmt.Sprint(p.until("msg", "the daemon answers")["address"])
		return p
	}
	p := start()
	p.until("msg", "run ended", "class", "applied")

	status, page := anna.get("/accounts/shop")
	if !strings.Contains(page, "Your password") || strings.Contains(page, "Spring") {
		t.Fatalf("a stranger sees %d %s", status, page)
	}
	if status, page := anna.post("/login", url.Values{"name": {"anna"}, "password": {"a wrong one of some length"},
		"back": {"/accounts/shop"}}); status != 401 || !strings.Contains(page, "The name or the password is wrong") {
		t.Fatalf("%d %s", status, page)
	}
	if status, page := anna.post("/login", url.Values{"name": {"anna"}, "password": {annasPassword},
		"back": {"/accounts/shop"}}); status != 200 || !strings.Contains(page, "anna") {
		t.Fatalf("%d %s", status, page)
	}
	status, page = anna.post("/accounts/shop/suspend", url.Values{"reason": {"the shop is down"}, "by": {"eve"}})
	if status != 200 {
		t.Fatalf("%d %s", status, page)
	}
	program := func(method, path, body string) (int, string) {
		r, err := http.NewRequest(method, "http://"+anna.at+path, bytes.NewReader([]byte(body)))
		noError(t, err)
		r.Header.Set("Authorization", "Bearer "+nightly)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		noError(t, err)
		return anna.read(answer)
	}
	status, said := program("GET", "/api/v1/accounts/shop", "")
	if status != 200 || !strings.Contains(said, `"by":"anna"`) {
		t.Errorf("the suspension is not anna's: %d %s", status, said)
	}
	if noted := foundIn(t, dir, "orders.ndjson"); !strings.Contains(noted, `"by":"anna","from":"page 127.0.0.1"`) {
		t.Errorf("the order is noted as %s; want who gave it, and from where", noted)
	}
	_, said = program("GET", "/api/v1/accounts/shop/activity", "")
	if !strings.Contains(said, `"from":"page"`) || strings.Contains(said, "127.0.0.1") {
		t.Errorf("a viewer reads %s; want how the order came, and no address", said)
	}
	if status, said := program("POST", "/api/v1/accounts/shop/resume", `{"by":"anna"}`); status != 403 {
		t.Errorf("a viewer resumes: %d %s", status, said)
	}

	p.end()
	p = start()
	if status, page := anna.get("/accounts/shop"); status != 200 || !strings.Contains(page, "(approver)") {
		t.Errorf("after a restart anna gets %d %.300s", status, page)
	}
	configure("viewer")
	noError(t, p.c.Process.Signal(syscall.SIGHUP))
	p.until("msg", "the configuration was taken over")
	status, page = anna.post("/accounts/shop/resume", url.Values{})
	if status != 403 || !strings.Contains(page, "want the role approver") {
		t.Errorf("who was an approver gets %d %.300s", status, page)
	}
	saveFile(t, filepath.Join(home, "anna.hash"), hashOf(t, "another one, of four words"))
	noError(t, p.c.Process.Signal(syscall.SIGHUP))
	p.until("msg", "the configuration was taken over")
	if _, page := anna.get("/accounts/shop"); !strings.Contains(page, "Your password") {
		t.Errorf("with the session of the password before anna gets %.300s", page)
	}
	if strings.Contains(p.said(), annasPassword) || strings.Contains(p.said(), nightly) {
		t.Error("the log has a password or a token in it")
	}
	p.end()
	sessions, err := os.ReadFile(filepath.Join(home, "states", ".sessions.json"))
	noError(t, err)
	for _, c := range jar.Cookies(&url.URL{Scheme: "http", Host: anna.at, Path: "/"}) {
		if c.Value != "" && bytes.Contains(sessions, []byte(c.Value)) {
			t.Error("the file of sessions has a cookie in it")
		}
	}
}

var refreshOfPage = regexp.MustCompile(`http-equiv="refresh" content="0; url=([^"]*)"`)

// TestLoginByOpenIDOfADaemon: the daemon starts while the provider is down, people log in there once it is back, and
// the log has neither the client's secret nor a code nor a token.
func TestLoginByOpenIDOfADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	home := t.TempDir()
	provider := openidtest.Start(t, time.Now)
	const discovery = "/.well-known/openid-configuration"
	provider.Answer = map[string]openidtest.Answer{discovery: func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}}
	saveFile(t, filepath.Join(home, "openid.secret"), openidtest.Secret)
	port, err := ports.Free()
	noError(t, err)
	configuration := filepath.Join(home, "daemon.yaml")
	configure := func(rest string) {
		saveFile(t, configuration, fmt.Sprintf(`
listen: 127.0.0.1:%d
state: %s
operator: %s
settle: 200ms
login:
  openid: {issuer: "%s", client_id: adsync, client_secret: {file: openid.secret}%s}
  groups: {buyers: {shop: editor}}
accounts: [{name: shop, folder: %s}]
`, port, filepath.Join(home, "states"), operator, provider.At, rest, dir))
	}
	configure("")
	jar, err := cookiejar.New(nil)
	noError(t, err)
	anna := &guest{T: t, client: http.Client{Jar: jar}, at: fmt.Sprintf("127.0.0.1:%d", port)}
	p := startDaemonWith(t, s.environment(), "--config", configuration)
	p.until("msg", "the daemon answers")
	if status, page := anna.get("/login/openid?back=%2Faccounts%2Fshop"); status != 502 ||
		!strings.Contains(page, "Nobody can log in at 127.0.0.1:") {
		t.Fatalf("while the provider is down: %d %s", status, page)
	}
	if status, _ := anna.get("/healthz"); status != 200 {
		t.Errorf("the daemon is %d", status)
	}
	p.until("msg", "run ended", "class", "applied")
	p.end()

	provider.Answer = nil
	p = startDaemonWith(t, s.environment(), "--config", configuration)
	p.until("msg", "the daemon answers")
	status, page := anna.get("/login/openid?back=%2Faccounts%2Fshop")
	goes := refreshOfPage.FindStringSubmatch(html.UnescapeString(page))
	if status != 200 || goes == nil {
		t.Fatalf("%d %s", status, page)
	}
	if status, page := anna.get(goes[1]); status != 200 || !strings.Contains(page, "anna@example.com") ||
		!strings.Contains(page, "(editor)") {
		t.Fatalf("%d %s", status, page)
	}
	configure(", lasts: 1h")
	noError(t, p.c.Process.Signal(syscall.SIGHUP))
	p.until("msg", "the configuration was taken over")
	p.end()
	said := p.said()
	for _, hidden := range []string{openidtest.Secret, "a+code", openidtest.Code, openidtest.Access, "id_token"} {
		if strings.Contains(said, hidden) {
			t.Errorf("the log has %q in it:\n%s", hidden, said)
		}
	}
	if !strings.Contains(said, "login.openid") {
		t.Errorf("the log does not say that login.openid wants a restart:\n%s", said)
	}
}

// foundIn returns what the one file of a name beneath a folder holds.
func foundIn(t *testing.T, folder, name string) (content string) {
	t.Helper()
	noError(t, filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			var read []byte
			read, err = os.ReadFile(at)
			content += string(read)
		}
		return err
	}))
	return content
}
