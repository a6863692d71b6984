package main

import (
	"fmt"
	"io"
	"net/mail"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/internal/daemon"
	"adsync/internal/testing/mailtest"
)

// noticed is a daemon of the quickstart that mails what happens.
type noticed struct {
	*pausing
	letters *mailtest.Server
}

// newNoticed starts one whose mails are of some topics. more is of its configuration.
func newNoticed(t *testing.T, topics, more string) *noticed {
	t.Helper()
	q := &noticed{&pausing{T: t, service: serveAccount(t)}, mailtest.Open(t)}
	q.dir, q.operator = ownQuickstart(t)
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf(`
listen: 127.0.0.1:0
every: 2s
settle: 200ms
operator: %s
mail: {host: 127.0.0.1, port: %d, user: adsync, password: {env: MAIL_PASSWORD}, from: adsync@shop.example}
people: {annabel: {email: annabel@shop.example}}
notify: [{to: [annabel], on: [%s]}]
accounts: [{name: shop, folder: %s}]
%s`, q.operator, q.letters.Port, topics, q.dir, more))
	q.p = startDaemonWith(t, q.service.environment("SSL_CERT_FILE="+q.letters.CA, "MAIL_PASSWORD="+mailtest.Password,
		daemoncmd.EnvDaemonToken+"="+watchmansToken), "--config", file)
	q.at = fmt.Sprint(q.p.until("msg", "the daemon answers")["address"])
	q.p.until("msg", "run ended", "class", "applied")
	q.p.until("msg", "run ended", "class", "in_sync")
	return q
}

// letter is the next mail: its subject, and its words in one line.
func (q *noticed) letter() (subject, words string) {
	q.Helper()
	var text string
	select {
	case text = <-q.letters.Letters:
	case <-time.After(patience):
		q.Fatalf("no letter comes; the daemon says\n%s", q.p.said())
	}
	letter, err := mail.ReadMessage(strings.NewReader(text))
	noError(q.T, err)
	body, err := io.ReadAll(letter.Body)
	noError(q.T, err)
	plain := strings.NewReplacer("=\r\n", "", "=3D", "=", "=E2=80=9C", "“").Replace(string(body))
	return letter.Header.Get("Subject"), strings.Join(strings.Fields(plain), " ")
}

// TestAPauseOfOneCampaignIsMailed: that it is carried out, with who, why and what could be spent, and that it goes on;
// each once.
func TestAPauseOfOneCampaignIsMailed(t *testing.T) {
	t.Parallel()
	q := newNoticed(t, "paused", "figures: false\n")
	q.order("pauses", `{"by":"ann","resource":"`+q.idOf("Spring launch")+`","reason":"wrong page"}`, 202)
	s := q.until("paused", settled)
	subject, words := q.letter()
	for _, want := range []string{"paused by ann on 20", ": wrong page; carried out at the service on 20",
		"; it could spend 50.00 USD a day"} {
		if subject != "adsync shop: Spring launch is paused" || !strings.Contains(words, want) {
			t.Errorf("the letter %q says %q; want %q", subject, words, want)
		}
	}
	q.order("pauses/"+s.Pauses[0].ID+"/go-on", `{"by":"bob","reason":"it is mended"}`, 202)
	q.until("it has gone on", func(s daemon.Status) bool { return len(s.Pauses) == 0 })
	subject, words = q.letter()
	if subject != "adsync shop: Spring launch goes on" || !strings.Contains(words, "ordered by bob on 20") ||
		!strings.Contains(words, ": it is mended; it was paused by ann on 20") {
		t.Errorf("the letter %q says %q; want who had it go on, and why", subject, words)
	}
	q.order("wake", `{"by":"ann"}`, 202)
	q.p.until("msg", "run ended", "class", "in_sync")
	q.p.end()
	if n := len(q.letters.Letters); n > 0 {
		t.Errorf("%d letters more; want each once", n)
	}
}
