package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/state"

	"github.com/jackc/pgx/v5"
)

const replicasToken = "0123456789abcdef0123456789abcdef"

// serve starts a daemon of the agency that answers, and returns it with its address.
func (a *agency) serve() (*process, *visitor) {
	a.t.Helper()
	config := filepath.Join(a.dir, "pages.yaml")
	settings, err := os.ReadFile(filepath.Join(a.dir, "daemon.yaml"))
	noError(a.t, err)
	saveFile(a.t, config, strings.Replace(string(settings), "listen: none", "listen: 127.0.0.1:0", 1))
	p := startDaemonWith(a.t, append(a.environment(), "ADSYNC_DAEMON_TOKEN="+replicasToken), "--config", config)
	return p, &visitor{t: a.t, url: "http://" + fmt.Sprint(p.until("msg", "the daemon answers")["address"])}
}

// visitor is somebody at the page and the API of one daemon.
type visitor struct {
	t      *testing.T
	url    string
	cookie *http.Cookie
}

// asks sends a request and returns the answer: as JSON with the token to the API, else as a form with the cookie.
func (v *visitor) asks(method, path, body string) (status int, answer string, cookies []*http.Cookie) {
	v.t.Helper()
	r, err := http.NewRequest(method, v.url+path, strings.NewReader(body))
	noError(v.t, err)
	if strings.HasPrefix(path, "/api/") {
		r.Header.Set("Authorization", "Bearer "+replicasToken)
		r.Header.Set("Content-Type", "application/json")
	} else {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if v.cookie != nil {
			r.AddCookie(v.cookie)
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	noError(v.t, err)
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	noError(v.t, err)
	return got.StatusCode, string(content), got.Cookies()
}

// order wants that an order of the API is taken.
func (v *visitor) order(path, body string) {
	v.t.Helper()
	if status, answer, _ := v.asks("POST", path, body); status >= 300 {
		v.t.Fatalf("POST %s: %d %s", path, status, answer)
	}
}

// submit sends a form of the page, and wants that it is taken.
func (v *visitor) submit(path string, form url.Values) {
	v.t.Helper()
	v.send(path, v.filled(form))
}

// filled is a form as a page that was opened has it.
func (v *visitor) filled(form url.Values) url.Values {
	v.t.Helper()
	_, page, _ := v.asks("GET", "/", "")
	found := regexp.MustCompile(`name="form" value="([0-9a-f]{64})"`).FindStringSubmatch(page)
	if found == nil {
		v.t.Fatal("the page has no form: nobody is logged in")
	}
	form = maps.Clone(form)
	form.Set("form", found[1])
	return form
}

func (v *visitor) send(path string, form url.Values) {
	v.t.Helper()
	if status, answer, _ := v.asks("POST", path, form.Encode()); status != http.StatusSeeOther {
		v.t.Fatalf("POST %s: %d %.500s", path, status, answer)
	}
}

// shownShop is an account as the API shows it.
type shownShop struct {
	Name, State string
	Held        int
	Suspended   *struct{ Reason string }
	Pauses      []struct {
		ID      string
		Settled bool
	}
	Told *struct {
		By    string
		Lives bool
	}
	Revision struct{ Content string }
}

// until waits for an account to be so.
func (v *visitor) until(name, what string, is func(shownShop) bool) shownShop {
	v.t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // other processes work
		status, answer, _ := v.asks("GET", "/api/v1/accounts/"+name, "")
		var s shownShop
		noError(v.t, json.Unmarshal([]byte(answer), &s))
		if status == http.StatusOK && is(s) {
			return s
		}
		if time.Since(began) > time.Minute {
			v.t.Fatalf("after a minute %s is not %s: %s", name, what, answer)
		}
	}
}

// shows waits for a text of a page.
func (v *visitor) shows(path, text string) {
	v.t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // other processes work
		_, page, _ := v.asks("GET", path, "")
		if strings.Contains(page, text) {
			return
		}
		if time.Since(began) > time.Minute {
			v.t.Fatalf("after a minute %s does not show %q:\n%s", path, text, page)
		}
	}
}

// follows returns the accounts of which events are told, by kind, until the test ends.
func (v *visitor) follows() <-chan string {
	v.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+"/api/v1/events", nil)
	noError(v.t, err)
	answer, err := http.DefaultClient.Do(r)
	noError(v.t, err)
	v.t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // it follows
	told := make(chan string, 10_000)
	go func() {
		for lines.Scan() {
			var e struct{ Account, Kind string }
			line, is := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
			if is && json.Unmarshal(line, &e) == nil {
				told <- e.Kind + " " + e.Account
			}
		}
	}()
	return told
}

// shopOf is the name of the account that a process works on.
func (a *agency) shopOf(server *state.Server, p *process) string {
	a.t.Helper()
	for i := range a.accounts {
		holding, err := server.AttendedBy(a.t.Context(), a.id(i))
		noError(a.t, err)
		if holding.Held && holding.Holder.PID == p.c.Process.Pid {
			return fmt.Sprintf("shop-%d", i)
		}
	}
	a.t.Fatal("a daemon has no account")
	return ""
}

// holds keeps daemons from taking an account over, until what it returns is called.
func (a *agency) holds(name string) func() {
	a.t.Helper()
	c, err := pgx.Connect(a.t.Context(), a.database)
	noError(a.t, err)
	tx, err := c.Begin(a.t.Context())
	noError(a.t, err)
	var locked string
	noError(a.t, tx.QueryRow(a.t.Context(),
		`SELECT name FROM adsync.attendance WHERE name = $1 FOR NO KEY UPDATE`,
		a.id(int(name[len(name)-1]-'0'))).Scan(&locked))
	return func() {
		a.t.Helper()
		noError(a.t, tx.Rollback(a.t.Context()))
		noError(a.t, c.Close(a.t.Context()))
	}
}

