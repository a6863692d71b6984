package oracle

import (
	"fmt"
	"time"
)

// credits counts what a run may leave for the rest of its plan.
type credits struct{ *History }

func (h *History) credits() credits { return credits{h} }

// GuardsHold is invariant 8, for runs under the default policy to which nothing
// was allowed: no budget rises above one and a half of what it was, and nothing
// that was there before is activated.
func GuardsHold(h *History) error {
	for _, a := range h.Applies {
		if !a.Strict {
			continue
		}
		for i := range h.W {
			e := &h.W[i]
			agent, ours := h.ours(e)
			r := h.requestOf(e)
			if !ours || agent != a.Agent || e.Before == nil ||
				!managed(e) || r == nil || r.Process != a.Process || e.Seq <= a.From {
				continue
			}
			for _, name := range []string{"budget.daily", "budget.lifetime"} {
				before, _ := e.Before.at(pathOf(e.Kind, name)).(int64)
				after, _ := e.After.at(pathOf(e.Kind, name)).(int64)
				if before > 0 && after > before*3/2 {
					return fmt.Errorf("entry %d raises %s of %s from %d to %d; nobody allowed it",
						e.Seq, name, e.tag(), before, after)
				}
			}
		}
	}
	return nil
}

func pathOf(kind, name string) string {
	for _, f := range fields[kind] {
		if f.name == name {
			return f.path
		}
	}
	return "-"
}

// CreditsHold is invariant 8 for what is measured over a whole plan, in runs under the
// default policy to which nothing was allowed: a run lets at most a quarter more be spent
// than could be before it, and before it counts as done what an earlier run of the same
// day showed and did not come to, less the decreases that were to pay for it and that the
// agent did not make, or that stand no more. What strangers set pays for nothing.
func CreditsHold(h *History) error {
	_, err := h.credits().credited()
	return err
}

// Credited counts the rises that only an earlier run accounts for.
func Credited(h *History) int {
	n, _ := h.credits().credited()
	return n
}

// creditFor is how long an earlier run accounts for what it showed; that was a little
// before it began.
const creditFor = 24*time.Hour + time.Minute

func (h credits) credited() (n int, bad error) {
	for i, a := range h.Applies {
		if !a.Guarded {
			continue
		}
		until := h.last()
		if i+1 < len(h.Applies) {
			until = h.Applies[i+1].From
		}
		before := exposure(h.Live(a.From), nothing)
		if before == 0 { // from nothing all rises
			continue
		}
		rest, moved := h.restFor(i), int64(0)
		for j := range h.W {
			e := &h.W[j]
			agent, ours := h.ours(e)
			if e.Seq <= a.From || e.Seq > until ||
				!ours || agent != a.Agent || !spends[e.Kind] || e.Account != h.Account {
				continue
			}
			rise := e.After.spend(e.Kind, 0) - e.Before.spend(e.Kind, 0)
			moved += rise
			switch {
			case rise <= 0 || moved <= before/4:
			case moved > rest+(before+rest)/4:
				return n, fmt.Errorf("entry %d (%s of %s): the run of process %d has let %d more be "+
					"spent, where %d could be and earlier runs had %d to come; nobody allowed more than a quarter",
					e.Seq, e.Action, e.tag(), a.Process, moved, before, rest)
			default:
				n++
			}
		}
	}
	return n, nil
}

// restFor is by how much earlier runs of a day would have let more be spent by the time a
// run begins, had they come to their ends: each by what is still to rise of what it
// showed, less what was to pay for that and does not stand; and at least by as much of it
// as its own decreases pay that do stand, of which a plan may have more than it needs.
func (h credits) restFor(run int) (rest int64) {
	a := h.Applies[run]
	rising := map[string]int64{} // once, however many runs showed it
	for _, k := range h.Applies[:run] {
		if k.Agent != a.Agent || a.At.Sub(k.At) > creditFor || k.Reverts != nil {
			continue
		}
		s := h.step(k, a)
		rises := s.rises()
		for tag, rise := range rises {
			rising[tag] = max(rising[tag], rise)
		}
		unpaid, paid := s.falls()
		rest += max(sumOf(rises)-unpaid, min(sumOf(rises), paid))
	}
	return min(rest, sumOf(rising))
}

