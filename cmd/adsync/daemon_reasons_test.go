package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEveryOrderSaysWhoFromWhereAndWhy: a person at the page, a program by the API and somebody on the machine order a
// run, a stop, its end and an end of a pause, and give a reason. Activity has all of them.
func TestEveryOrderSaysWhoFromWhereAndWhy(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	home := t.TempDir()
	saveFile(t, filepath.Join(home, "the.hash"), hashOf(t, annasPassword))
	const robot = "drawn-for-the-robot-0123456789"
	saveFile(t, filepath.Join(home, "robot"), robot)
	saveFile(t, filepath.Join(home, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
state: %s
operator: %s
every: 1h
settle: 200ms
people:
  anna: {role: approver, password: {file: the.hash}}
tokens: {robot: {token: {file: robot}, role: operator, ends: 2099-01-01}}
accounts: [{name: shop, folder: %s}]
`, filepath.Join(home, "states"), operator, dir))
	p := startDaemonWith(t, s.environment(), "--config", filepath.Join(home, "daemon.yaml"))
	at := fmt.Sprint(p.until("msg", "the daemon answers")["address"])
	p.until("msg", "run ended", "class", "applied")
	jar, err := cookiejar.New(nil)
	noError(t, err)
	anna := &guest{T: t, client: http.Client{Jar: jar}, at: at}
	anna.post("/login", url.Values{"name": {"anna"}, "password": {annasPassword}, "back": {"/accounts/shop"}})
	orders := func(path string, fields url.Values) {
		t.Helper()
		if status, page := anna.post("/accounts/shop/"+path, fields); status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, page)
		}
	}
	asks := func(method, path, body string) string {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+at+"/api/v1/accounts/shop"+path, strings.NewReader(body))
		noError(t, err)
		r.Header.Set("Authorization", "Bearer "+robot)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		noError(t, err)
		status, text := anna.read(answer)
		if status > http.StatusAccepted {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		return text
	}
	run := func(args ...string) {
		t.Helper()
		args = append(args, "--account", "shop", "--config", filepath.Join(home, "daemon.yaml"))
		if out, err := s.command(args...).CombinedOutput(); err != nil {
			t.Fatalf("adsync %q: %v\n%s", args, err, out)
		}
	}
	ends := func(class string) { t.Helper(); p.until("msg", "run ended", "class", class) }

	orders("wake", url.Values{"reason": {"the feed is new <b>"}})
	ends("in_sync")
	orders("suspend", url.Values{"reason": {"we count the stock"}})
	ends("suspended")
	orders("resume", url.Values{"reason": {"the stock is counted"}})
	ends("in_sync")
	asks("POST", "/suspend", `{"reason": "the site is down"}`)
	ends("suspended")
	asks("POST", "/resume", `{"reason": "the site is up"}`)
	ends("in_sync")
	asks("POST", "/wake", `{"reason": "the clock says so"}`)
	ends("in_sync")
	run("suspend", "--reason", "a look")
	ends("suspended")
	run("resume", "--reason", "looked")
	ends("in_sync")
	run("reconcile", "--wait", "--note", "once more")
	orders("pause", url.Values{"reason": {"all sold"}})
	var account struct {
		Pauses []struct {
			ID      string
			Settled bool
		}
	}
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for began := time.Now(); len(account.Pauses) != 1 || !account.Pauses[0].Settled; <-look.C {
		if time.Since(began) > patience {
			t.Fatalf("the pause is never carried out: %+v", account)
		}
		noError(t, json.Unmarshal([]byte(asks("GET", "", "")), &account))
	}
	orders("pauses/"+account.Pauses[0].ID+"/go-on", url.Values{"reason": {"new stock"}})

	const page, api = "page 127.0.0.1", "API 127.0.0.1"
	var activity struct {
		Events []struct{ Kind, What, By, From, Why string }
	}
	noError(t, json.Unmarshal([]byte(asks("GET", "/activity", "")), &activity))
	said := map[string]int{}
	for _, e := range activity.Events {
		if e.From == "" {
			e.By = "this machine"
		}
		if e.Kind == "order" {
			said[fmt.Sprintf("%s, by %s, from %s: %s", e.What, e.By, e.From, e.Why)]++
		}
	}
	for _, want := range []string{
		"Ordered a run, by anna, from " + page + ": the feed is new <b>",
		"Suspended the account, by anna, from " + page + ": we count the stock",
		"Resumed the account, by anna, from " + page + ": the stock is counted",
		"Suspended the account, by robot, from " + api + ": the site is down",
		"Resumed the account, by robot, from " + api + ": the site is up",
		"Ordered a run, by robot, from " + api + ": the clock says so",
		"Suspended the account, by this machine, from : a look",
		"Resumed the account, by this machine, from : looked",
		"Ordered a run, by this machine, from : once more",
		"Suspended the account, by anna, from " + page + ": everything is paused: all sold",
		"Paused, by anna, from " + page + ": all sold",
		"Resumed the account, by anna, from " + page + ": new stock",
		"Ordered to go on, by anna, from " + page + ": new stock",
	} {
		if said[want] != 1 {
			t.Errorf("%d lines say %q; want one of each order", said[want], want)
		}
		delete(said, want)
	}
	if len(said) > 0 {
		t.Errorf("nobody ordered %v", said)
	}
	if t.Failed() {
		t.Logf("%+v", said)
	}
	if _, text := anna.get("/accounts/shop/activity"); !strings.Contains(text, "the feed is new &lt;b&gt;") {
		t.Errorf("Activity does not have the reason:\n%s", text)
	}
	p.end()
}
