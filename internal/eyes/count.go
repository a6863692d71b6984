package eyes

import (
	"slices"
	"strings"

	"adsync/plan"
)

// Yes is what somebody agreed to. None has expired.
type Yes struct {
	Who    *Who // nil where nobody proved who they are
	Serial int64
	Asks   []plan.Ask
}

// Rule is what decides whose yes counts in a run.
type Rule struct {
	Hazards []plan.Hazard // that nobody approves who wrote the change
	Wrote   []Wrote       // the oldest first
	Given   []Yes         // to plans of the state that is planned from
	// Spent reports whether a part was done since a serial of the state: what was said of it before is about another
	// change that looks the same
	Spent func(key string, serial int64) bool

	wrote  map[string][]*Wrote     // by key
	agreed []map[string]*plan.Part // of each of Given, by key
}

// NewRule makes a rule of who wrote and who agreed.
func NewRule(r Rule) *Rule {
	r.wrote = map[string][]*Wrote{}
	for i := range r.Wrote {
		if w := &r.Wrote[i]; len(w.By) > 0 {
			for _, key := range w.Keys {
				r.wrote[key] = append(r.wrote[key], w)
			}
		}
	}
	for i := range r.Given {
		r.agreed = append(r.agreed, map[string]*plan.Part{})
		y := &r.Given[i]
		for n := range y.Asks {
			for k := range y.Asks[n].Parts {
				q := &y.Asks[n].Parts[k]
				key := q.Key(y.Asks[n].Hazard)
				if was := r.agreed[i][key]; !r.Spent(key, y.Serial) && (was == nil || was.Amount < q.Amount) {
					r.agreed[i][key] = q
				}
			}
		}
	}
	return &r
}

// Holds reports whether the rule is about a hazard.
func (r *Rule) Holds(h plan.Hazard) bool { return slices.Contains(r.Hazards, h) }

// Counts returns what of an ask that somebody agreed to counts, up to the lower amount of two where it wants two.
func (r *Rule) Counts(y Yes, a plan.Ask) (left plan.Ask, some bool) {
	if !r.Holds(a.Hazard) {
		return a, true
	}
	left = a
	left.Parts = nil
	for _, p := range a.Parts {
		if p, counts := r.counts(y, a.Hazard, p); counts {
			left.Parts = append(left.Parts, p)
		}
	}
	return left, len(left.Parts) > 0
}

func (r *Rule) counts(y Yes, h plan.Hazard, p plan.Part) (plan.Part, bool) {
	authors, known := r.authors(h, p)
	if y.Who == nil || isOf(authors, *y.Who) {
		return p, false
	}
	if known && allOthers(authors, *y.Who) {
		return p, true
	}
	key, found, most := p.Key(h), false, int64(0)
	for i := range r.Given {
		o := &r.Given[i]
		if o.Who == nil || !o.Who.other(*y.Who) || isOf(authors, *o.Who) {
			continue
		}
		if q := r.agreed[i][key]; q != nil {
			found, most = true, max(most, q.Amount)
		}
	}
	p.Amount = min(p.Amount, most)
	return p, found
}

func isOf(authors []Who, w Who) bool { return slices.ContainsFunc(authors, w.Is) }

func allOthers(authors []Who, w Who) bool {
	return !slices.ContainsFunc(authors, func(a Who) bool { return !a.other(w) })
}

// Lack is what an ask of a plan lacks that wants more than one yes of anybody.
type Lack struct {
	Authors []Who `json:"authors,omitempty"`
	Known   bool  `json:"known"`            // they are all who wrote it
	Agreed  []Who `json:"agreed,omitempty"` // approved all of it already, and it wants one more
}

// Wants returns what an ask wants; nil where the rule is not about it.
func (r *Rule) Wants(a *plan.Ask) *Lack {
	if !r.Holds(a.Hazard) {
		return nil
	}
	w := &Lack{Known: true}
	for _, p := range a.Parts {
		authors, known := r.authors(a.Hazard, p)
		w.Known = w.Known && known
		for _, one := range authors {
			if !slices.Contains(w.Authors, one) {
				w.Authors = append(w.Authors, one)
			}
		}
	}
	for i := range r.Given {
		y := &r.Given[i]
		if y.Who == nil || isOf(w.Authors, *y.Who) || slices.Contains(w.Agreed, *y.Who) {
			continue
		}
		if !slices.ContainsFunc(a.Parts, func(p plan.Part) bool {
			q := r.agreed[i][p.Key(a.Hazard)]
			return q == nil || q.Amount < p.Amount
		}) {
			w.Agreed = append(w.Agreed, *y.Who)
		}
	}
	return w
}

// Refuses reports whether somebody cannot approve it, as they wrote of it.
func (l *Lack) Refuses(who Who) bool { return isOf(l.Authors, who) }

// Enough reports whether it is enough where somebody approves it now.
func (l *Lack) Enough(who Who) bool {
	return l.Known && allOthers(l.Authors, who) || slices.ContainsFunc(l.Agreed, who.other)
}

// Says returns who has to approve it still.
func (l *Lack) Says() string {
	switch by := list(l.Authors); {
	case len(l.Agreed) > 0:
		return "approved by " + list(l.Agreed) + "; it wants one more person than " + list(l.Agreed)
	case l.Known:
		return by + " wrote it: it wants the approval of somebody else"
	case by != "":
		return by + " wrote of it, and not all who did are known: it wants the approval of two other people"
	}
	return "who wrote it is not known: it wants the approval of two people"
}

func list(all []Who) string {
	var names []string
	for i, w := range all {
		if !isOf(all[:i], w) { // one person may be here by two names
			names = append(names, w.String())
		}
	}
	return strings.Join(names, ", ")
}
