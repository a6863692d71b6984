package sources_test

import (
	"strings"
	"testing"
	"time"

	"adsync/sources/config"
)

func TestWhereTheDaemonTells(t *testing.T) {
	d, problems := readDaemon(t, `
notify:
- slack: {url: {env: SLACK_URL}}
accounts:
- {name: shop, folder: shop}
- name: books
  folder: books
  notify:
  - webhook: {url: {file: /run/hook}, key: {env: HOOK_KEY}}
    on: [held, applied]
    remind: 48h
  - email: {host: mail.example.com, port: 465, tls: tls, user: adsync, password: {env: MAIL}, from: adsync@example.com, to: [anna@example.com]}
`)
	if problems != "" || len(d.Accounts) != 2 {
		t.Fatalf("%d accounts, problems:\n%s", len(d.Accounts), problems)
	}
	shop, books := d.Accounts[0].Notify, d.Accounts[1].Notify
	if len(shop) != 1 || shop[0].Form != "slack" || shop[0].URL.Value != "SLACK_URL" {
		t.Errorf("shop tells %+v; want what stands for all", shop)
	}
	if len(books) != 2 || books[0].Form != "webhook" ||
		books[0].Key.Value != "HOOK_KEY" || len(books[0].On) != 2 || books[0].Remind != 48*time.Hour ||
		books[1].Host != "mail.example.com" || books[1].Port != 465 || books[1].TLS != "tls" || len(books[1].To) != 1 {
		t.Errorf("books tells %+v", books)
	}
}

func TestWhereTheDaemonTellsIsRefused(t *testing.T) {
	for _, row := range []struct{ name, notify, want string }{
		{"no list", "{slack: {}}", "notify is a mapping; want a list"},
		{"two places", "[{slack: {url: {env: A}}, teams: {url: {env: A}}}]",
			"slack and teams stand in one entry; want one place an entry"},
		{"no place", "[{on: [held]}]", "names no place; want one of webhook, slack, teams and email, or people in to"},
		{"an unknown place", "[{pager: {}}]", `notify has "pager"`},
		{"a topic nobody knows", "[{slack: {url: {env: A}}, on: [everything]}]", `notify.on is "everything"`},
		{"an address in the file", "[{slack: {url: https://hooks.example/secret-path}}]",
			"want one of env, file and command"},
		{"nobody's name", "[{to: [anna]}]", `to names "anna", who is none of people`},
		{"a place and people", "[{slack: {url: {env: A}}, to: [anna]}]", "names a place and people; want one of both"},
		{"quiet hours of an entry for people", `[{to: [anna], quiet: {from: "20:00", to: "07:00"}}]`,
			"want it at each of them"},
		{"no time of the day", `[{slack: {url: {env: A}}, quiet: {from: evening, to: "07:00"}}]`,
			`quiet.from is "evening"; want a time of the day`},
		{"quiet hours without an end", `[{slack: {url: {env: A}}, quiet: {from: "00:00"}}]`,
			"quiet has no from and to that differ"},
		{"no port", "[{email: {port: smtp}}]", `notify.email.port is "smtp"`},
		{"a moment", "[{slack: {url: {env: A}}, remind: 1s}]", "notify.remind is"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, problems := readDaemon(t, "accounts: [{name: a, folder: a}]\nnotify: "+row.notify+"\n")
			if !strings.Contains(problems, row.want) || !strings.Contains(problems, "daemon.yaml:2:") &&
				!strings.Contains(problems, "daemon.yaml: line 2") || strings.Contains(problems, "secret-path") {
				t.Errorf("problems are:\n%s\nwant %s", problems, row.want)
			}
		})
	}
}

// People are named once, with where and when they are told, and by entries that say of
// what; each account may have other entries.
func TestWhoTheDaemonTells(t *testing.T) {
	d, problems := readDaemon(t, `
mail: {host: mail.example.com, user: adsync, password: {env: MAIL}, from: adsync@example.com}
people:
  anna: {email: anna@example.com, quiet: {from: "20:00", to: "07:30"}, remind: 48h}
  ben: {slack: {url: {env: BEN_SLACK}}}
notify:
- {to: [anna], on: [held, applied]}
- {to: [anna, ben], on: [failed]}
accounts:
- {name: shop, folder: shop}
- name: books
  folder: books
  notify: [{to: [ben]}]
`)
	if problems != "" || len(d.Accounts) != 2 {
		t.Fatalf("%d accounts, problems:\n%s", len(d.Accounts), problems)
	}
	shop, books := d.Accounts[0].Notify, d.Accounts[1].Notify
	if len(shop) != 3 || len(books) != 1 {
		t.Fatalf("shop tells %+v\nbooks tells %+v", shop, books)
	}
	anna := shop[0]
	if anna.Form != "email" || anna.Host != "mail.example.com" || anna.Password.Value != "MAIL" ||
		anna.TLS != "starttls" || len(anna.To) != 1 || anna.To[0] != "anna@example.com" ||
		anna.Quiet != (config.Quiet{From: 20 * time.Hour, To: 7*time.Hour + 30*time.Minute}) ||
		anna.Remind != 48*time.Hour || len(anna.On) != 2 {
		t.Errorf("anna is told %+v", anna)
	}
	if ben := shop[2]; ben.Person != "ben" || ben.Form != "slack" ||
		ben.URL.Value != "BEN_SLACK" || len(ben.On) != 1 || len(books[0].On) != 0 || books[0].Person != "ben" {
		t.Errorf("ben is told %+v and of books %+v", ben, books[0])
	}
}

