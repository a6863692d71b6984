package daemoncmd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/emulator"
	"adsync/internal/review"
	"adsync/internal/watch"
	"adsync/sources/config"

	"github.com/fsnotify/fsnotify"
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
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string {
			return ""
		}}}
	env.Flags.Quiet, env.Backing.Transport = true, r
	d := &daemonRun{env: env, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	d.looks = looking{again: time.Hour, blind: time.Hour, listen: func() (watch.News, error) {
		return watch.News{Events: make(chan fsnotify.Event), Close: func() {}}, nil
	}}
	d.hub = daemon.New(daemon.Options{Logger: log, Random: func() float64 { return 0 }, Redact: d.secrets.redact})
	operator := filepath.Join(t.TempDir(), "operator.yaml")
	saveFile(t, operator+".key", keyOfFleet(0))
	saveFile(t, operator, fmt.Sprintf("base_url: http://127.0.0.1/v1\ncredentials: {file: %s.key}\n", operator))
	config := config.Daemon{Listen: config.Setting{Value: listenNowhere}, Accounts: []config.DaemonAccount{
		{Name: config.Setting{Value: "shop"}, Folder: folder,
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
