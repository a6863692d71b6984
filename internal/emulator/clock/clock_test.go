package clock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestClockRunsOnAfterItWasMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		start := c.Now()
		c.Advance(time.Hour)
		time.Sleep(time.Minute)
		if got := c.Now().Sub(start); got != time.Hour+time.Minute {
			t.Errorf("after an advance of 1 h and a minute, %v have passed", got)
		}
		c.Set(start)
		if got := c.Now(); !got.Equal(start) {
			t.Errorf("Now after Set = %v, want %v", got, start)
		}
		if got := c.Offset(); got != -time.Minute {
			t.Errorf("Offset = %v, want -1m", got)
		}
	})
}

func TestWaitUntilEndsByTimeByMoveAndByContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		begin := time.Now()
		if err := c.WaitUntil(t.Context(), c.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(begin); got != time.Hour {
			t.Errorf("waited %v for an hour", got)
		}

		done := make(chan error, 1)
		begin = time.Now()
		go func() { done <- c.WaitUntil(t.Context(), c.Now().Add(time.Hour)) }()
		synctest.Wait()
		c.Advance(time.Minute)
		synctest.Wait()
		select {
		case <-done:
			t.Error("a minute ended a wait for an hour")
		default:
		}
		c.Advance(time.Hour)
		if err := <-done; err != nil || time.Since(begin) != 0 {
			t.Errorf("moved past its moment, the wait ended with %v after %v", err, time.Since(begin))
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.WaitUntil(ctx, c.Now().Add(time.Hour)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitUntil with a deadline = %v", err)
		}
	})
}

// Moving the clock past the moment that work waits for makes it busy at once, so
// that who waits for idleness cannot be faster than the work.
func TestIdleIsWhatHasEndedOrWaitsForTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		idle := func() bool { now, _ := c.idle(); return now }
		if !idle() {
			t.Error("a clock nobody works by is busy")
		}
		end, steps := c.Begin(), make(chan struct{})
		go func() {
			<-steps
			_ = c.Rest(t.Context(), c.Now().Add(time.Hour))
			<-steps
			end()
		}()
		if idle() {
			t.Error("work that was begun is idle; want it busy")
		}
		steps <- struct{}{}
		if err := c.Idle(t.Context()); err != nil || !idle() {
			t.Errorf("work that waits for an hour is busy, %v", err)
		}
		c.Advance(time.Hour)
		if idle() {
			t.Error("work whose moment has come is idle; want it busy")
		}
		steps <- struct{}{}
		if err := c.Idle(t.Context()); err != nil {
			t.Errorf("work that ended: %v", err)
		}
	})
}
