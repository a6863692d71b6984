package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"adsync/internal/testing/oracle"
	"adsync/reconcile"
	"adsync/state"
)

// guardsShare is beside how many histories one is played that is about guards which
// measure a whole plan: under the default policy, with nothing allowed.
const guardsShare = 4

const withGuards = "history under guards"

// guarded is what a world under guards knows of the plan that carries the newest commit
// out first.
type guarded struct {
	commit int       // of the files it was of
	at     time.Time // when it was shown
	whole  bool      // nothing of it was held
	alone  bool      // nobody else has written since
}

// guardsDrawn are the actions of such a history, and how often they come.
var guardsDrawn = []string{
	"shift", "shift", "shift", "shift", "raise", "edit",
	"edit", "by hand", "by hand", "restore", "foreign", "advance", "add",
	"apply", "apply", "apply", "apply", "apply", "apply",
}

// underGuards is the history of a number in which money moves between campaigns, up and
// down, while runs are killed in between and somebody edits by hand.
func underGuards(number uint64) script {
	d := drawer{rand.New(rand.NewPCG(number, 0x677561726473))}
	s := script{Seed: number, Wire: d.once(10), Disk: d.once(25), Strict: true, Guards: true}
	if !d.once(4) {
		s.Points = d.Uint64()>>1 | 1
	}
	of := guardsDrawn
	if d.once(2) {
		of = slices.DeleteFunc(slices.Clone(of), func(do string) bool { return do == "by hand" || do == "foreign" })
	}
	s.Actions = append(s.Actions, action{Do: "found", Value: d.IntN(61)},
		action{Do: "apply"}, action{Do: "advance", Wait: 26 * time.Hour})
	s.Actions = append(s.Actions, d.guardedAction("shift"), d.killed())
	for range 3 + d.IntN(8) {
		a := d.guardedAction(of[d.IntN(len(of))])
		if a.Do != "shift" {
			s.Actions = append(s.Actions, a)
			continue
		}
		if d.once(2) { // what rose yesterday is not counted with what rises today
			s.Actions = append(s.Actions, action{Do: "advance", Wait: 26 * time.Hour})
		}
		s.Actions = append(s.Actions, a, d.killed())
		switch {
		case d.once(2):
			s.Actions = append(s.Actions, d.guardedAction("apply"))
		case slices.Contains(of, "by hand"):
			s.Actions = append(s.Actions, d.guardedAction("by hand"),
				action{Do: "advance", Wait: 25 * time.Minute}, action{Do: "apply"})
		}
	}
	return s
}

// killed is an apply that dies, or loses a request, about where its decreases are made.
func (d drawer) killed() action {
	if d.once(3) {
		return action{Do: "apply", Cut: cut{At: 12 + d.IntN(30), After: d.once(2)}}
	}
	return action{Do: "apply", Death: death{At: 50 + d.IntN(80), Keep: d.once(2)}}
}

func (d drawer) guardedAction(do string) action {
	a := d.action([]string{do}, false)
	switch do {
	case "apply":
		a.Death, a.Cut = death{}, cut{}
		switch d.IntN(5) {
		case 1, 2:
			a.Death = death{At: 1 + d.IntN(120), Keep: d.once(2)}
		case 3:
			a.Cut = cut{At: 8 + d.IntN(30), After: d.once(2)}
		}
	case "shift", "raise", "by hand", "restore":
		a.Target, a.What, a.Value = d.IntN(21), d.IntN(21), d.IntN(61)
	}
	return a
}

// doGuarded carries an action out that such histories alone have.
func (w *world) doGuarded(a action) {
	f := w.files()
	switch a.Do {
	case "found":
		foundCampaigns(f, a.Value)
	case "shift":
		shift(f, a.What, a.Value)
	case "raise":
		for i, tag := range tagsOf(f, "campaign") {
			if i%3 != a.What%3 {
				setBudget(f[tag], budgetOf(f[tag])*int64(110+a.Value%38)/100)
			}
		}
	case "by hand":
		time.Sleep(2 * time.Second) // the audit log tells seconds apart
		w.byHand(f, a)
		return
	case "restore": // what they said two commits ago
		if before := len(w.history.Commits) - 3; before > 0 {
			f = w.history.Commits[before]
		}
	}
	w.commit(f)
}

// foundCampaigns puts 8 or 13 campaigns into the files: of the larger number a policy
// counts how many are updated.
func foundCampaigns(f oracle.Files, n int) {
	count := 8
	if n%3 == 0 {
		count = 13
	}
	for i := range count {
		tag := fmt.Sprintf("c%dy", 10+i)
		values := fresh("campaign", tag, 0)
		delete(values, "budget.lifetime")
		values[[]string{"budget.daily", "budget.lifetime"}[n/3%2]] = int64(20+(i*37+n*11)%29)*1_000_000 +
			int64(i%3/2)*30_000_000
		f[tag] = oracle.Item{Kind: "campaign", Tag: tag, Values: values}
	}
}

// shift lowers most campaigns for two of the largest to rise by what that frees, so that
// what they rise by is far more than a quarter of what is left once the decreases are made.
func shift(f oracle.Files, rises, n int) {
	tags := slices.DeleteFunc(tagsOf(f, "campaign"), func(tag string) bool {
		return f[tag].Values["status"] != "active"
	})
	slices.SortStableFunc(tags, func(a, b string) int { return cmp.Compare(budgetOf(f[b]), budgetOf(f[a])) })
	if len(tags) < 5 {
		return
	}
	first := rises % 3
	for i, tag := range tags {
		switch item, budget := f[tag], budgetOf(f[tag]); {
		case i >= first && i < first+2:
			setBudget(item, budget*int64(135+n%15)/100)
		case i < len(tags)-rises%2:
			setBudget(item, max(budget*int64(20+n%50)/100, 2_000_000))
		}
	}
}

