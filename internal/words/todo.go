package words

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/plan"
)

// Ask is how whoever reads it gets an approval.
type Ask string

// The ways to one.
const (
	OnPage  Ask = "approve it on the page"
	OnSheet Ask = "say yes to it on the sheet Plan"
	ByAsk   Ask = "ask whoever sends the changes to approve it"
)

// instead is what can be done in the workbook in the place of an approval.
var instead = map[plan.Hazard]string{
	plan.RaisesSpend:     "write a smaller amount",
	plan.Exposure:        "write a smaller amount",
	plan.Archives:        "pause it instead",
	plan.Conflicts:       "write into the cell what it is outside",
	plan.Drifts:          "write into the cell what it is outside",
	plan.RemovedByHand:   "take the row out",
	plan.Adopts:          "give yours another name",
	plan.Twins:           "give yours another name",
	plan.Replaces:        "set the value back",
	plan.ShrinksAudience: "mend the list of people",
	plan.Shifted:         "mend the column",
	plan.Series:          "mend the column",
	plan.Scale:           "mend the amount",
	plan.MassEdit:        "mend the rows",
}

// unasked is what to do where no approval helps.
var unasked = map[plan.Hazard]string{
	plan.Invalid:     "mend the cell that is named",
	plan.Late:        "write another day, or take the row out",
	plan.Protected:   "ask whoever protected it",
	plan.Unavailable: "ask whoever owns the account",
	plan.Unselected:  "nothing: it goes once what it needs goes too",
	plan.Unattended:  "ask whoever looks after adsync",
	plan.Incomplete:  "see to what is named",
	plan.Frozen:      "nothing: it goes once these days are over",
	plan.Undecided:   "nothing yet; where it stays so, ask whoever looks after adsync",
	plan.Outdated:    "nothing: it is looked at anew",
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
		todo = append([]string{string(ask) + ", or " + strings.Join(others, " and ")}, todo...)
	}
	return strings.Join(said, "\n") + "\nTo do: " + strings.Join(todo, "; ") + "."
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
	if do := unasked[h.Hazard]; do != "" && h.Allow == "" {
		return do
	}
	return cmp.Or(instead[h.Hazard], "change the row")
}

// askOwner is what to do about what only an engineer can decide.
const askOwner = "Ask whoever looks after adsync to decide it."

// afterwards is looked through in order: the first row that fits says what to do about
// an outcome of package state. Code "" is any.
var afterwards = []struct {
	outcome, code, do string
}{
	{"unknown", string(diag.NeedsDecision), askOwner},
	{"unknown", string(diag.KeyConflict), askOwner},
	{"unknown", "", "Nothing yet: the next run asks the service first, and makes nothing twice."},
	{"failed", string(diag.JobUnfinished), "Nothing yet: the next run asks what became of it."},
	{"failed", string(diag.Unauthorized),
		"Nothing is wrong with the row: ask whoever looks after adsync to see to its key."},
	{"failed", string(diag.ServiceUnavailable), "Nothing is wrong with the row: the next run tries again."},
	{"failed", "", "Mend it in your own workbook and save."},
	{"skipped", string(diag.OperationSkipped), "See to what it waits for."},
	{"skipped", string(diag.ServiceUnavailable), "Nothing is wrong with the row: the next run tries again."},
	{"skipped", "", "Nothing: the next run goes on from here."},
	{"applied", string(diag.NotVerified), "Nothing yet: the next run shows both values where they still differ."},
}

// Do returns what to do about an outcome, "" where there is nothing to do.
func Do(outcome, code string) string {
	for _, a := range afterwards {
		if a.outcome == outcome && (a.code == "" || a.code == code) {
			return a.do
		}
	}
	return ""
}

// command is what only somebody with a command line can do.
var command = pattern.Of(`--(allow|as|accept|retry|target|exclude|refresh)\b|\badsync ` +
	`(apply|plan|resolve|drift|reconcile|status|validate|fix|revert|adopt|policy)\b`)

// advice is what a hold says to engineers of how it is released.
var advice = pattern.Of(`^(write that in the ` +
	`file, or allow|edit (the|that) row, allow it|allow sending|plan again|to lift it, clear protect)`)

// engineers are their words in texts, each with a marketer's.
var engineers = []struct {
	said *pattern.Pattern
	want string
}{
	{pattern.Of(`\bheld with\b`), "waits with"},
	{pattern.Of(`\bheld change\b`), "waiting change"},
	{pattern.Of(`\b(\d+ changes?) held\b`), "$1 waiting"},
	{pattern.Of(`\b(\d+) held\b`), "$1 waiting"},
	{pattern.Of(`; verified (\d[\d,]*)/(\d[\d,]*)`), "; $1 of $2 read back as sent"},
	{pattern.Of(`(is at the service already), as [^,]+,`), "$1,"},
	{pattern.Of(`write moved: \[\{[^}]*\}\] in adsync\.yaml`),
		"ask whoever looks after adsync to note the new name"},
}

// plainly leaves out of a text what names a command or an allowance, and has a
// marketer's words in the place of an engineer's.
func plainly(text string) string {
	kept := slices.DeleteFunc(strings.Split(text, "; "), func(part string) bool {
		return command.MatchString(part) || advice.MatchString(part)
	})
	if len(kept) > 0 {
		text = strings.Join(kept, "; ")
	}
	for _, w := range engineers {
		text = w.said.ReplaceAllString(text, w.want)
	}
	return text
}
