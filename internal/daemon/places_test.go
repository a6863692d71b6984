package daemon

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Of many runs that begin at once and wait for the service again and again, few are in the middle at a time.
func TestFewOfManyRunsAreInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs, requests, computes = 200, 10, time.Millisecond
		p := newPlaces(2, time.Minute)
		var mu sync.Mutex
		var open, most int
		count := func(more int) {
			mu.Lock()
			defer mu.Unlock()
			open += more
			most = max(most, open)
		}
		var all sync.WaitGroup
		for range runs {
			all.Go(func() {
				s := &place{places: p, pulse: &pulse{}}
				ctx := withPlace(context.Background(), s)
				if s.sit(ctx) != nil {
					return
				}
				defer s.rise()
				count(1)
				defer count(-1)
				for range requests {
					time.Sleep(computes)
					Away(ctx, 0, func() { time.Sleep(computes) })
				}
			})
		}
		all.Wait()
		if most > 10 {
			t.Errorf("%d of %d runs were in the middle at a time; want at most 10", most, runs)
		}
	})
}

// Who has not begun begins, though others come back all the time.
func TestARunBeginsThoughOthersComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1, time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		defer others.Wait()
		defer cancel()
		_ = p.take(ctx)
		for range 3 { // which go on for ever
			others.Go(func() {
				for p.takeAgain(ctx) == nil {
					time.Sleep(10 * time.Millisecond)
					p.give()
				}
			})
		}
		synctest.Wait()
		p.give()
		began := time.Now()
		if err := p.take(ctx); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited > beginsEvery+time.Second {
			t.Errorf("it began after %s; want %s", waited, beginsEvery)
		}
		p.give()
	})
}
