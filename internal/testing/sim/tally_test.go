package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/openpoint"
)

// tally counts what happened over all histories.
type tally struct {
	mu     sync.Mutex
	Counts map[string]int `json:"counts"`
	Fired  map[string]int `json:"faults_fired"`
	Values map[string]int `json:"open_points"` // by point=value
}

func newTally() *tally {
	return &tally{Counts: map[string]int{}, Fired: map[string]int{}, Values: map[string]int{}}
}

// join takes in what was counted elsewhere.
func (t *tally) join(other *tally) {
	for to, from := range map[*map[string]int]map[string]int{
		&t.Counts: other.Counts, &t.Fired: other.Fired, &t.Values: other.Values,
	} {
		for what, n := range from {
			(*to)[what] += n
		}
	}
}

func (t *tally) add(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Counts[what] += n
}

func (t *tally) fault(s fault.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Fired[faultName(s)] += s.Fired
}

// faultName is a fault by what it does, and where it strikes a kind beyond the
// tree.
func faultName(s fault.State) string {
	var match struct{ Method, Path string }
	_ = json.Unmarshal(s.Match, &match) // it was read before
	for _, beyond := range []string{"/custom_audiences", "/ad_account", "/conversions", "/uploads"} {
		if strings.HasPrefix(match.Path, beyond) {
			return strings.TrimSpace(faultDoes(s) + " at " + match.Method + " " + match.Path)
		}
	}
	return faultDoes(s)
}

// faultDoes is a fault by what it does, beyond its kind where that says little.
func faultDoes(s fault.State) string {
	var action map[string]map[string]any
	_ = json.Unmarshal(s.Action, &action) // it was read before
	for _, detail := range []string{"do", "how", "what", "side", "code"} {
		if v, ok := action[s.Kind][detail]; ok {
			return fmt.Sprintf("%s %v", s.Kind, v)
		}
	}
	return s.Kind
}

func (t *tally) points(drawn map[openpoint.Name]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, value := range drawn {
		t.Values[string(name)+"="+value]++
	}
}

// missing are the faults that never fired, those of other kinds where there were
// histories enough with them, and the behaviours never drawn.
func (t *tally) missing() []string {
	missing := slices.Sorted(maps.Keys(t.unfired()))
	for _, p := range openpoint.Table() {
		for _, value := range p.Values {
			if name := string(p.Name) + "=" + value; t.Values[name] == 0 {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// unfired are the faults that never fired and should have, by name; of several of one
// name the first.
func (t *tally) unfired() map[string]string {
	unfired, due := map[string]string{}, faults
	if t.Counts[withOthers] >= enoughOthers {
		due = slices.Concat(faults, otherFaults)
	}
	for _, document := range due {
		armed, err := fault.Parse([]byte(`{"faults": [` + document + `]}`))
		if err != nil {
			panic(err)
		}
		name := faultName(fault.State{Kind: armed[0].Kind, Match: armed[0].Match, Action: armed[0].Action})
		if unfired[name] == "" && t.Fired[name] == 0 {
			unfired[name] = document
		}
	}
	return unfired
}

// String is a table for people and, as its last line, the same for programs.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for _, part := range []struct {
		title  string
		counts map[string]int
	}{{"happened", t.Counts}, {"faults fired", t.Fired}, {"open points drawn", t.Values}} {
		lines = append(lines, part.title+":")
		for _, what := range slices.Sorted(maps.Keys(part.counts)) {
			lines = append(lines, fmt.Sprintf("%10d %s", part.counts[what], what))
		}
	}
	lines = append(lines, fmt.Sprintf("%d histories, "+
		"%d actions, %d requests, %d mutations, %d faults fired, %d violations",
		t.Counts["history"], t.actions(), t.Counts["request"],
		t.Counts["mutation"], sum(t.Fired), t.Counts["violation"]))
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return strings.Join(append(lines, "totals "+string(text)), "\n")
}

func (t *tally) actions() (n int) {
	for what, times := range t.Counts {
		if strings.HasPrefix(what, "action ") {
			n += times
		}
	}
	return n
}

func sum(counts map[string]int) (n int) {
	for _, times := range counts {
		n += times
	}
	return n
}
