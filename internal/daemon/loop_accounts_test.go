package daemon

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestOnce: each account has one run, and the worst counts.
func TestOnceEachAccountHasOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		robots := []*robot{{}, {work: always(Transient)}, {work: always(Input)}, {work: always(Held)}}
		var accounts []Account
		for i, r := range robots {
			accounts = append(accounts, accountOf(fmt.Sprint(i), r))
		}
		h := New(Options{Once: true})
		h.Run(t.Context(), accounts, nil)
		for i, r := range robots {
			if r.runs() != 1 {
				t.Errorf("account %d had %d runs; want one", i, r.runs())
			}
		}
		if h.Worst() != Input {
			t.Errorf("the worst is %s; want %s", h.Worst(), Input)
		}
	})
}

// TestAccountsComeAndGo: a loop of an account that is not named any more ends
// with the run it is in, and one whose configuration is another begins anew.
func TestAccountsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		changes := make(chan []Account)
		stays, goes, changed, comes := &robot{}, &robot{}, &robot{}, &robot{}
		slow := func(ctx context.Context, _ Request) Result { time.Sleep(time.Minute); return Result{Class: InSync} }
		goes.work, changed.work = slow, slow
		h := New(Options{Random: func() float64 { return 0 }})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			h.Run(ctx, []Account{accountOf("stays", stays),
				accountOf("goes", goes), accountOf("changed", changed)}, changes)
		}()
		synctest.Wait()
		anew := accountOf("changed", changed)
		anew.Version = "2"
		changes <- []Account{accountOf("stays", stays), anew, accountOf("comes", comes)}
		pass(10 * time.Minute)
		if goes.runs() != 1 || comes.runs() < 9 || changed.twice || changed.runs() < 3 {
			t.Errorf("runs: %d of the one that goes, %d of the one that comes, "+
				"%d of the changed one, two at a time: %t", goes.runs(), comes.runs(), changed.runs(), changed.twice)
		}
		if got := h.Accounts(); len(got) != 3 {
			t.Errorf("%d accounts are shown; want 3", len(got))
		}
		if want := 10; stays.runs() < want || stays.requests[0].Triggers[0] != Started ||
			slices.Contains(stays.requests[len(stays.requests)-1].Triggers, Started) {
			t.Errorf("the account that stays had %d runs; want it not to begin anew", stays.runs())
		}
		cancel()
		<-ended
	})
}

// TestASlowReaderLosesTheOldest, and holds nobody up.
func TestASlowReaderLosesTheOldest(t *testing.T) {
	r := &robot{}
	one(t, r, func(h *Hub) {
		ctx, cancel := context.WithCancel(context.Background())
		events := h.Events(ctx)
		pass(24 * time.Hour)
		if r.runs() < 24*60 {
			t.Errorf("%d runs in a day; want the loop to go on", r.runs())
		}
		cancel()
		synctest.Wait()
		var first, last time.Time
		n := 0
		for e := range events {
			if n == 0 {
				first = e.Time
			}
			last = e.Time
			n++
		}
		if n > pendingEvents || time.Since(last) > 2*time.Minute || time.Since(first) > 6*time.Hour {
			t.Errorf("%d events from %s to %s ago; want the newest", n, time.Since(first), time.Since(last))
		}
	})
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAFailedRunKnowsNothingOfTheJournal: where a run did not get so far as to look,
// the steps that are open stay counted.
func TestAFailedRunKnowsNothingOfTheJournal(t *testing.T) {
	var s Status
	two, none := 2, 0
	for _, row := range []struct {
		result Result
		want   int
	}{
		{Result{Class: Undecided, Journal: &two}, 2},
		{Result{Class: Transient}, 2},
		{Result{Class: Locked}, 2},
		{Result{Class: Input}, 2},
		{Result{Class: InSync, Journal: &none}, 0},
	} {
		if s.settle(time.Now(), row.result); s.Journal != row.want {
			t.Errorf("after %s %d steps are open; want %d", row.result.Class, s.Journal, row.want)
		}
	}
}
