package gitstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// sharing has sources of one repository, each with a folder of its own.
func sharing(t *testing.T, c Config, n int) []*Store {
	t.Helper()
	top := t.TempDir()
	if c.Shared == nil {
		c.Shared = NewShared(filepath.Join(top, "shared"))
	}
	var all []*Store
	for i := range n {
		c.Dir = filepath.Join(top, fmt.Sprintf("source-%d", i))
		all = append(all, opened(t, c))
	}
	return all
}

// together has all fetch at once.
func together(ctx context.Context, all []*Store) ([]Revision, []error) {
	revisions, errs := make([]Revision, len(all)), make([]error, len(all))
	var wait sync.WaitGroup
	for i, s := range all {
		wait.Go(func() { revisions[i], errs[i] = s.Fetch(ctx) })
	}
	wait.Wait()
	return revisions, errs
}

// asked counts what a server is asked for.
type asked struct{ lists, packs atomic.Int64 }

func (a *asked) count(h *hosted) {
	h.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			a.lists.Add(1)
		} else {
			a.packs.Add(1)
		}
		return false
	})
}

// Sources of one repository have one clone of it, by one fetch; each has its own past.
func TestSourcesOfOneRepositoryFetchOnce(t *testing.T) {
	t.Parallel()
	u := filled(t)
	h := hostedAt(t, u)
	var server asked
	server.count(h)
	all := sharing(t, h.config(), 8)
	all[0].config.Shared.Keep(time.Minute)
	for _, subject := range []string{"the project", "another", "a third"} {
		if subject != "the project" {
			u.push(subject)
			all[0].config.Shared.Renew()
		}
		server.lists.Store(0)
		server.packs.Store(0)
		revisions, errs := together(t.Context(), all)
		for i := range all {
			if errs[i] != nil || revisions[i].Subject != subject {
				t.Errorf("source %d fetched %+v, %v; want %q", i, revisions[i], errs[i], subject)
			}
			u.same(all[i])
		}
		if lists, packs := server.lists.Load(), server.packs.Load(); lists > 3 || packs != 1 {
			t.Errorf("%q took %d lists and %d packs; want 3 at most and 1", subject, lists, packs)
		}
	}
	if whole, left := packs(t, all[0]); whole != 3 || left != 0 || all[0].Dir() != all[7].Dir() {
		t.Errorf("%d packs, %d parts, in %s and %s; want 3 in one folder", whole, left, all[0].Dir(), all[7].Dir())
	}
	first := u.git("rev-list", "--max-parents=0", "HEAD")
	u.git("reset", "-q", "--hard", first)
	rewritten := u.push("from the beginning")
	all[0].config.Shared.Renew()
	r, err := all[0].Fetch(t.Context())
	wantError(t, err, Held, "was rewritten")
	must(t, all[0].Accept(t.Context(), r))
	if r := fetched(t, all[0]); r.Commit != rewritten {
		t.Errorf("the source that accepted stands at %s; want %s", r.Commit, rewritten)
	}
	_, err = all[1].Fetch(t.Context())
	wantError(t, err, Held, "was rewritten")
	u.push("upon what was rewritten")
	all[0].config.Shared.Renew()
	fetched(t, all[0])
}

// A fetch that fails fails all who wait for it, and the next tries again.
func TestAFetchThatFailsFailsAllWhoWaited(t *testing.T) {
	t.Parallel()
	h := hostedAt(t, filled(t))
	all := sharing(t, h.config(), 6)
	shared := all[0].config.Shared
	shared.Keep(time.Minute)
	var broken atomic.Bool
	var tries atomic.Int64
	broken.Store(true)
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/git-upload-pack") || !broken.Load() {
			return false
		}
		tries.Add(1)
		for shared.waiting() < len(all) && r.Context().Err() == nil {
			time.Sleep(time.Millisecond) // they are other goroutines
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	_, errs := together(t.Context(), all)
	for i, err := range errs {
		if ClassOf(err) != Transient {
			t.Errorf("source %d: %v; want a failure for the time being", i, err)
		}
	}
	if n := tries.Load(); n != 1 {
		t.Errorf("%d fetches were tried for %d sources; want one for all", n, len(all))
	}
	broken.Store(false)
	for i, s := range all {
		if r := fetched(t, s); r.Subject != "the project" {
			t.Errorf("source %d fetched %+v", i, r)
		}
	}
}

