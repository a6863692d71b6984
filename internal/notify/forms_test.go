package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/kinds"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/internal/secret"
	"adsync/internal/testing/golden"
	"adsync/plan"
	"adsync/state"
)

// full is a message with everything, and with what each form could take for
// markup.
func full() *Message {
	return &Message{
		ID: "ID7", Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Account: "shop", Title: "1 failed; 2 waiting for approval", Topics: []Topic{topicFailed, topicHeld},
		Money: []string{"Possible spend a day: 50.00 → 120.00 USD (+70.00)"},
		Sections: []Section{
			{Topic: topicFailed, Title: "1 *failed*", Items: []Item{{Text: "ad/x/y/z is failed: " +
				"<!channel> [click](https://evil.example) & `code` _here_", Command: "adsync show run-000007"}}},
			{Topic: topicHeld, Title: "2 waiting for approval", Items: []Item{{Text: "campaign/x: {{name}} would start",
				Command: "adsync apply --allow activates=campaign/x"}}, More: 1},
		},
		Page: "https://adsync.example/accounts/shop", Run: "run-000007", Commit: "0123456789abcdef0123", Missing: 2,
	}
}

func indented(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return append(b.Bytes(), '\n')
}

func TestBodies(t *testing.T) {
	golden.File(t, "testdata/webhook.json", indented(t, webhookBody(full())))
	golden.File(t, "testdata/slack.json", indented(t, slackBody(full())))
	golden.File(t, "testdata/teams.json", indented(t, teamsBody(full())))
	golden.File(t, "testdata/mail.txt", []byte(plainText(full())))
}

// hostile is what somebody may call a campaign, or write as a reason.
var hostile = []string{
	"<!channel>", "@channel @here", "<https://evil.example|the plan>",
	"[the plan](https://evil.example)", "*bold* _not_ ~so~ `code` ```block```", "# heading\n- list",
	"<script>alert(1)</script>", "&lt;b&gt;", "{{DATE(2026-01-01T00:00:00Z)}}", "\u202egnp.exe",
	"a\r\nBcc: evil@example.com", "\x1b[2J", strings.Repeat("long ", 2000), ":tada:", "' ; rm -rf ~ ; '",
}

// What is in a message is never taken for markup, a link or a mention, and hides
// nothing: in Slack and Teams it stands where there is none.
func TestNothingForeignIsMarkup(t *testing.T) {
	for _, name := range hostile {
		p := &planview.Document{Account: planview.Account{Currency: "USD"}}
		p.Changes = []plan.ChangeDocument{{Address: "campaign/x", Held: &plan.HoldDocument{
			Message: "name is " + name, Allow: "activates=campaign/x",
		}}}
		run := &runview.Document{
			Head:     runview.Head{Run: "run-000007"},
			Outcomes: []runview.Outcome{{Address: "ad/y", Outcome: state.OutcomeFailed, Message: name}},
		}
		order := &daemon.Suspension{By: name, Reason: name}
		s := Of(daemon.Result{Class: daemon.Partial, Message: name, Plan: p, Run: run},
			daemon.Status{Suspended: order}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), kinds.All(), Commands{})
		m := (&memory{}).news(s, Topics(), day)
		m.Account = "shop"
		for _, one := range []struct {
			form string
			text string
		}{{"slack", strings.Join(texts(t, slackBody(m), "mrkdwn", "TextBlock"), "")},
			{"teams", strings.Join(texts(t, teamsBody(m), "TextBlock", "mrkdwn"), "")}} {
			if one.text != "" {
				t.Errorf("%s reads %q as markup", one.form, one.text)
			}
		}
		for form, body := range map[string]string{
			"slack": string(slackBody(m)), "teams": string(teamsBody(m)),
			"mail": plainText(m), "webhook": string(webhookBody(m)),
		} {
			for _, wrong := range []string{"\u202e", "\x1b", `\u001b`, "\r", "\nBcc:"} {
				if strings.Contains(body, wrong) {
					t.Errorf("%s has %q of %q", form, wrong, name)
				}
			}
			if form == "slack" && strings.Contains(body, "<!channel>") ||
				form == "teams" && strings.Contains(body, "{{") {
				t.Errorf("%s has %q as it was", form, name)
			}
			if len(body) > 20_000 {
				t.Errorf("%s of %.20q has %d bytes", form, name, len(body))
			}
		}
	}
}

// texts are those of a JSON document whose objects have one of these types.
func texts(t *testing.T, body []byte, types ...string) (found []string) {
	t.Helper()
	var document any
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			if text, is := v["text"].(string); is && slices.Contains(types, fmt.Sprint(v["type"])) {
				found = append(found, text)
			}
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(document)
	return found
}

// A command that is pasted does what the message says: no form cuts or changes it.
func TestCommandsAreWholeInEveryForm(t *testing.T) {
	var items []Item
	for i := range 10 {
		items = append(items, Item{
			Text: strings.Repeat("x", longest), Command: fmt.Sprintf("adsync apply "+
				"--allow activates=campaign/%s_%d '/srv/a b & c'", strings.Repeat("k", 200), i),
		})
	}
	m := &Message{
		Account: "shop", Title: "10 waiting for approval",
		Topics:   []Topic{topicHeld},
		Sections: []Section{{Topic: topicHeld, Title: "10 waiting for approval", Items: items}},
	}
	for form, body := range map[string]string{
		"slack": strings.Join(texts(t, slackBody(m), "plain_text"), "\n"),
		"teams": strings.Join(texts(t, teamsBody(m), "TextRun"), "\n"), "mail": plainText(m),
	} {
		whole := 0
		for line := range strings.Lines(body) {
			line = strings.TrimSpace(line)
			for _, item := range items {
				if line == item.Command {
					whole++
				}
			}
			if strings.HasPrefix(line, "adsync ") && !strings.HasSuffix(line, "'/srv/a b & c'") {
				t.Errorf("%s has %q", form, line)
			}
		}
		if more := strings.Contains(body, fmt.Sprintf("… and %d more", len(items)-whole)); whole == 0 ||
			whole < len(items) && !more {
			t.Errorf("%s has %d of %d commands whole; want the others counted: %t", form, whole, len(items), more)
		}
	}
}

