package pulls

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"adsync/internal/forge"
	_ "adsync/internal/testing/drawn"
	"adsync/state/kv"

	"pgregory.net/rapid"
)

// noting is a forge with one pull request, whose daemon may die at each request, in the middle of it and after it.
type noting struct {
	forge.Repository // nil: nothing else is asked of it

	t      *rapid.T
	calm   bool
	pull   forge.Pull
	files  []forge.Note // what is wrong with the head
	stands []forge.Note
	asked  int // to annotate
}

func (n *noting) dies() {
	if !n.calm && rapid.IntRange(0, 8).Draw(n.t, "dies") == 0 {
		panic(killed{})
	}
}

func (n *noting) Open(context.Context, string) ([]forge.Pull, error) {
	if n.pull.Closed {
		return nil, nil
	}
	return []forge.Pull{n.pull}, nil
}

func (n *noting) Find(context.Context, int) (forge.Pull, error)               { return n.pull, nil }
func (n *noting) Talk(context.Context, forge.Pull) (talk forge.Talk, _ error) { return talk, nil }
func (n *noting) Consents() (reviews, comments bool)                          { return true, true }

func (n *noting) Say(context.Context, int, string, string) (forge.Said, error) {
	n.dies()
	return forge.Said{ID: "c1"}, nil
}

func (n *noting) Judge(context.Context, string, forge.Verdict) error {
	n.dies()
	return nil
}

func (n *noting) Annotate(_ context.Context, p forge.Pull, _ string, notes []forge.Note) error {
	n.asked++
	n.dies()
	left := n.stands
	n.stands = nil
	for _, one := range left { // some are erased, and then written
		if slices.Contains(notes, one) {
			n.stands = append(n.stands, one)
		}
	}
	if !n.calm && rapid.IntRange(0, 8).Draw(n.t, "is away") == 0 {
		return errors.New("away")
	}
	for _, one := range notes {
		n.dies()
		if !slices.Contains(n.stands, one) {
			n.stands = append(n.stands, one)
		}
	}
	n.dies()
	return nil
}

// TestWhateverIsPushedItsNotesStand: pushes, a branch that moves, closing and opening again, and deaths of the daemon
// in any order leave the notes of the newest head. They are not asked for again.
func TestWhateverIsPushedItsNotesStand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := &noting{t: rt, pull: forge.Pull{Number: 7, Branch: "main", Head: "h"}}
		kept, stamp, heads := kv.Folder{Dir: t.TempDir()}, 0, 0
		look := func() {
			defer func() {
				if cause := recover(); cause != nil {
					if _, is := cause.(killed); !is {
						panic(cause)
					}
				}
			}()
			d := &Desk{
				Forge: n, Kept: dyingKept{kept, n}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
				At: func() (string, string, bool) { return "main", fmt.Sprint(stamp), true },
				Plan: func(context.Context, forge.Pull) (*Answer, error) {
					return &Answer{Touches: true, Text: "plan", Notes: n.files}, nil
				},
			}
			_ = d.Look(context.Background())
		}
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "next") {
			case 0, 1:
				heads++
				n.pull.Head, n.files = fmt.Sprint("h", heads), nil
				for line := range rapid.IntRange(0, 3).Draw(rt, "problems") {
					n.files = append(n.files, forge.Note{Path: "a", Line: line, Text: fmt.Sprint(heads % 2)})
				}
			case 2:
				stamp++
			case 3:
				n.pull.Closed = !n.pull.Closed
			default:
				look()
			}
		}
		n.calm, n.pull.Closed = true, false
		look()
		slices.SortFunc(n.stands, func(a, b forge.Note) int { return a.Line - b.Line })
		if !slices.Equal(n.stands, n.files) {
			rt.Fatalf("there stands %+v; want %+v", n.stands, n.files)
		}
		n.asked, stamp = 0, stamp+1
		if look(); n.asked > 0 {
			rt.Fatal("what stands is asked for again")
		}
	})
}

type dyingKept struct {
	kv.Store
	n *noting
}

func (d dyingKept) Put(name string, content []byte) error {
	d.n.dies()
	err := d.Store.Put(name, content)
	d.n.dies()
	return err
}

// A forge that refuses notes is told so once for each head, and the rest is said.
func TestNotesThatTheForgeRefuses(t *testing.T) {
	f := newFixture(t)
	f.hub.open, f.plans[7] = []forge.Pull{{Number: 7, Head: "a"}}, "plan"
	plan, asked := f.Plan, 0
	f.Plan = func(ctx context.Context, p forge.Pull) (*Answer, error) {
		a, err := plan(ctx, p)
		a.Notes = []forge.Note{{Path: "a", Line: 1, Text: "x"}}
		return a, err
	}
	f.Forge = refusing{f.hub, &asked}
	for _, row := range []struct {
		head, stamp string
		want        []string
		asked       int
	}{
		{"a", "one", []string{"7 : plan", "a success"}, 1},
		{"a", "one", nil, 1},
		{"a", "two", nil, 1},
		{"b", "two", []string{"b success"}, 2},
	} {
		f.hub.open[0].Head, f.stamp = row.head, row.stamp
		if got := f.look(t); !slices.Equal(got, row.want) || asked != row.asked {
			t.Errorf("%s %s: the forge is asked %q, and %d times for notes; want %q, %d", row.head, row.stamp, got,
				asked, row.want, row.asked)
		}
	}
}

type refusing struct {
	forge.Repository
	asked *int
}

func (r refusing) Annotate(context.Context, forge.Pull, string, []forge.Note) error {
	*r.asked++
	return forge.ErrRefused
}
