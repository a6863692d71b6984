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

	"adsync/internal/daemon"
	"adsync/internal/notify"
	"adsync/internal/orders"
	"adsync/internal/secret"
	"adsync/sources"
)

func TestTopicsOfTheConfigurationAreThose(t *testing.T) {
	var topics []string
	for _, topic := range notify.Topics() {
		topics = append(topics, string(topic))
	}
	if !slices.Equal(topics, sources.NotifyTopics) {
		t.Errorf("the configuration knows %q; want %q", sources.NotifyTopics, topics)
	}
}

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
	t.Setenv("HOOK_URL", hook.URL+"/secret-path")
	t.Setenv("HOOK_KEY", "a key of the webhook")
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
		case <-time.After(30 * time.Second):
			t.Fatalf("nobody is told of %s", topic)
			return told{}
		}
	}
	p := startDaemon(t, s, "--config", file)
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
	t.Setenv("HOOK_URL", hook.URL+"/path")
	t.Setenv("HOOK_KEY", "a key of the webhook")
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
	p := startDaemon(t, s, "--config", file)
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

// The link in a message leads to the account's page, or is not there.
func TestTheLinkOfAMessageLeadsThere(t *testing.T) {
	setting := func(text string) sources.Setting { return sources.Setting{Value: text} }
	for _, row := range []struct {
		name   string
		once   bool
		config sources.Daemon
		want   string
	}{
		{"nothing said", false, sources.Daemon{}, "http://127.0.0.1:8787/accounts/shop"},
		{"it listens nowhere", false, sources.Daemon{Listen: setting("none")}, ""},
		{"one run, and nobody listens", true, sources.Daemon{}, ""},
		{"any port", false, sources.Daemon{Listen: setting("127.0.0.1:0")}, ""},
		{"every address", false, sources.Daemon{Listen: setting(":8443"), Cert: setting("cert.pem")}, ""},
		{"every address of IPv6", false, sources.Daemon{Listen: setting("[::]:8443"), Cert: setting("cert.pem")}, ""},
		{"every address, by a name", false, sources.Daemon{Listen: setting("0.0.0.0:8443"),
			Cert: setting("cert.pem"), Hosts: []sources.Setting{setting("ads.example.com"), setting("ads")}},
			"https://ads.example.com:8443/accounts/shop"},
		{"behind a proxy, whose port it is", false, sources.Daemon{Listen: setting("127.0.0.1:8787"), BehindProxy: true,
			Hosts: []sources.Setting{setting("ads.example.com")}}, "https://ads.example.com/accounts/shop"},
	} {
		d := &daemonRun{flags: daemonFlags{once: row.once}}
		if got := d.pageOf(row.config, "shop"); got != row.want {
			t.Errorf("%s: %q; want %q", row.name, got, row.want)
		}
	}
}

// What a message has people paste says which account it is about, with whose limits.
func TestACommandOfAMessageNamesItsAccount(t *testing.T) {
	setting := func(text string) sources.Setting { return sources.Setting{Value: text} }
	folder := sources.DaemonAccount{Name: setting("shop"), Folder: "/srv/my ads/shop"}
	branch := sources.DaemonAccount{
		Name: setting("books"), State: "/var/lib/adsync/books", Operator: "/etc/adsync/books.yaml", Git: sources.Git{
			URL: setting("https://git.example.com/ads.git"), Ref: setting("main"), Path: setting("books"),
		},
	}
	for _, row := range []struct {
		name   string
		config sources.Daemon
		a      sources.DaemonAccount
		want   notify.Commands
	}{
		{"a folder", sources.Daemon{}, folder, notify.Commands{
			Files: " '/srv/my ads/shop'", Orders: " '/srv/my ads/shop'",
		}},
		{"a folder of a configuration", sources.Daemon{File: "/etc/adsync/daemon.yaml"}, folder, notify.Commands{
			Files: " '/srv/my ads/shop'", Orders: " --account shop --config /etc/adsync/daemon.yaml",
		}},
		{"a repository", sources.Daemon{File: "/etc/adsync/daemon.yaml"}, branch, notify.Commands{
			Files: " --git https://git.example.com/ads.git " +
				"--ref main --path books --state /var/lib/adsync/books --operator /etc/adsync/books.yaml",
			Orders: " --account books --config /etc/adsync/daemon.yaml",
		}},
	} {
		d := &daemonRun{app: &app{}}
		if got := d.commandsFor(row.config, row.a); got != row.want {
			t.Errorf("%s: %+v; want %+v", row.name, got, row.want)
		}
	}
}

