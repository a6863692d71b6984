package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/oracle"
)

const withBids = "history with factors of bids"

// bidsDrawn are the actions of a history in which bids and their factors change.
var bidsDrawn = []string{
	"factors", "factors", "factors", "factors", "edit", "foreign factors", "apply", "apply", "advance",
}

// withFactors is the history of a number with bids for audiences, every other one under the
// default policy. What was drawn before stays, in its order.
func withFactors(number uint64) script {
	s := drawScript(number)
	d := drawer{rand.New(rand.NewPCG(number, 0x66616374))}
	s.Bids, s.Read, s.Strict = true, false, d.once(2)
	s.Actions = slices.DeleteFunc(s.Actions, func(a action) bool { // they archive audiences, whose factors stay behind
		return a.Do == "foreign other"
	})
	of := bidsDrawn
	if s.alone() {
		of = slices.DeleteFunc(slices.Clone(of), func(do string) bool { return do == "foreign factors" })
	}
	const first = 2 // the ad group is there
	s.Actions = slices.Concat([]action{{Do: "add", Value: 3 * d.IntN(20)}, {Do: "add", What: 1, Value: d.IntN(61)},
		d.bidAction("factors"), {Do: "apply"}}, s.Actions)
	for range 4 + d.IntN(8) {
		a := d.bidAction(of[d.IntN(len(of))])
		s.Actions = slices.Insert(s.Actions, first+d.IntN(len(s.Actions)-first+1), a)
		if a.Do == "factors" && d.once(2) {
			s.Actions = append(s.Actions, action{Do: "apply"})
		}
	}
	return s
}

func (d drawer) bidAction(do string) action {
	if strings.HasSuffix(do, "factors") {
		return action{Do: do, Target: d.IntN(21), What: d.IntN(30), Value: d.IntN(61)}
	}
	return d.action([]string{do}, false)
}

// openBids has somebody make the audiences that bids are for.
func (w *world) openBids() {
	for i := range 2 {
		_, made := w.ask("POST", "/custom_audiences", map[string]any{"name": fmt.Sprintf("x audience %d", i)})
		w.bidsFor = append(w.bidsFor, fmt.Sprint(made["id"]))
	}
	slices.Sort(w.bidsFor)
	time.Sleep(time.Hour)
}

// factorsDrawn are in thousandths, of the one audience and of the other; 0 is none. The most that a
// bid comes to with them stays below the least budget that is drawn.
var factorsDrawn = [][2]int{
	{0, 0}, {1200, 0}, {500, 0}, {0, 1100}, {1000, 1250}, {1300, 500}, {500, 500}, {2000, 1000}, {1000, 2000},
	{1200, 1200}, {8000, 1000}, {8000, 1100}, {100, 0}, {0, 3000}, {1500, 700},
}

// setFactors gives an ad group other factors, and perhaps another bid with them.
func (w *world) setFactors(f oracle.Files, a action) {
	tags := tagsOf(f, "ad_group")
	if len(tags) == 0 {
		return
	}
	item := f[tags[a.Target%len(tags)]]
	if a.What%3 == 0 {
		item.Values["bid.max"] = int64(500_000 + a.Value*10_000)
	}
	item.Values["bid.multipliers"] = nil
	var entries []string
	for i, thousandths := range factorsDrawn[a.What%len(factorsDrawn)] {
		if thousandths > 0 {
			entries = append(entries, fmt.Sprintf("%s x %v", w.bidsFor[i], float64(thousandths)/1000))
		}
	}
	if len(entries) > 0 {
		item.Values["bid.multipliers"] = entries
	}
}

// foreignFactors is what somebody else makes of the bid of an ad group.
func (w *world) foreignFactors(a action) {
	time.Sleep(2 * time.Second) // as any foreign edit
	w.collect()
	ids := w.standing(func(kind string) bool { return kind == "ad_group" })
	if len(ids) == 0 {
		return
	}
	id := ids[a.Target%len(ids)]
	bidding, _ := w.history.Live(1 << 60)[id].After["bidding_config"].(map[string]any)
	w.person("/ad_groups/"+id, map[string]any{"bidding_config": map[string]any{
		"billing_event_type": bidding["billing_event_type"], "strategy": "fixed_bid",
		"max_bid_micros": 500_000 + a.Value*10_000, "custom_audience_bid_multipliers": []map[string]any{
			{"custom_audience_id": w.bidsFor[a.What%2], "bid_multiplier_micros": 500_000 + a.Value*50_000},
		},
	}})
}

// wantBids wants factors to have been written, by the agent and by others, where there were
// histories enough.
func (t *tally) wantBids(report *testing.T) {
	for _, what := range []string{"action factors", "action foreign factors", wroteFactors} {
		if t.Counts[withBids] >= 100 && t.Counts[what] == 0 {
			report.Errorf("%s never happened in %d histories", what, t.Counts[withBids])
		}
	}
}

const wroteFactors = "factors written by an agent"
