package gitstore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// largeFile is as large as a file must be for what is allocated to show whether it was in
// memory: 32 MiB that do not compress.
const largeFile = 32 << 20

func (u *upstream) writeLarge(name string, seed byte) {
	u.t.Helper()
	content := make([]byte, largeFile)
	rand.NewChaCha8([32]byte{seed}).Read(content)
	must(u.t, os.WriteFile(filepath.Join(u.work, name), content, 0o600))
}

// editLarge takes a part out of the middle of a file, and puts it to the end.
func (u *upstream) editLarge(name string) {
	u.t.Helper()
	file := filepath.Join(u.work, name)
	content, err := os.ReadFile(file)
	must(u.t, err)
	middle := len(content) / 2
	edited := append(append(content[:middle:middle], content[middle+1000:]...), content[middle:middle+1000]...)
	must(u.t, os.WriteFile(file, edited, 0o600))
}

// hasLargeDelta reports whether one of two large objects of a pack takes next to no room.
func (u *upstream) hasLargeDelta(hashes string) bool {
	u.t.Helper()
	c := exec.Command("git", "cat-file", "--batch-check=%(objectsize:disk)")
	c.Dir, c.Stdin = u.work, strings.NewReader(hashes[:40]+"\n"+hashes[40:]+"\n")
	out, err := c.Output()
	must(u.t, err)
	var one, other int
	_, err = fmt.Sscan(string(out), &one, &other)
	must(u.t, err)
	return min(one, other) < 1<<20
}

// allocated is how many bytes are allocated in all while something runs: no less than the
// most of it that was in memory at once.
func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A large file in the history of a repository on this machine goes from disk to disk.
func TestALargeFileIsNeverInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, row := range []struct {
		name string
		keep func(u *upstream)
	}{
		{name: "in a pack", keep: func(u *upstream) { u.git("repack", "-adq") }},
		{name: "loose", keep: func(*upstream) {}},
		{name: "as a difference to another version", keep: func(u *upstream) {
			u.editLarge("film.mp4")
			u.commit("cut")
			u.git("repack", "-adfq", "--window=2")
			if out := u.git("rev-parse", "HEAD:film.mp4") +
				u.git("rev-parse", "HEAD~1:film.mp4"); !u.hasLargeDelta(out) {
				u.t.Fatal("git stores both versions whole; want one as a delta")
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := filled(t)
			u.writeLarge("film.mp4", 1)
			u.commit("a film")
			row.keep(u)
			film, first := u.git("rev-parse", "HEAD:film.mp4"),
				u.git("rev-list", "--all", "--objects", "--", "film.mp4")
			s := opened(t, Config{URL: u.work, Ref: "main", SubPath: "ads"})
			if n := allocated(func() { fetched(t, s) }); n > largeFile/4 {
				t.Errorf("a fetch with a file of %d bytes allocates %d; want a quarter of that at most", largeFile, n)
			}
			if size, err := s.objects.EncodedObjectSize(hashOf(film)); err != nil || size != largeFile {
				t.Errorf("the store has the film with %d bytes, %v; want all %d", size, err, largeFile)
			}
			if got := u.run(s.Dir(), "rev-list", "--objects",
				u.git("rev-parse", "HEAD"), "--", "film.mp4"); got != first {
				t.Errorf("the store has\n%s\nwant\n%s", got, first)
			}
			if u.run(s.Dir(), "fsck", "--full", "--no-dangling"); u.run(s.Dir(), "cat-file", "-t", film) != "blob" {
				t.Error("git does not find the film in the store")
			}
		})
	}
}

// What is beyond a bound is refused before a byte of it is read.
func TestWhatIsBeyondABoundIsNotRead(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, row := range []struct {
		name   string
		limits Limits
		add    func(u *upstream)
		says   []string
	}{
		{
			name: "a file", limits: Limits{ObjectBytes: 1 << 20},
			says: []string{"a file in the history of", "has 33554432 bytes; want at most 1048576"},
			add:  func(u *upstream) { u.writeLarge("film.mp4", 1); u.commit("a film") },
		},
		{
			name: "a message", says: []string{"a commit in the history of", "want at most 33554432"},
			add: func(u *upstream) {
				u.write("../message", repeat("said ", largeFile/4))
				u.git("commit", "-q", "--allow-empty", "-F", "../message")
			},
		},
		{
			name: "too many objects", limits: Limits{Objects: 3},
			says: []string{"gives 6 objects at once; want at most 3"},
			add:  func(*upstream) {},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := filled(t)
			row.add(u)
			s := opened(t, Config{URL: u.work, Ref: "main", SubPath: "ads", Limits: row.limits})
			var err error
			n := allocated(func() { _, err = s.Fetch(t.Context()) })
			wantError(t, err, Input, row.says...)
			if n > largeFile/8 {
				t.Errorf("the refusal allocates %d bytes; want next to nothing of what is refused", n)
			}
			if whole, left := packs(t, s); whole+left > 0 {
				t.Errorf("the store has %d packs and %d parts; want nothing of a fetch that is refused", whole, left)
			}
		})
	}
}
