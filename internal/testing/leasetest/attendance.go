package leasetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"adsync/state"
)

func accounts(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("shop-%03d", i))
	}
	return names
}

func pull(t *testing.T, d state.Database, names []string) state.Share {
	t.Helper()
	s, err := d.Attendance().Pull(t.Context(), names)
	noError(t, err)
	slices.Sort(s.Held)
	return s
}

// untilSettled is how many rounds of pulls have to end alike: a worker may pass over what nobody has for a few.
const untilSettled = 7

// settle has workers pull and give back until nothing changes, and returns what each has.
func settle(t *testing.T, names []string, workers ...state.Database) (held [][]string) {
	t.Helper()
	alike := 0
	for range 40 {
		before := held
		held = nil
		for _, d := range workers {
			s := pull(t, d, names)
			for _, name := range s.Held[:s.Excess] {
				noError(t, d.Attendance().GiveBack(t.Context(), name))
			}
			held = append(held, s.Held[s.Excess:])
		}
		if !slices.EqualFunc(before, held, slices.Equal) {
			alike = 0
		} else if alike++; alike == untilSettled {
			return held
		}
	}
	t.Fatal("workers pull and give back without end")
	return nil
}

func wantOnce(t *testing.T, held [][]string, names []string) {
	t.Helper()
	all := slices.Concat(held...)
	slices.Sort(all)
	if !slices.Equal(all, names) {
		t.Errorf("workers have %d accounts, %d of them different; want each of %d once",
			len(all), len(slices.Compact(all)), len(names))
	}
}

func shares(t *testing.T, w World) {
	names := accounts(100)
	first, second, third := w.open(t, 0), w.open(t, 0), w.open(t, 0)
	noError(t, first.Attendance().Configure(t.Context(), names))
	wantOnce(t, settle(t, names, first), names)
	if taken := pull(t, second, names).Held; len(taken) > 0 {
		t.Errorf("the second worker takes %d accounts that the first has; want none", len(taken))
	}
	held := settle(t, names, first, second, third)
	wantOnce(t, held, names)
	for i, one := range held {
		if len(one) < 32 || len(one) > 34 {
			t.Errorf("worker %d has %d of 100 accounts; want a third", i, len(one))
		}
	}
	if one := held[0][0]; !first.Attendance().Attends(one) || second.Attendance().Attends(one) {
		t.Errorf("Attends(%s) is not what was pulled", one)
	}
	noError(t, second.Close()) // gives all back at once
	wantOnce(t, settle(t, names, first, third), names)
	more := accounts(120)
	noError(t, first.Attendance().Configure(t.Context(), more))
	wantOnce(t, settle(t, more, first, third), more)
}

func takenOver(t *testing.T, w World) {
	names := accounts(10)
	frozen, cut, mend := w.Open(t, self(shortLease))
	other := w.open(t, 0)
	noError(t, frozen.Attendance().Configure(t.Context(), names))
	wantOnce(t, [][]string{pull(t, frozen, names).Held}, names)
	cut()
	w.awaited(t, "take the accounts over", func() bool {
		attends := frozen.Attendance().Attends(names[0])
		if len(pull(t, other, names).Held) < len(names) {
			return false
		}
		if attends {
			t.Error("who was cut off attends what another has")
		}
		return true
	})
	if _, attended, err := other.Attendance().AttendedBy(t.Context(), names[0]); err != nil || !attended {
		t.Errorf("AttendedBy() = %t, %v; want a worker that lives", attended, err)
	}
	mend()
	noError(t, answered(func() error { return frozen.Attendance().GiveBack(t.Context(), names[0]) })) // another's
	wantOnce(t, [][]string{pull(t, other, names).Held}, names)
}

func pullAtOnce(t *testing.T, w World) {
	names := accounts(60)
	var workers []state.Database
	for range 6 {
		workers = append(workers, w.open(t, 0))
	}
	noError(t, workers[0].Attendance().Configure(t.Context(), names))
	var all sync.WaitGroup
	for _, d := range workers {
		all.Go(func() {
			for range 5 {
				s, err := d.Attendance().Pull(context.Background(), names)
				if err != nil {
					t.Errorf("Pull() = %v", err)
					return
				}
				for _, name := range s.Held[:s.Excess] {
					if err := d.Attendance().GiveBack(context.Background(), name); err != nil {
						t.Errorf("GiveBack() = %v", err)
					}
				}
			}
		})
	}
	all.Wait()
	wantOnce(t, settle(t, names, workers...), names)
}

func ordered(t *testing.T, w World) {
	d := w.open(t, 0)
	see := func() map[string]string {
		ordered, err := d.Attendance().Ordered(t.Context())
		noError(t, err)
		return ordered
	}
	noError(t, d.Beside("act_1").Put("spend.json", []byte("1")))
	if seen := see(); len(seen) > 0 {
		t.Errorf("Ordered() = %q without an order; want none", seen)
	}
	last := map[string]string{}
	for _, order := range []func() error{
		func() error { return d.Beside("act_1").Put("STOP", []byte("anna")) },
		func() error { return d.Beside("act_1").Put("STOP", []byte("anna")) },
		func() error { return d.Beside("act_1").Put("ask-1.json", nil) },
		func() error { return d.Beside("").Put("suspend.json", nil) },
	} {
		noError(t, order())
		seen := see()
		if seen["act_1"] == last["act_1"] && seen[""] == last[""] {
			t.Errorf("Ordered() = %q, as before the order; want it seen", seen)
		}
		last = seen
	}
	noError(t, d.Beside("act_1").Delete("STOP"))
	noError(t, d.Beside("act_1").Delete("ask-1.json"))
	if seen := see(); seen["act_1"] != "" || seen[""] == "" {
		t.Errorf("Ordered() = %q; want the order to all alone", seen)
	}
}

// standing is another with whatever a look has to notice, and the same with all else.
func standing(t *testing.T, w World) {
	d := w.open(t, 0)
	see := func() state.Standing {
		t.Helper()
		s, err := d.Attendance().Standing(t.Context(), "act_1")
		noError(t, err)
		return s
	}
	if s := see(); s != (state.Standing{}) {
		t.Errorf("Standing() of an account that is not there = %+v; want nothing", s)
	}
	for _, row := range []struct {
		account, name string
		orders        bool
	}{
		{"act_1", "STOP", true}, {"", "STOP", true}, {"act_1", "suspend.json", true}, {"act_1", "ask-1.json", true},
		{"act_2", "STOP", false}, {"act_1", "exposure.ndjson", false},
	} {
		noError(t, d.Beside(row.account).Put(row.name, []byte("{}")))
		if s := see(); s.Ordered != row.orders || s.Approvals != "" {
			t.Errorf("Standing() with %s of %q = %+v; want an order: %v", row.name, row.account, s, row.orders)
		}
		noError(t, d.Beside(row.account).Delete(row.name))
	}
	noError(t, d.Beside("act_1").Append("approvals.ndjson", []byte("{}")))
	first := see()
	noError(t, d.Beside("act_1").Append("approvals.ndjson", []byte("{}")))
	if second := see(); first.Approvals == "" || second.Approvals == first.Approvals || second.Ordered {
		t.Errorf("Standing() after one approval and another = %+v, %+v; want another text, and no order", first, second)
	}
	before := see()
	noError(t, d.Beside("act_1").Rewrite("approvals.ndjson", func([]byte) []byte { return []byte("{ }\n{}\n") }))
	if after := see(); after.Approvals == before.Approvals || after != see() {
		t.Errorf("Standing() before and after a rewrite = %+v, %+v; want another text, once", before, after)
	}
}
