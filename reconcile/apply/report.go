package apply

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Report is what became of a plan: one outcome a change, in plan order.
type Report struct {
	Run      string
	PlanHash string
	Account  state.Account
	Outcomes []Outcome
	Started  time.Time
	Plan     *plan.Plan
	Touched  int // changes of which something was written
	Verified int // of those, how many reading back showed as sent

	Undecided []send.Undecided // what earlier runs left open

	Saved *plan.SavedDocument // what moved since the plan was saved; nil where it was not
}

// Outcome is what became of one change.
type Outcome struct {
	Address  resource.Address
	Action   plan.Action
	Name     string
	ID       string
	Outcome  state.Outcome // applied, failed, skipped, held, unknown
	Code     string
	Message  string
	Position diag.Position // the row
	Cell     diag.Position // the value concerned, else the row

	Written  resource.Attributes // what was applied of it at the service
	Verified bool                // reading back showed it as sent

	Held []plan.HeldPart // fields that stayed while the rest went
}

// OutcomeHeld is the outcome of a change the policy left out.
const OutcomeHeld state.Outcome = "held"

// reporting records and reports what became of the changes of a run.
type reporting struct {
	*env.Env
	*run
	*parts

	Refused []diag.Problem // what the preflight refused: nothing is sent
}

// Report returns the outcomes so far; parts that were not reached are skipped.
func (r *reporting) Report() *Report {
	report := &Report{
		Run: r.id, PlanHash: r.hash, Account: r.Account,
		Undecided: r.view.Undecided, Started: r.started, Plan: r.view.Plan, Saved: r.view.Plan.Saved(),
	}
	report.Outcomes = make([]Outcome, 0, len(r.view.Plan.Changes))
	for i := range r.view.Plan.Changes {
		c := &r.view.Plan.Changes[i]
		s := r.progressOf[c.Address]
		if s == nil {
			report.Outcomes = append(report.Outcomes, r.view.heldOutcome(c))
			continue
		}
		report.Outcomes = append(report.Outcomes, r.outcome(c, s).Without(c.HeldParts()))
		if len(s.expect) > 0 {
			report.Touched++
		}
		if s.verified {
			report.Verified++
		}
	}
	return report
}

// Without is the outcome of a change of which some fields stayed: one that was
// applied says so.
func (o Outcome) Without(held []plan.HeldPart) Outcome {
	o.Held = held
	if len(held) == 0 || o.Outcome != state.OutcomeApplied || o.Code != "" {
		return o
	}
	o.Code, o.Cell = string(held[0].Hazard), held[0].Cell
	o.Message = fmt.Sprintf("applied but for %s, which is held: %s", held[0].Field, held[0].Message)
	if more := len(held) - 1; more > 0 {
		o.Message += fmt.Sprintf("; and %d more of its fields", more)
	}
	return o
}

// heldCell is where the first field that is held is written, else the row.
func heldCell(c *plan.Change) diag.Position {
	if at := c.Held.Cell(); !at.IsZero() {
		return at
	}
	for _, f := range c.Fields {
		if f.Held != nil && !f.Desired.Position.IsZero() {
			return f.Desired.Position
		}
	}
	return c.Position
}

func (r *reporting) outcome(c *plan.Change, s *changeProgress) Outcome {
	o := Outcome{
		Address: c.Address, Action: c.Action, Name: c.Name, ID: r.ids[c.Address],
		Outcome: s.outcome, Code: s.code, Message: s.message, Position: c.Position, Cell: s.cell,
		Written: s.written, Verified: s.verified,
	}
	switch {
	case !s.started && len(r.Refused) > 0:
		r.unsent(&o)
	case !s.started:
		o.Outcome, o.Message = state.OutcomeSkipped, "not reached"
	case s.outcome == state.OutcomeApplied && s.pending > 0:
		o.Outcome, o.Message = state.OutcomeSkipped, "begun; its later parts were not reached"
	case s.outcome == state.OutcomeApplied && len(s.differs) > 0:
		o.Code, o.Message = string(notVerified), "applied, but reading back shows that "+inWords(s.differs)
	}
	if o.Cell.IsZero() {
		o.Cell = c.Position
	}
	return o
}

