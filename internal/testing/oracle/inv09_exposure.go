package oracle

import "fmt"

// paths adds up what could be spent while a run goes on.
type paths struct{ *History }

func (h *History) paths() paths { return paths{h} }

// ExposurePath is invariant 9. What strangers do in the meantime moves the
// bound along; what they did before is part of what was there. Two agents that
// can neither see nor name each other's creates are left out, and so is what one
// makes again as it could not tell the other's (invariant 1).
func ExposurePath(h *History) error {
	if h.Shared && !(h.KeysHold && h.ListsHold) {
		return nil
	}
	for _, a := range h.Applies {
		if err := h.paths().pathOf(a); err != nil {
			return err
		}
	}
	return nil
}

func (h paths) pathOf(a *Apply) error {
	at, bad := h.pathWith(a, nothing)
	if bad == nil || h.Spent == nil {
		return bad
	}
	// What is spent already is in nobody's way: a run is judged by what was left.
	if _, still := h.pathWith(a, func(id string) int64 { return h.Spent(id, at.At) }); still == nil {
		return nil
	}
	return bad
}

// pathWith judges a run by what each campaign had spent of its lifetime budget, and gives
// the first entry that goes beyond.
func (h paths) pathWith(a *Apply, spent spentBy) (*Entry, error) {
	live := h.Live(a.From)
	before := exposure(live, spent)
	bound := max(before, h.asked(a, live, spent))
	for i := range h.W {
		e := &h.W[i]
		if e.Seq <= a.From || e.Account != h.Account || !managed(e) {
			continue
		}
		if e.Seq > a.To && !a.Open {
			return nil, nil
		}
		was := exposure(live, spent)
		live[e.ID] = e
		is := exposure(live, spent)
		if agent, ours := h.ours(e); !ours || agent != a.Agent || h.older(e, a) {
			bound += max(0, is-was)
			continue
		}
		if h.births().madeBlindly(e) {
			bound += h.runs().asks(a).spend(e.tag(), nil, 0)
		}
		if is > bound {
			return e, fmt.Errorf("entry %d (%s of %s) lets %d be spent; %d could "+
				"be before the run, and the files ask for at most %d", e.Seq, e.Action, e.tag(), is, before, bound)
		}
	}
	return nil, nil
}

// spentBy gives what a campaign has spent, in micros, by its id.
type spentBy func(id string) int64

func nothing(string) int64 { return 0 }

// older reports whether an entry is of bytes that were sent for another commit: what
// recovery repeats, or what arrives late, also from a process that had lost the account, or
// was repeated by another one while the run still went on.
func (h paths) older(e *Entry, a *Apply) bool {
	r := h.requestOf(e)
	return r == nil || r.Commit != a.Commit || r.Late || r.Process != a.Process && r.At.After(a.At)
}

// exposure is what can be spent: the daily budgets of active campaigns, and what is
// left of the others.
func exposure(live map[string]*Entry, spent spentBy) int64 {
	var sum int64
	for _, e := range live {
		sum += e.After.spend(e.Kind, spent(e.ID))
	}
	return sum
}

func (r Record) spend(kind string, spent int64) int64 {
	if r.text("status") != "active" {
		return 0
	}
	daily, _ := r.at(pathOf(kind, "budget.daily")).(int64)
	lifetime, _ := r.at(pathOf(kind, "budget.lifetime")).(int64)
	return daily + max(0, lifetime-spent)
}

// asked is what could be spent when the files are carried out on top of what
// is live: what is held, for whatever reason, stays as it is.
func (h paths) asked(a *Apply, live map[string]*Entry, spent spentBy) int64 {
	files := h.runs().asks(a)
	var sum int64
	found := map[string]bool{}
	for _, e := range live {
		tag := e.tag()
		if e.gone() {
			continue
		}
		found[tag] = true
		sum += max(e.After.spend(e.Kind, spent(e.ID)), files.spend(tag, e.After, spent(e.ID)))
	}
	for tag := range files {
		if !found[tag] {
			sum += files.spend(tag, nil, 0)
		}
	}
	return sum - h.lowered(a, live, spent)
}

// lowered is how far the files bring down campaigns nobody else has changed:
// that much must be gone before anything may rise.
func (h paths) lowered(a *Apply, live map[string]*Entry, spent spentBy) int64 {
	files, touched := h.runs().asks(a), h.touchedBeside(a.Agent)
	var sum int64
	for _, e := range live {
		tag := e.tag()
		if _, named := files[tag]; !named || touched[tag] || e.gone() {
			continue
		}
		sum += max(0, e.After.spend(e.Kind, spent(e.ID))-files.spend(tag, e.After, spent(e.ID)))
	}
	return sum
}

// spend is what the files let a campaign spend; what they do not say is as it is, and all
// of it where a cell cannot be read.
func (f Files) spend(tag string, live Record, spent int64) int64 {
	if f.waits(tag) {
		return live.spend(f[tag].Kind, spent)
	}
	status, given := f.wants(tag, "status")
	if !given {
		status = live.at("status")
	}
	if !same(status, "active") {
		return 0
	}
	return f.budget(tag, live, spent)
}

func (f Files) budget(tag string, live Record, spent int64) int64 {
	item := f[tag]
	value := func(name string) any {
		if v, given := f.wants(tag, name); given {
			return v
		}
		return live.at(pathOf(item.Kind, name))
	}
	daily, _ := value("budget.daily").(int64)
	lifetime, _ := value("budget.lifetime").(int64)
	return daily + max(0, lifetime-spent)
}