func sumOf(amounts map[string]int64) (sum int64) {
	for _, amount := range amounts {
		sum += amount
	}
	return sum
}

// step is from what one run found and was asked for to the same of another.
type step struct {
	h           *History
	first, then *Apply
	wants, now  Files             // of the first, and of the other
	was, is     map[string]*Entry // campaigns as each found them, by tag
}

func (h credits) step(first, then *Apply) step {
	return step{h.History, first, then, h.Commits[first.Commit],
		h.Commits[then.Commit], h.campaigns(first.From), h.campaigns(then.From)}
}

// campaigns are those that stand after an entry, by tag.
func (h credits) campaigns(to int64) map[string]*Entry {
	byTag := map[string]*Entry{}
	for _, e := range h.Live(to) {
		if spends[e.Kind] && !e.gone() {
			byTag[e.tag()] = e
		}
	}
	return byTag
}

func recordOf(e *Entry) Record {
	if e == nil {
		return nil
	}
	return e.After
}

// ofSpend are the fields that decide what a campaign spends.
var ofSpend = []string{"status", "budget.daily", "budget.lifetime"}

// rises are what the first run showed to rise and is still to come, by tag.
func (s step) rises() map[string]int64 {
	rises := map[string]int64{}
	for tag, item := range s.wants {
		was, is := recordOf(s.was[tag]), recordOf(s.is[tag])
		if !spends[item.Kind] || s.wants.spend(tag, was, 0) <= was.spend(item.Kind, 0) || !s.asBefore(item, was, is) {
			continue
		}
		rises[tag] = max(s.wants.spend(tag, is, 0)-is.spend(item.Kind, 0), 0)
	}
	return rises
}

// asBefore reports whether the files still ask for the same, and that each field is as the first
// run found it, or as it wanted it.
func (s step) asBefore(item Item, was, is Record) bool {
	for _, name := range ofSpend {
		want, given := s.wants.wants(item.Tag, name)
		still, asked := s.now.wants(item.Tag, name)
		path := pathOf(item.Kind, name)
		if given != asked || !same(want, still) ||
			was != nil && !same(is.at(path), was.at(path)) && !same(is.at(path), want) {
			return false
		}
	}
	return true
}

// falls are what the first run was to lower: unpaid, where the agent has not lowered it or
// it is not as the agent left it, and paid. What a stranger had changed before is neither.
func (s step) falls() (unpaid, paid int64) {
	for tag, item := range s.wants {
		was := s.was[tag]
		if !spends[item.Kind] || was == nil || s.h.credits().strangersOn(was.ID, 0, s.first.From) {
			continue
		}
		fall := was.After.spend(item.Kind, 0) - s.wants.spend(tag, was.After, 0)
		switch is := s.is[tag]; {
		case fall <= 0:
		case is != nil && s.asBefore(item, is.After, is.After) && s.stands(item, is):
			paid += fall
		default:
			unpaid += fall
		}
	}
	return unpaid, paid
}

// stands reports whether a campaign is as the files want it, and that nobody but the agent has
// set what decides that since the first run began.
func (s step) stands(item Item, is *Entry) bool {
	for _, name := range ofSpend {
		if want, given := s.wants.wants(item.Tag, name); given && !same(is.After.at(pathOf(item.Kind, name)), want) {
			return false
		}
	}
	return !s.h.credits().strangersOn(is.ID, s.first.From, s.then.From)
}

// strangersOn reports whether somebody but an agent changed what a campaign spends between two
// entries.
func (h credits) strangersOn(id string, from, to int64) bool {
	for i := range h.W {
		e := &h.W[i]
		if e.Seq <= from || e.Seq > to || e.ID != id {
			continue
		}
		for _, name := range ofSpend {
			if path := pathOf(e.Kind, name); h.strange(e) && !same(e.Before.at(path), e.After.at(path)) {
				return true
			}
		}
	}
	return false
}
