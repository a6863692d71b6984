package runview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/state"
)

// sum is an amount of the first lines.
type sum struct{ label, text string }

// sums are what happened to spend.
func (h *Head) sums() []sum {
	if h.Run == "" {
		return nil // it never began
	}
	m, currency := h.Money, h.Account.Currency
	sums := []sum{{catalogue.Say("sums.day"),
		planview.Sum(plan.Moved{Before: m.Reached.DailyBefore, After: m.Reached.DailyAfter}, currency)}}
	if m.Planned.LifetimeBefore != 0 || m.Planned.LifetimeAfter != 0 || m.Reached.LifetimeAfter != 0 {
		sums = append(sums, sum{catalogue.Say("run.lifetime"),
			planview.Sum(plan.Moved{Before: m.Reached.LifetimeBefore, After: m.Reached.LifetimeAfter}, currency)})
	}
	return sums
}

// caveats are what keeps the sums from being the whole truth.
func (h *Head) caveats() []string {
	var said []string
	if most := h.Money.AtMost; most != nil {
		said = append(said, catalogue.Say("run.not-certain", "amount", h.amounts(*most)))
	}
	if h.Money.planned() != h.Money.Reached && h.count(state.OutcomeFailed)+
		h.count(state.OutcomeSkipped)+h.count(state.OutcomeUnknown) > 0 {
		said = append(said, catalogue.Say("run.planned", "amount", h.amounts(h.Money.planned())))
	}
	for _, u := range h.Undecided {
		said = append(said, catalogue.Say("run.unknown", "step", printable(u.Step),
			"what", printable(u.Address), "why", printable(u.Message), "do", printable(u.Do)))
	}
	return said
}

// planned is what the run set out to do, within the limits of the account.
func (m *Money) planned() plan.Spend {
	planned := m.Planned
	if m.Within != nil {
		planned.DailyBefore, planned.DailyAfter = min(planned.DailyBefore, m.Within.Before),
			min(planned.DailyAfter, m.Within.After)
	}
	return planned
}

func (h *Head) count(o state.Outcome) int { return h.Summary[string(o)] }

func (h *Head) amounts(s plan.Spend) string {
	day := catalogue.Say("sums.a-day",
		"amount", planview.Amount(s.DailyAfter)+" "+printable(h.Account.Currency))
	if s.LifetimeBefore == 0 && s.LifetimeAfter == 0 {
		return day
	}
	return catalogue.Say("run.lifetime-budgets", "day", day, "amount", planview.Amount(s.LifetimeAfter))
}

// counted are the outcomes in the order in which their numbers are said.
var counted = []state.Outcome{
	state.OutcomeApplied, state.OutcomeFailed, state.OutcomeSkipped, Held, state.OutcomeUnknown,
}

// counts returns how many changes have which outcome, and that nothing was to do.
func (h *Head) counts() string {
	var parts []string
	for _, o := range counted {
		if n := h.count(o); n > 0 || o == state.OutcomeApplied {
			parts = append(parts, catalogue.Say("ended."+string(o), "n", planview.Thousands(n)))
		}
	}
	return words.Commas(parts)
}

// Result is one line: counts by outcome, and what reading back showed.
func (h *Head) Result() string {
	return catalogue.Say("ended.summary", "counts", h.counts(),
		"verified", planview.Thousands(h.Verified), "touched", planview.Thousands(h.Touched))
}

// how returns how a run ended, "" where it said what became of every change.
func (h *Head) how() string {
	switch h.Ended {
	case Interrupted:
		return catalogue.Say("run.interrupted")
	case Killed:
		return catalogue.Say("run.killed")
	case Running:
		return catalogue.Say("run.running")
	}
	return ""
}

// recovery returns what a later run found.
func (h *Head) recovery() string {
	r := h.Recovered
	if r == nil {
		if h.Ended == Killed && h.count(state.OutcomeUnknown) > 0 {
			return catalogue.Say("run.unseen")
		}
		return ""
	}
	found := []string{catalogue.Say("run.finished", "n", planview.Thousands(r.Finished)),
		catalogue.Say("run.abandoned", "n", planview.Thousands(r.Abandoned))}
	if n := len(r.Undecided); n > 0 {
		found = append(found, catalogue.Say("run.left", "n", planview.Thousands(n)))
	}
	return catalogue.Say("run.recovered",
		"time", r.At.UTC().Format("2006-01-02 15:04 UTC"), "what", words.Commas(found))
}

