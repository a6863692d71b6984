package oracle

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"
)

// moved is a history under guards: c1 and c2 can spend 100 each. The first run lowers c1
// by 80 and is to let c2 rise by 40; the second lets it.
type moved struct {
	*History
	at map[string]Record // by tag
}

func (m *moved) write(actor, tag, status string, budget int64) {
	now := Record{
		"name": tag + " shoes", "status": status, "budget": map[string]any{
			"daily_spend_limit_micros": json.Number(strconv.FormatInt(budget, 10)),
		},
	}
	action := "update"
	if m.at[tag] == nil {
		action = "create"
	}
	m.W = append(m.W, Entry{
		Seq: int64(len(m.W) + 1), Account: "acct",
		Actor: actor, Action: action, Kind: "campaign", ID: "cmp_" + tag, Before: m.at[tag], After: now,
	})
	m.at[tag] = now
}

func (m *moved) run(hours int, budgets ...int64) *Apply {
	item := func(tag string, budget int64) Item {
		return Item{
			Kind: "campaign", Tag: tag, Values: map[string]any{
				"name": tag + " shoes", "status": "active", "budget.daily": budget,
			},
		}
	}
	files := Files{}
	for i, budget := range budgets {
		tag := "c" + strconv.Itoa(i+1)
		files[tag] = item(tag, budget)
	}
	m.Commits = append(m.Commits, files)
	a := &Apply{
		Commit: len(m.Commits) - 1, From: int64(len(m.W)), Strict: true, Guarded: true,
		At: time.Date(2026, 1, 1, hours, 0, 0, 0, time.UTC),
	}
	m.Applies = append(m.Applies, a)
	return a
}

func newMoved() *moved {
	m := &moved{&History{Account: "acct", Actors: []string{"first"}}, map[string]Record{}}
	m.write("first", "c1", "active", 100)
	m.write("first", "c2", "active", 100)
	return m
}

// The credit of an apply that was cut off pays for what it showed alone, within a day,
// with what the agent itself has lowered and while that stands.
func TestACreditPaysForWhatWasShownAlone(t *testing.T) {
	for name, row := range map[string]struct {
		between func(*moved) // after the first run has begun
		hours   int          // from the first run to the second
		files   [2]int64     // of the second
		passes  bool
		needed  int
	}{
		"its own decrease": {between: func(m *moved) { m.write("first", "c1", "active", 20) },
			hours: 1, files: [2]int64{20, 140}, passes: true, needed: 1},
		"the decrease is to come": {between: func(*moved) {}, hours: 1, files: [2]int64{20, 140}, passes: true},
		"a stranger's": {between: func(m *moved) { m.write("person", "c1", "active", 20) },
			hours: 1, files: [2]int64{20, 140}},
		"its own, and a stranger changed it and back": {between: func(m *moved) {
			m.write("first", "c1", "active", 20)
			m.write("person", "c1", "active", 25)
			m.write("person", "c1", "active", 20)
		}, hours: 1, files: [2]int64{20, 140}},
		"after a day": {between: func(m *moved) { m.write("first", "c1", "active", 20) },
			hours: 25, files: [2]int64{20, 140}},
		"another amount": {between: func(m *moved) { m.write("first", "c1", "active", 20) },
			hours: 1, files: [2]int64{20, 135}},
		"another row as it": {between: func(m *moved) { m.write("first", "c1", "active", 20) },
			hours: 1, files: [2]int64{30, 140}},
	} {
		m := newMoved()
		m.run(1, 20, 140)
		row.between(m)
		m.run(1+row.hours, row.files[0], row.files[1])
		if m.at["c1"].spend("campaign", 0) > row.files[0] {
			m.write("first", "c1", "active", row.files[0])
		}
		m.write("first", "c2", "active", row.files[1])
		err := CreditsHold(m.History)
		if passes := err == nil; passes != row.passes {
			t.Errorf("%s: CreditsHold() = %v; want that it passes: %t", name, err, row.passes)
		}
		if n := Credited(m.History); n != row.needed {
			t.Errorf("%s: Credited() = %d; want %d", name, n, row.needed)
		}
	}
}

// A plan may lower more than its rises need: what strangers lowered in the agent's place
// pays for nothing, and takes nothing from what the agent lowered itself.
func TestWhatTheAgentLoweredPaysWhateverStrangersDid(t *testing.T) {
	for _, row := range []struct {
		name   string
		by     string // who lowers c1
		passes bool
	}{
		{"the agent lowers one of two", "first", true},
		{"strangers lower both", "person", false},
	} {
		m := newMoved()
		m.write("first", "c3", "active", 100)
		m.run(1, 20, 140, 20)
		m.write(row.by, "c1", "active", 20)
		m.write("person", "c3", "active", 20)
		m.run(2, 20, 140, 20)
		m.write("first", "c2", "active", 140)
		if err := CreditsHold(m.History); (err == nil) != row.passes {
			t.Errorf("%s: CreditsHold() = %v; want that it passes: %t", row.name, err, row.passes)
		}
	}
}
