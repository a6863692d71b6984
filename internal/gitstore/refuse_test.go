package gitstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

// G5: a branch that is gone is said, since when, and its stale commit is not gone
// on with.
func TestG5ABranchThatIsGoneIsNotGoneOnWith(t *testing.T) {
	u := filled(t)
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads", Now: func() time.Time { return now }})
	first := fetched(t, s)
	u.run(u.bare, "branch", "-m", "main", "trunk")
	for range 2 {
		r, err := s.Fetch(t.Context())
		wantError(t, err, Input, "has no refs/heads/main; want one of its branches: trunk",
			"it was there, at "+first.Commit[:12], "gone since 2026-11-22T12:00:00Z")
		if r.Commit != "" {
			t.Errorf("a revision comes with it: %+v; want none", r)
		}
		now = now.Add(time.Hour)
	}
	u.run(u.bare, "branch", "-m", "trunk", "main")
	if r := fetched(t, s); r.Movement != unmoved {
		t.Errorf("when it is back %+v; want the same", r)
	}
	u.run(u.bare, "branch", "-m", "main", "trunk")
	_, err := s.Fetch(t.Context())
	wantError(t, err, Input, "gone since 2026-11-22T14:00:00Z")
}

// G6, G7, G12, G13: a commit without a project, or with what is no file, is refused.
func TestG6G7G12G13ACommitThatIsNoProjectIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, row := range []struct {
		name string
		edit func(*upstream)
		says []string
	}{
		{name: "all files deleted", edit: func(u *upstream) { u.git("rm", "-q", "-r", ".") },
			says: []string{`has no folder "ads", which`, "the one accepted last, had; want one of: there are none"}},
		{name: "the folder deleted", edit: func(u *upstream) {
			u.git("rm", "-q", "-r", "ads")
			u.write("docs/x.md", "x")
		}, says: []string{"had; want one of: docs"}},
		{name: "a file in place of the folder", edit: func(u *upstream) {
			u.git("rm", "-q", "-r", "ads")
			u.write("ads", "x")
		}, says: []string{`"ads" in commit`, "is a file; want a folder"}},
		{name: "links", says: []string{`"ads/.git-config" ` +
			`is a symbolic link, "ads/passwd.yaml" is a symbolic link; want files only`}, edit: func(u *upstream) {
			must(u.t, os.Symlink("/etc/passwd", filepath.Join(u.work, "ads/passwd.yaml")))
			must(u.t, os.Symlink("../.git/config", filepath.Join(u.work, "ads/.git-config")))
		}},
		{name: "a submodule", says: []string{`"ads/inner" is a submodule; want files only`}, edit: func(u *upstream) {
			u.crafted("inner", "160000", u.git("rev-parse", "HEAD"))
		}},
		{name: "a folder named .git", says: []string{"has a path that cannot be", "want plain names"},
			edit: func(u *upstream) { u.crafted(".git", "040000", u.git("rev-parse", "HEAD:ads")) }},
		{name: "a name that leads out", says: []string{"has a path that cannot be"}, edit: func(u *upstream) {
			u.crafted("..", "040000", u.git("rev-parse", "HEAD:ads"))
		}},
		{name: "a file that is not there", says: []string{"is not whole: an object of its history is not there"},
			edit: func(u *upstream) {
				u.crafted("lost.yaml", "100644", strings.Repeat("1", 40))
			}},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := filled(t)
			s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"})
			first := fetched(t, s)
			row.edit(u)
			if u.git("status", "--porcelain", "-uall") != "" {
				u.push("the edit")
			}
			_, err := s.Fetch(t.Context())
			wantError(t, err, Input, row.says...)
			record, err := s.readRecord()
			if must(t, err); record.Accepted != first.Commit {
				t.Errorf("accepted is %s; want %s, as before", record.Accepted, first.Commit)
			}
		})
	}
}

// G6: at the top of a repository there is a folder even where no file is left.
func TestG6ARepositoryWithoutAFileIsNoEmptyAccount(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main"})
	fetched(t, s)
	u.git("rm", "-q", "-r", ".")
	u.push("all gone")
	_, err := s.Fetch(t.Context())
	wantError(t, err, Input, "has no file in", "nothing is taken for an empty account")
}