func printable(text string) string { return diag.Printable(text) }

// title is what a page or a comment is of.
func (h *Head) title() string {
	title := "adsync " + string(h.Command)
	if h.Run != "" {
		title += " " + h.Run
	}
	if h.Reverts != "" {
		title += ", which takes back " + h.Reverts
	}
	return printable(title)
}

// about says of which account, files and moment a run is.
func (h *Head) about() string {
	parts := []string{catalogue.Say("run.no-account")}
	if h.Account.ID != "" {
		parts = []string{catalogue.Say("run.account", "account", h.Account.ID)}
	}
	if h.Service != nil {
		parts = append(parts, catalogue.Say("run.service", "service", h.Service.Words()))
	}
	if h.Revision != nil {
		commit := fmt.Sprintf("%.12s", h.Revision.Commit)
		if n := len(h.Revision.Uncommitted); n > 0 {
			parts = append(parts, catalogue.Say("run.commit-and", "commit", commit, "n", planview.Thousands(n)))
		} else {
			parts = append(parts, catalogue.Say("run.commit", "commit", commit))
		}
	}
	if !h.Started.IsZero() {
		zone := h.Zone
		if zone == nil {
			zone = time.UTC
		}
		parts = append(parts, h.Started.In(zone).Format("2006-01-02 15:04 MST"))
	}
	if h.By != "" {
		parts = append(parts, catalogue.Say("run.by", "who", h.By))
	}
	return printable(planview.Semicolons(parts))
}

// coded is the service's words and the code of an outcome, in one bracket with the
// code those words end with.
func (o *Outcome) coded() string {
	said := strings.TrimRight(o.Message, ".")
	switch cause := codeAtEnd.FindString(said); {
	case o.Code == "":
		return printable(o.Message)
	case cause == "":
		return printable(said + " (" + o.Code + ")")
	case strings.Contains(cause, o.Code):
		return printable(said)
	}
	return printable(strings.TrimSuffix(said, ")") + ", " + o.Code + ")")
}

var codeAtEnd = pattern.Of(`\(ADS[0-9]{4}\)$`)

// titles begin the list of each outcome.
var titles = map[state.Outcome]string{
	state.OutcomeUnknown: "Unknown, and asked about before anything else is sent",
	state.OutcomeFailed:  "Failed",
	state.OutcomeSkipped: "Skipped",
	Held:                 "Held, and not sent",
	state.OutcomeApplied: "Applied",
}

// of returns the outcomes of one sort, in the order of the plan. What is held of a
// change that went otherwise is among what is held.
func (d *Document) of(outcome state.Outcome) []*Outcome {
	var all []*Outcome
	for i := range d.Outcomes {
		switch o := &d.Outcomes[i]; {
		case o.Outcome == outcome:
			all = append(all, o)
		case outcome == Held && len(o.Held) > 0:
			all = append(all, o.stayed())
		}
	}
	return all
}

// stayed is what is held of a change that went otherwise.
func (o *Outcome) stayed() *Outcome {
	first := o.Held[0]
	held := &Outcome{
		Address: o.Address, Action: o.Action, Outcome: Held,
		Name: o.Name, ID: o.ID, Position: o.Position, Cell: first.Cell, Code: string(first.Hazard), Do: first.Do,
	}
	var said []string
	for _, part := range o.Held {
		said = append(said, part.words())
	}
	held.Message = strings.Join(said, "; ")
	for _, f := range o.Fields {
		if slices.ContainsFunc(o.Held, func(part HeldPart) bool { return part.Field == f.Name }) {
			held.Fields = append(held.Fields, f)
		}
	}
	return held
}

// words name the field once.
func (part *HeldPart) words() string {
	if strings.HasPrefix(part.Message, part.Field+" ") {
		return part.Message
	}
	return part.Field + ": " + part.Message
}

// going counts the changes of which something goes.
func (d *Document) going() (n int) {
	for i := range d.Outcomes {
		if d.Outcomes[i].Outcome != Held {
			n++
		}
	}
	return n
}
