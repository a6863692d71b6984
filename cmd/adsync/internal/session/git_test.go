package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/daemon"
	"adsync/internal/gitstore"
	"adsync/sources/commits"
)

// What the operator's file has goes to the host of its url; what the environment
// has was meant for what is asked for.
func TestCredentialsOfTheOperatorGoToTheirHost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "operator.yaml")
	noError(t, os.WriteFile(file, []byte("git: {url: https://git.example.com/shop.git, ref: main, path: ads, "+
		"token: {env: SHOP_TOKEN}, ssh_key: /keys/shop, author: Robot <robot@example.com>, timeout: 30s}\n"), 0o600))
	for _, row := range []struct {
		name, url, token, key string
		env                   map[string]string
	}{
		{name: "the one it names", url: "operator", token: "of the file", key: "/keys/shop"},
		{name: "another repository of its host", url: "https://git.example.com/other.git",
			token: "of the file", key: "/keys/shop"},
		{name: "another host", url: "https://git.example.org/shop.git"},
		{name: "another port", url: "https://git.example.com:8443/shop.git"},
		{name: "the environment goes first", url: "operator",
			env: map[string]string{envGitToken: "of the environment"}, token: "of the environment", key: "/keys/shop"},
		{name: "the environment for another host", url: "https://git.example.org/shop.git",
			env:   map[string]string{envGitToken: "of the environment", envGitKey: "/keys/mine"},
			token: "of the environment", key: "/keys/mine"},
	} {
		t.Run(row.name, func(t *testing.T) {
			vars := map[string]string{"HOME": t.TempDir(), EnvOperator: file, "SHOP_TOKEN": "of the file"}
			for name, value := range row.env {
				vars[name] = value
			}
			env := &Env{Console: console.Console{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string {
				return vars[name]
			}}}
			env.Git = &GitSource{Flags: GitFlags{URL: row.url}}
			c, _, err := GitConfig(env, env.Git.Flags)
			noError(t, err)
			token := ""
			if c.Token != nil {
				token, err = c.Token(t.Context())
				noError(t, err)
			}
			if token != row.token || c.KeyFile != row.key {
				t.Errorf("%s gets the token %q and the key %q; want %q and %q",
					row.url, token, c.KeyFile, row.token, row.key)
			}
		})
	}
}

// Whose matter it is that a commit is not read: of the commit, of the disk, of the
// configuration; adsync's own only where nothing else explains it.
func TestWhoseMatterACommitIsThatIsNotRead(t *testing.T) {
	for _, row := range []struct {
		err  error
		want daemon.Class
	}{
		{fmt.Errorf("x: %w", commits.ErrBeyondBounds), daemon.Input},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, daemon.Transient},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, daemon.Transient},
		{&os.PathError{Op: "mkdir", Path: "x", Err: syscall.EACCES}, daemon.Misplaced},
		{errors.New("else"), daemon.Internal},
	} {
		if got := console.ClassOfError(t.Context(),
			unreadCommit(fmt.Errorf("read commit: %w", row.err))); got != row.want {
			t.Errorf("%v is of class %s; want %s", row.err, got, row.want)
		}
	}
}

func TestAnAuthorIsANameAndAnAddress(t *testing.T) {
	if by, err := author("Ad Sync <a@example.com>"); err != nil ||
		by != (gitstore.Author{Name: "Ad Sync", Email: "a@example.com"}) {
		t.Errorf("author = %+v, %v; want both parts", by, err)
	}
	for _, text := range []string{"", "Ann", "<a@example.com>",
		"Ann <>", "Ann <a@example.com", "Ann <a@example.com> x", "Ann\nparent x <a@example.com>"} {
		if by, err := author(text); err == nil {
			t.Errorf("author(%q) = %+v; want an error", text, by)
		}
	}
}
