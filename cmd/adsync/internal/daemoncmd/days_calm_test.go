package daemoncmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/testing/oracle"
	"adsync/plan"
)

// calm ends all trouble, and wants the account to be as its files say within
// hours. What others left behind is put right by a person, as adsync must not.
func (y *years) calm() {
	y.life.live()
	y.rise()
	y.disarm()
	if y.deaf {
		y.deaf = false
		y.restart()
	}
	_ = os.Remove(y.orders().Where(orders.StopName))
	_ = y.hub.Order(y.t.Context(), "shop", daemon.Resuming("ann", "", ""))
	synctest.Wait()
	y.person("/ad_account/activate", nil)
	if len(y.tags("campaign")) == 0 { // a file of nothing is refused
		y.addOne("campaign")
	}
	y.save()
	began := time.Now()
	for !y.settled() {
		if time.Since(began) > daysConverge {
			y.fail("%s after all trouble was over the account is not as its files say: %v; the last run ended %s: %s",
				daysConverge, y.missing(), y.result.Class, y.result.Message)
		}
		y.until(time.Now().Add(31 * time.Minute))
		y.judge()
		y.mend()
	}
	y.rebase()
}

// settled reports whether the last run found nothing to do, and that there is nothing.
func (y *years) settled() bool {
	y.collect()
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.result.Class != daemon.InSync || len(y.history.Applies) > 0 && y.run != nil {
		return false
	}
	for _, item := range y.files {
		if item.Values["status"] == "archived" {
			return false
		}
	}
	return y.converged() == nil
}

// converged is invariant 25. mu is held.
func (y *years) converged() error { return oracle.Convergence(&y.history, nil) }

func (y *years) missing() error {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.converged()
}

// mend does what people do: rows of what is archived go, what somebody archived
// goes from the files too, what somebody edited is edited back, or archived where
// the files say so and the edit holds that, and what nobody names any more is archived.
func (y *years) mend() {
	y.collect()
	y.mu.Lock()
	live := map[string]*oracle.Entry{}
	for _, e := range y.history.Live(1 << 60) {
		if e.After["status"] != "archived" {
			live[firstWord(e.After["name"])] = e
		}
	}
	y.mu.Unlock()
	if y.holds(plan.Late) { // a limit whose first day passed before it could be set: the file has to say another
		y.did["late limit"]++
		y.limits = slices.DeleteFunc(y.limits, func(l limit) bool {
			return l.start.Before(time.Now().In(y.zone).AddDate(0, 0, 1))
		})
		y.saveLimits()
	}
	// its create came twice, and the answer was that of the second
	if twin := madeUnseen.FindStringSubmatch(y.result.Message); twin != nil {
		y.did["limit made unseen"]++
		y.person("/ad_account/spend_limit_windows/"+twin[2]+"/delete", nil)
		y.limits = slices.DeleteFunc(y.limits, func(l limit) bool { return l.key == twin[1] })
		y.saveLimits()
	}
	y.limitsBack()
	y.approve()
	f, gone := y.copied(), map[string]bool{}
	refused := append(refusedRow.FindStringSubmatch(y.result.Message), "", "")
	if i := slices.IndexFunc(y.limits, func(l limit) bool { return l.key == refused[1] }); i >= 0 {
		y.did["row edited after a refusal"]++
		y.limits[i].micros += 1_000_000
		y.saveLimits()
	}
	// asked again once its row is another
	if item, named := f[refused[1]]; named && item.Values["status"] != "archived" {
		y.did["row edited after a refusal"]++
		item.Values["name"] = fmt.Sprintf("%s again %d", item.Tag, y.draw(100))
		y.commit(f)
		return
	}
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		if e := live[tag]; e == nil && (f[tag].Values["status"] == "archived" || y.wasBorn(tag)) {
			for below := range beneath(f, tag) {
				gone[below] = true
			}
		} else if e != nil && f[tag].Values["status"] != "archived" {
			y.editBack(e, f[tag])
		} else if e != nil && (y.edited(tag) || refused[1] == tag) {
			y.did["archive held"]++
			y.person(collections[e.Kind]+e.ID+"/archive", nil)
		}
	}
	for tag, e := range live {
		if _, named := f[tag]; !named && e.After["status"] != "archived" {
			y.person(collections[e.Kind]+e.ID+"/archive", nil)
		}
	}
	if len(gone) > 0 {
		maps.DeleteFunc(f, func(tag string, _ oracle.Item) bool { return gone[tag] })
		y.files = f
		if len(y.tags("campaign")) == 0 {
			y.addOne("campaign")
			return
		}
		y.commit(f)
	}
}

// refusedRow finds the resource, by the last key of its address, that is not sent again while nobody looks.
var refusedRow = regexp.MustCompile("first [a-z_]+/(?:[a-z0-9]+/)*([a-z][0-9]+): the service refused it on")

