package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"golang.org/x/sync/errgroup"
)

var results = Answer{
	Branch: "adsync/results",
	Files: map[string][]byte{
		"results/adacct_1/run_1/results.json": []byte("{}\n"), "results/adacct_1/run_1/winter.xlsx": []byte("PK"),
	},
	Message: "adsync: 2 applied\n\nRun: run_1",
}

func TestAnswersAreCommittedToABranchOfTheirOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, name := range []string{"https", "ssh", "path"} {
		t.Run(name, func(t *testing.T) {
			u := filled(t)
			c := Config{URL: u.bare, Ref: "main", SubPath: "ads"}
			if name != "path" {
				c = served(t, u, name)
			}
			c.Now = func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }
			s := opened(t, c)
			watched := fetched(t, s)
			first, err := s.Push(t.Context(), results)
			must(t, err)
			next := results
			next.Files = map[string][]byte{"results/adacct_1/run_2/results.json": []byte("[]\n")}
			next.Author = Author{"Robot", "robot@example.com"}
			// another store: it knows nothing of the branch yet
			c.Dir = filepath.Join(t.TempDir(), "store")
			second, err := opened(t, c).Push(t.Context(), next)
			must(t, err)
			if got, want := u.run(u.bare, "log", "--format=%H %an <%ae> %cI %s", "adsync/results"),
				second.Commit+" Robot <robot@example.com> 2026-11-22T12:00:00+00:00 adsync: 2 applied\n"+
					first.Commit+" adsync <adsync@localhost> 2026-11-22T12:00:00+00:00 adsync: 2 applied"; got != want {
				t.Errorf("branch has\n%s\nwant\n%s", got, want)
			}
			if got, want := u.run(u.bare, "ls-tree", "-r", "--name-only", "adsync/results"),
				"results/adacct_1/run_1/results.json\n"+
					"results/adacct_1/run_1/winter.xlsx\nresults/adacct_1/run_2/results.json"; got != want {
				t.Errorf("branch has the files\n%s\nwant\n%s", got, want)
			}
			if got := u.run(u.bare, "rev-parse", "main"); got != watched.Commit {
				t.Errorf("main is at %s; want it where it was, %s", got, watched.Commit)
			}
			if again, err := s.Push(t.Context(), next); err != nil || !again.Same || again.Commit != second.Commit {
				t.Errorf("the same again: %+v, %v; want nothing new", again, err)
			}
			u.run(u.bare, "fsck", "--strict")
		})
	}
}

func TestAProposalBeginsAtTheCommitThatWasRead(t *testing.T) {
	u := filled(t)
	must(t, os.Chmod(filepath.Join(u.work, "ads/spring.yaml"), 0o755))
	base := u.push("executable, for some reason")
	h := hostedAt(t, u)
	s := opened(t, h.config())
	fetched(t, s)
	u.push("main goes on")
	_, err := s.Push(t.Context(), Answer{
		Branch: "adsync/drift-adacct_1-run_1", Base: base,
		Files: map[string][]byte{"ads/spring.yaml": []byte("kind: ad\n")}, Message: "take over",
	})
	must(t, err)
	if got, want := u.run(u.bare, "diff", "--raw", "--abbrev=4", base, "adsync/drift-adacct_1-run_1"),
		":100755 100755 "; !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 0 {
		t.Errorf("the proposal changes\n%s\nwant one file, its mode kept", got)
	}
	if got := u.run(u.bare, "merge-base", "main", "adsync/drift-adacct_1-run_1"); got != base {
		t.Errorf("it begins at %s; want %s", got, base)
	}
}

