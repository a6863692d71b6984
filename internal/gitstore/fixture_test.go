package gitstore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// upstream is a real bare repository with a clone somebody works in.
type upstream struct {
	t    *testing.T
	bare string
	work string
	n    int
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	top := t.TempDir()
	u := &upstream{t: t, bare: filepath.Join(top, "shop.git"), work: filepath.Join(top, "work")}
	u.run(top, "init", "-q", "--bare", "-b", "main", u.bare)
	u.run(u.bare, "config", "http.receivepack", "true")
	u.run(top, "init", "-q", "-b", "main", u.work)
	u.git("remote", "add", "origin", u.bare)
	return u
}

// filled has one commit with a project below ads/.
func filled(t *testing.T) *upstream {
	u := newUpstream(t)
	u.write("README.md", "The shop.\n")
	u.write("ads/adsync.yaml", "account: {id: a}\n")
	u.write("ads/spring.yaml", "kind: campaign\n")
	u.push("the project")
	return u
}

func (u *upstream) run(dir string, args ...string) string {
	u.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	at := time.Date(2026, 11, 1, u.n, 0, 0, 0, time.UTC).Format(time.RFC3339)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
		"GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at, "GIT_ALLOW_PROTOCOL=file")
	out, err := c.CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (u *upstream) git(args ...string) string { u.t.Helper(); return u.run(u.work, args...) }

func (u *upstream) write(name, content string) {
	u.t.Helper()
	file := filepath.Join(u.work, name)
	must(u.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(u.t, os.WriteFile(file, []byte(content), 0o600))
}

// commit commits all that is there and gives its hash.
func (u *upstream) commit(message string, flags ...string) string {
	u.t.Helper()
	u.n++
	u.git("add", "-A")
	u.git(append([]string{"commit", "-q", "--allow-empty", "-m", message}, flags...)...)
	return u.git("rev-parse", "HEAD")
}

// push commits, and pushes whatever that does to the branch.
func (u *upstream) push(message string, flags ...string) string {
	u.t.Helper()
	hash := u.commit(message, flags...)
	u.git("push", "-q", "--force", "origin", "HEAD")
	return hash
}

// opened is a store in a folder of its own.
func opened(t *testing.T, c Config) *Store {
	t.Helper()
	if c.Dir == "" {
		c.Dir = filepath.Join(t.TempDir(), "store")
	}
	s, err := Open(c)
	must(t, err)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fetched is a fetch that must not fail.
func fetched(t *testing.T, s *Store) Revision {
	t.Helper()
	r, err := s.Fetch(t.Context())
	must(t, err)
	return r
}

// wantError holds the class of an error and parts of its words.
func wantError(t *testing.T, err error, class Class, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one of class %s that says %q", class, parts)
	}
	if got := ClassOf(err); got != class {
		t.Errorf("error is of class %q; want %q: %v", got, class, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error is %q; want %q in it", err, part)
		}
	}
}

func says(text string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return text, nil }
}

// packs counts what the store holds, and what a fetch left behind.
func packs(t *testing.T, s *Store) (whole, left int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Dir(), "objects", "pack"))
	if os.IsNotExist(err) {
		return 0, 0
	}
	must(t, err)
	for _, e := range entries {
		switch {
		case strings.HasSuffix(e.Name(), ".pack"):
			whole++
		case !strings.HasSuffix(e.Name(), ".idx"):
			left++
		}
	}
	return whole, left
}

func repeat(text string, n int) string { return strings.Repeat(text, n) }

func hashOf(text string) plumbing.Hash { return plumbing.NewHash(text) }
