package sim

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
)

const withWrongCells = "history with wrong cells"

// spoiledDrawn are the actions of a history in whose files cells are wrong for a while.
var spoiledDrawn = []string{
	"spoil", "spoil", "spoil", "mend", "edit", "edit",
	"raise beside", "raise beside", "remove", "apply", "apply", "apply",
}

// withSpoiledCells is the history of a number with cells that cannot be read. What was
// drawn before stays, in its order.
func withSpoiledCells(number uint64) script {
	s := drawScript(number)
	d := drawer{rand.New(rand.NewPCG(number, 0x73706f696c))}
	s.Spoils, s.Read = true, !s.Kinds && d.once(3)
	s.Prune = []string{"", "pause", "archive"}[d.IntN(3)]
	first := 0
	for first < len(s.Actions) && strings.HasPrefix(s.Actions[first].Do, "add") {
		first++
	}
	s.Actions = slices.Insert(s.Actions, first, action{Do: "apply"},
		d.spoilAction("spoil"), d.spoilAction("edit"), d.spoilAction("raise beside"), action{Do: "apply"})
	first++
	for range 2 + d.IntN(6) {
		a := d.spoilAction(spoiledDrawn[d.IntN(len(spoiledDrawn))])
		s.Actions = slices.Insert(s.Actions, first+d.IntN(len(s.Actions)-first+1), a)
	}
	return s
}

func (d drawer) spoilAction(do string) action {
	switch do {
	case "spoil", "mend", "raise beside":
		return action{Do: do, Target: d.IntN(21), What: d.IntN(30), Value: d.IntN(61)}
	}
	return d.action([]string{do}, false)
}

// spoilable are the cells of a kind that may be wrong, those of money more often.
var spoilable = map[string][]string{
	"campaign": {
		"budget", "status", "name", "budget", "status", "tracking", "targeting.countries", "description",
	},
	"ad_group":           {"bid.max", "status", "name", "parent", "context_hints", "bid.max"},
	"ad":                 {"title", "status", "target_url", "name", "parent", "body"},
	"spend_limit_window": {"amount", "end", "start", "name"},
	"daily_spend_limit":  {"amount", "end"},
	"account":            {"status", "account_name"},
}

// spoil makes a cell wrong, of no more rows of a kind than may wait while others go: where
// files are read, each row beneath an ad group that is lost is wrong itself.
func spoil(f oracle.Files, target, what int, read bool) {
	const few = 2
	wrong := map[string]int{}
	for _, item := range f {
		if len(item.Wrong) > 0 {
			wrong[item.Kind]++
		}
	}
	tags := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(tag string) bool {
		item := f[tag]
		full := len(item.Wrong) == 0 && wrong[item.Kind] >= few
		return spoilable[item.Kind] == nil || full || item.Values["status"] == "archived"
	})
	if len(tags) == 0 {
		return
	}
	item := f[tags[target%len(tags)]]
	of := spoilable[item.Kind]
	name := of[what%len(of)]
	switch {
	case name == elsewhere && read && item.Kind == "ad_group":
		name = "bid.max"
	case name == "budget":
		name = "budget.daily"
		if _, given := item.Values[name]; !given {
			name = "budget.lifetime"
		}
	}
	if !slices.Contains(item.Wrong, name) {
		item.Wrong = append(slices.Clone(item.Wrong), name)
		slices.Sort(item.Wrong)
		f[item.Tag] = item
	}
}

// raiseBeside has the files ask for more, or start something: in the campaign of a row with
// a wrong cell, or in another one.
func raiseBeside(f oracle.Files, target, what, n int) {
	wrong := wrongIn(f)
	if len(wrong) == 0 {
		return
	}
	near := topOf(f, wrong[target%len(wrong)])
	tags := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(tag string) bool {
		return most[f[tag].Kind] == 0 || len(f[tag].Wrong) > 0 || (topOf(f, tag) == near) == (n%3 == 0)
	})
	if len(tags) == 0 {
		return
	}
	values := f[tags[what%len(tags)]].Values
	if values["status"] == "paused" {
		values["status"] = "active"
		return
	}
	for _, name := range []string{"budget.daily", "budget.lifetime", "bid.max"} {
		if micros, given := values[name].(int64); given {
			values[name] = micros * int64(110+n%30) / 1_000_000 * 10_000
		}
	}
}

func topOf(f oracle.Files, tag string) string {
	for f[tag].Parent != "" {
		tag = f[tag].Parent
	}
	return tag
}

// mend makes the cells of a row right, or of all of them.
func mend(f oracle.Files, target int, all bool) {
	tags := wrongIn(f)
	for i, tag := range tags {
		if item := f[tag]; all || i == target%len(tags) {
			item.Wrong = nil
			f[tag] = item
		}
	}
}

// wrongIn are the tags whose own rows have a wrong cell.
func wrongIn(f oracle.Files) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(tag string) bool { return len(f[tag].Wrong) == 0 })
}