func budgetOf(item oracle.Item) int64 {
	for _, name := range []string{"budget.daily", "budget.lifetime"} {
		if micros, given := item.Values[name].(int64); given {
			return micros
		}
	}
	return 0
}

func setBudget(item oracle.Item, micros int64) {
	for _, name := range []string{"budget.daily", "budget.lifetime"} {
		if _, given := item.Values[name]; given {
			item.Values[name] = micros / 10_000 * 10_000
		}
	}
}

// byHand has somebody set budgets that differ to what the files say, as adsync itself may
// have been about to: mostly those that are lowered.
func (w *world) byHand(f oracle.Files, a action) {
	w.collect()
	live := w.history.Live(1 << 60)
	var paths []string
	bodies := map[string]any{}
	for _, id := range w.standing(func(kind string) bool { return kind == "campaign" }) {
		item, named := f[w.history.TagOf(id)]
		budget, _ := live[id].After["budget"].(map[string]any)
		for name, micros := range budget {
			is, _ := micros.(json.Number).Int64()
			if want := budgetOf(item); named && want > 0 && is != want && (want < is || a.What%4 == 0) {
				paths = append(paths, "/campaigns/"+id)
				bodies["/campaigns/"+id] = map[string]any{"budget": map[string]any{name: want}}
			}
		}
	}
	for i := range min(len(paths), 1+a.Value%8) {
		path := paths[(a.Target+i)%len(paths)]
		w.person(path, bodies[path])
		w.count("set by hand as the files say")
	}
}

// countGuards counts what a plan holds and what it has of earlier ones, and notes the
// first plan of a commit.
func (w *world) countGuards(view *reconcile.View) {
	if w.guards == nil {
		return
	}
	held, rest := map[string]bool{}, false
	for i := range view.Plan.Changes {
		c := &view.Plan.Changes[i]
		rest = rest || c.RestOf != ""
		for _, h := range c.Holds() {
			held[string(h.Hazard)] = true
		}
	}
	for hazard := range held {
		w.count("plan held by " + hazard)
	}
	if rest {
		w.count("plan with the rest of another")
	}
	if newest := len(w.history.Commits) - 1; w.guards.commit != newest {
		*w.guards = guarded{commit: newest, at: time.Now(), whole: len(held) == 0, alone: true}
	}
}

// completed is invariant 27 under guards: what was shown whole, and passed, ends applied,
// wherever runs were cut off in between.
func (g *guarded) completed(report *reconcile.Report) error {
	if g == nil || !g.whole || !g.alone || time.Since(g.at) > 23*time.Hour {
		return nil
	}
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeApplied {
			return fmt.Errorf("invariant 27: a plan that nothing was held of is left with %s %s: %s %s",
				o.Address, o.Outcome, o.Code, o.Message)
		}
	}
	return nil
}

// wantGuards wants the guards to have held, and credits to have been used and needed.
func (t *tally) wantGuards(report *testing.T) {
	n := t.Counts[withGuards]
	for what, one := range map[string]int{ // in so many histories, at least
		"plan held by exposure": 4, "plan held by updates": 10, "plan held by raises-spend": 10,
		"plan with the rest of another": 6, "rise on the credit of an earlier plan": 50,
		"set by hand as the files say": 6, "crash": 2,
	} {
		if n >= 2*one && t.Counts[what] < n/one {
			report.Errorf("%s: %d times in %d histories under guards; want %d at least", what, t.Counts[what], n, n/one)
		}
	}
}

// stranger is a history in which a run dies at an effect and somebody sets what it was to
// lower, before the next one.
func stranger(n, at int) script {
	return script{Seed: 7, Strict: true, Guards: true, Actions: []action{
		{Do: "found", Value: n}, {Do: "apply"}, {Do: "advance", Wait: 26 * time.Hour}, {Do: "shift", Value: 14},
		{Do: "apply", Death: death{At: at, Keep: true}}, {Do: "by hand", What: 1, Value: 7}, {Do: "apply"},
	}}
}

// Wherever a run dies before its decreases are made, those that somebody makes in their
// place pay for nothing.
func TestNobodyElseMakesADecreaseOfAdsyncs(t *testing.T) {
	all := newTally()
	for _, n := range []int{1, 4} {
		for at := 40; at < 80; at++ {
			if err := play(t, stranger(n, at), all); err != nil {
				t.Errorf("%d, death at effect %d: %v", n, at, err)
			}
		}
	}
	if set := all.Counts["set by hand as the files say"]; set < 100 {
		t.Errorf("somebody set %d budgets in time; want 100 at least", set)
	}
}

// Guards hold and credits are used often enough for an oracle to have something to judge.
// A rise on a credit comes once in some 30 histories: three times as many are played, so
// that the count is that of the draw and not of luck.
func TestHistoriesUnderGuards(t *testing.T) {
	all := newTally()
	for n := range uint64(3 * *histories) {
		s := underGuards(*seed + n)
		if bad := play(t, s, all); bad != nil {
			s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
			t.Fatalf("history %d under guards: %v\n%s", *seed+n, bad, s)
		}
	}
	t.Log(all)
	all.wantGuards(t)
}