// A branch that is made afresh has the files of its base and its own, push by push, and is never forced.
func TestABranchThatIsMadeAfresh(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	s := opened(t, h.config())
	base := fetched(t, s).Commit
	a := Answer{Branch: "adsync/drift-shop", Message: "take over", Afresh: true}
	moves := func() {
		u.write("ads/summer.yaml", fmt.Sprintf("kind: campaign # %d\n", u.n))
		u.push("main goes on")
		base = fetched(t, s).Commit
	}
	for _, row := range []struct {
		name    string
		before  func()
		file    string
		text    string
		changes string // by the branch, against its base
		commits int    // on it, since its base
		same    bool
	}{
		{"the first", func() {}, "ads/spring.yaml", "a", "ads/spring.yaml", 1, false},
		{"again", func() {}, "ads/spring.yaml", "a", "ads/spring.yaml", 1, true},
		{"another value", func() {}, "ads/spring.yaml", "b", "ads/spring.yaml", 2, false},
		{"another file instead", func() {}, "ads/adsync.yaml", "c", "ads/adsync.yaml", 3, false},
		{"main goes on", moves, "ads/adsync.yaml", "c", "ads/adsync.yaml", 4, false},
		{"again", func() {}, "ads/adsync.yaml", "c", "ads/adsync.yaml", 4, true},
		{"it is merged, and the branch stays", func() {
			u.git("fetch", "-q", "origin", a.Branch)
			u.git("merge", "-q", "--no-edit", "FETCH_HEAD")
			moves()
		}, "ads/adsync.yaml", "d", "ads/adsync.yaml", 1, false},
		{"it is squashed into main, and the branch stays", func() {
			u.git("fetch", "-q", "origin", a.Branch)
			u.git("merge", "-q", "--squash", "FETCH_HEAD")
			u.commit("squashed")
			moves()
		}, "ads/adsync.yaml", "e", "ads/adsync.yaml", 2, false},
		{"it is deleted", func() { u.git("push", "-q", "origin", ":"+a.Branch) },
			"ads/adsync.yaml", "f", "ads/adsync.yaml", 1, false},
	} {
		row.before()
		a.Base, a.Files = base, map[string][]byte{row.file: []byte(row.text)}
		pushed, err := s.Push(t.Context(), a)
		must(t, err)
		if pushed.Same != row.same {
			t.Errorf("%s: the branch said that already: %t; want %t", row.name, pushed.Same, row.same)
		}
		if got := u.run(u.bare, "diff", "--name-only", base, a.Branch); got != row.changes {
			t.Errorf("%s: the branch changes %q; want %q", row.name, got, row.changes)
		}
		if got := u.run(u.bare, "show", a.Branch+":"+row.file); got != row.text {
			t.Errorf("%s: the file is %q; want %q", row.name, got, row.text)
		}
		got := u.run(u.bare, "rev-list", "--count", "--first-parent", base+".."+a.Branch)
		if got != fmt.Sprint(row.commits) {
			t.Errorf("%s: %s commits since the base; want %d", row.name, got, row.commits)
		}
	}
	u.git("fetch", "-q", "origin", a.Branch)
	u.git("checkout", "-q", "FETCH_HEAD")
	u.write("ads/spring.yaml", "by hand")
	hers := u.commit("by hand")
	u.git("push", "-q", "origin", "HEAD:refs/heads/"+a.Branch)
	a.Files = map[string][]byte{"ads/adsync.yaml": []byte("g")}
	_, err := s.Push(t.Context(), a)
	wantError(t, err, Held, "somebody else made the last commit of adsync/drift-shop")
	if got := u.run(u.bare, "rev-parse", a.Branch); got != hers {
		t.Errorf("the branch is at %s; want %s, her commit", got, hers)
	}
}

