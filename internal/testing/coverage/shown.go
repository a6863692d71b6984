package coverage

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shown has a line for each input that a script sends: endpoint, input, script, with
// tabs between. The tests of the scripts write it with -update.
//
//go:embed shown.txt
var shown string

// Shown returns the script that shows each input.
func Shown() map[Input]string {
	by := map[Input]string{}
	for line := range strings.Lines(shown) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 {
			by[Input{f[0], f[1]}] = f[2]
		}
	}
	return by
}

// Missed returns what the scripts that ran should have sent, and did not, a line each.
func (w *Watch) Missed(by map[Input]string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var missed []string
	for in, script := range by {
		if w.ran[script] && !w.sent[in][script] {
			missed = append(missed, fmt.Sprintf("script %s does not send %s", script, row(in)))
		}
	}
	slices.Sort(missed)
	return missed
}

// File returns the text of shown.txt after a run of all scripts: for each input the
// script that by has, if it still sends it, or else the first by name.
func (w *Watch) File(by map[Input]string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, in := range w.wanted() {
		script, scripts := by[in], w.sent[in]
		if !scripts[script] {
			script = first(scripts)
		}
		if script != "" {
			lines = append(lines, in.Endpoint+"\t"+in.Name+"\t"+script+"\n")
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, ""))
}

// wanted returns all that scripts are to show: the inputs, and what goes instead of some.
func (w *Watch) wanted() []Input {
	wanted := slices.Collect(maps.Values(instead))
	for endpoint, names := range w.inputs {
		for _, name := range names {
			wanted = append(wanted, Input{endpoint, name})
		}
	}
	return wanted
}

func first(scripts map[string]bool) string {
	least := ""
	for script := range scripts {
		if least == "" || script < least {
			least = script
		}
	}
	return least
}

// row returns an input as a line: "GET /ads limit".
func row(in Input) string { return strings.TrimSpace(in.Endpoint + " " + in.Name) }
