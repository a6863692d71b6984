package pulls

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// Where more is said than is read, the comment says so, once, and nobody's yes counts.
func TestMoreIsSaidThanIsRead(t *testing.T) {
	f := newConsenting(t)
	f.reviews("bob", "h1")
	f.look(t)
	f.hub.cut, f.hub.comments = true, nil
	for range 3 {
		f.moves()
		f.look(t)
	}
	if said := f.hub.comments; len(said) != 1 || !strings.Contains(said[0], "**Nobody's yes counts here any more**") {
		t.Errorf("it is said %q; want once that nobody's yes counts", said)
	}
	if given := f.merges(); len(given) > 0 {
		t.Errorf("handed on is %q; want nothing", given)
	}
}

// What is said to have been approved is what counted, and of that what its giver may approve.
func TestWhatWasApprovedIsWhatCounted(t *testing.T) {
	f := newConsenting(t)
	f.push("h2", "a=1 archives:c=3")
	f.look(t)
	for _, by := range []string{"ann", "eve", "fay"} {
		f.reviews(by, "h2")
	}
	f.look(t)
	var m Merge
	f.Result = func(_ context.Context, of Merge) (string, bool, error) { m = of; return "merged", false, nil }
	if f.merges(); !slices.Equal(m.Agreed, []string{"c"}) || len(m.Links) != 1 {
		t.Errorf("approved are %q, by %q; want c by fay", m.Agreed, m.Links)
	}
}
