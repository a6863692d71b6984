package pulls

import (
	"context"
	"slices"
	"strings"
	"testing"

	"adsync/internal/eyes"
	"adsync/internal/forge"
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

// Who wrote what is held is kept at the merge, as the forge proves it, by the names that people have here; of what was
// there without the pull request they wrote nothing. Where not all who wrote it are known, nothing is kept.
func TestWhoWroteWhatIsHeldIsKept(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(*consenting)
		want []eyes.Who
	}{
		{"as the forge says", func(f *consenting) { f.hub.authors = []string{"Ann", "cid"} },
			[]eyes.Who{{Name: "anna", Login: "Ann"}, {Login: "cid"}}},
		{"where the forge does not say who pushed", func(f *consenting) { f.hub.authors = []string{"ann", ""} }, nil},
		{"where the forge says nothing", func(f *consenting) { f.hub.authors = nil }, nil},
		{"where somebody sent the file by the page", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.push("h2", "a=1 b=2")
			f.look(f.t)
		}, nil},
		{"as somebody sent it from the page", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.push("h2", "a=1 b=2")
			f.notes("h2", eyes.Who{Name: "cleo"})
			f.look(f.t)
		}, []eyes.Who{{Name: "cleo"}}},
		{"where something was pushed upon what somebody sent", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.notes("h2", eyes.Who{Name: "cleo"})
			f.push("h3", "a=1 b=2")
			f.look(f.t)
		}, nil},
		{"where two people had the same commit made", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.push("h2", "a=1 b=2")
			f.notes("h2", eyes.Who{Name: "cleo"})
			f.notes("h2", eyes.Who{Name: "anna"})
			f.look(f.t)
		}, nil},
		{"where a stranger's pull request has a commit that somebody is noted for", func(f *consenting) {
			f.notes("h1", eyes.Who{Name: "cleo"})
		}, []eyes.Who{{Name: "anna", Login: "ann"}}},
		{"where adsync proposed it for somebody", func(f *consenting) {
			f.hub.open[0].Source = "acme/ads:adsync/revert-shop-run-000007"
			f.push("h2", "a=1 b=2")
			f.look(f.t)
		}, nil},
		{"where it was pushed to and merged at once", func(f *consenting) { f.hub.heads[7] = "h9" }, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newConsenting(t)
			var kept []eyes.Wrote
			f.Wrote = func(w eyes.Wrote) error { kept = append(kept, w); return nil }
			f.Rules.Names = map[string]string{"ann": "anna"}
			f.look(t)
			row.do(f)
			f.merges()
			if row.want == nil {
				if len(kept) > 0 {
					t.Errorf("kept is %+v; want nothing", kept)
				}
				return
			}
			if len(kept) != 1 || !slices.Equal(kept[0].By, row.want) || len(kept[0].Keys) != 2 {
				t.Errorf("kept is %+v; want a=1 and b=2 of %v", kept, row.want)
			}
		})
	}
}

// notes has somebody be known to have had a commit made.
func (f *consenting) notes(commit string, who eyes.Who) {
	f.t.Helper()
	if err := eyes.NoteSender(f.Kept, eyes.Sender{Time: f.Now(), Who: who, Commit: commit}); err != nil {
		f.t.Fatal(err)
	}
}

func TestWhatWasPendingIsOfNoAuthor(t *testing.T) {
	a := askedOf(7, "x=1 y=2")
	a.Head, a.Pending = "h1", []string{"x x"}
	w, err := new(Rules).wrote(t.Context(), &hub{authors: []string{"ann"}}, forge.Pull{Head: "h1"}, a)
	if err != nil || w == nil || !slices.Equal(w.Keys, []string{a.Asks[1].Parts[0].Key(a.Asks[1].Hazard)}) {
		t.Errorf("kept is %+v, %v; want y=2 alone", w, err)
	}
}
