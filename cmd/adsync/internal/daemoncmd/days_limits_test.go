package daemoncmd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/testing/oracle"
)

const limitKind = "spend_limit_window"

// limitsPath holds invariant 9 with the limits of the account over what happened
// since the last calm: on no day can more be spent than before a run, or than the
// files let pass. The tree and the limits are one history here. mu is held.
func (y *years) limitsPath() error {
	wide := y.history
	wide.W, wide.Commits = y.wide, y.wideCommits
	return oracle.Judge(&wide, []oracle.Check{{Number: 9, Sentence: "possible spend " +
		"never passes the larger of before and desired, on the days of limits", Find: oracle.LimitedPath}})
}

// widen are the files with their limits.
func (y *years) widen() oracle.Files {
	f := maps.Clone(y.files)
	for _, l := range y.limits {
		f[l.key] = oracle.Item{Kind: limitKind, Tag: l.key, Values: map[string]any{
			"name": l.name(), "amount": l.micros,
			// the service's end is exclusive
			"start": l.start.Format(time.DateOnly), "end": l.end.AddDate(0, 0, 1).Format(time.DateOnly),
		}}
	}
	return f
}

// name begins with the key, by which the oracle knows a limit.
func (l limit) name() string { return l.key + " window" }

// liveLimits are those that stand, by id in the order they were made.
func (y *years) liveLimits() (ids []string, live map[string]*oracle.Entry) {
	y.collect()
	y.mu.Lock()
	defer y.mu.Unlock()
	wide := y.history
	wide.W = y.wide
	live = wide.Live(1 << 60)
	maps.DeleteFunc(live, func(_ string, e *oracle.Entry) bool { return e.Kind != limitKind || e.After == nil })
	return slices.SortedFunc(maps.Keys(live), func(a, b string) int { return int(live[a].Seq - live[b].Seq) }), live
}

// foreignLimit is what somebody else does to a limit that is not over: of others the
// service takes nothing.
func (y *years) foreignLimit() {
	ids, live := y.liveLimits()
	today := time.Now().In(y.zone).Format(time.DateOnly)
	ids = slices.DeleteFunc(ids, func(id string) bool { return fmt.Sprint(live[id].After["end_date"]) <= today })
	if len(ids) == 0 {
		return
	}
	id := ids[y.draw(len(ids))]
	change := map[string]any{"amount_micros": int64(20+y.draw(100)) * 1_000_000}
	if y.draw(4) == 0 {
		change = map[string]any{"name": fmt.Sprintf("%s by hand %d", firstWord(live[id].After["name"]), y.draw(100))}
	}
	if y.person("/ad_account/spend_limit_windows/"+id, change) == 200 {
		y.did["limit changed by others"]++
	}
}

// limitsBack puts at the service what the files say of limits that others changed. What
// it does not take, as more is spent by then, the files take over.
func (y *years) limitsBack() {
	ids, live := y.liveLimits()
	for _, id := range ids {
		e := live[id]
		i := slices.IndexFunc(y.limits, func(l limit) bool { return l.key == firstWord(e.After["name"]) })
		if i >= 0 && (e.After["name"] != y.limits[i].name() ||
			fmt.Sprint(e.After["amount_micros"]) != fmt.Sprint(y.limits[i].micros)) {
			there, err := strconv.ParseInt(fmt.Sprint(e.After["amount_micros"]), 10, 64)
			noError(y.t, err)
			if y.person("/ad_account/spend_limit_windows/"+id, map[string]any{"name": y.limits[i].name(),
				"amount_micros": y.limits[i].micros}) == 422 && y.limits[i].micros < there {
				y.did["limit taken over"]++
				y.limits[i].micros = there
				y.saveLimits()
			}
		}
	}
}

// stands is a history that begins with what stands there now.
func stands(h *oracle.History) (w []oracle.Entry) {
	live := h.Live(1 << 60)
	for _, id := range slices.SortedFunc(maps.Keys(live), func(a, b string) int {
		return int(live[a].Seq - live[b].Seq)
	}) {
		e := *live[id]
		if e.After == nil || e.After["status"] == "archived" {
			continue
		}
		e.Past, e.Action, e.Before, e.Commit, e.Request = true, "create", nil, 1, 0
		w = append(w, e)
	}
	return w
}

// The days can tell a limit that rises further than its row says from one that does
// not.
func TestTheDaysJudgeSpendLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYears(t, 1)
		defer y.close()
		time.Sleep(48 * time.Hour) // past the freeze window of a weekend
		start := time.Now().In(y.zone).AddDate(0, 0, 5)
		y.limits = []limit{{"w1", 20_000_000, start, start.AddDate(0, 0, 9)}}
		y.saveLimits()
		y.commit(oracle.Files{
			"c1": {Kind: "campaign", Tag: "c1", Values: map[string]any{
				"name": "c1 first", "status": "active", "bidding_type": "clicks", "budget.daily": int64(60_000_000),
			}},
		})
		y.begin()
		y.until(time.Now().Add(10 * time.Minute))
		y.rebase()
		y.limits[0].micros = 25_000_000
		y.saveLimits()
		y.until(time.Now().Add(10 * time.Minute))
		y.judge()
		if y.did["limit written"] != 2 {
			t.Fatalf("limits were written %d times; want the create and the rise: %s",
				y.did["limit written"], y.result.Message)
		}
		y.mu.Lock()
		defer y.mu.Unlock()
		for _, f := range y.wideCommits {
			f["w1"].Values["amount"] = int64(20_000_000) // what the files never allowed
		}
		if err := y.limitsPath(); err == nil || !strings.Contains(err.Error(), "lets 25000000 be spent") {
			t.Errorf("a rise no row asks for: %v; want it found", err)
		}
	})
}
