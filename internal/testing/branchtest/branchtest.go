// Package branchtest makes states on git branches for tests.
//
// It refuses to share anything between two openings but the repository. Its invariant: each opening is that of a runner
// that has never seen the branch.
package branchtest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"adsync/internal/gitstore"
	"adsync/state"
	"adsync/state/branch"
)

// Key signs them.
const Key = "a key of thirty-two characters ..."

// Runner makes a repository whose branch has the state of an account, and returns what opens it there as a runner of a
// pipeline does, which forgets.
func Runner(t testing.TB, account state.Account, o state.Options) func() state.Store {
	bare := filepath.Join(t.TempDir(), "shop.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", bare).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	runner := func() *branch.Branch {
		dir := t.TempDir()
		return &branch.Branch{
			Name: "adsync/state", Account: account.ID, Dir: dir, Key: []byte(Key),
			Repository: branch.At(gitstore.Config{URL: bare, Dir: filepath.Join(dir, "source")}),
		}
	}
	if err := runner().Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return func() state.Store {
		s, err := runner().Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
}
