package state

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func mirrorOf(n int) Mirror {
	m := Mirror{Full: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Log: json.RawMessage(`{"after":"log1"}`)}
	for i := range n {
		m.Mirrored = append(m.Mirrored, Mirrored{
			Kind: "campaign", ID: fmt.Sprintf("c%05d", i),
			ParentID: "p", Record: json.RawMessage(fmt.Sprintf(`{"id":"c%05d","name":"n\u0000é"}`, i)),
		})
	}
	return m
}

func TestMirrorIsKeptAsItWasGiven(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		want := mirrorOf(500)
		must(t, s.RecordMirror(t.Context(), want))
		want.Mirrored = want.Mirrored[:499]
		want.Mirrored[7].Record = json.RawMessage(`{"id":"c00007","name":"other"}`)
		must(t, s.RecordMirror(t.Context(), want))
		must(t, s.Await(t.Context(), []string{"c2", "c1"}))
		must(t, s.Await(t.Context(), []string{"c1", "c3"}))
		want.Awaited = []string{"c1", "c2", "c3"}
		got, err := again().Mirror(t.Context())
		must(t, err)
		same(t, "mirror", got, want)
	})
}

func TestMirrorThatIsGivenUpLeavesNothing(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		must(t, s.Await(t.Context(), []string{"c1"})) // without a mirror nothing is awaited
		must(t, s.RecordMirror(t.Context(), mirrorOf(50)))
		must(t, s.RecordMirror(t.Context(), Mirror{}))
		got, err := again().Mirror(t.Context())
		must(t, err)
		same(t, "mirror", got, Mirror{})
	})
}

// A pass that finds one change of 15,000 writes what holds that one, and a pass
// that finds none writes nothing.
func TestMirrorWritesWhatChanged(t *testing.T) {
	s, err := NewMemory(options())
	must(t, err)
	m := mirrorOf(15000)
	must(t, s.RecordMirror(t.Context(), m))
	serial := s.Header().Serial
	must(t, s.RecordMirror(t.Context(), m))
	if got := s.Header().Serial; got != serial {
		t.Errorf("the same mirror made %d commits, want none", got-serial)
	}
	l := s.(*store)
	m.Mirrored[7].Record = json.RawMessage(`{"id":"c00007","name":"other"}`)
	before := map[record]uint64{}
	for r, sum := range l.sums {
		before[r] = sum
	}
	must(t, s.RecordMirror(t.Context(), m))
	changed := 0
	for r, sum := range l.sums {
		if before[r] != sum {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("one changed resource wrote %d records, want 1", changed)
	}
}
