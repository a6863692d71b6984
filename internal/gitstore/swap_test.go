package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kept is an answer with these files.
func kept(files map[string][]byte) Answer {
	return Answer{Branch: "adsync/state", Files: files, Message: "state"}
}

func TestABranchIsSwappedFromWhereItStood(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, name := range []string{"https", "ssh", "path"} {
		t.Run(name, func(t *testing.T) {
			u := filled(t)
			c := Config{URL: u.bare}
			if name != "path" {
				c = served(t, u, name)
				c.Ref, c.SubPath = "", ""
			}
			c.WithoutPast = true
			another := func() *Store {
				c.Dir = filepath.Join(t.TempDir(), "store")
				return opened(t, c)
			}
			s := another()
			none, err := s.Tip(t.Context(), "adsync/state")
			if err != nil || none.Commit != "" {
				t.Fatalf("Tip of no branch = %+v, %v; want none", none, err)
			}
			first, err := s.Swap(t.Context(), "", kept(map[string][]byte{
				"head.json": []byte("1\n"), "body/run%2F1.json": []byte("{}\n"), "last.ndjson": []byte("a\n"),
			}))
			must(t, err)
			other := kept(map[string][]byte{"head.json": []byte("x\n")})
			if _, err := another().Swap(t.Context(), "", other); !errors.Is(err, ErrRaced) {
				t.Errorf("Swap from nothing, where a branch is = %v; want ErrRaced", err)
			}
			second, err := s.Swap(t.Context(), first, kept(map[string][]byte{
				"head.json": []byte("2\n"), "body/run%2F1.json": nil, "last.ndjson": []byte("b\n"),
			}))
			must(t, err)
			if _, err := s.Swap(t.Context(), first, other); !errors.Is(err, ErrRaced) {
				t.Errorf("Swap from an earlier commit = %v; want ErrRaced", err)
			}
			reader := another()
			tip, err := reader.Tip(t.Context(), "adsync/state")
			must(t, err)
			if tip.Commit != second || tip.Parent != first ||
				len(tip.Files) != 2 || string(tip.Files["last.ndjson"]) != "b\n" {
				t.Errorf("Tip = %+v; want %s upon %s with two files", tip, second, first)
			}
			if have := reader.have(hashOf(first)); have != (name == "path") {
				t.Errorf("the commit before is there: %t; want it from a path alone", have)
			}
			third, err := reader.Swap(t.Context(), second, kept(map[string][]byte{"head.json": []byte("3\n")}))
			must(t, err)
			again, err := reader.Tip(t.Context(), "adsync/state")
			if err != nil || again.Commit != third || again.Parent != second {
				t.Errorf("Tip after it = %+v, %v; want %s upon %s", again, err, third, second)
			}
			if got, want := u.run(u.bare, "log", "--format=%H", "adsync/state"),
				third+"\n"+second+"\n"+first; got != want {
				t.Errorf("branch has\n%s\nwant\n%s", got, want)
			}
			u.run(u.bare, "fsck", "--strict")
		})
	}
}

func TestASwapWhoseAnswerIsLostGivesItsCommit(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare})
	s.dial = func(ctx context.Context, s *Store) (peer, error) {
		p, err := dialPeer(ctx, s)
		return cutOff{p}, err
	}
	commit, err := s.Swap(t.Context(), "", kept(map[string][]byte{"head.json": []byte("1\n")}))
	must(t, err)
	if got := u.run(u.bare, "rev-parse", "adsync/state"); got != commit {
		t.Errorf("branch is at %s; want %s", got, commit)
	}
}

// A repository that is away is never one without the branch.
func TestARepositoryThatIsAwayHasNoTip(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare})
	must(t, os.Rename(u.bare, u.bare+".away"))
	if tip, err := s.Tip(t.Context(), "adsync/state"); err == nil {
		t.Errorf("Tip of a repository that is away = %+v; want an error", tip)
	}
	for _, branch := range []string{"main", "adsync/../main", ""} {
		if _, err := s.Tip(t.Context(), branch); ClassOf(err) != Configuration {
			t.Errorf("Tip of %q = %v; want it refused", branch, err)
		}
	}
}

func TestTheOriginOfAClone(t *testing.T) {
	u := filled(t)
	origin, err := OriginOf(filepath.Join(u.work, "ads"))
	if err != nil || origin != u.bare {
		t.Errorf("OriginOf = %q, %v; want %q", origin, err, u.bare)
	}
	if _, err := OriginOf(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no git repository") {
		t.Errorf("OriginOf a folder of no repository = %v; want an error", err)
	}
}