// startAgain does what the hold of a start says, where a person had started what the
// files keep paused and paused it again since the last apply: the file says paused once
// more, and then active.
func (y *years) startAgain() {
	y.collect()
	held := pausedByHand.FindStringSubmatch(y.result.Message)
	if held == nil || y.files[held[1]].Values["status"] != "active" {
		return
	}
	y.did["start said twice"]++
	for _, status := range []string{"paused", "active"} {
		f := y.copied()
		f[held[1]].Values["status"] = status
		y.commit(f)
		y.until(time.Now().Add(10 * time.Minute))
	}
}

var pausedByHand = regexp.MustCompile("first [a-z_]+/(?:[a-z0-9]+/)*([a-z][0-9]+): was paused outside adsync")

var madeUnseen = regexp.MustCompile("first spend_limit_window/(w[0-9]+): " +
	"is at the service already, as (slw_[0-9a-f]+), and adsync did not create it")

// holds reports whether the last plan holds something for a hazard.
func (y *years) holds(hazard plan.Hazard) bool {
	p := y.hub.Plan("shop")
	return p != nil && slices.ContainsFunc(p.Changes, func(c plan.ChangeDocument) bool {
		return slices.Contains(c.Hazards, hazard)
	})
}

// wasBorn reports whether a resource stood there once.
func (y *years) wasBorn(tag string) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, e := range y.history.W {
		if e.Action == "create" && firstWord(e.After["name"]) == tag {
			return true
		}
	}
	return false
}

// editBack puts at the service what the files say, where somebody else had changed
// it there.
func (y *years) editBack(e *oracle.Entry, item oracle.Item) {
	path := collections[e.Kind] + e.ID
	if want := item.Values["name"]; e.After["name"] != want {
		y.person(path, map[string]any{"name": want})
	}
	if want := item.Values["status"]; want != nil && e.After["status"] != want {
		y.person(path+map[any]string{"active": "/activate", "paused": "/pause"}[want], nil)
	}
	for name, wire := range map[string]string{
		"budget.daily": "daily_spend_limit_micros", "budget.lifetime": "lifetime_spend_limit_micros",
	} {
		if want, given := item.Values[name]; given {
			y.person(path, map[string]any{"budget": map[string]any{wire: want}})
		}
	}
}

// rebase begins a new history with what stands there now, and what the files named
// of it before.
func (y *years) rebase() {
	y.mu.Lock()
	defer y.mu.Unlock()
	before := y.leftOut()
	h := oracle.History{
		Account: y.history.Account, Credentials: y.history.Credentials,
		Actors: y.history.Actors, Secrets: y.history.Secrets, Prune: y.history.Prune,
		Commits:  []oracle.Files{with(y.files, before), y.files},
		Released: map[string]bool{}, KeysHold: true, ListsHold: true, Spent: y.spent,
	}
	h.W = stands(&y.history)
	wide := y.history
	wide.W = y.wide
	y.wide, y.wideCommits = stands(&wide), []oracle.Files{with(y.widen(), before), y.widen()}
	y.history = h
	y.known.mu.Lock()
	defer y.known.mu.Unlock()
	clear(y.known.sent)
	clear(y.known.begun)
	clear(y.known.steps)
	y.log.Reset()
}

// leftOut is what the files named once, name no more, and stands all the same: what
// holds it back may let it be paused later. mu is held.
func (y *years) leftOut() oracle.Files {
	left, stand := oracle.Files{}, map[string]bool{}
	for _, e := range stands(&y.history) {
		stand[firstWord(e.After["name"])] = true
	}
	for _, f := range y.history.Commits {
		for tag, item := range f {
			if _, named := y.files[tag]; !named && stand[tag] {
				left[tag] = item
			}
		}
	}
	return left
}

func with(f, more oracle.Files) oracle.Files {
	f = maps.Clone(f)
	maps.Copy(f, more)
	return f
}

// quietDay wants an edit to be carried out within minutes, and then a day in which
// nothing happens to cost a request a look and one reading of the whole account.
func (y *years) quietDay() {
	for range 3 {
		y.edit()
		at := time.Now()
		y.until(at.Add(10 * time.Minute))
		y.startAgain()
		if err := y.missing(); err != nil {
			y.collect()
			if err = y.missing(); err != nil && !y.frozen(at) {
				y.fail("10 minutes after an edit: %v; the last run ended %s: %s", err, y.result.Class, y.result.Message)
			}
		}
	}
	for y.frozen(time.Now()) || !y.settled() {
		y.until(time.Now().Add(time.Hour))
		if time.Since(y.began) > time.Duration(*daysOf+100)*24*time.Hour {
			y.fail("it never settles: %v %s %s", y.missing(), y.result.Class, y.result.Message)
		}
	}
	y.until(time.Now().Add(time.Hour)) // what was changed is read back, and the log has told all
	y.keepBounds(1 << 30)
	y.mu.Lock()
	wrote, unread := y.taken, y.unread
	y.quiet = true
	y.mu.Unlock()
	y.until(time.Now().Add(25 * time.Hour))
	y.collect()
	y.mu.Lock()
	looks, requests, fulls := y.looks, y.requests, y.fulls
	y.quiet = false
	y.mu.Unlock()
	switch {
	case y.taken != wrote:
		y.fail("on a day on which nothing happens the account is written to %d times", y.taken-wrote)
	case looks < 24 || requests > daysQuiet || fulls < 1 || fulls > 2:
		y.fail("on a day on which nothing happens there are %d looks with %d requests, "+
			"and the whole account is read %d times; want one request a look and one reading", looks, requests, fulls)
	case y.unread > daysUnread && unread <= daysUnread:
		y.fail("the account was not read whole for %s", y.unread)
	}
	y.judge()
	y.keepBounds(daysQuiet)
	if day := int(time.Since(y.began).Hours() / 24); len(y.ages) == 0 || day-y.ages[len(y.ages)-1].day > 60 {
		y.measure()
	}
}

