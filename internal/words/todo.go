package words

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Ask is the text of how whoever reads it gets an approval.
type Ask string

// The ways to one.
const (
	OnPage  Ask = "ask.page"
	OnSheet Ask = "ask.sheet"
	ByAsk   Ask = "ask.them"
)

// instead are the hazards of which something can be done in the workbook in the place of an approval.
var instead = []plan.Hazard{
	plan.RaisesSpend, plan.Exposure, plan.Archives, plan.Conflicts, plan.Drifts, plan.RemovedByHand,
	plan.Adopts, plan.Twins, plan.Replaces, plan.ShrinksAudience, plan.Shifted, plan.Series, plan.Scale,
	plan.MassEdit,
}

// unasked are those of which something is to be done where no approval helps.
var unasked = []plan.Hazard{
	plan.Invalid, plan.Late, plan.Protected, plan.Unavailable, plan.Unselected, plan.Unattended,
	plan.Incomplete, plan.Frozen, plan.Undecided, plan.Outdated,
}

// Holds says of a change what holds it, a line each, and then what to do.
func (n *Names) Holds(holds []plan.Hold, ask Ask) string {
	var said, todo, others []string
	for i := range holds {
		said = append(said, diag.Printable(sentence(n.In(holds[i].Message))))
		into, do := &todo, toRelease(&holds[i])
		if holds[i].Allow != "" {
			into = &others
		}
		if !slices.Contains(*into, do) {
			*into = append(*into, do)
		}
	}
	if len(said) == 0 {
		return ""
	}
	if len(others) > 0 {
		todo = append([]string{
			catalogue.Say("todo.ask-or", "ask", catalogue.Say(string(ask)), "instead", allOf(others))}, todo...)
	}
	return strings.Join(said, "\n") + "\n" + catalogue.Say("todo.do", "what", strings.Join(todo, "; "))
}

// allOf joins what is to be done with each other.
func allOf(what []string) string {
	all := what[0]
	for _, one := range what[1:] {
		all = catalogue.Say("todo.and", "first", all, "second", one)
	}
	return all
}

// sentence begins with a capital, unless it begins with the name of a file.
func sentence(text string) string {
	if first, _, _ := strings.Cut(text, " "); strings.ContainsAny(first, ".!/") {
		return text
	}
	return Upper(text)
}

// toRelease is what can be done about a hold without an approval.
func toRelease(h *plan.Hold) string {
	switch {
	case h.Allow == "" && slices.Contains(unasked, h.Hazard):
		return catalogue.Say("unasked." + string(h.Hazard))
	case slices.Contains(instead, h.Hazard):
		return catalogue.Say("instead." + string(h.Hazard))
	}
	return catalogue.Say("todo.row")
}

// afterwards is looked through in order: the first row that fits says what to do about
// an outcome of package state, by the text it has. Code "" is any.
var afterwards = []struct {
	outcome, code, do string
}{
	{"unknown", string(diag.NeedsDecision), "afterwards.decide"},
	{"unknown", string(diag.KeyConflict), "afterwards.decide"},
	{"unknown", "", "afterwards.unknown"},
	{"failed", string(diag.JobUnfinished), "afterwards.unfinished"},
	{"failed", string(diag.Unauthorized), "afterwards.key"},
	{"failed", string(diag.ServiceUnavailable), "afterwards.again"},
	{"failed", "", "afterwards.failed"},
	{"skipped", string(diag.OperationSkipped), "afterwards.waits"},
	{"skipped", string(diag.ServiceUnavailable), "afterwards.again"},
	{"skipped", "", "afterwards.skipped"},
	{"applied", string(diag.NotVerified), "afterwards.differs"},
}

// Do returns what to do about an outcome, "" where there is nothing to do.
func Do(outcome, code string) string {
	for _, a := range afterwards {
		if a.outcome == outcome && (a.code == "" || a.code == code) {
			return catalogue.Say(a.do)
		}
	}
	return ""
}

// command is what only somebody with a command line can do.
var command = pattern.Of(`--(allow|as|accept|retry|target|exclude|refresh)\b|\badsync ` +
	`(apply|plan|resolve|drift|reconcile|status|validate|fix|revert|adopt|policy)\b`)

// summary are the words of what a run or a plan came to, as records have it in English, each with a marketer's.
var summary = []struct {
	said *pattern.Pattern
	want string
}{
	{pattern.Of(`\b(\d+(?: changes?)?) held\b`), "$1 waiting"},
	{pattern.Of(`; verified (\d[\d,]*)/(\d[\d,]*)`), "; $1 of $2 read back as sent"},
}

// plainly leaves out of a text what names a command or an allowance, and has a
// marketer's words in the place of an engineer's.
func plainly(text string) string {
	text = catalogue.Plainly(text)
	kept := slices.DeleteFunc(strings.Split(text, "; "), command.MatchString)
	if len(kept) > 0 {
		text = strings.Join(kept, "; ")
	}
	for _, w := range summary {
		text = w.said.ReplaceAllString(text, w.want)
	}
	return text
}