// unsent is the outcome of a change of which nothing was sent, as the preflight
// refused it or another.
func (r *reporting) unsent(o *Outcome) {
	for _, p := range r.Refused {
		if p.Address == o.Address.String() {
			o.Outcome, o.Code, o.Message, o.Cell = state.OutcomeFailed, string(p.Code), p.Message, p.Position
			return
		}
	}
	o.Outcome, o.Code, o.Message = state.OutcomeSkipped,
		string(diag.OperationSkipped), "not sent: the service refused another row when it was asked first"
}

// Count returns how many changes have an outcome. One of which a field is held counts
// as held beside what became of the rest.
func (r *Report) Count(outcome state.Outcome) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Outcome == outcome || outcome == OutcomeHeld && len(o.Held) > 0 {
			n++
		}
	}
	return n
}

// Changed counts what was applied at the service; what adsync notes in its own
// record changes nothing there.
func (r *Report) Changed() int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Outcome == state.OutcomeApplied && o.Action != plan.Record && o.Action != plan.Forget {
			n++
		}
	}
	return n
}

// Moved counts what moved since the plan was saved.
func (r *Report) Moved() int {
	if r.Saved == nil {
		return 0
	}
	return len(r.Saved.Stale)
}

// Summary is one line: counts by outcome and what reading back showed.
func (r *Report) Summary() string {
	counts := ""
	for _, outcome := range []state.Outcome{state.OutcomeApplied,
		state.OutcomeFailed, state.OutcomeSkipped, OutcomeHeld, state.OutcomeUnknown} {
		if n := r.Count(outcome); n > 0 || outcome == state.OutcomeApplied {
			one := catalogue.Say("ended."+string(outcome), "n", n)
			if counts != "" {
				one = catalogue.Say("list.comma", "list", counts, "last", one)
			}
			counts = one
		}
	}
	return catalogue.Say("ended.summary", "counts", counts, "verified", r.Verified, "touched", r.Touched)
}

// Waiting counts rows that wait because a cell of theirs, or of one above, is not valid.
func (r *Report) Waiting() int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Outcome == OutcomeHeld && o.Code == string(plan.Invalid) {
			n++
		}
	}
	return n
}

// Refused counts changes that are held, wholly or in part, although the files ask
// for them: all but drift, which is only reported.
func (r *Report) Refused() int {
	n := 0
	for _, o := range r.Outcomes {
		asked := slices.ContainsFunc(o.Held, func(p plan.HeldPart) bool { return p.Hazard != plan.Drifts })
		if asked || o.Outcome == OutcomeHeld && o.Code != string(plan.Drifts) {
			n++
		}
	}
	return n
}

// blame finds the cell or line a refusal is about: the entry or the attribute
// whose wire name, on either route, the service's words hold; the one attribute
// that was to change; else the row.
func (r *run) blame(p wire.Part, words ...string) diag.Position {
	all := strings.Join(words, " ")
	best, at := "", onlyEdit(p)
	for _, f := range p.Fields {
		a, ok := r.Schemas.Of(p.Change.Address.Kind).Attribute(f.Name)
		if !ok || f.Desired.Position.IsZero() {
			continue
		}
		for _, wire := range []string{a.Wire.Path, a.Bulk.Create, a.Bulk.Update, lastSegment(a.Wire.Path)} {
			if wire != "" && len(wire) > len(best) && strings.Contains(all, wire) {
				best, at = wire, f.Desired.ItemPosition(entryNamed(all, wire))
			}
		}
	}
	return at
}

// onlyEdit is where the one attribute is written that a part changes, the row
// where it changes several.
func onlyEdit(p wire.Part) diag.Position {
	at, edits := p.Change.Position, 0
	for _, f := range p.Fields {
		if f.Cause == plan.SentAlong {
			continue
		}
		if edits++; !f.Desired.Position.IsZero() {
			at = f.Desired.Position
		}
	}
	if edits != 1 || p.Change.Action == plan.Create {
		return p.Change.Position
	}
	return at
}

// entryNamed is the number of the entry that follows a wire name, as in
// `context_hints[3]`; -1 where none does.
func entryNamed(words, wire string) int {
	_, after, _ := strings.Cut(words, wire+"[")
	digits, _, closed := strings.Cut(after, "]")
	n, err := strconv.Atoi(digits)
	if !closed || err != nil {
		return -1
	}
	return n
}

func lastSegment(path string) string {
	_, key, _ := wire.CutLast(path)
	return key
}