// frozen reports whether the freeze window of the operator's file is open.
func (y *years) frozen(at time.Time) bool {
	for _, t := range []time.Time{at, time.Now()} {
		local := t.In(y.zone)
		if w, h := local.Weekday(), local.Hour(); w == time.Friday && h >= 18 || w == time.Saturday && h < 5 {
			return true
		}
	}
	return false
}

// keepBounds holds the requests of the day that ends.
func (y *years) keepBounds(most int) {
	y.mu.Lock()
	requests := y.requests
	y.requests, y.looks, y.fulls = 0, 0, 0
	ended := y.result
	y.did[string(ended.Class)]++
	y.mu.Unlock()
	if ended.Class == daemon.Internal {
		y.fail("a run ended as a fault of adsync: %s", ended.Message)
	}
	y.did["requests"] += requests
	if requests > most {
		y.fail("%d requests in a day; want %d at most", requests, most)
	}
}

// measure holds what the daemon has and keeps, and starts it anew: what of memory
// then goes away was its own.
func (y *years) measure() {
	synctest.Wait()
	a := age{
		day: int(time.Since(y.began).Hours() / 24), goroutines: runtime.NumGoroutine() - y.others,
		fds: descriptorsHere(), state: bytesBelow(y.orders().Where("")),
	}
	held := heapNow()
	y.end()
	a.heap = held - heapNow()
	y.begin()
	y.ages = append(y.ages, a)
	first := y.ages[0]
	bound := int64(daysStateMiB)<<20 + int64(y.made)*daysPerMade
	if a.goroutines > daysGoroutines || a.fds > first.fds+daysDescriptors ||
		a.heap > daysHeapMiB<<20 || a.state > bound {
		y.fail("on day %d the daemon has %d goroutines, %d descriptors "+
			"(%d on day %d), %d bytes of its own in memory and %d in its state; want at most %d, %d, %d and %d",
			a.day, a.goroutines, a.fds, first.fds,
			first.day, a.heap, a.state, daysGoroutines, first.fds+daysDescriptors, daysHeapMiB<<20, bound)
	}
	y.t.Logf("day %d: %d goroutines, %d descriptors, %d KiB of memory, %d KiB of state, %d resources made",
		a.day, a.goroutines, a.fds, a.heap>>10, a.state>>10, y.made)
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func descriptorsHere() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func bytesBelow(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if about, err := entry.Info(); err == nil {
				sum += about.Size()
			}
		}
		return nil
	})
	return sum
}

// The days know what left the files before the last calm and is paused after it, and
// tell it from what the files never named.
func TestTheDaysRememberWhatLeftTheFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYears(t, 1)
		defer y.close()
		time.Sleep(48 * time.Hour) // past the freeze window of a weekend
		campaign := func(tag string) oracle.Item {
			return oracle.Item{
				Kind: "campaign", Tag: tag, Values: map[string]any{
					"name": tag + " first", "status": "active",
					"bidding_type": "clicks", "budget.daily": int64(20_000_000),
				},
			}
		}
		y.commit(oracle.Files{"c1": campaign("c1"), "c2": campaign("c2"), "c3": campaign("c3")})
		y.begin()
		y.until(time.Now().Add(10 * time.Minute))
		noError(t, y.hub.Order(t.Context(), "shop", daemon.Suspending(daemon.Suspension{
			By: "bert", Since: time.Now(), Until: time.Now().Add(time.Hour),
		})))
		y.commit(oracle.Files{"c1": campaign("c1"), "c3": campaign("c3")})
		y.until(time.Now().Add(10 * time.Minute))
		y.rebase()
		y.rebase() // what is remembered once is remembered again
		noError(t, y.hub.Order(t.Context(), "shop", daemon.Resuming("ann", "", "")))
		y.until(time.Now().Add(10 * time.Minute))
		y.judge()
		y.mu.Lock()
		defer y.mu.Unlock()
		if len(oracle.Pruned(&y.history)) != 1 {
			t.Fatalf("Pruned(…) = %d entries, want the pause of what left the files: %s",
				len(oracle.Pruned(&y.history)), y.result.Message)
		}
		delete(y.history.Commits[0], "c2")
		if err := oracle.JustifiedWrite(&y.history); err == nil {
			t.Error("a pause of what the files never named is let pass; want it found")
		}
	})
}
