package figures_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/figures"
)

// However much is due, no more than 2 % of the requests of an account are for figures; and what is in step is looked at
// once an hour.
func TestFiguresTakeTheirShareOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perMinute = 600
		ctx, cancel := context.WithCancel(t.Context())
		bell, sent, passes := make(chan struct{}, 1), 0, 0
		w := figures.Watch{Bell: bell, Rest: 5 * time.Minute, Note: func(err error) { t.Error(err) },
			Pass: func(context.Context) (figures.Passed, error) {
				passes++
				sent += 23
				return figures.Passed{Read: time.Now().Year() == 2000, Requests: 23, PerMinute: perMinute}, nil
			}}
		ended := make(chan struct{})
		go func() { w.Run(ctx); close(ended) }()
		time.Sleep(time.Hour)
		if sent > 0 {
			t.Errorf("%d requests before the account could be asked", sent)
		}
		bell <- struct{}{}
		time.Sleep(5*time.Minute - 1)
		if sent > 0 {
			t.Errorf("%d requests while the account was left to its runs", sent)
		}
		time.Sleep(10 * time.Hour)
		if most := 10*60*perMinute/50 + 23; sent > most || sent < most/2 {
			t.Errorf("%d requests in ten hours in which all was due; want about %d", sent, most)
		}
		time.Sleep(time.Until(time.Date(2001, 1, 1, 1, 0, 0, 0, time.UTC)))
		passes = 0
		time.Sleep(24 * time.Hour)
		if passes != 24 {
			t.Errorf("%d passes in a day in which nothing was due; want 24", passes)
		}
		cancel()
		<-ended
	})
}

// An error is said once, and asked again after an hour.
func TestAnErrorIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		bell, said, passes := make(chan struct{}, 1), 0, 0
		bell <- struct{}{}
		w := figures.Watch{Bell: bell, Note: func(error) { said++ },
			Pass: func(context.Context) (figures.Passed, error) {
				passes++
				return figures.Passed{}, errors.New("the key may not read figures")
			}}
		ended := make(chan struct{})
		go func() { w.Run(ctx); close(ended) }()
		time.Sleep(24*time.Hour + time.Minute)
		if said != 1 || passes != 25 {
			t.Errorf("said %d times in %d passes; want once in 25", said, passes)
		}
		cancel()
		<-ended
	})
}