func TestPushesThatAreRefused(t *testing.T) {
	u := filled(t)
	u.git("push", "-q", "origin", "HEAD:refs/heads/adsync/live")
	h := hostedAt(t, u)
	for _, row := range []struct {
		name   string
		ref    string
		change func(*Answer)
		says   string
	}{
		{name: "the watched branch", ref: "main", change: func(a *Answer) { a.Branch = "main" },
			says: `the branch is "main"; want one below adsync/`},
		{name: "the watched branch below the prefix", ref: "adsync/live", change: func(a *Answer) {
			a.Branch =
				"adsync/live"
		}, says: "is the branch that is watched"},
		{name: "the same by its full name", ref: "refs/heads/adsync/live", change: func(a *Answer) {
			a.Branch =
				"adsync/live"
		}, says: "is the branch that is watched"},
		{name: "out of the prefix", ref: "main", change: func(a *Answer) { a.Branch = "adsync/../main" },
			says: "want one below adsync/"},
		{name: "a full name", ref: "main", change: func(a *Answer) { a.Branch = "refs/heads/main" },
			says: "want one below adsync/"},
		{name: "a path that leads out", ref: "main", change: func(a *Answer) {
			a.Files =
				map[string][]byte{"../x": nil}
		}, says: `is "../x"`},
		{name: "into .git", ref: "main", change: func(a *Answer) {
			a.Files = map[string][]byte{"x/.GIT/config": nil}
		}, says: ".GIT/config"},
		{name: "nothing", ref: "main", change: func(a *Answer) { a.Files = nil }, says: "there is no file to push"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := h.config()
			c.Ref = row.ref
			a := results
			row.change(&a)
			before, asked := u.run(u.bare, "for-each-ref"), h.asked.Load()
			_, err := opened(t, c).Push(t.Context(), a)
			wantError(t, err, Configuration, row.says)
			if n := h.asked.Load() - asked; n != 0 {
				t.Errorf("the server was asked %d times; want it refused before", n)
			}
			if after := u.run(u.bare, "for-each-ref"); after != before {
				t.Errorf("branches are\n%s\nwant them as they were\n%s", after, before)
			}
		})
	}
	t.Run("out of a prefix of one's own", func(t *testing.T) {
		c := h.config()
		c.AnswerPrefix = "robots/"
		s := opened(t, c)
		_, err := s.Push(t.Context(), results)
		wantError(t, err, Configuration, "want one below robots/")
		a := results
		a.Branch = "robots/results"
		_, err = s.Push(t.Context(), a)
		must(t, err)
		for _, prefix := range []string{"/", "robots", "a..b/", "../"} {
			c.AnswerPrefix, c.Dir = prefix, t.TempDir()
			_, err := Open(c)
			wantError(t, err, Configuration, "the prefix of adsync's branches")
		}
	})
	t.Run("the default branch, below the prefix", func(t *testing.T) {
		u.run(u.bare, "symbolic-ref", "HEAD", "refs/heads/adsync/live")
		c := h.config()
		c.Ref = ""
		a := results
		a.Branch = "adsync/live"
		_, err := opened(t, c).Push(t.Context(), a)
		wantError(t, err, Configuration, "is the branch that is watched")
	})
	t.Run("a token that may not push", func(t *testing.T) {
		u.run(u.bare, "config", "http.receivepack", "false")
		_, err := opened(t, h.config()).Push(t.Context(), results)
		wantError(t, err, Credentials, "403")
		hidden(t, err)
	})
}

// A server that does not take a push says why, and that is no trouble of the network: a
// branch that is protected, a hook, a push that would not go forward.
func TestAPushThatTheServerRefusesSaysWhy(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, name := range []string{"https", "ssh"} {
		t.Run(name, func(t *testing.T) {
			u := filled(t)
			s := opened(t, served(t, u, name))
			fetched(t, s)
			hook := filepath.Join(u.bare, "hooks", "update")
			must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
			must(t, os.WriteFile(hook, []byte("#!/bin/sh\necho 'adsync/results is protected' >&2\nexit 1\n"), 0o755))
			_, err := s.Push(t.Context(), results)
			wantError(t, err, Credentials, "does not take a push to adsync/results: hook declined",
				"; want the branch to be one that adsync may push to")
			if name == "ssh" && !strings.Contains(err.Error(), "adsync/results is protected") {
				t.Errorf("error is %q; want what the hook said", err)
			}
			if got := u.run(u.bare, "branch", "--list", "adsync/*"); got != "" {
				t.Errorf("branches are %q; want none of adsync's", got)
			}
			must(t, os.Remove(hook))
			_, err = s.Push(t.Context(), results)
			must(t, err)
		})
	}
}

// A server that answers and does not say what became of a push has not taken it, unless
// the branch stands there.
func TestAPushThatNothingIsSaidOfIsNotTaken(t *testing.T) {
	u := filled(t)
	h := hostedAt(t, u)
	for _, row := range []struct{ name, answer string }{
		{"nothing at all", ""},
		{"of no branch", "000eunpack ok\n0000"},
		{"of another branch", "000eunpack ok\n001bok refs/heads/adsync/x\n0000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
					return false
				}
				w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				io.WriteString(w, row.answer)
				return true
			})
			pushed, err := opened(t, h.config()).Push(t.Context(), results)
			wantError(t, err, Transient, "says nothing of what became of the push")
			if pushed.Commit != "" {
				t.Errorf("pushed %+v; want nothing", pushed)
			}
		})
	}
}