// Who gives up takes nothing from those who go on waiting; when all have, the fetch ends.
func TestWhoGivesUpEndsNoFetchOfOthers(t *testing.T) {
	t.Parallel()
	h := hostedAt(t, filled(t))
	reached, goOn := make(chan struct{}, 8), make(chan struct{})
	h.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			reached <- struct{}{}
			<-goOn
		}
		return false
	})
	all := sharing(t, h.config(), 2)
	all[0].config.Shared.Keep(time.Minute)
	fetch := func(s *Store, ctx context.Context) <-chan error {
		ended := make(chan error, 1)
		go func() { _, err := s.Fetch(ctx); ended <- err }()
		return ended
	}
	leads, stop := context.WithCancel(t.Context())
	first := fetch(all[0], leads)
	<-reached
	second := fetch(all[1], t.Context())
	for waits := 0; waits < 2; time.Sleep(time.Millisecond) {
		waits = all[0].config.Shared.waiting()
	}
	stop()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v; want that it was stopped", err)
	}
	close(goOn)
	must(t, <-second)
	goOn = make(chan struct{})
	alone := sharing(t, h.config(), 1)[0]
	leads, stop = context.WithCancel(t.Context())
	first = fetch(alone, leads)
	<-reached
	stop()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up alone: %v; want that it was stopped", err)
	}
	close(goOn)
	if whole, left := packs(t, alone); whole+left != 0 {
		t.Errorf("%d packs and %d parts are left of a fetch nobody waited for; want none", whole, left)
	}
}

// waiting counts who waits for a fetch of objects.
func (r *Shared) waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.getting {
		n += f.waiting
	}
	return n
}

// A list does for all who ask within its time, and no longer once it is renewed. Where no
// time is said, each who asks has one that began after that.
func TestAListIsAsYoungAsWasAskedFor(t *testing.T) {
	t.Parallel()
	u := filled(t)
	h := hostedAt(t, u)
	var server asked
	server.count(h)
	all := sharing(t, h.config(), 2)
	shared := all[0].config.Shared
	fetched(t, all[0])
	second := u.push("second")
	if r := fetched(t, all[1]); r.Commit != second {
		t.Errorf("without a time, a fetch stands at %q; want the commit of now", r.Subject)
	}
	shared.Keep(time.Minute)
	moved, _ := shared.Moved()
	fetched(t, all[0]) // lists
	third := u.push("third")
	server.lists.Store(0)
	if r := fetched(t, all[1]); r.Commit != second || server.lists.Load() != 0 || all[1].Look(t.Context()) != second {
		t.Errorf("within its time, a list is asked for %d times, to stand at %q", server.lists.Load(), r.Subject)
	}
	shared.Renew()
	if r := fetched(t, all[1]); r.Commit != third {
		t.Errorf("once renewed, a fetch stands at %q; want %q", r.Subject, "third")
	}
	select {
	case <-moved:
	default:
		t.Error("nobody is told that the list says otherwise")
	}
}

// What a source had for itself is taken over, so that history that was rewritten meanwhile
// is still known. A command that is given the source's folder alone finds what is shared.
func TestAStoreOfItsOwnIsTakenOver(t *testing.T) {
	t.Parallel()
	u := filled(t)
	c := hostedAt(t, u).config()
	c.Dir = filepath.Join(t.TempDir(), "source")
	own := opened(t, c)
	fetched(t, own)
	u.git("checkout", "-q", "--orphan", "anew")
	u.commit("a history of its own")
	u.git("branch", "-q", "-M", "main")
	u.git("push", "-q", "--force", "origin", "main")
	other := c
	other.Dir, other.Shared = filepath.Join(t.TempDir(), "other"), NewShared(filepath.Join(t.TempDir(), "shared"))
	fetched(t, opened(t, other))
	c.Shared = other.Shared
	s := opened(t, c)
	r, err := s.Fetch(t.Context())
	wantError(t, err, Held, "was rewritten")
	if _, err := os.Stat(filepath.Join(c.Dir, "repository")); !os.IsNotExist(err) {
		t.Errorf("the store of before is still there: %v", err)
	}
	c.Shared = nil
	alone := opened(t, c)
	if alone.Dir() != s.Dir() {
		t.Errorf("a command reads %s; want %s", alone.Dir(), s.Dir())
	}
	_, err = alone.Fetch(t.Context())
	wantError(t, err, Held, "was rewritten")
	must(t, alone.Accept(t.Context(), r))
	fetched(t, s)
}

