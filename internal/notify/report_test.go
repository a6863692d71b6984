package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/secret"
)

// ofWeek is a message with a report.
func ofWeek() *Message {
	return &Message{
		ID: "ID9", Time: time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC), Account: "shop", Page: "https://ads.example/x",
		Title: "report of 2026-11-16 to 2026-11-22", Topics: []Topic{Reports},
		Sections: []Section{{Topic: Reports, Title: "2026-11-16 to 2026-11-22", Items: []Item{{Text: "Spend: 12.00"}}}},
		Report: &Report{
			Text: "# shop\n", HTML: "<h1>shop: Grüße</h1>", JSON: json.RawMessage(`{"name":"<shop>"}`),
			Embedded: []File{{"0af3.jpg", "image/jpeg", []byte("\xff\xd8\xff")}},
			Attached: []File{{"week.xlsx", "application/x-sheet", []byte("PK\x03\x04")}},
		},
	}
}

// parts are those of a mail, by their type, read by Go's own readers.
func parts(t *testing.T, head func(string) string, body io.Reader) map[string]string {
	t.Helper()
	kind, about, err := mime.ParseMediaType(head("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		content, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{kind + " " + head("Content-Disposition") + head("Content-ID"): string(content)}
	}
	all := map[string]string{}
	for r := multipart.NewReader(body, about["boundary"]); ; {
		part, err := r.NextPart() // which undoes quoted-printable
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		for of, content := range parts(t, part.Header.Get, part) {
			all[of] = content
		}
	}
}

// A report leaves as a mail that is read as HTML or as text, with its workbook, to each mailbox by itself.
func TestAReportIsMailed(t *testing.T) {
	p := &postOffice{user: "adsync", password: "pa55word-of-mail", letters: make(chan string, 2)}
	to := &Destination{Form: Email, Mail: opened(t, p, false)}
	if err := Send(t.Context(), to, ofWeek()); err != nil {
		t.Fatal(err)
	}
	if n := len(p.letters); n != 2 {
		t.Fatalf("%d letters; want one to each", n)
	}
	letter, err := mail.ReadMessage(strings.NewReader(<-p.letters))
	if err != nil {
		t.Fatal(err)
	}
	if subject, id := letter.Header.Get("Subject"), letter.Header.Get("Message-ID"); subject !=
		"adsync shop: report of 2026-11-16 to 2026-11-22" || id != "<ID9@adsync>" {
		t.Errorf("the letter is %q with the id %s", subject, id)
	}
	have := parts(t, letter.Header.Get, letter.Body)
	for of, want := range map[string]string{"text/plain ": "# shop\r\n", "text/html ": "<h1>shop: Grüße</h1>",
		`image/jpeg inline; filename="0af3.jpg"<0af3.jpg@adsync>`: "/9j/",
		`application/x-sheet attachment; filename="week.xlsx"`:    "UEsDBA=="} {
		if strings.TrimSpace(have[of]) != strings.TrimSpace(want) {
			t.Errorf("the letter has %q; want %s: %q", have, of, want)
		}
	}
}

// A program gets the report as it is, signed; a chat gets its lines.
func TestAReportIsPosted(t *testing.T) {
	var body, signature, delivery string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		body, delivery = string(content), r.Header.Get("X-Adsync-Delivery")
		signature = r.Header.Get("X-Adsync-Signature")
	}))
	defer hook.Close()
	const key = "0123456789abcdef"
	inChat := []string{"report of 2026-11-16 to 2026-11-22", "Spend: 12.00", "Open the account"}
	for _, row := range []struct {
		form   Form
		change func(*Report)
		want   []string
		not    []string
	}{
		{Webhook, func(*Report) {}, []string{`"topics":["report"]`, `"report":{"name":"<shop>"}`}, []string{"markdown"}},
		{Webhook, func(r *Report) { r.JSON, r.Markdown = nil, "# shop" },
			[]string{`"markdown":"# shop"`}, []string{`"report":`}},
		{Slack, func(*Report) {}, inChat, []string{"h1"}},
		{Teams, func(*Report) {}, inChat, []string{"h1"}},
	} {
		m := ofWeek()
		row.change(m.Report)
		to := &Destination{Form: row.form, URL: secret.New(hook.URL), Key: secret.New(key)}
		if err := Send(t.Context(), to, m); err != nil {
			t.Fatal(err)
		}
		has := func(text string) bool { return strings.Contains(body, text) }
		if slices.ContainsFunc(row.want, func(text string) bool { return !has(text) }) || !json.Valid([]byte(body)) {
			t.Errorf("%s gets %s; want %q in it", row.form, body, row.want)
		}
		if slices.ContainsFunc(row.not, has) {
			t.Errorf("%s gets %s; want none of %q in it", row.form, body, row.not)
		}
		if row.form != Webhook {
			continue
		}
		stamp, sum, _ := strings.Cut(strings.TrimPrefix(signature, "t="), ",v1=")
		mac := hmac.New(sha256.New, []byte(key))
		fmt.Fprintf(mac, "%s.%s", stamp, body)
		if hex.EncodeToString(mac.Sum(nil)) != sum || delivery != "ID9" {
			t.Errorf("the delivery %q has the signature %q, which is not of its body", delivery, signature)
		}
	}
}

// Only what another attempt cannot change is final.
func TestARefusedReportIsNotTriedAgain(t *testing.T) {
	for status, want := range map[int]bool{404: true, 410: true, 408: false, 429: false, 503: false} {
		answer := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		hook := httptest.NewServer(http.HandlerFunc(answer))
		err := Send(t.Context(), &Destination{Form: Slack, URL: secret.New(hook.URL)}, ofWeek())
		hook.Close()
		if err == nil || Refused(err) != want {
			t.Errorf("after %d: %v, final %t; want %t", status, err, Refused(err), want)
		}
	}
}

// What waits to be told is kept without a report.
func TestAReportIsNotKept(t *testing.T) {
	if content, err := json.Marshal(ofWeek()); err != nil || strings.Contains(string(content), "Grüße") {
		t.Errorf("%s, %v", content, err)
	}
}
