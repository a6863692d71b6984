package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/internal/testing/oracle"
	"adsync/plan"
)

// Invariant 32 as well: keys change, another resource takes the place of one, and
// runs are taken back. What is drawn of TestHistories stays as it is.
func TestHistoriesThatTurn(t *testing.T) {
	all := newTally()
	for n := range uint64(max(*histories/3, 1)) {
		s := turned(*seed + n)
		bad := play(t, s, all)
		if bad == nil {
			continue
		}
		all.add("violation", 1)
		s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
		t.Errorf("history %d that turns: %v\n%s", *seed+n, bad, s)
		if all.Counts["violation"] == *failures {
			break
		}
	}
	t.Log(all)
	for what, most := range map[string]int{"run taken back": 1, "action replace": 1, "action move": 1, "crash": 50} {
		if all.Counts[what] == 0 && *histories/3 >= 20*most {
			t.Errorf("%s never happened", what)
		}
	}
}

// turned is the history of a number with replacements, other keys and reverts.
func turned(number uint64) script {
	s := drawScript(number)
	drawer{rand.New(rand.NewPCG(number, 0x7475726e))}.turn(&s)
	return s
}

// turnsDrawn are the actions of a history that turns: another resource takes the
// place of one, keys change, and runs are taken back.
var turnsDrawn = []string{"replace", "replace", "move",
	"move", "move", "revert", "revert", "revert", "revert", "apply", "apply", "advance", "edit"}

// turn puts replacements, other keys and reverts into a script. What was drawn
// before stays, in its order.
func (d drawer) turn(s *script) {
	s.Turns = true
	first := 0
	for first < len(s.Actions) && strings.HasPrefix(s.Actions[first].Do, "add") {
		first++
	}
	for range 2 + d.IntN(5) {
		a := action{Do: turnsDrawn[d.IntN(len(turnsDrawn))]}
		switch a.Do {
		case "revert":
			d.apply(&a, false)
			a.Target, a.What = d.IntN(21), d.IntN(21)
		case "replace", "move":
			a.Target, a.Value = d.IntN(21), d.IntN(61)
		default:
			a = d.action([]string{a.Do}, false)
		}
		s.Actions = slices.Insert(s.Actions, first+d.IntN(len(s.Actions)-first+1), a)
	}
}

// replace edits what never changes after a create.
func replace(f oracle.Files, target int) {
	tags := tagsOf(f, "campaign")
	if len(tags) == 0 {
		return
	}
	values := f[tags[target%len(tags)]].Values
	if values["bidding_type"] == "clicks" {
		values["bidding_type"] = "impressions"
		return
	}
	values["bidding_type"] = "clicks"
}

// move gives a resource of the tree another key.
func move(f oracle.Files, target, n int) {
	tags := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(tag string) bool { return most[f[tag].Kind] == 0 })
	if len(tags) == 0 {
		return
	}
	item := f[tags[target%len(tags)]]
	item.Was = append(slices.Clone(item.Was), keyOf(item))
	item.Key = fmt.Sprintf("%s-k%d", item.Tag, len(item.Was))
	f[item.Tag] = item
}

func keyOf(item oracle.Item) string {
	if item.Key != "" {
		return item.Key
	}
	return item.Tag
}

// tagOf is whose an address is: a key begins with the tag.
func tagOf(a resource.Address) string {
	tag, _, _ := strings.Cut(a.Leaf(), "-k")
	return tag
}

// movesOf is what people write of the keys that changed: each from every key it
// had, beneath the key its parent has by now.
func movesOf(f oracle.Files) (moves []plan.Move) {
	for _, tag := range slices.Sorted(maps.Keys(f)) {
		to := addressOf(f, tag)
		for _, was := range f[tag].Was {
			from := resource.Address{Kind: to.Kind, Key: was}
			if above, _, beneath := cutLast(to.Key); beneath {
				from.Key = above + "/" + was
			}
			moves = append(moves, plan.Move{From: from, To: to})
		}
	}
	return moves
}

func cutLast(key string) (above, leaf string, found bool) {
	i := strings.LastIndexByte(key, '/')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}
