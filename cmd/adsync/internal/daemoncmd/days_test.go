package daemoncmd

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/testing/oracle"
)

var (
	daysOf   = flag.Int("days", 25, "how many virtual days TestDays goes on")
	daysSeed = flag.Uint64("days-seed", 1, "what TestDays draws")
)

// Bounds of a daemon with one account, however long it lives. Of the state they
// hold beside what it has made.
const (
	daysGoroutines  = 40 // beside those of other tests
	daysDescriptors = 40 // above those of the test
	daysHeapMiB     = 24 // that goes away with the daemon
	daysStateMiB    = 48 // 1,000 runs with their reports, and a journal
	daysPerMade     = 4 << 10
	daysRequests    = 4000 // on a day with trouble
	// on one without: a look and a read of reviews an hour, two whole readings at most, and a plan as the day begins
	daysQuiet    = 80
	daysUnread   = 26 * time.Hour
	daysConverge = 12 * time.Hour
)

// Fault rows C, F and S over a long life, invariants 1 to 26: the daemon's loop, the
// worker, the state on a disk and the emulator live through days of edits, half
// saves, edits by others, faults, deaths, orders, freeze windows, quarantines, spend
// limits, months and changes of the clock in the account's zone. The oracle judges
// every day. When trouble is over everything converges, a day in which nothing
// happens costs a request a look and one reading of the whole account, and nothing
// the daemon has or keeps grows. make days DAYS=10000 goes on for 27 years.
func TestDays(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		y := newYears(t, *daysSeed)
		defer y.close()
		y.begin()
		for day := 0; day < *daysOf; {
			for range 8 + y.draw(8) {
				y.day()
				day++
			}
			y.calm()
			y.quietDay()
			day += 2
		}
		y.measure()
		t.Logf("%d days, %v", *daysOf, y.did)
		y.wantAll()
	})
}

// day is one day with trouble, judged at its end.
func (y *years) day() {
	end := y.midnight()
	moments := 1 + y.draw(5)
	for range moments {
		y.until(y.moment(end))
		y.act()
	}
	y.until(end)
	y.judge()
	y.keepBounds(daysRequests)
}

// moment is a time of the day that is left; one in five lies about a midnight or
// where clocks are changed.
func (y *years) moment(end time.Time) time.Time {
	left := max(time.Until(end), 0)
	at := time.Now().Add(time.Duration(y.random.Int64N(int64(left) + 1)))
	switch y.draw(10) {
	case 0:
		return later(end.Add(-time.Duration(y.draw(120)) * time.Second))
	case 1:
		local := time.Now().In(y.zone)
		return later(time.Date(local.Year(), local.Month(), local.Day(), 1+y.draw(2), 59, y.draw(60), 0, y.zone))
	}
	return at
}

func later(at time.Time) time.Time {
	if now := time.Now(); at.Before(now) {
		return now
	}
	return at
}

// midnight is the next one of the account.
func (y *years) midnight() time.Time {
	local := time.Now().In(y.zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, y.zone)
}

func (y *years) until(at time.Time) {
	time.Sleep(time.Until(at))
	synctest.Wait()
}

// judge holds every invariant of the oracle over what happened since the last
// calm.
func (y *years) judge() {
	y.collect()
	y.mu.Lock()
	bad := y.bad
	if bad == nil {
		bad = oracle.Judge(&y.history, oracle.Safety)
	}
	if bad == nil {
		bad = y.limitsPath()
	}
	y.mu.Unlock()
	if bad != nil {
		y.fail("%v", bad)
	}
}

func (y *years) fail(format string, args ...any) {
	y.t.Helper()
	y.t.Logf("at %s, seed %d; what happened last:\n%s\nwhat was written last:\n%s",
		time.Now().In(y.zone), y.seed, y.tail(), writtenLast(y.history.W))
	y.t.Fatalf(format, args...)
}

// writtenLast returns what the last writes at the service changed, and by whose request: what is
// drawn of a seed is not all that decides, so that a failure may not come again.
func writtenLast(w []oracle.Entry) string {
	var lines []string
	for _, e := range w[max(0, len(w)-40):] {
		var changed []string
		for name, now := range e.After {
			if was := e.Before[name]; !reflect.DeepEqual(was, now) {
				changed = append(changed, fmt.Sprintf("%s %v → %v", name, was, now))
			}
		}
		slices.Sort(changed)
		lines = append(lines, fmt.Sprintf("%d %s %s %s %s %s job %q commit %d request %d: %s",
			e.Seq, e.At.UTC().Format(time.RFC3339),
			e.Actor, e.Action, e.Kind, e.ID, e.JobID, e.Commit, e.Request, strings.Join(changed, "; ")))
	}
	return strings.Join(lines, "\n")
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x64617973)) }