// A process that is killed in the middle of a fetch leaves what is shared whole, and the
// next fetch takes its parts away.
func TestAFetchThatIsKilledLeavesWhatIsSharedWhole(t *testing.T) {
	if folder := os.Getenv("ADSYNC_TEST_FETCH_INTO"); folder != "" { // the process that is killed
		_, err := opened(t, Config{
			URL: os.Getenv("ADSYNC_TEST_FETCH_FROM"), CAFile: os.Getenv("ADSYNC_TEST_FETCH_CA"), Ref: "main",
			SubPath: "ads", Token: says(theToken), Dir: filepath.Join(folder, "source"),
			Shared: NewShared(filepath.Join(folder, "shared")),
		}).Fetch(t.Context())
		t.Fatalf("the fetch ended with %v; want it killed before", err)
	}
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := heavy(t)
	c := hostedAt(t, u).config()
	folder := t.TempDir()
	line := stalling(t, hostOf(t, c.URL), 300_000)
	fetch := exec.Command(os.Args[0], "-test.run", "^TestAFetchThatIsKilledLeavesWhatIsSharedWhole$")
	fetch.Env = append(os.Environ(), "ADSYNC_TEST_FETCH_INTO="+folder,
		"ADSYNC_TEST_FETCH_FROM="+through(t, c.URL, line.address), "ADSYNC_TEST_FETCH_CA="+c.CAFile)
	must(t, fetch.Start())
	begun := func() bool { // a busy machine has written nothing of what came by then
		parts, err := filepath.Glob(filepath.Join(folder, "shared", "*", "objects", "pack", "*"))
		must(t, err)
		return len(parts) > 0
	}
	for line.passed.Load() < 300_000 || !begun() {
		time.Sleep(time.Millisecond)
	}
	must(t, fetch.Process.Kill())
	if err := fetch.Wait(); err == nil {
		t.Error("the fetch ended by itself; want it killed")
	}
	c.Dir, c.Shared = filepath.Join(folder, "other"), NewShared(filepath.Join(folder, "shared"))
	s := opened(t, c)
	if whole, left := packs(t, s); whole != 0 || left != 1 {
		t.Errorf("the kill leaves %d packs and %d parts; want a part", whole, left)
	}
	fetched(t, s)
	u.same(s)
	if whole, left := packs(t, s); whole != 1 || left != 0 {
		t.Errorf("afterwards there are %d packs and %d parts; want one pack", whole, left)
	}
}

// Packs are put together when nobody reads, and by a later fetch where somebody does.
func TestPacksStayWhileSomebodyReads(t *testing.T) {
	t.Parallel()
	u := filled(t)
	all := sharing(t, hostedAt(t, u).config(), 2)
	for _, s := range all {
		s.mostPacks = 2
	}
	end, err := all[1].Reading(t.Context())
	must(t, err)
	for n := range 4 {
		u.push(fmt.Sprint(n))
		fetched(t, all[0])
	}
	if whole, _ := packs(t, all[0]); whole != 4 {
		t.Errorf("%d packs while somebody reads; want 4", whole)
	}
	end()
	u.push("the last")
	fetched(t, all[0])
	if whole, _ := packs(t, all[0]); whole != 1 {
		t.Errorf("%d packs when nobody reads; want 1", whole)
	}
	u.same(all[0])
}
