package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/emulator"
	"adsync/internal/review"
	"adsync/internal/watch"
	"adsync/sources"

	"github.com/fsnotify/fsnotify"
	"github.com/xuri/excelize/v2"
)

// reviewing is a service of one account, and when it was asked for reviews.
type reviewing struct {
	service *emulator.Server
	mu      sync.Mutex
	asked   []time.Time // lists and reads of ads with what keeps them from being served
	changed []time.Time // requests that made or changed something
}

func (r *reviewing) RoundTrip(q *http.Request) (*http.Response, error) {
	time.Sleep(50 * time.Millisecond)
	if q.Body == nil {
		q.Body = http.NoBody
	}
	answer := httptest.NewRecorder()
	r.service.ServeHTTP(answer, q)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case q.Method != http.MethodGet:
		r.changed = append(r.changed, time.Now())
	case strings.HasPrefix(q.URL.Path, "/v1/ads") && strings.Contains(q.URL.RawQuery, "serving_issues"):
		r.asked = append(r.asked, time.Now())
	}
	return answer.Result(), nil
}

// projectReviewed is a tree of two ads, one of which the review rejects.
const projectReviewed = `kind: campaign
key: c
name: Boots
status: paused
bidding_type: clicks
budget: {lifetime: 10.00}
ad_groups:
- key: g
  name: Hikers
  status: paused
  bid: {max: 0.50}
  ads:
  - {key: a, name: Hero, status: active, title: Shoes for mud, body: Light., target_url: "https://shop.example/review/crawler_404/a", image: "https://images.shop.example/a.jpg"}
  - {key: b, name: Second, status: active, title: Shoes for ice, body: Light., target_url: "https://shop.example/b", image: "https://images.shop.example/b.jpg"}
`

// run starts a daemon of the account in virtual time.
func (r *reviewing) run(t *testing.T, folder string) (desk *daemon.Hub, end func()) {
	log := slog.New(slog.DiscardHandler)
	a := &app{console: console{in: strings.NewReader(""), out: io.Discard, err: io.Discard, env: func(string) string {
		return ""
	}}}
	a.flags.quiet, a.ground.carry = true, r
	d := &daemonRun{app: a, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	d.looks = looking{again: time.Hour, blind: time.Hour, listen: func() (watch.News, error) {
		return watch.News{Events: make(chan fsnotify.Event), Close: func() {}}, nil
	}}
	d.hub = daemon.New(daemon.Options{Logger: log, Random: func() float64 { return 0 }, Redact: d.secrets.redact})
	operator := filepath.Join(t.TempDir(), "operator.yaml")
	saveFile(t, operator+".key", keyOfFleet(0))
	saveFile(t, operator, fmt.Sprintf("base_url: http://127.0.0.1/v1\ncredentials: {file: %s.key}\n", operator))
	config := sources.Daemon{Listen: sources.Setting{Value: listenNowhere}, Accounts: []sources.DaemonAccount{
		{Name: sources.Setting{Value: "shop"}, Folder: folder,
			Operator: operator, Every: time.Minute, Full: 24 * time.Hour, Settle: time.Second},
	}}
	accounts := d.accounts(config, &page{config: config, log: log})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.hub.Run(ctx, accounts, nil)
	}()
	return d.hub, func() {
		cancel()
		<-ended
		noError(t, r.service.Close())
	}
}

// gaps are the times between reads of reviews in a span, those of one read counted once.
func (r *reviewing) gaps(from, to time.Time) (gaps []time.Duration, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var last time.Time
	minute := 0
	for i, at := range r.asked {
		if at.Before(from) || at.After(to) {
			continue
		}
		if !last.IsZero() && at.Sub(last) > 30*time.Second {
			gaps = append(gaps, at.Sub(last).Round(time.Minute))
		}
		last, minute = at, 0
		for k := i; k >= 0 && at.Sub(r.asked[k]) < time.Minute; k-- {
			minute++
		}
		most = max(most, minute)
	}
	return gaps, most
}