// The forms refuse what is too long: a message of many items fits all the same.
func TestLargeMessagesFit(t *testing.T) {
	var items []Item
	for i := range 500 {
		items = append(items, Item{
			Text:    fmt.Sprintf("campaign/%d: %s", i, strings.Repeat("😀", 400)),
			Command: "adsync apply --allow activates=campaign/" + strconv.Itoa(i) + strings.Repeat("k", 500),
		})
	}
	s := held()
	s.Class, s.Held, s.Failed, s.Drift = daemon.Partial, items, items, items
	var k memory
	m := k.news(s, Topics(), day)
	m.Account = "shop"
	if n := len(m.Sections[0].Items); n != itemsShown || m.Sections[0].More != 490 {
		t.Fatalf("%d items and %d more; want %d and 490", n, m.Sections[0].More, itemsShown)
	}
	for _, text := range texts(t, slackBody(m), "plain_text", "mrkdwn") {
		if n := len([]rune(text)); n > slackSection {
			t.Errorf("a section of %d characters; Slack takes %d", n, slackSection)
		}
	}
	if n := len(teamsBody(m)); n > teamsMost {
		t.Errorf("a card of %d bytes; Teams takes %d", n, teamsMost)
	}
}

// received is what a server was sent.
type received struct {
	header http.Header
	body   []byte
}

func serve(t *testing.T, status int) (*httptest.Server, chan received) {
	t.Helper()
	got := make(chan received, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- received{r.Header, body}
		if status == http.StatusFound {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server, got
}

func TestWebhookIsSigned(t *testing.T) {
	server, got := serve(t, http.StatusNoContent)
	key := secret.New("0123456789abcdef")
	to := &Destination{Form: Webhook, URL: secret.New(server.URL), Key: key}
	if err := (network{}).Send(t.Context(), to, full()); err != nil {
		t.Fatal(err)
	}
	r := <-got
	stamp, mac, ok := strings.Cut(strings.TrimPrefix(r.header.Get("X-Adsync-Signature"), "t="), ",v1=")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if !ok || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
		t.Fatalf("signature %q; want t=now,v1=…", r.header.Get("X-Adsync-Signature"))
	}
	if want := sign(key, time.Unix(seconds, 0), r.body); want != "t="+stamp+",v1="+mac {
		t.Errorf("signature %s; want %s", mac, want)
	}
	if r.header.Get("X-Adsync-Delivery") != "ID7" || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v; want the delivery's id and JSON", r.header)
	}
}

// openssl says the same: printf '1772366400.{"a":1}' | openssl dgst -sha256 -hmac 0123456789abcdef
func TestSignatureVector(t *testing.T) {
	const want = "t=1772366400,v1=acd30bf13a2aa541abed423b71367f807abad7340e7235616e930e329422e0f4"
	if have := sign(secret.New("0123456789abcdef"), time.Unix(1772366400, 0), []byte(`{"a":1}`)); have != want {
		t.Errorf("sign = %s; want %s", have, want)
	}
}

func TestAnswersOfTheServer(t *testing.T) {
	for status, want := range map[int]struct{ delivered, final bool }{
		200: {delivered: true}, 202: {delivered: true}, 302: {final: true},
		400: {final: true}, 404: {final: true}, 408: {}, 410: {final: true}, 429: {}, 500: {}, 503: {},
	} {
		server, got := serve(t, status)
		err := (network{}).Send(t.Context(),
			&Destination{Form: Slack, URL: secret.New(server.URL + "/secret-path")}, full())
		if (err == nil) != want.delivered {
			t.Errorf("%d: %v", status, err)
		}
		if refused, ok := err.(*refusal); ok && (refused.final != want.final || refused.after != 7*time.Second) {
			t.Errorf("%d: %+v; want final %t, and again after 7s", status, refused, want.final)
		}
		if <-got; len(got) != 0 {
			t.Errorf("%d: asked %d times more", status, len(got))
		}
	}
	err := (network{}).Send(t.Context(),
		&Destination{Form: Teams, URL: secret.New("http://127.0.0.1:1/secret-path")}, full())
	if err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("a server that is not there: %v; want an error without the address", err)
	}
}

func TestAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "soon": 0, "Sun, 01 Mar 2026 12:02:00 GMT": 2 * time.Minute,
		"999999999999": 24 * time.Hour, "99999999999999999999": 0,
	} {
		if have := after(header, now); have != want {
			t.Errorf("after(%q) = %s; want %s", header, have, want)
		}
	}
}

// Each form is a whole row, and what is none is neither taken nor sent to.
func TestEveryFormIsARow(t *testing.T) {
	for _, name := range []Form{Webhook, Slack, Teams, Email} {
		if row := forms[name]; row.check == nil || row.send == nil {
			t.Errorf("%s has no whole row in forms", name)
		}
	}
	to := &Destination{Form: "pigeon", URL: secret.New("https://hooks.example/loft")}
	if err := to.check(); err == nil || !strings.Contains(err.Error(), `form is "pigeon"`) {
		t.Errorf("check: %v; want that no form is called pigeon", err)
	}
	refused := new(refusal)
	if err := (network{}).Send(t.Context(), to, full()); !errors.As(err, &refused) || !refused.final {
		t.Errorf("send: %v; want it refused for good", err)
	}
}
