package daemon

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// TestOtherFilesBeginARunBeforeTheNextAttempt: nobody tells of a commit, and so an
// account from git goes on asking for it while an attempt that failed waits. What is as
// it was changes nothing: neither when that attempt is made, nor what is shown.
func TestOtherFilesBeginARunBeforeTheNextAttempt(t *testing.T) {
	for _, class := range []Class{Transient, Internal, Credentials, Misplaced} {
		var commit, ran atomic.Value
		commit.Store("one")
		r := &robot{}
		r.work = func(_ context.Context, request Request) Result {
			at := commit.Load()
			if request.Waits && ran.Load() == at {
				return Result{Waits: true}
			}
			ran.Store(at)
			return Result{Class: class, Message: "of " + at.(string)}
		}
		a := accountOf("a", r)
		a.Asks = true
		running(t, Options{}, []Account{a}, func(h *Hub) {
			pass(41 * time.Minute) // the next attempt is minutes away
			before, _ := h.Account("a")
			asked := r.runs()
			pass(time.Minute)
			after, _ := h.Account("a")
			if r.runs() != asked+1 || !r.last().Waits || after.Failures != before.Failures ||
				after.Message != "of one" || !after.Next.Equal(before.Next) || after.Running {
				t.Errorf("%s: after %d looks for other files: %+v; want one, and all as it was: %+v",
					class, r.runs()-asked, after, before)
			}
			commit.Store("two")
			pass(time.Minute)
			if ran.Load() != "two" {
				t.Errorf("%s: another commit waits for the next attempt; want a run within a minute", class)
			}
		})
	}
}

// TestARunHearsOfWhatCameSinceItBegan: of files and pushes, and of nothing that it
// begins with.
func TestARunHearsOfWhatCameSinceItBegan(t *testing.T) {
	var heard, missed atomic.Int32
	deaf := atomic.Bool{}
	r := &robot{work: func(ctx context.Context, request Request) Result {
		if deaf.Load() {
			time.Sleep(time.Minute)
			return Result{Class: InSync}
		}
		select {
		case <-request.Moved:
			heard.Add(1)
		case <-time.After(10 * time.Minute):
			missed.Add(1)
		}
		return Result{Class: InSync}
	}}
	one(t, r, func(h *Hub) {
		for _, why := range []Trigger{Push, Files} {
			before := heard.Load()
			_ = h.Wake("a", why)
			pass(time.Second)
			if heard.Load() != before+1 {
				t.Errorf("%s: the run that goes on heard of %d; want 1", why, heard.Load()-before)
			}
			pass(time.Hour)
		}
		_ = h.Wake("a", Asked)
		before := heard.Load()
		pass(time.Hour)
		deaf.Store(true)
		pass(time.Hour) // until a run is deaf
		_ = h.Wake("a", Push)
		deaf.Store(false)
		pass(time.Hour)
		if heard.Load() != before || missed.Load() == 0 {
			t.Errorf("a run heard %d times of what it began with, or of a person; want never", heard.Load()-before)
		}
	})
}

// TestWhoCannotAskForFilesIsNotAskedOften: where it is the server of the repository
// that fails, each attempt is later than the one before.
func TestWhoCannotAskForFilesIsNotAskedOften(t *testing.T) {
	r := &robot{work: func(context.Context, Request) Result { return Result{Class: Transient, Unread: true} }}
	a := accountOf("a", r)
	a.Asks = true
	running(t, Options{}, []Account{a}, func(*Hub) {
		pass(12 * time.Hour)
		if gaps := r.gaps(); gaps[len(gaps)-1] != 15*time.Minute {
			t.Errorf("the last pause is %s; want 15 minutes", gaps[len(gaps)-1])
		}
	})
}

// TestAWindowThatEndsIsNoLookForOtherFiles: what it held is planned.
func TestAWindowThatEndsIsNoLookForOtherFiles(t *testing.T) {
	r := &robot{}
	r.work = func(_ context.Context, request Request) Result {
		if request.Waits {
			return Result{Waits: true}
		}
		return Result{Class: Credentials, Until: time.Now().Add(150 * time.Second)}
	}
	a := accountOf("a", r)
	a.Asks = true
	running(t, Options{}, []Account{a}, func(*Hub) {
		pass(150 * time.Second)
		if r.last().Waits {
			t.Error("the window ended, and only other files were looked for; want a run")
		}
	})
}