// Two who begin the branch of a repository on this machine at the same moment, and git
// itself: one of them waits, and neither takes the other's commit away.
func TestABranchOfAPathIsMovedUnderALock(t *testing.T) {
	u := filled(t)
	g, ctx := errgroup.WithContext(t.Context())
	for n := range 4 {
		s := opened(t, Config{URL: u.bare, Ref: "main"})
		g.Go(func() error {
			a := results
			a.Files = map[string][]byte{fmt.Sprintf("results/%d.json", n): []byte("{}")}
			for {
				_, err := s.Push(ctx, a)
				if err == nil || !strings.Contains(err.Error(), "is locked by somebody") {
					return err
				}
			}
		})
	}
	must(t, g.Wait())
	if got := u.run(u.bare, "ls-tree", "--name-only",
		"adsync/results", "results/"); got != "results/0.json\nresults/1.json\nresults/2.json\nresults/3.json" {
		t.Errorf("branch has\n%s\nwant what all four pushed", got)
	}
	before := u.run(u.bare, "rev-parse", "adsync/results")
	must(t, os.WriteFile(filepath.Join(u.bare, "refs/heads/adsync/results.lock"), nil, 0o600))
	_, err := opened(t, Config{URL: u.bare, Ref: "main"}).Push(t.Context(), results)
	wantError(t, err, Transient, "adsync/results is locked by somebody", "results.lock gone")
	// as git leaves it when it is killed
	must(t, os.WriteFile(filepath.Join(u.bare, "refs/heads/adsync/results.lock"), []byte(before+"\n"), 0o600))
	_, err = opened(t, Config{URL: u.bare, Ref: "main"}).Push(t.Context(), results)
	wantError(t, err, Transient, "adsync/results is locked by somebody", "results.lock gone")
	if got := u.run(u.bare, "rev-parse", "adsync/results"); got != before {
		t.Errorf("branch is at %s; want it where it was, %s", got, before)
	}
}

// racing lets somebody else push just before we do.
type racing struct {
	peer
	before func()
}

func (r racing) update(ctx context.Context, refs *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error {
	r.before()
	return r.peer.update(ctx, refs, command, pack)
}

func TestAPushThatIsRacedIsMadeAgainUponTheOther(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, name := range []string{"https", "ssh", "path"} {
		t.Run(name, func(t *testing.T) {
			u := filled(t)
			c := Config{URL: u.bare, Ref: "main"}
			if name != "path" {
				c = served(t, u, name)
			}
			s := opened(t, c)
			u.git("push", "-q", "origin", "HEAD:refs/heads/adsync/results")
			raced := 0
			s.dial = func(ctx context.Context, s *Store) (peer, error) {
				p, err := dialPeer(ctx, s)
				return racing{p, func() {
					if raced++; raced <= 2 {
						u.commit("somebody else")
						u.git("push", "-q", "origin", "HEAD:refs/heads/adsync/results")
					}
				}}, err
			}
			pushed, err := s.Push(t.Context(), results)
			must(t, err)
			if got, want := u.run(u.bare, "log", "--format=%an", "adsync/results"),
				"adsync\nAnn\nAnn\nAnn"; got != want || raced != 3 {
				t.Errorf("branch has commits by\n%s\nafter %d attempts; want\n%s\nafter 3", got, raced, want)
			}
			if got := u.run(u.bare, "rev-parse", "adsync/results"); got != pushed.Commit {
				t.Errorf("branch is at %s; want what was pushed, %s", got, pushed.Commit)
			}
		})
	}
}

// cutOff loses the answer to a push that arrived.
type cutOff struct{ peer }

func (c cutOff) update(ctx context.Context, refs *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error {
	return errors.Join(c.peer.update(ctx, refs, command, pack), errors.New("connection reset"))
}

func TestAPushWhoseAnswerIsLostIsFoundToHaveArrived(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main"})
	s.dial = func(ctx context.Context, s *Store) (peer, error) {
		p, err := dialPeer(ctx, s)
		return cutOff{p}, err
	}
	pushed, err := s.Push(t.Context(), results)
	must(t, err)
	if got := u.run(u.bare, "rev-parse", "adsync/results"); got != pushed.Commit || hashOf(got) == plumbing.ZeroHash {
		t.Errorf("branch is at %s; want %s", got, pushed.Commit)
	}
}
