package gitstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// A store that is fetched into for years does not become slow.
func TestAStoreStaysTidy(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"})
	s.mostPacks = 3
	var commits []string
	for n := range 9 {
		u.write("ads/spring.yaml", "kind: campaign\nname: "+repeat("x", n)+"\n")
		commits = append(commits, u.push("one more"))
		fetched(t, s)
		if whole, left := packs(t, s); whole > 4 || left != 0 {
			t.Fatalf("after %d fetches %d packs and %d parts; want at most four, and none", n+1, whole, left)
		}
	}
	again := opened(t, s.config)
	for n, hash := range commits {
		commit, err := again.commit(hashOf(hash))
		must(t, err)
		file, err := commit.File("ads/spring.yaml")
		must(t, err)
		if content, err := file.Contents(); err != nil || content != "kind: campaign\nname: "+repeat("x", n)+"\n" {
			t.Errorf("commit %d says %q, %v; want what it said", n, content, err)
		}
	}
}

// Many may fetch into one folder: one at a time does.
func TestFetchesIntoOneFolderTakeTurns(t *testing.T) {
	u := filled(t)
	dir := t.TempDir()
	g, ctx := errgroup.WithContext(t.Context())
	for range 4 {
		s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads", Dir: dir})
		g.Go(func() error {
			_, err := s.Fetch(ctx)
			return err
		})
	}
	must(t, g.Wait())
	s := opened(t, Config{URL: u.bare, Ref: "main", Dir: dir, Timeout: 100 * time.Millisecond})
	if whole, left := packs(t, s); whole != 1 || left != 0 {
		t.Errorf("store has %d packs and %d parts; want one, and none", whole, left)
	}
	unlock, err := s.lock(context.Background())
	must(t, err)
	defer unlock()
	_, err = s.Fetch(t.Context())
	wantError(t, err, Transient, "another adsync fetches into the store")
}

// A store of another process, or of another part of this one, puts the packs of the
// folder together: whoever had it open reads on.
func TestAStoreThatOthersTidyIsReadOn(t *testing.T) {
	u := filled(t)
	c := Config{URL: u.bare, Ref: "main", SubPath: "ads", Dir: filepath.Join(t.TempDir(), "store")}
	ours, others := opened(t, c), opened(t, c)
	others.mostPacks = 1
	must(t, ours.Accept(t.Context(), fetched(t, ours)))
	for range 2 {
		u.write("ads/spring.yaml", "kind: campaign\nname: "+repeat("x", u.n)+"\n")
		u.push("more")
		fetched(t, others)
	}
	if whole, _ := packs(t, ours); whole != 1 {
		t.Fatalf("store has %d packs; want them put together", whole)
	}
	a := results
	a.Base = u.git("rev-parse", "HEAD~2")
	_, err := ours.Push(t.Context(), a)
	must(t, err)
	if r := fetched(t, ours); r.Movement != unmoved {
		t.Errorf("fetched %+v; want the same, which the other accepted", r)
	}
}

// What is remembered is refused where it is damaged: it is no first fetch.
func TestADamagedRecordIsNoFirstFetch(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main"})
	fetched(t, s)
	for _, content := range []string{"", "{}", `{"format_version":1,"accepted":"x"}`, `{"format_version":2}`} {
		must(t, os.WriteFile(whereAccepted(s), []byte(content), 0o600))
		_, err := s.Fetch(t.Context())
		wantError(t, err, Configuration, "which says what was accepted last, cannot be read")
	}
}

func TestTheStoreIsPrivate(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main", Dir: filepath.Join(t.TempDir(), "a", "b")})
	fetched(t, s)
	for name, want := range map[string]os.FileMode{
		s.config.Dir: 0o700, s.Dir(): 0o700, whereAccepted(s): 0o600,
	} {
		about, err := os.Stat(name)
		must(t, err)
		if about.Mode().Perm() != want {
			t.Errorf("%s is %v; want %v", name, about.Mode().Perm(), want)
		}
	}
}

// Objects that are files of their own are closed once they were read, and not once the
// collector comes: a repository may have more of them than a process may open.
func TestAFetchLeavesNoFileOpen(t *testing.T) {
	u := newUpstream(t)
	for n := range 200 {
		u.write(fmt.Sprintf("ads/%d.yaml", n), fmt.Sprintf("# %d\n", n))
	}
	u.push("two hundred files")
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := openFiles(t)
	s := opened(t, Config{URL: u.work, Ref: "main"})
	_, err := s.Fetch(t.Context())
	must(t, err)
	if after := openFiles(t); after > before+20 {
		t.Errorf("%d files are open after a fetch of 200, %d were before", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(all)
}
