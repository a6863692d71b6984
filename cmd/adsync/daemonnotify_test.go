package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// told is a message as a program reads it.
type told struct {
	Account, Title, Page string
	Topics               []string
	Sections             []struct {
		Items []struct{ Text, Command string }
	}
}

// TestPeopleAreToldOfADaemon: what a daemon applies, holds, and is ordered, signed;
// a run that changes nothing tells nobody.
func TestPeopleAreToldOfADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	messages := make(chan told, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		stamp, sum, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("X-Adsync-Signature"), "t="), ",v1=")
		m := hmac.New(sha256.New, []byte("a key of the webhook"))
		fmt.Fprintf(m, "%s.%s", stamp, body)
		if hex.EncodeToString(m.Sum(nil)) != sum {
			t.Errorf("signature %q is not of the body", r.Header.Get("X-Adsync-Signature"))
		}
		var one told
		if err := json.Unmarshal(body, &one); err != nil {
			t.Error(err)
		}
		messages <- one
	}))
	defer hook.Close()
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf(`
listen: none
every: 2s
settle: 200ms
operator: %s
notify:
- webhook: {url: {env: HOOK_URL}, key: {env: HOOK_KEY}}
  on: [applied, held, suspended, resumed]
accounts:
- {name: shop, folder: %s}
`, operator, dir))
	next := func(topic string) told {
		t.Helper()
		select {
		case one := <-messages:
			if one.Account != "shop" || !slices.Contains(one.Topics, topic) {
				t.Fatalf("told %+v; want it to be about %s", one, topic)
			}
			return one
		case <-time.After(patience):
			t.Fatalf("nobody is told of %s", topic)
			return told{}
		}
	}
	p := startDaemonWith(t, s.environment("HOOK_URL="+hook.URL+"/secret-path"), "--config", file)
	next("applied")
	p.until("msg", "run ended", "class", "in_sync")
	saveEdit(t, dir, "bid: {max: 1.25}", "bid: {max: 1.80}")
	held := next("held")
	if len(held.Sections) == 0 || len(held.Sections[0].Items) == 0 ||
		!strings.HasPrefix(held.Sections[0].Items[0].Command, "adsync apply --allow ") {
		t.Errorf("told %+v; want what is held, and what allows it", held)
	}
	if out, err := s.command("suspend", "--reason", "prices", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if one := next("suspended"); !strings.Contains(one.Title, "prices") {
		t.Errorf("told %q; want why it is suspended", one.Title)
	}
	if out, err := s.command("resume", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	next("resumed")
	p.end()
	if n := len(messages); n > 0 {
		t.Errorf("told %d times more: %+v", n, <-messages)
	}
	if strings.Contains(p.said(), "secret-path") || strings.Contains(p.said(), "a key of the webhook") {
		t.Error("the daemon logs an address or a key")
	}
}

// TestARowThatMayNotStopIsToldAtOnce: a status nobody can read on what is active waits,
// the other rows go, and people hear of it as urgent.
func TestARowThatMayNotStopIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	messages := make(chan told, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var one told
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			t.Error(err)
		}
		messages <- one
	}))
	defer hook.Close()
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf(`
listen: none
every: 2s
settle: 200ms
operator: %s
notify:
- webhook: {url: {env: HOOK_URL}, key: {env: HOOK_KEY}}
  on: [failed, recovered]
accounts:
- {name: shop, folder: %s}
`, operator, dir))
	p := startDaemonWith(t, s.environment("HOOK_URL="+hook.URL+"/path"), "--config", file)
	p.until("msg", "run ended", "class", "in_sync")
	saveEdit(t, dir, "name: Spring launch\nstatus: active", "name: Spring launch\nstatus: puased")
	p.until("msg", "run ended", "class", "partial")
	one := <-messages
	const goesOn = "urgent: campaign “Spring launch”: " +
		"is active and goes on, as the cell that may stop it is not valid: spring.yaml:5:9"
	if said := fmt.Sprint(one); !strings.Contains(said, goesOn) || !slices.Contains(one.Topics, "failed") {
		t.Errorf("told %s; want that the campaign goes on", said)
	}
	saveEdit(t, dir, "status: puased", "status: paused")
	p.until("msg", "run ended", "class", "in_sync")
	p.end()
	if one = <-messages; !slices.Contains(one.Topics, "recovered") {
		t.Errorf("told %+v; want that it is over", one)
	}
}

// A daemon with --once asks for the address of alive once each account had its run, and
// names neither account nor address.
func TestADaemonThatRanOnceSaysThatItLives(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	var asked atomic.Int32
	monitor := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/secret-path" || r.URL.RawQuery != "" || r.ContentLength != 0 {
			t.Errorf("asked %s %s with %d bytes; want the address alone", r.Method, r.URL, r.ContentLength)
		}
		asked.Add(1)
	}))
	defer monitor.Close()
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf("listen: none\n"+
		"operator: %s\nalive: {url: {env: ALIVE_URL}}\naccounts:\n- {name: shop, folder: %s}\n", operator, dir))
	c := s.command("daemon", "--once", "--config", file)
	c.Env = append(c.Env, "ALIVE_URL="+monitor.URL+"/secret-path")
	out, err := c.CombinedOutput()
	if err != nil || asked.Load() != 1 || strings.Contains(string(out), "secret-path") {
		t.Errorf("%v, asked %d times; want once, and its address in no line:\n%s", err, asked.Load(), out)
	}
}
