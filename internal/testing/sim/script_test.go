package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// script is a history before it runs: plain data, so that it shrinks.
type script struct {
	Seed    uint64
	Points  uint64 // of the service's behaviour where the interface is silent; 0 is the published one
	Wire    bool   // requests go over pipes
	Read    bool   // files go through the real readers
	Disk    bool   // the states are in folders, which are cut and damaged
	Prune   string // what the policy says of what the files leave out: "pause", "archive", "" to keep
	Revert  bool   // the policy writes drift back
	Strict  bool   // the default policy, and nothing allowed
	Kinds   bool   // kinds beyond the tree are drawn as well
	Turns   bool   // replacements, other keys and reverts are drawn as well
	Guards  bool   // money moves between campaigns; strict as well
	Spoils  bool   // cells of the files cannot be read for a while
	Bids    bool   // bids have factors for audiences
	Workers int    // that share a state in a database; 0: each agent has one of its own
	Actions []action
}

// action is one thing that happens.
type action struct {
	Do     string
	Agent  int           `json:",omitempty"`
	Target int           `json:",omitempty"`
	What   int           `json:",omitempty"`
	Value  int           `json:",omitempty"`
	Wait   time.Duration `json:",omitempty"`
	Death  death
	Cut    cut
	Fault  string `json:",omitempty"`
}

func (a action) String() string {
	text := a.Do
	switch a.Do {
	case "apply", "both", "late apply", "revert":
		text += fmt.Sprintf(" by agent %d", a.Agent)
		if a.Do == "revert" {
			text += fmt.Sprintf(", target %d, what %d", a.Target, a.What)
		}
		if a.Death.At > 0 {
			text += fmt.Sprintf(", which dies at effect %d (kept: %v)", a.Death.At, a.Death.Keep)
		}
		if a.Cut.At > 0 {
			text += fmt.Sprintf(", cut off at request %d (after the answer: %v)", a.Cut.At, a.Cut.After)
		}
	case "advance":
		text += " " + a.Wait.String()
	case "fault":
		text += " " + a.Fault
	case "add other":
		text += fmt.Sprintf(" a %s, %d", otherKinds[a.What%len(otherKinds)], a.Value)
	case "add":
		text += fmt.Sprintf(" a %s, %d", kindNames[a.What%3], a.Value)
	default:
		text += fmt.Sprintf(" target %d, what %d, value %d", a.Target, a.What, a.Value)
	}
	return text
}

func (s script) String() string {
	lines := []string{fmt.Sprintf("seed %d, points %d, wire %v, read %v, disk %v, "+
		"prune %q, revert %v, strict %v, kinds %v, turns %v, guards %v, spoils %v, bids %v, workers %d",
		s.Seed, s.Points, s.Wire, s.Read, s.Disk,
		s.Prune, s.Revert, s.Strict, s.Kinds, s.Turns, s.Guards, s.Spoils, s.Bids, s.Workers)}
	for i, a := range s.Actions {
		lines = append(lines, fmt.Sprintf("%2d. %s", i+1, a))
	}
	return strings.Join(lines, "\n")
}

var kindNames = []string{"campaign", "ad_group", "ad"}

// drawn are the actions and how often they come.
var drawn = []string{
	"add", "add", "add", "add", "edit", "edit", "edit", "edit", "edit", "remove",
	"apply", "apply", "apply", "apply", "apply", "apply", "plan", "late apply",
	"foreign", "foreign", "advance", "advance", "fault", "fault", "fault", "heal", "both", "wrong key", "release",
}

// sparse leaves out everybody else: in such histories all must converge.
var sparse = slices.DeleteFunc(slices.Clone(drawn), func(do string) bool {
	return do == "foreign" || do == "both" || do == "late apply"
})

// drawer draws a script. Every choice is even, which those of rapid are not: it
// prefers what is small, and then little happens.
type drawer struct{ *rand.Rand }

func drawScript(seed uint64) script {
	d := drawer{rand.New(rand.NewPCG(seed, 0x686973))}
	s := script{Seed: seed, Wire: d.once(10), Read: d.once(12), Strict: d.once(10)}
	if !d.once(4) {
		s.Points = d.Uint64()>>1 | 1
	}
	of, second := drawn, true
	if d.once(2) {
		of, second = sparse, false
	}
	for range d.IntN(8) {
		s.Actions = append(s.Actions, action{Do: "add", What: d.IntN(21), Value: d.IntN(61)})
	}
	if d.once(2) {
		s.Actions = append(s.Actions, action{Do: "apply"})
	}
	for range 2 + d.IntN(10) {
		s.Actions = append(s.Actions, d.action(of, second))
	}
	s.Disk = d.once(25)
	s.Prune = []string{"", "", "", "pause", "archive"}[d.IntN(5)]
	s.Revert = d.once(4)
	s.evenOut()
	if d := (drawer{rand.New(rand.NewPCG(seed, 0x6b696e64))}); *share > 0 && d.once(*share) {
		d.beyondTree(&s)
	}
	return s
}

// Two faults of which the second strikes seldom, as only the listing of a create's
// results can be cut short.
const (
	loseTwo  = `{"match": {"times": 2}, "action": {"job": {"do": "lose_result", "n": 2}}}`
	cutShort = `{"match": {"times": 2}, "action": {"job": {"do": "incomplete_listing"}}}`
)

// evenOut has every other history with the first of them meet the second: by its number,
// so that no other draw is another one.
func (s *script) evenOut() {
	for i := range s.Actions {
		if a := &s.Actions[i]; a.Fault == loseTwo && s.Seed%2 == 0 {
			a.Fault = cutShort
		}
	}
}

// once is true once in n times.
func (d drawer) once(n int) bool { return d.IntN(n) == 0 }

func (d drawer) action(of []string, second bool) action {
	a := action{Do: of[d.IntN(len(of))]}
	switch a.Do {
	case "add", "edit", "remove", "foreign":
		a.Target, a.What, a.Value = d.IntN(21), d.IntN(21), d.IntN(61)
	case "apply", "both", "late apply":
		d.apply(&a, second)
	case "advance":
		waits := []time.Duration{time.Second, time.Minute,
			10 * time.Minute, 25 * time.Minute, 2 * time.Hour, 26 * time.Hour}
		a.Wait = waits[d.IntN(len(waits))]
	case "fault":
		a.Fault = faults[d.IntN(len(faults))]
	}
	return a
}

func (d drawer) apply(a *action, second bool) {
	if second && d.once(6) {
		a.Agent = 1
	}
	switch d.IntN(5) {
	case 3:
		a.Death = death{At: 1 + d.IntN(80), Keep: d.once(2)}
	case 4:
		a.Cut = cut{At: 1 + d.IntN(40), After: d.once(2)}
	}
}

// alone reports whether nobody but the first agent is at the account.
func (s script) alone() bool {
	return !slices.ContainsFunc(s.Actions, func(a action) bool {
		return a.Do == "foreign" || a.Do == "foreign other" || a.Do == "foreign factors" || a.Do == "race" ||
			a.Do == "both" && s.Workers == 0 || a.Do == "interleave" && a.What&withPeople != 0 ||
			a.Do == "late apply" || a.Agent == 1 || strings.Contains(a.Fault, "foreign_write")
	})
}

// shared reports whether both agents run, each with its own state.
func (s script) shared() bool {
	return s.Workers == 0 &&
		slices.ContainsFunc(s.Actions, func(a action) bool { return a.Do == "both" || a.Agent == 1 })
}