// crafted pushes a commit that git itself would not make: ads/ has one entry more.
func (u *upstream) crafted(name, mode, hash string) {
	u.t.Helper()
	var tree bytes.Buffer
	for _, line := range strings.Split(u.git("ls-tree", "HEAD:ads"), "\n") {
		head, file, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		tree.Write(entry(u.t, file, words[0], words[2]))
	}
	extra := entry(u.t, name, mode, hash)
	inner := u.object("tree", append(extra, tree.Bytes()...))
	top := u.object("tree", entry(u.t, "ads", "40000", inner))
	commit := u.git("commit-tree", "-p", "HEAD", "-m", "crafted", top)
	must(u.t, exec.Command("cp", "-r", filepath.Join(u.work, ".git/objects")+"/.",
		filepath.Join(u.bare, "objects")).Run())
	must(u.t, os.WriteFile(filepath.Join(u.bare, "refs/heads/main"), []byte(commit+"\n"), 0o600))
}

func entry(t *testing.T, name, mode, hash string) []byte {
	t.Helper()
	h := hashOf(hash)
	return append([]byte(strings.TrimPrefix(mode, "0")+" "+name+"\x00"), h[:]...)
}

// object writes an object whatever it is.
func (u *upstream) object(kind string, content []byte) string {
	u.t.Helper()
	c := exec.Command("git", "hash-object", "-t", kind, "--literally", "-w", "--stdin")
	c.Dir, c.Stdin = u.work, bytes.NewReader(content)
	out, err := c.Output()
	must(u.t, err)
	return strings.TrimSpace(string(out))
}

// G14: names of branches that lead elsewhere are names, and nothing is written
// under them.
func TestG14CraftedBranchesWriteNothing(t *testing.T) {
	u := filled(t)
	tip := u.git("rev-parse", "HEAD")
	h := hostedAt(t, u)
	h.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/info/refs") {
			return false
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		lines := pktline.NewEncoder(w)
		lines.EncodeString("# service=git-upload-pack\n")
		lines.Flush()
		lines.EncodeString(tip + " HEAD\x00ofs-delta side-band-64k symref=HEAD:refs/heads/../../x\n")
		for _, name := range []string{"refs/heads/../../../../config",
			"refs/heads/..", "/etc/adsync-pwned", "../HEAD.lock", "refs/heads/main"} {
			lines.EncodeString(tip + " " + name + "\n")
		}
		lines.Flush()
		return true
	})
	s := opened(t, h.config())
	if r := fetched(t, s); r.Commit != tip {
		t.Errorf("fetched %+v; want the branch that was asked for", r)
	}
	var written []string
	must(t, filepath.Walk(s.config.Dir, func(name string, about os.FileInfo, err error) error {
		if err == nil && !about.IsDir() {
			name, _ = filepath.Rel(s.config.Dir, name)
			written = append(written, regexp.MustCompile("[0-9a-f]{16,}").ReplaceAllString(name, "…"))
		}
		return err
	}))
	want := []string{"fetching", "lock", "reading", "repository/HEAD", "repository/objects/pack/pack-….idx",
		"repository/objects/pack/pack-….pack", "source-….json"}
	if !slices.Equal(written, want) {
		t.Errorf("store has %q; want %q and no other", written, want)
	}
	if _, err := os.Stat("/etc/adsync-pwned"); err == nil {
		t.Error("a file outside of the store was written")
	}
	for _, ref := range []string{"-x", "--upload-pack=x",
		"a..b", "a b", "../x", "x.lock", "refs/heads/\x01", "@{-1}", "a~1", "HEAD^"} {
		_, err := Open(Config{URL: u.bare, Ref: ref, Dir: t.TempDir()})
		wantError(t, err, Configuration, "want a branch, a tag or a commit of 40 digits")
	}
}

