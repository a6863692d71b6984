package figures_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/figures"
	"adsync/state/kv"
)

// shelf keeps contents in memory.
type shelf struct {
	kv.Store
	mu  sync.Mutex
	has map[string][]byte
}

func (s *shelf) Get(name string, _ int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, is := s.has[name]
	if !is {
		return nil, fs.ErrNotExist
	}
	return content, nil
}

func (s *shelf) Put(name string, content []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.has[name] = content
	return nil
}

func (s *shelf) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.has, name)
	return nil
}

func (s *shelf) Where(name string) string { return name }

// days returns how many days are kept, and how many bytes these and all else have.
func (s *shelf) days() (days, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, content := range s.has {
		bytes += len(content)
		if strings.Contains(name, "/days/") {
			days++
		}
	}
	return days, bytes
}

// pageRows is how many rows an answer of the service has.
const pageRows = 500

// busyAds is a service whose ads are shown each day, each in a campaign and a group of its own.
type busyAds struct {
	ads  int
	sent *atomic.Int64 // requests
}

func (b busyAds) Figures(_ context.Context, _ string, q url.Values) iter.Seq2[adsapi.InsightsRow, error] {
	return func(yield func(adsapi.InsightsRow, error) bool) {
		var span struct{ Since, Until string }
		if err := json.Unmarshal([]byte(q.Get("time_ranges")), &span); err != nil {
			yield(adsapi.InsightsRow{}, err)
			return
		}
		first, _ := time.Parse(time.DateOnly, span.Since)
		last, _ := time.Parse(time.DateOnly, span.Until)
		rows := 0
		for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
			for i := range b.ads {
				if rows++; rows%pageRows == 1 {
					b.sent.Add(1)
				}
				fields := map[string]string{"spend": fmt.Sprintf("%d.%02d", i%90, day.Day()),
					"impressions": fmt.Sprint(900 + i*day.Day()), "clicks": fmt.Sprint(i % 7 * day.Day()),
					"conversions": fmt.Sprint(day.Day() % 3)}
				for _, of := range figures.Levels {
					sum := sha256.Sum256(fmt.Append(nil, of, i)) // ids of the service are random
					fields[of+"_id"], fields[of+"_name"] = fmt.Sprintf("%s_%x", of, sum[:16]), fmt.Sprint(of, " ", i)
				}
				row := adsapi.InsightsRow{Start: day.Unix(), End: day.AddDate(0, 0, 1).Unix(), Fields: fields}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// collected passes over what is due at a moment until nothing is.
func collected(t *testing.T, s *shelf, service busyAds, now time.Time) {
	t.Helper()
	for read := true; read; {
		c := figures.Collector{Kept: figures.Kept{Store: s}, Service: service, Currency: "USD", Now: now}
		var err error
		if read, err = c.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// fleet are accounts that have a year of figures, and read them on.
type fleet struct {
	t       *testing.T
	year    *shelf
	sent    []atomic.Int64 // requests of each account
	minutes [25 * 60]atomic.Int64
	began   time.Time
}

const (
	fleetAds  = 4
	perMinute = 960
)

// reads is the pass of an account that reads what is due.
func (f *fleet) reads(i int, s *shelf) func(context.Context) (figures.Passed, error) {
	return func(ctx context.Context) (p figures.Passed, err error) {
		before := f.sent[i].Load()
		c := figures.Collector{Kept: figures.Kept{Store: s}, Service: busyAds{fleetAds, &f.sent[i]},
			Currency: "USD", Now: time.Now().UTC()}
		p.Read, err = c.Pass(ctx)
		p.Requests, p.PerMinute = int(f.sent[i].Load()-before), perMinute
		f.minutes[time.Since(f.began)/time.Minute].Add(int64(p.Requests))
		return p, err
	}
}

// day has accounts live for a day; pass says what each does.
func (f *fleet) day(accounts int, pass func(i int) func(context.Context) (figures.Passed, error)) {
	f.began, f.minutes = time.Now(), [25 * 60]atomic.Int64{}
	ctx, cancel := context.WithCancel(f.t.Context())
	var running sync.WaitGroup
	for i := range accounts {
		bell := make(chan struct{}, 1)
		bell <- struct{}{}
		rest := time.Duration(i) * 5 * time.Minute / time.Duration(accounts)
		w := figures.Watch{Bell: bell, Pass: pass(i), Rest: rest,
			Note: func(err error) { f.t.Error(err) }}
		running.Go(func() { w.Run(ctx) })
	}
	time.Sleep(24 * time.Hour)
	cancel()
	running.Wait()
}

// TestADayOfAThousandAccounts: a thousand accounts that have a year of figures read them on for a day, each with its
// own share of the requests, and not all at once. Each twentieth reads in earnest; the others send, whenever their
// watch has them pass, what an account sent in the day before.
func TestADayOfAThousandAccounts(t *testing.T) {
	const accounts = 1000
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{t: t, year: &shelf{has: map[string][]byte{}}, sent: make([]atomic.Int64, accounts)}
		collected(t, f.year, busyAds{fleetAds, &f.sent[0]}, time.Now().UTC())
		if n := f.sent[0].Swap(0); n > 60 {
			t.Errorf("the first year took %d requests; want at most 60", n)
		}
		var passes []figures.Passed
		f.day(1, func(i int) func(context.Context) (figures.Passed, error) {
			pass := f.reads(i, f.year)
			return func(ctx context.Context) (figures.Passed, error) {
				p, err := pass(ctx)
				passes = append(passes, p)
				return p, err
			}
		})
		f.sent[0].Store(0)
		var stores []*shelf
		f.day(accounts, func(i int) func(context.Context) (figures.Passed, error) {
			if i%20 == 0 {
				stores = append(stores, &shelf{has: maps.Clone(f.year.has)})
				return f.reads(i, stores[len(stores)-1])
			}
			at := 0
			return func(context.Context) (figures.Passed, error) {
				p := passes[at%len(passes)]
				at++
				f.sent[i].Add(int64(p.Requests))
				f.minutes[time.Since(f.began)/time.Minute].Add(int64(p.Requests))
				return p, nil
			}
		})
		most, dense := int64(0), int64(0)
		for i := range f.sent {
			most = max(most, f.sent[i].Load())
		}
		for i := range f.minutes {
			dense = max(dense, f.minutes[i].Load())
		}
		if share := int64(24 * 60 * perMinute / 50); most > share || most < 24*3 || most > 26*3 {
			t.Errorf("an account sent up to %d requests in a day; want 3 an hour, of %d of its share", most, share)
		}
		if dense > 3*accounts/4 {
			t.Errorf("all accounts together sent %d requests in a minute; want them spread over five", dense)
		}
		for _, s := range stores {
			if days, _ := s.days(); days < 366 || days > 368 {
				t.Errorf("an account keeps %d days; want those of the year, and since", days)
			}
		}
	})
}

// TestTheStoreOfFiguresGrowsToAYearAndAMonth: 400 days are kept, whatever the account does; a day of an ad takes few
// bytes. docs/operate/scale.md says the same.
func TestTheStoreOfFiguresGrowsToAYearAndAMonth(t *testing.T) {
	var sent atomic.Int64
	s := &shelf{has: map[string][]byte{}}
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for range 50 {
		collected(t, s, busyAds{10, &sent}, now)
		now = now.AddDate(0, 0, 1)
	}
	if days, bytes := s.days(); days != figures.KeptDays || bytes > 1<<20 {
		t.Errorf("%d days of 10 ads have %d bytes; want %d days, and at most 1 MiB", days, bytes, figures.KeptDays)
	}
	const most = 140 // of the ad, its group and its campaign
	for _, ads := range []int{100, 1500} {
		s := &shelf{has: map[string][]byte{}}
		c := figures.Collector{Kept: figures.Kept{Store: s}, Service: busyAds{ads, &sent}, Currency: "USD", Now: now}
		if _, err := c.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		days, bytes := s.days()
		if each := bytes / days / ads; each > most {
			t.Errorf("%d ads take %d bytes each a day; want at most %d", ads, each, most)
		}
	}
}
