package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/adsapi"
)

// What waits for the service lets go once an order to stop stands, so that who gave it
// can have the state; what ends by itself, or before, is not cut off.
func TestAnOrderEndsWhatWaitsForTheService(t *testing.T) {
	order := fmt.Errorf("%w: STOP lies there", adsapi.ErrHalted)
	broken := errors.New("the disk is full")
	waits := func(most time.Duration, err error) func(context.Context) error {
		return func(ctx context.Context) error {
			if Sleep(ctx, most) != nil {
				return fmt.Errorf("interrupted: %w", context.Cause(ctx))
			}
			return err
		}
	}
	for _, tc := range []struct {
		name   string
		stands func(time.Duration) bool
		do     func(context.Context) error
		most   time.Duration
		want   error
	}{
		{"no order", func(time.Duration) bool { return false }, waits(time.Hour, nil), time.Hour, nil},
		{"an order, and a job that does not end", func(at time.Duration) bool { return at > time.Minute },
			waits(time.Hour, nil), 75 * time.Second, order},
		{"an order, and what ends by itself", func(at time.Duration) bool { return at > time.Minute },
			waits(65*time.Second, broken), 65 * time.Second, broken},
		{"an order that is taken back", func(at time.Duration) bool { return at > time.Minute && at < 65*time.Second },
			waits(time.Hour, nil), time.Hour, nil},
		{"what breaks as it is interrupted", func(time.Duration) bool { return true },
			func(ctx context.Context) error { _ = Sleep(ctx, time.Hour); return broken }, 15 * time.Second, broken},
		{"what says nothing of the order", func(time.Duration) bool { return true },
			func(ctx context.Context) error { return Sleep(ctx, time.Hour) }, 15 * time.Second, order},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := runUnlessStopped(t.Context(), func() error {
					if tc.stands(time.Since(began)) {
						return order
					}
					return nil
				}, tc.do)
				if took := time.Since(began); took > tc.most || !errors.Is(err, tc.want) {
					t.Errorf("it ended after %s with %v; want %s at most, and %v", took, err, tc.most, tc.want)
				}
			})
		})
	}
}

// Who is interrupted by a signal meanwhile ends by that.
func TestASignalCountsBeforeAnOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := runUnlessStopped(ctx, func() error { return adsapi.ErrHalted }, func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || errors.Is(err, adsapi.ErrHalted) ||
			strings.Contains(err.Error(), "order") {
			t.Errorf("it ended with %v; want the interrupt", err)
		}
	})
}
