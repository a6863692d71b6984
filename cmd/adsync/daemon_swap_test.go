package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestF6ASwappedFolderLosesNoState: a folder that is a link may lead to another tree
// from one moment to the next, as a mounted ConfigMap does. What the daemon remembers
// lies below the first one; it goes on once that is below the second.
func TestF6ASwappedFolderLosesNoState(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	first, operator := ownQuickstart(t)
	top := filepath.Dir(first)
	second, link := filepath.Join(top, "second"), filepath.Join(top, "..data")
	noError(t, os.CopyFS(second, os.DirFS(first)))
	noError(t, os.Symlink(first, link))
	p := startDaemon(t, s, daemonArgs(link, operator)...)
	p.until("msg", "run ended", "class", "applied")
	p.until("msg", "run ended", "class", "in_sync")

	saveEdit(t, second, "bid: {max: 1.25}", "bid: {max: 1.20}")
	swap := func(to string) {
		t.Helper()
		noError(t, os.Symlink(to, link+".tmp"))
		noError(t, os.Rename(link+".tmp", link))
	}
	swap(second)
	p.until("msg", "run ended", "class", "misplaced", "message", "where the state of the account is not")
	if bid := bidOf(t, s, "Trail runners"); bid != 1_250_000 {
		t.Errorf("the bid is %d without a state; want it as it was", bid)
	}

	third := filepath.Join(top, "third")
	noError(t, os.CopyFS(third, os.DirFS(second)))
	noError(t, os.RemoveAll(filepath.Join(third, ".adsync")))
	noError(t, os.Rename(filepath.Join(first, ".adsync"), filepath.Join(third, ".adsync")))
	saveEdit(t, third, "bid: {max: 1.20}", "bid: {max: 1.15}")
	swap(third)
	p.until("msg", "run ended", "class", "applied", "message", "1 applied")
	if bid := bidOf(t, s, "Trail runners"); bid != 1_150_000 {
		t.Errorf("the bid is %d with the state moved; want 1,150,000", bid)
	}
	p.end()
}
