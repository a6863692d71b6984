package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// limitsPath is where limits are read.
const limitsPath = "/ad_account/spend_limit_windows"

// limited is what can be spent on each day something begins or ends: what the
// campaigns could, and at most what a limit of the account lets pass.
type limited map[string]int64

// atLeast raises it to another where that is more.
func (l limited) atLeast(other limited) {
	for day, most := range other {
		l[day] = max(l[day], most)
	}
}

// LimitedPath is invariant 9 with the limits of the account: on no day can more
// be spent than before the run, or than the files let pass.
func LimitedPath(h *History) error {
	if h.Shared && !(h.KeysHold && h.ListsHold) || !h.paths().limits() {
		return nil
	}
	for _, a := range h.Applies {
		if err := h.paths().limitedPathOf(a); err != nil {
			return err
		}
	}
	return nil
}

// limits reports whether the history is about limits at all.
func (h paths) limits() bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool { return bounds[e.Kind] })
}

func (h paths) limitedPathOf(a *Apply) error {
	live := h.Live(a.From)
	days := h.days(a)
	bound := spendOn(days, exposure(live, nothing), limitsOf(live))
	asked, askedLimits := h.asked(a, live, nothing), h.askedLimits(a, live)
	bound.atLeast(spendOn(days, asked, askedLimits))
	for i := range h.W {
		e := &h.W[i]
		if e.Seq <= a.From || e.Account != h.Account || !managed(e) {
			continue
		}
		if e.Seq > a.To && !a.Open {
			return nil
		}
		was := spendOn(days, exposure(live, nothing), limitsOf(live))
		live[e.ID] = e
		is := spendOn(days, exposure(live, nothing), limitsOf(live))
		agent, ours := h.ours(e)
		moves := !ours || agent != a.Agent || h.older(e, a)
		if !moves && h.births().madeBlindly(e) {
			asked += h.runs().asks(a).spend(e.tag(), nil, 0)
			bound.atLeast(spendOn(days, asked, askedLimits))
		}
		for _, day := range days {
			switch {
			case moves:
				bound[day] += max(0, is[day]-was[day])
			// nothing is spent on a day that is over
			case is[day] > bound[day] && day >= e.At.AddDate(0, 0, -1).Format("2006-01-02"):
				return fmt.Errorf("entry %d (%s of %s %s) lets %d be spent on %s; before the run, "+
					"or as the files ask, it is at most %d", e.Seq, e.Action, e.Kind, e.tag(), is[day], day, bound[day])
			}
		}
	}
	return nil
}

// days are those on which a limit begins, or is over, in a run.
func (h paths) days(a *Apply) []string {
	found := map[string]bool{}
	note := func(r Record) {
		found[r.text("start_date")], found[r.text("end_date")] = true, true
	}
	for i := range h.W {
		if e := &h.W[i]; bounds[e.Kind] && (a.Open || e.Seq <= a.To) {
			note(e.Before)
			note(e.After)
		}
	}
	for tag, item := range h.runs().asks(a) {
		if bounds[item.Kind] {
			note(h.runs().asks(a).limit(tag, nil))
		}
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

// spendOn returns what can be spent on each of some days.
func spendOn(days []string, campaigns int64, limits []Record) limited {
	spend := limited{}
	for _, day := range days {
		most := int64(math.MaxInt64)
		for _, l := range limits {
			if end := l.text("end_date"); l.text("start_date") <= day && (end == "" || day < end) {
				amount, _ := l.at("amount_micros").(int64)
				most = min(most, amount)
			}
		}
		spend[day] = min(campaigns, most)
	}
	return spend
}

func limitsOf(live map[string]*Entry) (limits []Record) {
	for _, e := range live {
		if bounds[e.Kind] && e.After != nil {
			limits = append(limits, e.After)
		}
	}
	return limits
}

// askedLimits are the limits that bound the account whatever is held: those the
// files ask for, unless somebody else has touched them, and those they leave alone.
func (h paths) askedLimits(a *Apply, live map[string]*Entry) (limits []Record) {
	files, touched := h.runs().asks(a), h.touchedBeside(a.Agent)
	found := map[string]bool{}
	for _, e := range live {
		tag := e.tag()
		if !bounds[e.Kind] || e.After == nil {
			continue
		}
		found[tag] = true
		_, named := files[tag]
		switch wanted := files.limit(tag, e.After); {
		case files.waits(tag):
			limits = append(limits, e.After)
		case !named && files.keeps(e.Kind), !named && (h.Prune == "" || a.Reverts != nil):
			limits = append(limits, e.After)
		case !named || files.ends(tag):
		case touched[tag]:
			limits = append(limits, looser(e.After, wanted)...)
		default:
			limits = append(limits, wanted)
		}
	}
	for tag, item := range files {
		if bounds[item.Kind] && !found[tag] && !touched[tag] && !files.ends(tag) && !files.waits(tag) {
			limits = append(limits, files.limit(tag, nil))
		}
	}
	return limits
}

// looser is the part of two versions of a limit that binds in any case: the days
// of both, and the larger amount.
func looser(a, b Record) []Record {
	l := Record{
		"start_date": max(a.text("start_date"), b.text("start_date")),
		"end_date":   a["end_date"], "amount_micros": a["amount_micros"],
	}
	if end := b.text("end_date"); end != "" && (a.text("end_date") == "" || end < a.text("end_date")) {
		l["end_date"] = b["end_date"]
	}
	if x, y := a.at("amount_micros"), b.at("amount_micros"); x != nil && y != nil && y.(int64) > x.(int64) {
		l["amount_micros"] = b["amount_micros"]
	}
	return []Record{l}
}

// limit is a limit as the files want it; what they do not say is as it is.
func (f Files) limit(tag string, live Record) Record {
	l := Record{}
	for _, name := range fields["spend_limit_window"] {
		l[name.path] = live[name.path]
		if v, given := f[tag].Values[name.name]; given {
			l[name.path] = v
		}
	}
	return l
}

// LimitsHold is invariant 8 for the limits of the account, where nobody allowed
// anything: none goes, none holds for fewer days, and none rises above one and a
// half of what it was.
func LimitsHold(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		_, ours := h.ours(e)
		r := h.requestOf(e)
		if !ours || e.Before == nil || !bounds[e.Kind] || !h.persons().strict(r) {
			continue
		}
		before, _ := e.Before.at("amount_micros").(int64)
		after, _ := e.After.at("amount_micros").(int64)
		was, is := e.Before.text("end_date"), e.After.text("end_date")
		switch {
		case e.After == nil:
			return fmt.Errorf("entry %d takes %s %s away; nobody allowed it", e.Seq, e.Kind, e.tag())
		case after > before*3/2:
			return fmt.Errorf("entry %d raises %s %s from %d to %d; nobody allowed it",
				e.Seq, e.Kind, e.tag(), before, after)
		case e.After.text("start_date") > e.Before.text("start_date"), is != "" && (was == "" || is < was):
			return fmt.Errorf("entry %d leaves days out of %s %s; nobody allowed it", e.Seq, e.Kind, e.tag())
		}
	}
	return nil
}
