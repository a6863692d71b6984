package daemoncmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/notify"
	"adsync/internal/orders"
	"adsync/internal/secret"
	"adsync/sources/config"
)

func TestTopicsOfTheConfigurationAreThose(t *testing.T) {
	var topics []string
	for _, topic := range notify.Topics() {
		topics = append(topics, string(topic))
	}
	if !slices.Equal(topics, config.NotifyTopics) {
		t.Errorf("the configuration knows %q; want %q", config.NotifyTopics, topics)
	}
}

// The link in a message leads to the account's page, or is not there.
func TestTheLinkOfAMessageLeadsThere(t *testing.T) {
	setting := func(text string) config.Setting { return config.Setting{Value: text} }
	for _, row := range []struct {
		name   string
		once   bool
		config config.Daemon
		want   string
	}{
		{"nothing said", false, config.Daemon{}, "http://127.0.0.1:8787/accounts/shop"},
		{"it listens nowhere", false, config.Daemon{Listen: setting("none")}, ""},
		{"one run, and nobody listens", true, config.Daemon{}, ""},
		{"any port", false, config.Daemon{Listen: setting("127.0.0.1:0")}, ""},
		{"every address", false, config.Daemon{Listen: setting(":8443"), Cert: setting("cert.pem")}, ""},
		{"every address of IPv6", false, config.Daemon{Listen: setting("[::]:8443"), Cert: setting("cert.pem")}, ""},
		{"every address, by a name", false, config.Daemon{Listen: setting("0.0.0.0:8443"),
			Cert: setting("cert.pem"), Hosts: []config.Setting{setting("ads.example.com"), setting("ads")}},
			"https://ads.example.com:8443/accounts/shop"},
		{"behind a proxy, whose port it is", false, config.Daemon{Listen: setting("127.0.0.1:8787"), BehindProxy: true,
			Hosts: []config.Setting{setting("ads.example.com")}}, "https://ads.example.com/accounts/shop"},
	} {
		d := &daemonRun{flags: daemonFlags{once: row.once}}
		if got := d.pageOf(row.config, "shop"); got != row.want {
			t.Errorf("%s: %q; want %q", row.name, got, row.want)
		}
	}
}

// What a message has people paste says which account it is about, with whose limits.
func TestACommandOfAMessageNamesItsAccount(t *testing.T) {
	setting := func(text string) config.Setting { return config.Setting{Value: text} }
	folder := config.DaemonAccount{Name: setting("shop"), Folder: "/srv/my ads/shop"}
	branch := config.DaemonAccount{
		Name: setting("books"), State: "/var/lib/adsync/books", Operator: "/etc/adsync/books.yaml", Git: config.Git{
			URL: setting("https://git.example.com/ads.git"), Ref: setting("main"), Path: setting("books"),
		},
	}
	for _, row := range []struct {
		name   string
		config config.Daemon
		a      config.DaemonAccount
		want   notify.Commands
	}{
		{"a folder", config.Daemon{}, folder, notify.Commands{
			Files: " '/srv/my ads/shop'", Orders: " '/srv/my ads/shop'",
		}},
		{"a folder of a configuration", config.Daemon{File: "/etc/adsync/daemon.yaml"}, folder, notify.Commands{
			Files: " '/srv/my ads/shop'", Orders: " --account shop --config /etc/adsync/daemon.yaml",
		}},
		{"a repository", config.Daemon{File: "/etc/adsync/daemon.yaml"}, branch, notify.Commands{
			Files: " --git https://git.example.com/ads.git " +
				"--ref main --path books --state /var/lib/adsync/books --operator /etc/adsync/books.yaml",
			Orders: " --account books --config /etc/adsync/daemon.yaml",
		}},
	} {
		d := &daemonRun{env: &session.Env{}}
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
		told := &eventSink{notifier: notifier, orders: &session.Lease{Place: orders.Folder(t.TempDir())}}
		for _, class := range row.runs {
			told.emit(t.Context(), daemon.Result{Class: class})
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
	config, problems := config.ReadDaemon(file)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	to, err := (&daemonRun{env: &session.Env{}}).destinations(config.Accounts[0])
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