// TestAnyDaemonOfADatabaseServesEveryAccount: an account of one is seen, approved and suspended at the others; once
// its daemon is killed they show what it told, and when it was last seen, until one of them takes it over.
func TestAnyDaemonOfADatabaseServesEveryAccount(t *testing.T) {
	t.Parallel()
	agency := newAgency(t, 3)
	server, err := state.OpenServer(t.Context(), agency.database, state.Options{Command: "test"})
	noError(t, err)
	defer server.Close()
	first, a := agency.serve()
	second, b := agency.serve()
	third, c := agency.serve()
	agency.await("Spring", 3)
	agency.shares(server, 3)
	name := agency.shopOf(server, first)
	path := "/api/v1/accounts/" + name
	events := b.follows()

	for _, v := range []*visitor{a, b, c} {
		v.until(name, "in sync", func(s shownShop) bool { return s.State == "in_sync" || s.State == "applied" })
	}
	if s := b.until(name, "told", func(s shownShop) bool { return s.Told != nil && s.Told.Lives }); s.Told.By == "" {
		t.Error("it is not said who works on the account")
	}
	_, list, _ := b.asks("GET", "/api/v1/accounts?q="+strings.ToUpper(name), "")
	if !strings.Contains(list, `"total":1`) || !strings.Contains(list, `"name":"`+name+`"`) {
		t.Errorf("a search at another daemon finds %s", list)
	}

	file := filepath.Join(agency.dir, name, "a.yaml")
	content, err := os.ReadFile(file)
	noError(t, err)
	saveFile(t, file+".new", strings.Replace(string(content), "daily: 10.00", "daily: 90.00", 1))
	noError(t, os.Rename(file+".new", file))
	for what := ""; what != "status "+name; what = <-events { // of the daemon that works on it
	}
	b.until(name, "held", func(s shownShop) bool { return s.State == "held" && s.Held == 1 })

	status, _, cookies := b.asks("POST", "/login", url.Values{"name": {"Ann"}, "token": {replicasToken}}.Encode())
	if status != http.StatusSeeOther || len(cookies) != 1 {
		t.Fatalf("login: %d", status)
	}
	b.cookie, c.cookie = cookies[0], cookies[0]
	b.shows("/accounts/"+name, `name="item" value="`)
	_, page, _ := b.asks("GET", "/accounts/"+name, "")
	item := regexp.MustCompile(`name="item" value="([^"]+)"`).FindStringSubmatch(page)[1]
	again := c.filled(url.Values{"item": {item}})
	b.submit("/accounts/"+name+"/approve", url.Values{"item": {item}})
	c.send("/accounts/"+name+"/approve", again) // at another page that was open, before a run has used the first
	b.until(name, "applied", func(s shownShop) bool { return s.State == "in_sync" || s.State == "applied" })
	_, approvals, _ := c.asks("GET", path+"/approvals", "")
	if n := strings.Count(approvals, `"by":"Ann"`); n != 1 {
		t.Errorf("%d approvals are kept; want the one that was given at two pages: %s", n, approvals)
	}
	_, runs, _ := c.asks("GET", path+"/runs", "")
	if strings.Count(runs, `"run":"run-`) != 2 {
		t.Errorf("another daemon shows the runs %s; want two", runs)
	}

	b.order(path+"/comments", `{"by":"bob","run":"run-000003","text":"said at another daemon"}`)
	c.shows("/accounts/"+name+"/runs/run-000003", "said at another daemon")

	c.order(path+"/suspend", `{"by":"bob","reason":"the page is down"}`)
	first.until("msg", "run ended", "account", name, "class", "suspended")
	b.shows("/accounts/"+name, "the page is down")
	b.until(name, "suspended", func(s shownShop) bool { return s.State == "suspended" && s.Suspended != nil })
	b.order(path+"/wake", `{"by":"bob","reason":"asked elsewhere"}`)
	first.until("msg", "run ended", "account", name, "woken", "asked")
	b.order(path+"/resume", `{"by":"bob","reason":"it is up"}`)
	c.until(name, "resumed", func(s shownShop) bool { return s.State != "suspended" && s.Suspended == nil })

	for _, why := range []string{"asked elsewhere", "it is up"} {
		c.shows("/accounts/"+name+"/activity", why)
	}
	c.order(path+"/pauses", `{"by":"bob","reason":"stock ran out"}`)
	s := b.until(name, "paused", func(s shownShop) bool {
		return len(s.Pauses) == 1 && s.Pauses[0].Settled && s.Suspended != nil
	})
	b.order(path+"/pauses/"+s.Pauses[0].ID+"/go-on", `{"by":"bob"}`)
	c.until(name, "gone on", func(s shownShop) bool { return len(s.Pauses) == 0 && s.State == "in_sync" })

	c.submit("/logout", url.Values{})
	if _, page, _ := b.asks("GET", "/", ""); strings.Contains(page, "Log out") {
		t.Error("who logged out at one daemon is logged in at another")
	}

	let := agency.holds(name) // nobody takes it over before the page was looked at
	noError(t, first.c.Process.Kill())
	b.shows("/accounts/"+name, "and was last seen")
	let()
	agency.shares(server, 2)
	agency.edit("Summer")
	agency.await("Summer", 3)
	for _, v := range []*visitor{b, c} {
		v.until(name, "taken over", func(s shownShop) bool { return s.Told == nil || s.Told.Lives })
	}
	second.end()
	third.end()
}