// G14: a pack that was tampered with is refused whole, and takes no more memory
// than the bounds.
func TestG14CraftedPacksAreRefused(t *testing.T) {
	t.Parallel()
	u := heavy(t)
	u.run(u.bare, "repack", "-q", "-a", "-d")
	names, _ := filepath.Glob(filepath.Join(u.bare, "objects/pack/*.pack"))
	whole, err := os.ReadFile(names[0])
	must(t, err)
	for _, row := range []struct {
		name  string
		edit  func([]byte) []byte
		short bool // as a line that was cut leaves it: fetched again
	}{
		{name: "one byte flipped", edit: func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		{name: "its sum flipped", edit: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		{name: "cut before its sum", edit: func(b []byte) []byte { return b[:len(b)-20] }, short: true},
		{name: "cut in half", edit: func(b []byte) []byte { return b[:len(b)/2] }, short: true},
		{name: "four thousand million objects", edit: func(b []byte) []byte {
			binary.BigEndian.PutUint32(b[8:], 1<<32-1)
			return b
		}},
		{name: "an object without an end", edit: func(b []byte) []byte {
			return append(b[:12:12], bytes.Repeat([]byte{0xbf}, 64)...)
		}},
		{name: "another version", edit: func(b []byte) []byte { b[7] = 9; return b }},
		{name: "nothing", edit: func([]byte) []byte { return nil }, short: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := opened(t, Config{URL: u.bare, Ref: "main"})
			err := installed(t, s, row.edit(bytes.Clone(whole)))
			if err == nil {
				t.Error("it is taken; want an error")
			}
			if cutShort(err) != row.short {
				t.Errorf("%v: taken for cut short: %t; want %t", err, !row.short, row.short)
			}
			if n, _ := packs(t, s); n != 0 {
				t.Errorf("store has %d packs; want none", n)
			}
		})
	}
	s := opened(t, Config{URL: u.bare, Ref: "main"})
	must(t, installed(t, s, whole))
}

// installed puts a pack into a store as a fetch does.
func installed(t testing.TB, s *Store, pack []byte) error {
	folder := filepath.Join(s.Dir(), "objects", "pack")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	defer sweep(folder)
	file, err := os.CreateTemp(folder, scratchPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(pack); err != nil {
		t.Fatal(err)
	}
	_, err = s.install(t.Context(), folder, file, s.config.Limits)
	return err
}

// G14: a folder that holds itself ten times over, and so on, is a few objects and more
// files than any disk takes; it is left after so many, and so is what hides links there.
func TestG14ATreeThatMultipliesIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, mode := range []string{"100644", "120000"} {
		u := filled(t)
		blob := u.object("blob", []byte("kind: campaign\n"))
		inner := u.object("tree", entry(t, "f", mode, blob))
		for range 9 {
			var tree []byte
			for n := range 10 {
				tree = append(tree, entry(t, fmt.Sprint("d", n), "40000", inner)...)
			}
			inner = u.object("tree", tree)
		}
		top := u.object("tree", entry(t, "ads", "40000", inner))
		u.git("push", "-q", "--force", "origin", u.git("commit-tree", "-m", "a bomb", top)+":refs/heads/main")
		_, err := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"}).Fetch(t.Context())
		wantError(t, err, Input, `has over 200000 files and folders in "ads"; want fewer`)
	}
}

// G15: an address is one of the forms there are, and no option of a command.
func TestG15AddressesAreOfTheFormsThereAre(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{text: "https://git.example.com/shop.git", want: "https://git.example.com/shop.git"},
		{text: "https://ann@git.example.com/shop.git", want: "https://git.example.com/shop.git"},
		{text: "ssh://git@git.example.com:2222/shop.git", want: "ssh://git.example.com:2222/shop.git"},
		{text: "git@git.example.com:shop/ads.git", want: "ssh://git.example.com/shop/ads.git"},
		{text: "file:///srv/shop.git", want: "/srv/shop.git"},
		{text: "/srv/shop.git", want: "/srv/shop.git"},
		{text: ""}, {text: "--upload-pack=touch /tmp/x"}, {text: "-oProxyCommand=x:y"},
		{text: "ssh://-oProxyCommand=x/y"}, {text: "ssh://git@host/-x"}, {text: "git@host:-x"},
		{text: "https://ann:s3cret@git.example.com/shop.git"}, {text: "https://ghp_s3cret@git.example.com/shop.git"},
		{text: "https://glpat-s3cret@git.example.com/shop.git"},
		{text: "https://s3cret0123456789abcdef0123456789abcdef01@git.example.com/shop.git"},
		{text: "https://x-token-auth@git.example.com/shop.git", want: "https://git.example.com/shop.git"},
		{text: "https://ann@example.com@git.example.com/shop.git", want: "https://git.example.com/shop.git"},
		{text: "http://git.example.com/shop.git"}, {text: "git://git.example.com/shop.git"},
		{text: "ext::sh -c touch% /tmp/x"}, {text: "https://git.example.com/a?b=c"},
		{text: "https://git.example.com/a\nb"},
		{text: "https://"}, {text: "file://host/x"}, {text: "ftp://s3cret@x/y"},
	} {
		a, err := parseAddress(row.text)
		if row.want == "" {
			if err == nil {
				t.Fatalf("parseAddress(%q) = %s; want an error", row.text, a)
			}
			wantError(t, err, Configuration, "want")
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q: %v; want no password in it", row.text, err)
			}
			continue
		}
		if err != nil || a.String() != row.want {
			t.Errorf("parseAddress(%q) = %s, %v; want %s", row.text, a, err, row.want)
		}
	}
	if got, want := quote(`/a b/it's; $(x)`), `'/a b/it'\''s; $(x)'`; got != want {
		t.Errorf("quote = %s; want %s", got, want)
	}
}

