package oracle

import (
	"fmt"
	"time"
)

// ExposurePath is invariant 9. What strangers do in the meantime moves the
// bound along; what they did before is part of what was there. Two agents that
// can neither see nor name each other's creates are left out, and so is what one
// makes again as it could not tell the other's (invariant 1).
func ExposurePath(h *History) error {
	if h.Shared && !(h.KeysHold && h.ListsHold) {
		return nil
	}
	for _, a := range h.Applies {
		if err := h.pathOf(a); err != nil {
			return err
		}
	}
	return nil
}

func (h *History) pathOf(a *Apply) error {
	live, began := h.Live(a.From), h.Live(a.From)
	before := exposure(live)
	bound := max(before, h.asked(a, live))
	for i := range h.W {
		e := &h.W[i]
		if e.Seq <= a.From || e.Account != h.Account || !managed(e) {
			continue
		}
		if e.Seq > a.To && !a.Open {
			return nil
		}
		was := exposure(live)
		live[e.ID] = e
		is := exposure(live)
		if agent, ours := h.ours(e); !ours || agent != a.Agent || h.older(e, a) {
			bound += max(0, is-was)
			continue
		}
		if h.madeBlindly(e) {
			bound += h.asks(a).spend(e.tag(), nil)
		}
		if is > bound && is > bound+h.spentAlready(a, began, e.At) {
			return fmt.Errorf("entry %d (%s of %s) lets %d be spent; %d could be before the run, and the files ask for at most %d", e.Seq, e.Action, e.tag(), is, before, bound)
		}
	}
	return nil
}

// older says that an entry is of bytes that were sent for another commit: what
// recovery repeats, or what arrives late.
func (h *History) older(e *Entry, a *Apply) bool {
	r := h.requestOf(e)
	return r == nil || r.Commit != a.Commit
}

// exposure is what can be spent: the budgets of active campaigns.
func exposure(live map[string]*Entry) int64 {
	var sum int64
	for _, e := range live {
		sum += e.After.spend(e.Kind)
	}
	return sum
}

func (r Record) spend(kind string) int64 {
	if r.text("status") != "active" {
		return 0
	}
	return r.budget(kind)
}

func (r Record) budget(kind string) int64 {
	daily, _ := r.at(pathOf(kind, "budget.daily")).(int64)
	lifetime, _ := r.at(pathOf(kind, "budget.lifetime")).(int64)
	return daily + lifetime
}

// asked is what could be spent when the files are carried out on top of what
// is live: what is held, for whatever reason, stays as it is.
func (h *History) asked(a *Apply, live map[string]*Entry) int64 {
	files := h.asks(a)
	var sum int64
	found := map[string]bool{}
	for _, e := range live {
		tag := e.tag()
		if e.gone() {
			continue
		}
		found[tag] = true
		sum += max(e.After.spend(e.Kind), files.spend(tag, e.After))
	}
	for tag := range files {
		if !found[tag] {
			sum += files.spend(tag, nil)
		}
	}
	return sum - h.lowered(a, live)
}

// lowered is how far the files bring down campaigns nobody else has changed:
// that much must be gone before anything may rise.
func (h *History) lowered(a *Apply, live map[string]*Entry) int64 {
	return h.loweredBy(a, live, func(_ *Entry, before, asked int64) int64 { return max(0, before-asked) })
}

func (h *History) loweredBy(a *Apply, live map[string]*Entry, less func(e *Entry, before, asked int64) int64) int64 {
	files, touched := h.asks(a), h.touchedBeside(a.Agent)
	var sum int64
	for _, e := range live {
		tag := e.tag()
		if _, named := files[tag]; !named || touched[tag] || e.gone() {
			continue
		}
		sum += less(e, e.After.spend(e.Kind), files.spend(tag, e.After))
	}
	return sum
}

// spentAlready is how much of what the files bring down was spent by then: to take it
// away frees nothing, so that nothing waits for it.
func (h *History) spentAlready(a *Apply, live map[string]*Entry, by time.Time) int64 {
	if h.Spent == nil {
		return 0
	}
	return h.loweredBy(a, live, func(e *Entry, before, asked int64) int64 {
		lifetime, _ := e.After.at(pathOf(e.Kind, "budget.lifetime")).(int64)
		if before <= asked || before != lifetime || h.asks(a)[e.tag()].Values["budget.daily"] != nil {
			return 0
		}
		spent := h.Spent(e.ID, by)
		return before - asked - (max(0, before-spent) - max(0, asked-spent))
	})
}

// spend is what the files let a campaign spend; what they do not say is as it is.
func (f Files) spend(tag string, live Record) int64 {
	status, given := f.wants(tag, "status")
	if !given {
		status = live.at("status")
	}
	if !same(status, "active") {
		return 0
	}
	return f.budget(tag, live)
}

func (f Files) budget(tag string, live Record) int64 {
	item := f[tag]
	value := func(name string) any {
		if v, given := f.wants(tag, name); given {
			return v
		}
		return live.at(pathOf(item.Kind, name))
	}
	daily, _ := value("budget.daily").(int64)
	lifetime, _ := value("budget.lifetime").(int64)
	return daily + lifetime
}
