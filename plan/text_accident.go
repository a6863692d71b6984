package plan

import (
	"slices"
	"strings"

	"adsync/internal/diag"
)

// accidentsShown is how many accidents the text lists.
const accidentsShown = 30

// accidents writes one line for each accident, before the trees: ! for what
// holds something, ? for what is only shown.
func (t *printer) accidents() {
	for i := range t.plan.Accidents[:min(len(t.plan.Accidents), accidentsShown)] {
		a := &t.plan.Accidents[i]
		symbol := "?"
		if a.Held > 0 {
			symbol = "!"
		}
		t.linef(0, "%s %s: %s%s%s", t.colored(symbol), a.Hazard, diag.Printable(a.Message), a.shown(), a.release())
	}
	if more := len(t.plan.Accidents) - accidentsShown; more > 0 {
		t.linef(0, "… and %d more of this, all in -o json.", more)
	}
	if len(t.plan.Accidents) > 0 {
		t.text.WriteByte('\n')
	}
}

// shown writes the examples, and how many more there are.
func (a *Accident) shown() string {
	var examples []string
	for _, e := range a.Examples {
		examples = append(examples, diag.Printable(e.Message))
	}
	if more := a.Count - len(examples); more > 0 && len(examples) > 0 {
		examples = append(examples, thousands(int64(more))+" more")
	}
	if len(examples) == 0 {
		return ""
	}
	return " (" + strings.Join(examples, ", ") + ")"
}

func (a *Accident) release() string {
	if a.Held == 0 {
		return ""
	}
	return "; " + thousands(int64(a.Held)) + " held, all released with --allow " + a.Allow
}

// remember names the accidents once more beneath the counts, where people look
// last.
func (t *printer) remember() {
	var names []string
	for i := range t.plan.Accidents {
		if name := string(t.plan.Accidents[i].Hazard); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		t.linef(0, "See the top for what may be a slip: %s.", strings.Join(names, ", "))
	}
}