// mended has the files be right at the end, for all that waited to converge as well.
func (w *world) mended() bool {
	f := w.files()
	if len(wrongIn(f)) == 0 {
		return false
	}
	mend(f, 0, true)
	w.commit(f)
	w.count("mended at the end")
	return true
}

// unread is how a wrong cell is written.
func unread(name string) string {
	if text, of := map[string]string{
		"status": "pased", "title": strings.Repeat("x", 51), "target_url": "nowhere", "tracking": "a b#c",
		"targeting.countries": "[Nowhere]",
		"context_hints":       "[{hint: x}]", "start": "2026-02-31", "end": "soon", elsewhere: nowhere,
	}[name]; of {
		return text
	}
	if a := strings.Contains("budget.daily budget.lifetime bid.max amount", name); a {
		return "5O"
	}
	return "[x, y]"
}

// What a row says it stands beneath where that cell is wrong.
const (
	elsewhere = "parent"
	nowhere   = "nowhere"
)

// adrift reports whether nobody can tell which resource a row is.
func adrift(f oracle.Files, tag string) bool {
	for ; tag != ""; tag = f[tag].Parent {
		if slices.Contains(f[tag].Wrong, elsewhere) {
			return true
		}
	}
	return false
}

// invalidRows are the rows with a wrong cell as the readers find them.
func invalidRows(f oracle.Files) (rows []plan.InvalidRow) {
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		item, lost := f[tag], adrift(f, tag)
		if len(item.Wrong) == 0 && !lost {
			continue
		}
		row := plan.InvalidRow{Address: addressOf(f, tag), Adrift: lost, Lowers: lost}
		row.Message = "its " + strings.Join(item.Wrong, ", ") + " cannot be read"
		schema := kinds.All().Of(row.Address.Kind)
		for _, name := range item.Wrong {
			if a, known := schema.Attribute(name); known {
				row.Lowers = row.Lowers || a.OfMoney()
				row.Stops = row.Stops || a.Spend == resource.Delivery || a.Type == resource.TypeLast
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// waitingRows are the rows the program's own readers let wait, held against those that
// were written wrong.
func (w *world) waitingRows(f oracle.Files, d *sources.Desired) (rows []plan.InvalidRow) {
	var want, got []string
	for _, row := range invalidRows(f) {
		want = append(want, fmt.Sprint(row.Address, row.Lowers, row.Stops, row.Adrift))
	}
	for _, at := range d.Waiting {
		if len(at.Problems) == 0 && !at.Adrift {
			continue
		}
		row := plan.InvalidRow{Address: at.Resource.Address, Lowers: at.Lowers, Stops: at.Stops, Adrift: at.Adrift}
		row.Message = fmt.Sprint(at.Problems)
		rows = append(rows, row)
		got = append(got, fmt.Sprint(row.Address, row.Lowers, row.Stops, row.Adrift))
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		w.wrong = cmp.Or(w.wrong, fmt.Errorf("rows %v wait; %v were written wrong: %v", got, want, d.Problems))
	}
	return rows
}

// countWaiting counts what a plan holds for rows that wait.
func (w *world) countWaiting(view *reconcile.View) {
	for i := range view.Plan.Changes {
		c := &view.Plan.Changes[i]
		for _, h := range c.Holds() {
			switch {
			case h.Hazard == plan.Invalid && c.Action == plan.Create:
				w.count("create waits for a cell")
			case h.Hazard == plan.Invalid:
				w.count("row waits for a cell")
			case h.Hazard == plan.ExceedsFiles && strings.Contains(h.Message, "may rest on what a wrong cell"):
				w.count("rise beside a wrong cell is held")
			case h.Hazard == plan.ExceedsFiles:
				w.count("rise that rests on a wrong cell is held")
			}
		}
	}
}

// wantWaiting wants rows to have waited, and rises beside them: as often as was measured,
// less three standard deviations of a count that is drawn.
func (t *tally) wantWaiting(report *testing.T) {
	n := t.Counts[withWrongCells]
	for what, one := range map[string]int{ // in so many histories, once
		"row waits for a cell": 1, "create waits for a cell": 2,
		"rise beside a wrong cell is held": 16, "rise that rests on a wrong cell is held": 4,
		"mended at the end": 3,
	} {
		expected := float64(n) / float64(one)
		if least := int(math.Ceil(expected - 3*math.Sqrt(expected))); t.Counts[what] < least {
			report.Errorf("%s: %d times in %d histories with wrong cells; want %d at least",
				what, t.Counts[what], n, least)
		}
	}
}

// Rows wait, and others go, often enough for an oracle to have something to judge.
func TestHistoriesWithWrongCells(t *testing.T) {
	all := newTally()
	for n := range uint64(max(*histories/3, 1)) {
		s := withSpoiledCells(*seed + n)
		if bad := play(t, s, all); bad != nil {
			s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
			t.Errorf("history %d with wrong cells: %v\n%s", *seed+n, bad, s)
			if all.add("violation", 1); all.Counts["violation"] >= *failures {
				break
			}
		}
	}
	t.Log(all)
	all.wantWaiting(t)
}