// G23: repositories of a form that cannot be read whole are named.
func TestG23FormsOfRepositoriesThatAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, row := range []struct {
		name string
		make func(u *upstream, top string) string // gives the address
		says string
	}{
		{name: "SHA-256", says: "counts in sha256, which adsync does not read",
			make: func(u *upstream, top string) string {
				u.run(top, "init", "-q", "--object-format=sha256", "-b", "main", "other")
				u.run(filepath.Join(top, "other"), "commit", "-q", "--allow-empty", "-m", "x")
				return filepath.Join(top, "other")
			}},
		{name: "alternates", says: "borrows objects of another repository (alternates)",
			make: func(u *upstream, top string) string {
				u.run(top, "clone", "-q", "--bare", "--shared", u.bare, "other")
				return filepath.Join(top, "other")
			}},
		{name: "a partial clone", says: "is a partial clone", make: func(u *upstream, top string) string {
			u.run(u.bare, "config", "uploadpack.allowfilter", "true")
			u.run(top, "clone", "-q", "--bare", "--filter=blob:none", "file://"+u.bare, "other")
			return filepath.Join(top, "other")
		}},
		{name: "a partial clone as older git marks it",
			says: "is a partial clone", make: func(u *upstream, top string) string {
				u.run(u.bare, "config", "uploadpack.allowfilter", "true")
				u.run(top, "clone", "-q", "--bare", "--filter=blob:none", "file://"+u.bare, "other")
				u.run(filepath.Join(top, "other"), "config", "--unset", "remote.origin.promisor")
				u.run(filepath.Join(top, "other"), "config", "extensions.partialclone", "origin")
				return filepath.Join(top, "other")
			}},
		{name: "a shallow clone", says: "is shallow: its history is cut off",
			make: func(u *upstream, top string) string {
				u.push("second")
				u.run(top, "clone", "-q", "--bare", "--depth=1", "file://"+u.bare, "other")
				return filepath.Join(top, "other")
			}},
		{name: "no commit yet", says: "has no commit yet", make: func(u *upstream, top string) string {
			u.run(top, "init", "-q", "--bare", "other")
			return filepath.Join(top, "other")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := filled(t)
			other := row.make(u, t.TempDir())
			s := opened(t, Config{URL: other, Ref: "main"})
			_, err := s.Fetch(t.Context())
			wantError(t, err, Input, row.says)
			if row.name == "alternates" || strings.HasPrefix(row.name, "a partial clone") {
				return // a server of git serves them whole, or says what it lacks
			}
			h := hostedAt(t, &upstream{t: t, bare: other})
			c := h.config()
			c.URL = h.URL + "/other"
			_, err = opened(t, c).Fetch(t.Context())
			wantError(t, err, Input, strings.NewReplacer("sha256", "SHA-256").Replace(row.says))
		})
	}
	t.Run("a linked work tree", func(t *testing.T) {
		u := filled(t)
		linked := filepath.Join(t.TempDir(), "linked")
		u.git("worktree", "add", "-q", linked, "-b", "side")
		_, err := opened(t, Config{URL: linked}).Fetch(t.Context())
		wantError(t, err, Input, "is a linked work tree")
	})
	t.Run("nothing", func(t *testing.T) {
		folder := t.TempDir()
		_, err := opened(t, Config{URL: folder}).Fetch(t.Context())
		wantError(t, err, Configuration, folder+" is no git repository; want the path of one")
		_, err = opened(t, Config{URL: filepath.Join(folder, "gone")}).Fetch(t.Context())
		wantError(t, err, Configuration, filepath.Join(folder, "gone")+
			" is not there; want the path of a git repository")
	})
}
