package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/state"
)

// panicAt is at how manieth look at the clock a process panics: in the middle of
// what it does, on whichever goroutine looks.
const panicAt = "ADSYNC_TEST_PANIC_AT"

// panicText is what every second of them says: it could be a key, and is not shown.
const panicText = "sk-canary-of-a-panic"

func panicking(c session.Clock, at string) session.Clock {
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil || c.Now == nil {
		return c
	}
	now, looks := c.Now, new(atomic.Int64)
	c.Now = func() time.Time {
		if looks.Add(1) == n {
			if n%2 == 0 {
				panic(panicText)
			}
			_ = make([]int, n)[n]
		}
		return now()
	}
	return c
}

// S20: a panic in the middle of an apply, in the main goroutine and in others,
// ends the process as a kill does: exit code 1 and words that say what to do, the
// state free, and the next apply goes on so that there is one of everything.
func TestS20PanicEndsAnApplyAsAKillDoes(t *testing.T) {
	t.Parallel()
	h := newHistory(t, rand.New(rand.NewPCG(20, 1)), generous)
	h.edit()
	panics, workers, open := 0, 0, 0
	for at := 1; ; at += 3 {
		c, said := h.command("apply", "--yes")
		c.Env = append(slices.Clone(c.Env), panicAt+"="+strconv.Itoa(at))
		if c.Run() == nil {
			break
		}
		panics++
		text := said.String()
		if code := c.ProcessState.ExitCode(); code != console.ExitInternal {
			t.Fatalf("a panic at look %d ends with %d; want %d\n%s", at, code, console.ExitInternal, text)
		}
		what := map[int]string{
			0: "internal error: a panic of type string", 1: "internal error: runtime error: index out of range",
		}[at%2]
		for _, want := range []string{what, "run the same command again", "panicking.func1"} {
			if !strings.Contains(text, want) || strings.Contains(text, panicText) {
				t.Fatalf("a panic at look %d says\n%s\nwant %q, and not what it says of itself", at, text, want)
			}
		}
		if strings.Contains(text, "errgroup.(*Group).Go") {
			workers++
		}
		holding, err := state.HeldBy(h.dir + "/.adsync")
		if err == nil && holding.Held {
			t.Fatalf("after a panic at look %d the state is held by %s; want it free", at, holding.Holder)
		}
		if s, err := state.OpenReadOnly(t.Context(), h.dir+"/.adsync"); err == nil {
			if steps, err := s.Open(t.Context()); err == nil && len(steps) > 0 {
				open++
			}
			noError(t, s.Close())
		}
	}
	h.finish()
	h.check()
	if panics < 5 || workers == 0 || open == 0 {
		t.Errorf("%d panics, %d of them beside the main goroutine, %d with an open step; want some of each",
			panics, workers, open)
	}
	t.Logf("%d panics, %d of them beside the main goroutine, %d with an open step", panics, workers, open)
}