// A run that meets a lock is not one that failed; both are counted, each by itself.
func TestLocksAreCountedBesideFailures(t *testing.T) {
	var sent atomic.Int32
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	defer hook.Close()
	to := notify.Destination{Name: "hook", Form: notify.Slack, URL: secret.New(hook.URL)}
	for _, row := range []struct {
		name string
		runs []daemon.Class
		want int32
	}{
		{"nine locks", slices.Repeat([]daemon.Class{daemon.Locked}, 9), 0},
		{"ten", slices.Repeat([]daemon.Class{daemon.Locked}, 10), 1},
		{"ten, with a look between",
			append(slices.Repeat([]daemon.Class{daemon.Locked}, 9), daemon.InSync, daemon.Locked), 0},
		{"two failures, and locks",
			[]daemon.Class{daemon.Transient, daemon.Locked, daemon.Transient, daemon.Locked}, 0},
		{"three failures, and locks between",
			[]daemon.Class{daemon.Transient, daemon.Locked, daemon.Transient, daemon.Locked, daemon.Transient}, 1},
	} {
		sent.Store(0)
		notifier, err := notify.New("shop", []notify.Destination{to}, notify.Options{})
		noError(t, err)
		told := &teller{notifier: notifier, orders: &attendant{folder: orders.Folder(t.TempDir())}}
		for _, class := range row.runs {
			told.tell(t.Context(), daemon.Result{Class: class})
		}
		notifier.Flush(t.Context())
		if have := sent.Load(); have != row.want {
			t.Errorf("%s: told %d times; want %d", row.name, have, row.want)
		}
	}
}

// Each person hears of the topics that name him or her, in one place, with quiet hours;
// a place that names none hears of the usual ones.
func TestPeopleHearOfTheirTopics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, `
mail: {host: mail.example.com, from: adsync@example.com}
people:
  anna: {email: anna@example.com, quiet: {from: "20:00", to: "07:30"}}
  ben: {email: ben@example.com}
notify:
- {to: [anna], on: [held, applied]}
- {to: [anna, ben], on: [failed]}
- email: {host: mail.example.com, from: adsync@example.com, to: [office@example.com]}
accounts: [{name: shop, folder: shop}]
`)
	config, problems := sources.ReadDaemon(file)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	to, err := (&daemonRun{app: &app{}}).destinations(config.Accounts[0])
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, one := range to {
		have = append(have, fmt.Sprint(one.Mail.To, one.On, one.Quiet.From))
		if strings.Contains(one.Name, "anna") || strings.Contains(one.Name, "ben") {
			t.Errorf("the log would name %q", one.Name)
		}
	}
	want := []string{
		"[anna@example.com] [held applied failed] 20h0m0s",
		"[ben@example.com] [failed] 0s",
		fmt.Sprint([]string{"office@example.com"}, notify.Usual(), time.Duration(0)),
	}
	if !slices.Equal(have, want) {
		t.Errorf("destinations are\n%q\nwant\n%q", have, want)
	}
}

// A daemon with --once asks for the address of alive once each account had its run, and
// names neither account nor address.
func TestADaemonThatRanOnceSaysThatItLives(t *testing.T) {
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
	t.Setenv("ALIVE_URL", monitor.URL+"/secret-path")
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf("listen: none\n"+
		"operator: %s\nalive: {url: {env: ALIVE_URL}}\naccounts:\n- {name: shop, folder: %s}\n", operator, dir))
	out, err := s.command("daemon", "--once", "--config", file).CombinedOutput()
	if err != nil || asked.Load() != 1 || strings.Contains(string(out), "secret-path") {
		t.Errorf("%v, asked %d times; want once, and its address in no line:\n%s", err, asked.Load(), out)
	}
}
