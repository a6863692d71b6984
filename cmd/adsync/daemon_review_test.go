package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// TestARejectedAdIsToldAtOnce: by its names, with the reason and what to do, once over
// restarts; and the copy beside the workbook says so, whatever an old export said.
func TestARejectedAdIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	book := filepath.Join(dir, "winter.xlsx")
	for cell, text := range map[string]string{
		"P1": "Review", "P2": "approved", "G2": "https://shop.example/review/crawler_404/x",
	} {
		setBookCell(t, book, cell, text)
	}
	messages := make(chan told, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var one told
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			t.Error(err)
		}
		messages <- one
	}))
	defer hook.Close()
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf(`
listen: none
every: 2s
settle: 200ms
operator: %s
notify:
- webhook: {url: {env: HOOK_URL}, key: {env: HOOK_KEY}}
  on: [review]
accounts:
- {name: shop, folder: %s}
`, operator, dir))
	p := startDaemonWith(t, s.environment("HOOK_URL="+hook.URL+"/path"), "--config", file)
	p.until("msg", "run ended", "class", "applied")
	p.end()
	answer, err := http.Post(strings.TrimSuffix(s.url, "/v1")+"/_emulator/clock",
		"application/json", strings.NewReader(`{"advance_seconds": 600}`))
	noError(t, err)
	noError(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the emulator's clock: %s", answer.Status)
	}
	record := filepath.Join(dir, ".adsync", "review.json") // without it the reviews were never read
	noError(t, os.Remove(record))
	p = startDaemonWith(t, s.environment("HOOK_URL="+hook.URL+"/path"), "--config", file)
	select {
	case one := <-messages:
		if one.Title != "review of ads: 1 rejected" || len(one.Sections) != 1 || len(one.Sections[0].Items) != 1 {
			t.Fatalf("told %+v; want the one rejection", one)
		}
		text := one.Sections[0].Items[0].Text
		for _, want := range []string{"“Family sledge” " +
			"in Winter sale › Sledges: Rejected: the landing page is not there (404)", "Open the Target URL"} {
			if !strings.Contains(text, want) {
				t.Errorf("told %q; want %q in it", text, want)
			}
		}
	case <-time.After(patience):
		t.Fatal("nobody is told of the rejection")
	}
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		row := bookRow(t, filepath.Join(dir, "winter (adsync results).xlsx"), "Ads", 2)
		if row["Result"] == "rejected" && row["Review"] == "rejected: the landing page is not there (404)" &&
			strings.HasPrefix(row["Message"], "Rejected: the landing page is not there (404)") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the copy beside the workbook says %v of the rejected ad", row)
		}
	}
	arrived := func() bool { // a daemon that ends before it has the answer tells once more
		kept, err := os.ReadFile(filepath.Join(dir, ".adsync", "told.json"))
		return err == nil && !strings.Contains(string(kept), `"waiting"`)
	}
	for end := time.Now().Add(patience); !arrived(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the daemon does not note that the message arrived")
		}
	}
	p.end()
	again := startDaemonWith(t, s.environment("HOOK_URL="+hook.URL+"/path"), "--config", file)
	again.until("msg", "run ended", "class", "in_sync")
	again.end()
	if n := len(messages); n > 0 {
		t.Errorf("told %d times more: %+v", n, <-messages)
	}
}

func setBookCell(t *testing.T, name, cell, text string) {
	t.Helper()
	f, err := excelize.OpenFile(name)
	noError(t, err)
	noError(t, f.SetCellStr("Ads", cell, text))
	noError(t, f.Save())
	noError(t, f.Close())
}

// bookRow is a row of a sheet by its headers; nil where there is no such workbook.
func bookRow(t *testing.T, name, sheet string, number int) map[string]string {
	t.Helper()
	f, err := excelize.OpenFile(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	rows, err := f.GetRows(sheet)
	if err != nil || len(rows) < number {
		return nil
	}
	row := map[string]string{}
	for i, text := range rows[number-1] {
		if i < len(rows[0]) {
			row[rows[0][i]] = text
		}
	}
	return row
}