func TestPeopleOfTheDaemonAreRefused(t *testing.T) {
	for _, row := range []struct{ name, people, want string }{
		{"a list", "[anna]", "people is a list; want a mapping"},
		{"no place", "{anna: {remind: 2h}}", `person "anna" has no place`},
		{"two places", "{anna: {email: a@b.example, slack: {url: {env: A}}}}", "want one place"},
		{"a name with a space", "{Anna B: {email: a@b.example}}", `a person has the name "Anna B"`},
		{"mail without a server", "{anna: {email: a@b.example}}", "no mail server is named; want one"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, problems := readDaemon(t, "accounts: [{name: a, folder: a}]\nnotify: [{to: [anna]}]\npeople: "+
				row.people+"\n")
			if !strings.Contains(problems, row.want) {
				t.Errorf("problems are:\n%s\nwant %s", problems, row.want)
			}
		})
	}
}

func TestTheAddressThatTheDaemonLives(t *testing.T) {
	for _, row := range []struct{ name, alive, want string }{
		{"all of it", "{url: {env: ALIVE_URL}, every: 1m}", ""},
		{"no address", "{every: 1m}", "alive has no url"},
		{"an address in the file", "{url: https://monitor.example/secret-path}", "want one of env, file and command"},
		{"too often", "{url: {env: ALIVE_URL}, every: 1s}", `alive.every is "1s"; want a time from 10s`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, problems := readDaemon(t, "accounts: [{name: a, folder: a}]\nalive: "+row.alive+"\n")
			if row.want == "" && (problems != "" || d.Alive.URL.Value != "ALIVE_URL" || d.Alive.Every != time.Minute) ||
				!strings.Contains(problems, row.want) || strings.Contains(problems, "secret-path") {
				t.Errorf("alive is %+v, problems are:\n%s\nwant %q", d.Alive, problems, row.want)
			}
		})
	}
}

func TestHowLongTheDaemonKeepsThings(t *testing.T) {
	for _, row := range []struct{ name, keep, want string }{
		{"all of it", "{people: 400d, results: 90d, uploads: 5m}", ""},
		{"no days", "{people: 400}", `keep.people is "400"; want days from 31d`},
		{"hours", "{results: 12h}", `keep.results is "12h"; want days`},
		{"names of people that approvals need", "{people: 30d}", `keep.people is "30d"; want days from 31d`},
		{"uploads for ever", "{uploads: 240h}", `keep.uploads is "240h"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, problems := readDaemon(t, "accounts: [{name: a, folder: a}]\nkeep: "+row.keep+"\n")
			if row.want == "" && (problems != "" || d.Keep != config.Keep{
				People: 400 * 24 * time.Hour, Results: 90 * 24 * time.Hour, Uploads: 5 * time.Minute,
			}) ||
				!strings.Contains(problems, row.want) {
				t.Errorf("keep is %+v, problems are:\n%s\nwant %q", d.Keep, problems, row.want)
			}
		})
	}
}

func TestAboveWhatSpendIsTold(t *testing.T) {
	for _, row := range []struct {
		name, pace string
		want       config.Pace
		problem    string
	}{
		{"nothing said", "", config.Pace{Lifetime: 20}, ""},
		{"both", "pace: {daily: 5%, lifetime: 30}", config.Pace{Daily: 5, Lifetime: 30}, ""},
		{"of a budget alone", "pace: {daily: 25%}", config.Pace{Daily: 25, Lifetime: 20}, ""},
		{"less than all", "pace: {daily: -5%}", config.Pace{}, `pace.daily is "-5%"; want percent from 0 to 1000`},
		{"a part", "pace: {lifetime: 0.2}", config.Pace{}, `pace.lifetime is "0.2"; want percent`},
		{"another word", "pace: {even: 20%}", config.Pace{}, "even"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, problems := readDaemon(t, row.pace+"\naccounts: [{name: a, folder: a}, {name: b, folder: b, "+
				"pace: {daily: 7%}}]\n")
			if row.problem != "" {
				if !strings.Contains(problems, row.problem) {
					t.Errorf("problems are:\n%s\nwant %q", problems, row.problem)
				}
				return
			}
			own := config.Pace{Daily: 7, Lifetime: row.want.Lifetime}
			if problems != "" || d.Accounts[0].Pace != row.want || d.Accounts[1].Pace != own {
				t.Errorf("pace is %+v and %+v, problems are:\n%s\nwant %+v and %+v",
					d.Accounts[0].Pace, d.Accounts[1].Pace, problems, row.want, own)
			}
		})
	}
}
