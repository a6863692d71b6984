package gitstore

import (
	"strings"
	"testing"
)

func TestARefIsABranchATagOrACommit(t *testing.T) {
	t.Parallel()
	u := filled(t)
	first := u.git("rev-parse", "HEAD")
	u.git("tag", "plain")
	u.git("tag", "-a", "-m", "the spring", "annotated")
	u.git("tag", "-a", "-m", "of the tag", "twice", "annotated")
	u.git("tag", "tree", "HEAD^{tree}")
	u.push("second")
	second := u.git("rev-parse", "HEAD")
	u.git("tag", "main")
	u.git("push", "-q", "--tags", "origin")
	h := hostedAt(t, u)
	for _, row := range []struct {
		ref, commit, name string
		class             Class
		says              string
	}{
		{ref: "", commit: second, name: "refs/heads/main"},
		{ref: "refs/heads/main", commit: second, name: "refs/heads/main"},
		{ref: "plain", commit: first, name: "refs/tags/plain"},
		{ref: "annotated", commit: first, name: "refs/tags/annotated"},
		{ref: "twice", commit: first, name: "refs/tags/twice"},
		{ref: first, commit: first, name: first},
		{ref: "main", class: Input, says: `"main" is a branch and a tag`},
		{ref: "tree", class: Input, says: "is no commit that can be read"},
		{ref: "gone", class: Input, says: "has no refs/heads/gone; want one of its branches: main"},
		{ref: first[:12], class: Input, says: "has no refs/heads/" + first[:12]},
		{ref: "1111111111111111111111111111111111111111", class: Input, says: "is in no branch"},
	} {
		for _, url := range []string{u.bare, h.url} {
			t.Run(row.ref+" of "+url[:5], func(t *testing.T) {
				c := h.config()
				c.URL, c.Ref = url, row.ref
				r, err := opened(t, c).Fetch(t.Context())
				if row.class != "" {
					wantError(t, err, row.class, row.says)
					return
				}
				must(t, err)
				if r.Commit != row.commit || r.Ref != row.name || r.Movement != firstSeen {
					t.Errorf("Fetch() = %+v; want %s at %s", r, row.name, row.commit)
				}
			})
		}
	}
}

// A tag of the branch's name that comes later is said, and does not make the branch
// look as if it were gone.
func TestABranchThatBecomesATagTooIsNotGone(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"})
	fetched(t, s)
	u.git("tag", "main")
	u.git("push", "-q", "origin", "refs/tags/main")
	_, err := s.Fetch(t.Context())
	wantError(t, err, Input, `"main" is a branch and a tag of`, "want refs/heads/main or refs/tags/main")
	if strings.Contains(err.Error(), "gone") {
		t.Errorf("error is %q; want nothing of a branch that is gone", err)
	}
	u.run(u.bare, "tag", "-d", "main")
	if r := fetched(t, s); r.Movement != unmoved {
		t.Errorf("without the tag %+v; want the same", r)
	}
}

func TestATagThatMovedIsHeld(t *testing.T) {
	u := filled(t)
	u.git("tag", "-a", "-m", "one", "v1")
	u.git("push", "-q", "origin", "v1")
	s := opened(t, Config{URL: u.bare, Ref: "v1", SubPath: "ads"})
	first := fetched(t, s)
	u.push("second")
	u.git("tag", "-f", "-a", "-m", "again", "v1")
	u.git("push", "-q", "--force", "origin", "v1")
	r, err := s.Fetch(t.Context())
	wantError(t, err, Held, "the tag refs/tags/v1 was moved from "+first.Commit[:12])
	must(t, s.Accept(t.Context(), r))
	if again := fetched(t, s); again.Movement != unmoved || again.Commit != r.Commit {
		t.Errorf("accepted, it is %+v; want the same", again)
	}
}

// Two sources in one folder share objects, and each has a past of its own.
func TestSourcesOfOneStoreHavePastsOfTheirOwn(t *testing.T) {
	u := filled(t)
	u.write("more/x.yaml", "kind: campaign\n")
	u.push("two projects")
	dir := t.TempDir()
	ads := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads", Dir: dir})
	more := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "more", Dir: dir})
	fetched(t, ads)
	u.push("third")
	if r := fetched(t, ads); r.Movement != fastForward {
		t.Errorf("the one that was there is %+v; want forward", r)
	}
	if r := fetched(t, more); r.Movement != firstSeen {
		t.Errorf("the other one is %+v; want first", r)
	}
}

// G18: what was read at one commit stays as it is while the branch moves on.
func TestG18ACommitStaysWhileTheBranchMovesOn(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"})
	first := fetched(t, s)
	u.write("ads/spring.yaml", "kind: campaign\nname: x\n")
	u.push("second")
	third := u.push("third")
	if r := fetched(t, s); r.Movement != fastForward || r.Commit != third || r.Accepted != first.Commit {
		t.Errorf("after two quick commits %+v; want the last, forward from the first", r)
	}
	commit, err := s.commit(hashOf(first.Commit))
	must(t, err)
	file, err := commit.File("ads/spring.yaml")
	must(t, err)
	if content, err := file.Contents(); err != nil || content != "kind: campaign\n" {
		t.Errorf("the first commit says %q, %v; want what it said", content, err)
	}
}
