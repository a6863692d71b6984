package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"path/filepath"
	"regexp"
	"strconv"
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

func newNoticed(t *testing.T) *noticed {
	t.Helper()
	q := &noticed{&pausing{T: t, service: serveAccount(t)}, mailtest.Open(t)}
	q.dir, q.operator = ownQuickstart(t)
	return q
}

// begin starts it, with mails of a topic. more is of its configuration.
func (q *noticed) begin(topic, more string) {
	t := q.T
	t.Helper()
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
%s`, q.operator, q.letters.Port, topic, q.dir, more))
	q.p = startDaemonWith(t, q.service.environment("SSL_CERT_FILE="+q.letters.CA, "MAIL_PASSWORD="+mailtest.Password,
		daemoncmd.EnvDaemonToken+"="+watchmansToken), "--config", file)
	q.at = fmt.Sprint(q.p.until("msg", "the daemon answers")["address"])
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
	q := newNoticed(t)
	q.begin("paused", "figures: false\n")
	q.p.until("msg", "run ended", "class", "applied")
	q.p.until("msg", "run ended", "class", "in_sync")
	q.order("pauses", `{"by":"ann","resource":"`+q.idOf("Spring launch")+`","reason":"wrong page"}`, 202)
	s := q.until("paused", settled)
	subject, words := q.letter()
	for _, want := range []string{
		"carried out at the service on 20", "; it could spend 50.00 USD a day; paused by ann on 20",
		": wrong page"} {
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

// spentDollars are the whole dollars of a figure that is not below one.
var spentDollars = regexp.MustCompile(`"spend":[1-9][0-9]*`)

// TestSpendThatPassesIsMailed: figures are those of the emulator's deliveries, of yesterday and today, with 100 more a
// day, as the emulator keeps to its budgets; the operator's cap is below both. A restart repeats nothing.
func TestSpendThatPassesIsMailed(t *testing.T) {
	t.Parallel()
	q := newNoticed(t)
	saveEdit(t, q.dir, "start: 2027-03-01\nend: 2027-05-31\n", "")
	q.begin("spend", "figures: false\n")
	q.p.until("msg", "run ended", "class", "applied")
	q.p.until("msg", "run ended", "class", "in_sync")
	q.p.end()
	zone, err := time.LoadLocation("America/New_York")
	noError(t, err)
	now := time.Now().In(zone)
	evening := time.Date(now.Year(), now.Month(), now.Day()+2, 20, 0, 0, 0, zone)
	answer, err := http.Post(strings.TrimSuffix(q.service.url, "/v1")+"/_emulator/clock", "application/json",
		strings.NewReader(fmt.Sprintf(`{"advance_seconds": %d}`, int(evening.Sub(now)/time.Second))))
	noError(t, err)
	noError(t, answer.Body.Close())
	// today it is 70 for a while, and yesterday it was 50
	for _, amount := range []int{70, 60} {
		askServiceAs(t, q.service, strangerKey, http.MethodPost, "/campaigns/"+q.idOf("Spring launch"),
			fmt.Sprintf(`{"budget": {"daily_spend_limit_micros": %d000000}}`, amount), nil)
	}
	more := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/insights") {
			return false
		}
		answer := httptest.NewRecorder()
		q.service.server.ServeHTTP(answer, r)
		body := spentDollars.ReplaceAllStringFunc(answer.Body.String(), func(field string) string {
			dollars, err := strconv.Atoi(strings.TrimPrefix(field, `"spend":`))
			noError(t, err)
			return fmt.Sprintf(`"spend":%d`, dollars+100)
		})
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = w.Write([]byte(body))
		return true
	}
	q.service.before.Store(&more)
	saveFile(t, q.operator, "policy: {max_daily_exposure: 100.00}\n")
	q.begin("spend", "")
	subject, words := q.letter()
	today, yesterday := evening.Format(time.DateOnly), evening.AddDate(0, 0, -1).Format(time.DateOnly)
	if subject != "adsync shop: 4 spent more than is allowed" {
		t.Errorf("the subject is %q; want that of a budget and a cap, on two days", subject)
	}
	for _, want := range []string{
		" USD on " + yesterday + "; its daily budget allows 50.00 USD; seen since " + today + " 20:",
		" USD on " + today + " so far; its daily budget allows 70.00 USD",
		" USD on " + yesterday + "; max_daily_exposure of the policy is 100.00 USD",
		" USD on " + today + " so far; max_daily_exposure of the policy is 100.00 USD", "Spring launch spent "} {
		if !strings.Contains(words, want) {
			t.Errorf("the letter says %q; want %q", words, want)
		}
	}
	s := q.until("the status has it", func(s daemon.Status) bool { return len(s.Passed) == 4 })
	if p := s.Passed[0]; p.Day != today || !p.SoFar || p.Currency != "USD" || p.Spent <= p.Allowed {
		t.Errorf("the status says %+v first; want the cap of today", p)
	}
	says(q.T, q.dir, "spend        the account spent ", true)
	q.p.end()
	q.begin("spend", "")
	q.until("the status has it again", func(s daemon.Status) bool { return len(s.Passed) == 4 })
	q.p.end()
	if n := len(q.letters.Letters); n > 0 {
		t.Errorf("%d letters more; want each once", n)
	}
}
