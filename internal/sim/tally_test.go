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
	counts map[string]int
	fired  map[string]int
	values map[string]int // open point=value
}

func newTally() *tally {
	return &tally{counts: map[string]int{}, fired: map[string]int{}, values: map[string]int{}}
}

func (t *tally) add(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what] += n
}

func (t *tally) fault(s fault.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fired[faultName(s)] += s.Fired
}

// faultName is a fault by what it does, beyond its kind where that says little.
func faultName(s fault.State) string {
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
		t.values[string(name)+"="+value]++
	}
}

// missing are the faults that never fired and the behaviours never drawn.
func (t *tally) missing() []string {
	var missing []string
	for _, document := range faults {
		armed, err := fault.Parse([]byte(`{"faults": [` + document + `]}`))
		if err != nil {
			panic(err)
		}
		name := faultName(fault.State{Kind: armed[0].Kind, Action: armed[0].Action})
		if t.fired[name] == 0 && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	for _, p := range openpoint.Table() {
		for _, value := range p.Values {
			if name := string(p.Name) + "=" + value; t.values[name] == 0 {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := []string{"happened:"}
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		lines = append(lines, fmt.Sprintf("%10d %s", t.counts[what], what))
	}
	lines = append(lines, "faults fired:")
	for _, what := range slices.Sorted(maps.Keys(t.fired)) {
		lines = append(lines, fmt.Sprintf("%10d %s", t.fired[what], what))
	}
	return strings.Join(lines, "\n")
}