// TestADaemonReadsReviewsOnTime: in virtual time, after its apply, every 5 minutes while an
// ad is in review, and hourly afterwards; within a twentieth of the request budget; and the
// plan of the page says what it found, though nothing is to be done.
func TestADaemonReadsReviewsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, err := emulator.Open(emulator.Options{
			Seed: 1, Review: emulator.Review{Delay: 12 * time.Minute},
			Accounts: []emulator.Account{{ID: "adacct_000",
				Name: "Shop", Currency: "USD", TimeZone: "UTC", Key: keyOfFleet(0), Features: emulator.AllFeatures()}},
		})
		noError(t, err)
		r := &reviewing{service: service}
		folder := filepath.Join(t.TempDir(), "shop")
		saveProject(t, folder, 0)
		saveFile(t, filepath.Join(folder, "ads.yaml"), projectReviewed)
		began := time.Now()
		desk, end := r.run(t, folder)
		defer end()
		time.Sleep(4 * time.Minute)
		if s := desk.Plan("shop").Review; s == nil || s.InReview != 2 {
			t.Errorf("4 minutes after the ads were made the page says %+v; want 2 in review", s)
		}
		if first := r.asked[0].Sub(began); first > time.Minute {
			t.Errorf("reviews were first read %s after the daemon began; want them read after its apply", first)
		}
		time.Sleep(16 * time.Minute)
		p := desk.Plan("shop")
		if s := p.Review; s == nil || s.Rejected != 1 || s.Approved != 1 ||
			len(s.Ads) != 1 || s.Ads[0].Called() != "“Hero” in Boots › Hikers" || s.Ads[0].State != review.Rejected {
			t.Errorf("8 minutes after the review ended the page says %+v; want Hero rejected", s)
		}
		if status, _ := desk.Account("shop"); status.State != daemon.InSync || p.Summary.Held != 0 {
			t.Errorf("the account is %s; want it in sync: a rejection is nothing to apply", status.State)
		}
		waited, most := r.gaps(began.Add(2*time.Minute), began.Add(18*time.Minute))
		for _, gap := range waited {
			if gap != review.Soon {
				t.Errorf("while an ad is in review reads lie %v apart; want %s", waited, review.Soon)
				break
			}
		}
		time.Sleep(4 * time.Hour)
		rested, more := r.gaps(began.Add(21*time.Minute), time.Now())
		for _, gap := range rested {
			if gap != review.Hourly {
				t.Errorf("once nothing is in review reads lie %v apart; want %s", rested, review.Hourly)
				break
			}
		}
		if len(waited) < 2 || len(rested) < 2 {
			t.Errorf("%d and %d gaps between reads were seen; want some", len(waited), len(rested))
		}
		if share := 600 / review.Part; max(most, more) > share {
			t.Errorf("%d requests for reviews in a minute; want at most %d", max(most, more), share)
		}
	})
}

// TestARejectedAdIsToldAtOnce: by its names, with the reason and what to do, once over
// restarts; and the copy beside the workbook says so, whatever an old export said.
func TestARejectedAdIsToldAtOnce(t *testing.T) {
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
	t.Setenv("HOOK_URL", hook.URL+"/path")
	t.Setenv("HOOK_KEY", "a key of the webhook")
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
	p := startDaemon(t, s, "--config", file)
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
	p = startDaemon(t, s, "--config", file)
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
	case <-time.After(30 * time.Second):
		t.Fatal("nobody is told of the rejection")
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
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
		kept, err := os.ReadFile(filepath.Join(dir, ".adsync", toldName))
		return err == nil && !strings.Contains(string(kept), `"waiting"`)
	}
	for end := time.Now().Add(30 * time.Second); !arrived(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the daemon does not note that the message arrived")
		}
	}
	p.end()
	again := startDaemon(t, s, "--config", file)
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
