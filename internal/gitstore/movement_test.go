package gitstore

import (
	"testing"
)

// G3, G4, G19: what a ref did is told by the whole history.
func TestG3G4G19HowABranchMovedIsToldApart(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, row := range []struct {
		name  string
		move  func(*upstream) string // after one accepted commit
		want  Movement
		class Class
	}{
		{name: "nothing happened", move: func(u *upstream) string { return u.git("rev-parse", "HEAD") }, want: unmoved},
		{name: "one commit more", move: func(u *upstream) string { return u.push("second") }, want: fastForward},
		{name: "a merge of a side branch", want: fastForward, move: func(u *upstream) string {
			u.git("checkout", "-q", "-b", "side", "HEAD~1")
			u.commit("aside")
			u.git("checkout", "-q", "main")
			u.git("merge", "-q", "--no-edit", "side")
			u.git("push", "-q", "origin", "main")
			return u.git("rev-parse", "HEAD")
		}},
		{name: "a revert", want: fastForward, move: func(u *upstream) string {
			u.git("revert", "--no-edit", "HEAD")
			u.git("push", "-q", "origin", "main")
			return u.git("rev-parse", "HEAD")
		}},
		{name: "amended", move: func(u *upstream) string {
			return u.push("the same, put better", "--amend")
		}, want: rewrite, class: Held},
		{name: "back to the first", want: rewind, class: Held, move: func(u *upstream) string {
			u.git("reset", "-q", "--hard", "HEAD~1")
			u.git("push", "-q", "--force", "origin", "main")
			return u.git("rev-parse", "HEAD")
		}},
		{name: "another history", want: rewrite, class: Held, move: func(u *upstream) string {
			u.git("checkout", "-q", "--orphan", "other")
			hash := u.commit("from scratch")
			u.git("push", "-q", "--force", "origin", "other:main")
			return hash
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := filled(t)
			u.write("ads/autumn.yaml", "kind: campaign\n")
			accepted := u.push("accepted")
			s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads/"})
			if first := fetched(t, s); first.Movement != firstSeen ||
				first.Commit != accepted || first.Author != "Ann" || first.Subject != "accepted" {
				t.Errorf("first fetch is %+v; want %s by Ann", first, accepted)
			}
			tip := row.move(u)
			for range 2 { // asked again, nothing is different
				r, err := s.Fetch(t.Context())
				if ClassOf(err) != row.class || r.Commit != tip || r.Movement != row.want {
					t.Fatalf("Fetch() = %+v, %v; want %s at %s, class %q", r, err, row.want, tip, row.class)
				}
				if row.class != Held {
					break
				}
			}
			if row.class == Held {
				r, _ := s.Fetch(t.Context())
				must(t, s.Accept(t.Context(), r))
			}
			if r := fetched(t, s); r.Movement != unmoved || r.Commit != tip {
				t.Errorf("after it was accepted Fetch() = %+v; want the same", r)
			}
		})
	}
}
