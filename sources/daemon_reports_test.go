package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// peopleOfReports are two who are told by mail, one by a chat, and a program.
const peopleOfReports = `
mail: {host: mail.example.com, from: adsync@example.com}
people:
  anna: {email: anna@example.com}
  ben: {email: ben@example.com}
  chat: {slack: {url: {env: CHAT_URL}}}
  store: {webhook: {url: {env: STORE_URL}, key: {env: STORE_KEY}}}
accounts: [{name: shoes, folder: shoes}, {name: hats, folder: hats}]
`

func TestReportsOfTheConfiguration(t *testing.T) {
	d, problems := readDaemon(t, peopleOfReports+`
reports:
- {every: monday 08:00, to: [anna, ben, anna]}
- {every: "daily 7:30", to: [chat], accounts: [hats]}
- every: first-of-month 08:00
  to: [anna, store]
  attach: xlsx
- {every: friday 17:00, span: 14d, to: [store], accounts: [hats, shoes], format: markdown}
`)
	if problems != "" {
		t.Fatal(problems)
	}
	var have []string
	for _, a := range d.Accounts {
		for _, r := range a.Reports {
			var to []string
			for _, n := range r.To {
				to = append(to, n.Person+" by "+n.Form+" of "+n.Host)
			}
			have = append(have, fmt.Sprintf("%s: %s %s %s %s/%s to %s", a.Name.Value, r.Day, r.At, r.Span,
				r.Format.Value, r.Attach.Value, strings.Join(to, ", ")))
		}
	}
	if diff := cmp.Diff([]string{
		"shoes: monday 8h0m0s last-week / to anna by email of mail.example.com, ben by email of mail.example.com",
		"shoes: first-of-month 8h0m0s last-month /xlsx to anna by email of mail.example.com, store by webhook of ",
		"shoes: friday 17h0m0s 14d markdown/ to store by webhook of ",
		"hats: monday 8h0m0s last-week / to anna by email of mail.example.com, ben by email of mail.example.com",
		"hats: daily 7h30m0s yesterday / to chat by slack of ",
		"hats: first-of-month 8h0m0s last-month /xlsx to anna by email of mail.example.com, store by webhook of ",
		"hats: friday 17h0m0s 14d markdown/ to store by webhook of ",
	}, have); diff != "" {
		t.Error(diff)
	}
}

// TestWrongReports: each is a problem at its place.
func TestWrongReports(t *testing.T) {
	for _, row := range []struct{ reports, want string }{
		{"reports: weekly", `daemon.yaml:9:10: reports is "weekly"; want a list`},
		{"reports: [weekly]", `daemon.yaml:9:11: reports is "weekly"; want a mapping`},
		{"reports: [{every: mondays 08:00, to: [anna]}]", `daemon.yaml:9:19: reports.every is "mondays 08:00"; ` +
			`want daily, a day of the week or first-of-month, and a time of the day`},
		{"reports: [{every: monday, to: [anna]}]", `daemon.yaml:9:19: reports.every is "monday"; ` +
			`want daily, a day of the week or first-of-month, and a time of the day`},
		{"reports: [{every: monday 24:00, to: [anna]}]", `daemon.yaml:9:19: reports.every is "monday 24:00"; ` +
			`want daily, a day of the week or first-of-month, and a time of the day`},
		{"reports: [{every: daily 08:00, span: lastweek, to: [anna]}]", `daemon.yaml:9:38: reports.span is "lastweek"; ` +
			`want today, yesterday, this-week, last-week, this-month, last-month, or days such as 7d, at most 200d`},
		{"reports: [{every: daily 08:00, span: 201d, to: [anna]}]", `daemon.yaml:9:38: reports.span is "201d"; ` +
			`want today, yesterday, this-week, last-week, this-month, last-month, or days such as 7d, at most 200d`},
		{"reports: [{every: daily 08:00}]",
			`daemon.yaml:9:11: a report has no every or no to; want when it is sent, and to whom`},
		{"reports: [{to: [anna]}]",
			`daemon.yaml:9:11: a report has no every or no to; want when it is sent, and to whom`},
		{"reports: [{every: daily 08:00, to: anna}]", `daemon.yaml:9:36: reports.to is "anna"; want a list`},
		{"reports: [{every: daily 08:00, to: [ana]}]",
			`daemon.yaml:9:37: to names "ana", who is none of people; want a name that stands there`},
		{"reports: [{every: daily 08:00, to: [anna], accounts: [shoe]}]", `daemon.yaml:9:55: reports.accounts names ` +
			`"shoe", which is none of accounts; want a name that stands there`},
		{"reports: [{every: daily 08:00, to: [anna], format: pdf}]",
			`daemon.yaml:9:52: reports.format is "pdf"; want html, markdown, json`},
		{"reports: [{every: daily 08:00, to: [anna, store], format: html}]",
			`daemon.yaml:9:59: reports.format is "html", and store is told by webhook; want json or markdown`},
		{"reports: [{every: daily 08:00, to: [chat], format: html}]", `daemon.yaml:9:52: reports.format is "html", ` +
			`and chat is told by slack; want no format, as that has a form of its own`},
		{"reports: [{every: daily 08:00, to: [anna], attach: pdf}]",
			`daemon.yaml:9:52: reports.attach is "pdf"; want xlsx`},
		{"reports: [{every: daily 08:00, to: [chat], attach: xlsx}]",
			`daemon.yaml:9:52: reports.attach is of a mail, and nobody of to is told by mail; want no attach`},
		{"reports: [{every: daily 08:00, to: [anna], hour: 8}]",
			`daemon.yaml:9:44: reports has "hour"; want accounts, attach, every, format, span, to`},
		{"figures: false\nreports: [{every: daily 08:00, to: [anna]}]",
			`daemon.yaml:10:11: a report is of figures, and figures is false; want true`},
	} {
		if _, problems := readDaemon(t, peopleOfReports+row.reports+"\n"); problems != row.want {
			t.Errorf("%s\nis a problem:\n%s\nwant\n%s", row.reports, problems, row.want)
		}
	}
}
