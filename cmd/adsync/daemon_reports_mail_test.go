package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/mailtest"

	"github.com/xuri/excelize/v2"
)

// mailParts are the parts of a mail by their types.
func mailParts(t *testing.T, kind string, body io.Reader) map[string]string {
	t.Helper()
	of, about, err := mime.ParseMediaType(kind)
	noError(t, err)
	if !strings.HasPrefix(of, "multipart/") {
		content, err := io.ReadAll(body)
		noError(t, err)
		return map[string]string{of: string(content)}
	}
	all := map[string]string{}
	for parts := multipart.NewReader(body, about["boundary"]); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return all
		}
		noError(t, err)
		for name, content := range mailParts(t, part.Header.Get("Content-Type"), part) {
			all[name] = content
		}
	}
}

// TestAReportIsMailedByADaemon: as HTML, as text and with its workbook, which a spreadsheet program opens.
func TestAReportIsMailedByADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	server := mailtest.Open(t)
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf(`
listen: none
every: 2s
settle: 200ms
operator: %s
mail: {host: 127.0.0.1, port: %d, user: adsync, password: {env: MAIL_PASSWORD}, from: adsync@shop.example}
people: {annabel: {email: annabel@shop.example}}
reports:
- {every: "%s", span: yesterday, to: [annabel], attach: xlsx}
accounts:
- {name: shop, folder: %s}
`, operator, server.Port, dueNow(t, "America/New_York"), dir))
	p := startDaemonWith(t, s.environment("SSL_CERT_FILE="+server.CA, "MAIL_PASSWORD="+mailtest.Password),
		"--config", file)
	var text string
	select {
	case text = <-server.Letters:
	case <-time.After(patience):
		t.Fatalf("no letter comes; the daemon says\n%s", p.said())
	}
	p.until("msg", "a report was sent")
	p.end()
	letter, err := mail.ReadMessage(strings.NewReader(text))
	noError(t, err)
	if subject := letter.Header.Get("Subject"); !strings.HasPrefix(subject, "adsync shop: report of 20") {
		t.Errorf("the subject is %q; want whose report it is, and of which days", subject)
	}
	parts := mailParts(t, letter.Header.Get("Content-Type"), letter.Body)
	page, words := parts["text/html"], parts["text/plain"]
	if !strings.HasPrefix(page, "<!doctype html>") || !strings.HasPrefix(words, "# shop: 20") {
		t.Errorf("the letter has %q; want HTML and text", parts)
	}
	packed := parts["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"]
	content, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(packed))
	noError(t, err)
	book, err := excelize.OpenReader(bytes.NewReader(content))
	noError(t, err)
	if title, err := book.GetCellValue("Summary", "A1"); err != nil || !strings.HasPrefix(title, "shop: 20") {
		t.Errorf("the workbook is of %q, %v; want the report", title, err)
	}
	noError(t, book.Close())
	said := p.said()
	if n := len(server.Letters); n > 0 || strings.Contains(said, "annabel") ||
		strings.Contains(said, mailtest.Password) {
		t.Errorf("%d letters more; the daemon says\n%s", n, said)
	}
}
