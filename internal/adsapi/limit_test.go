package adsapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "adsync/internal/testing/drawn"

	"pgregory.net/rapid"
)

// mostIn is the largest number of times that lie in one window of the period.
func mostIn(times []time.Time, period time.Duration) int {
	slices.SortFunc(times, time.Time.Compare)
	most := 0
	for i, from := 0, 0; i < len(times); i++ {
		for times[i].Sub(times[from]) >= period {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

func TestLimitsHoldInEveryWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answer{{status: 200, body: `{"id":"x"}`}}}
		c := clientOf(t, w)
		var group sync.WaitGroup
		for worker := range 8 {
			group.Go(func() {
				for i := range 200 {
					if _, err := c.Read(t.Context(),
						"campaigns", fmt.Sprintf("c%d-%d", worker, i), nil); !errors.Is(err, ErrUnreadable) {
						t.Errorf("Read = %v; want ErrUnreadable, as the ids differ", err)
					}
					if _, err := c.Mutate(t.Context(), Mutation{Path: "/ads"}); err != nil {
						t.Errorf("Mutate = %v", err)
					}
				}
			})
		}
		group.Wait()
		var all, reads []time.Time
		for _, s := range w.requests() {
			all = append(all, s.at)
			if s.method == "GET" {
				reads = append(reads, s.at)
			}
		}
		if got := mostIn(all, time.Minute); got != 960 {
			t.Errorf("most requests in a minute = %d; want 960 (80 %% of 1200), used in full", got)
		}
		if got := mostIn(reads, time.Minute); got != 480 {
			t.Errorf("most requests to one endpoint in a minute = %d; want 480 (80 %% of 600), used in full", got)
		}
	})
}

func TestBulkSubmissionsHaveTheirOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answer{{status: 202, body: `{"id":"j","status":"pending"}`}}}
		c := clientOf(t, w)
		var at []time.Time
		for i := range 30 {
			if _, err := c.SubmitJob(t.Context(), fmt.Sprint("k", i), []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Mutate(t.Context(), Mutation{Path: bulkPath}); err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Now())
		}
		if got := mostIn(at, 10*time.Second); got != 4 {
			t.Errorf("pairs of submissions in 10 s = %d; want 4 (80 %% of 10 submissions)", got)
		}
	})
}

func TestLimiterProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := Limits{
			PerEndpoint: rapid.IntRange(1, 20).Draw(rt, "endpoint"), Overall: rapid.IntRange(1, 30).Draw(rt, "overall"),
			Bulk: rapid.IntRange(1, 5).Draw(rt, "bulk"), Share: 1,
		}
		now := time.Unix(1e9, 0)
		l := newLimiter(limits, func() time.Time { return now }, func(_ context.Context, d time.Duration) error {
			now = now.Add(d)
			return nil
		}, func(string, time.Duration) {})
		at := map[string][]time.Time{}
		for range rapid.IntRange(1, 200).Draw(rt, "requests") {
			name := rapid.SampledFrom([]string{"a", "b", "bulk"}).Draw(rt, "endpoint")
			now = now.Add(time.Duration(rapid.Int64Range(0, 5e9).Draw(rt, "gap")))
			if err := l.wait(context.Background(), name, name == "bulk"); err != nil {
				rt.Fatal(err)
			}
			at[name] = append(at[name], now)
			at["all"] = append(at["all"], now)
		}
		for name, times := range at {
			want := limits.PerEndpoint
			if name == "all" {
				want = limits.Overall
			}
			if got := mostIn(times, time.Minute); got > want {
				rt.Fatalf("%s: %d requests in a minute; want at most %d", name, got, want)
			}
		}
		if got := mostIn(at["bulk"], 10*time.Second); got > limits.Bulk {
			rt.Fatalf("%d submissions in 10 s; want at most %d", got, limits.Bulk)
		}
	})
}

// N20: a clock set back by a day holds nothing back for a day.
func TestClockJumps(t *testing.T) {
	now := time.Unix(1e9, 0)
	waited := time.Duration(0)
	l := newLimiter(Limits{PerEndpoint: 2, Overall: 2, Bulk: 1, Share: 1}, func() time.Time { return now },
		func(_ context.Context, d time.Duration) error {
			waited, now = waited+d, now.Add(d)
			return nil
		}, func(string, time.Duration) {})
	for i := range 6 {
		if i%2 == 1 {
			now = now.Add(-24 * time.Hour)
		}
		if err := l.wait(t.Context(), "e", false); err != nil {
			t.Fatal(err)
		}
	}
	if waited != 2*time.Minute {
		t.Fatalf("waited %s; want 2m0s, a window for each two requests", waited)
	}
}

func TestLeftIsWhatMayGoOutNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, &wire{answers: []answer{okRecord}})
		for range 7 {
			if _, err := c.Get(t.Context(), "/ad_account", nil); err != nil {
				t.Fatal(err)
			}
		}
		if left, of := c.Left(); left != 953 || of != 960 {
			t.Errorf("Left = %d of %d; want 953 of 960", left, of)
		}
		time.Sleep(time.Minute)
		if left, _ := c.Left(); left != 960 {
			t.Errorf("Left a minute later = %d; want 960", left)
		}
	})
}

func TestWaitingStopsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answer{{status: 200, body: `{"id":"x"}`}}}
		c := clientOf(t, w, func(cfg *Config) { cfg.Limits = Limits{Overall: 1, Share: 1} })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := c.Mutate(ctx, Mutation{Path: "/ads"}); err != nil {
			t.Fatal(err)
		}
		_, err := c.Mutate(ctx, Mutation{Path: "/ads"})
		if !errors.Is(err, context.DeadlineExceeded) || AppliedOf(err) != Never || len(w.requests()) != 1 {
			t.Fatalf("Mutate = %v, applied %s after %d requests; want deadline exceeded, never, 1",
				err, AppliedOf(err), len(w.requests()))
		}
	})
}

// Of thousands of accounts in one process few are busy: what went out long ago is forgotten.
func TestAWindowForgetsWhatCountsNoMore(t *testing.T) {
	w := &window{size: 100, period: time.Minute}
	now := time.Duration(0)
	for range 250 { // full, and more than once around
		now += w.delay(now)
		w.count(now)
	}
	if left := w.left(now); left != 50 {
		t.Fatalf("after 250 requests %d are left; want 50", left)
	}
	for range 1000 {
		now += 50 * time.Second
		w.count(now)
		if w.delay(now) != 0 {
			t.Fatalf("a request every 50 s waits at %s; want none to wait", now)
		}
	}
	if left := w.left(now); left != 98 || cap(w.sent) > 8 {
		t.Errorf("of a request every 50 s %d are left, and there is room for %d remembered; want 98, and at most 8",
			left, cap(w.sent))
	}
}
