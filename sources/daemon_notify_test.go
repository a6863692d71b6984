package sources

import (
	"strings"
	"testing"
	"time"
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
	if len(books) != 2 || books[0].Form != "webhook" || books[0].Key.Value != "HOOK_KEY" || len(books[0].On) != 2 || books[0].Remind != 48*time.Hour ||
		books[1].Host != "mail.example.com" || books[1].Port != 465 || books[1].TLS != "tls" || len(books[1].To) != 1 {
		t.Errorf("books tells %+v", books)
	}
}

func TestWhereTheDaemonTellsIsRefused(t *testing.T) {
	for _, row := range []struct{ name, notify, want string }{
		{"no list", "{slack: {}}", "notify is a mapping; want a list"},
		{"two places", "[{slack: {url: {env: A}}, teams: {url: {env: A}}}]", "names 2 places; want one of webhook, slack, teams and email"},
		{"no place", "[{on: [held]}]", "names 0 places"},
		{"an unknown place", "[{pager: {}}]", `notify has "pager"`},
		{"a topic nobody knows", "[{slack: {url: {env: A}}, on: [everything]}]", `notify.on is "everything"`},
		{"an address in the file", "[{slack: {url: https://hooks.example/secret-path}}]", "want one of env, file and command"},
		{"no port", "[{email: {port: smtp}}]", `notify.email.port is "smtp"`},
		{"a moment", "[{slack: {url: {env: A}}, remind: 1s}]", "notify.remind is"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, problems := readDaemon(t, "accounts: [{name: a, folder: a}]\nnotify: "+row.notify+"\n")
			if !strings.Contains(problems, row.want) || !strings.Contains(problems, "daemon.yaml:2:") && !strings.Contains(problems, "daemon.yaml: line 2") || strings.Contains(problems, "secret-path") {
				t.Errorf("problems are:\n%s\nwant %s", problems, row.want)
			}
		})
	}
}
