package daemoncmd

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/orders"
)

// Where another folder is put in the place of an account's state, the daemon takes
// that one, and no other daemon can.
func TestAnAccountIsTakenAnewWhereItsFolderIsAnother(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	wait := func(time.Duration) {}
	mine, other := &session.Lease{Place: orders.Folder(dir)}, &session.Lease{Place: orders.Folder(dir)}
	for range 2 {
		noError(t, mine.Acquire(wait))
		noError(t, mine.Acquire(wait))
		if err := other.Acquire(wait); !errors.Is(err, orders.ErrAttended) {
			t.Fatalf("another daemon takes the account: %v; want that it is taken", err)
		}
		noError(t, os.Rename(dir, dir+".away"))
		noError(t, os.RemoveAll(dir+".away"))
	}
	noError(t, other.Acquire(wait))
	if err := mine.Acquire(wait); !errors.Is(err, orders.ErrAttended) {
		t.Errorf("an account that another daemon has taken by now: %v; want that it is taken", err)
	}
	noError(t, mine.Release())
	if _, lives, err := orders.Folder(dir).Daemon(); err != nil || !lives {
		t.Errorf("the end of one takes away what the other says: %v, lives %t", err, lives)
	}
	noError(t, other.Release())
}

// A state folder that cannot be written is no other adsync: it waits for a person, and
// sends nothing.
func TestAStateThatCannotBeWrittenIsNoLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	saveFile(t, dir, "a file lies in its place")
	w := &worker{env: &session.Env{}, orders: &session.Lease{Place: orders.Folder(dir)}}
	if r := w.Run(t.Context(), daemon.Request{}); r.Class != daemon.Misplaced || r.Requests != 0 {
		t.Errorf("it ended %s after %d requests: %s; want misplaced, none", r.Class, r.Requests, r.Message)
	}
}

// A suspension that takes the place of another between two looks wakes the loop, too; one that stands on does not.
func TestASuspensionAfterAnotherWakes(t *testing.T) {
	at := &session.Lease{Place: orders.Folder(t.TempDir())}
	var woken []daemon.Trigger
	look := looksAtOrders(at, func(why daemon.Trigger) { woken = append(woken, why) })
	since := time.Date(2026, 11, 30, 7, 52, 46, 0, time.UTC)
	suspend := func(reason string) {
		t.Helper()
		noError(t, at.Place.Suspend(orders.Suspension{Since: since, By: "anna", Reason: reason}))
	}
	resume := func() {
		t.Helper()
		_, err := at.Place.Resume(orders.Ordered{Time: since})
		noError(t, err)
	}
	for _, step := range []struct {
		what string
		does func()
		want []daemon.Trigger
	}{
		{"nothing", func() {}, nil},
		{"a suspension", func() { suspend("the site is down") }, []daemon.Trigger{daemon.Asked}},
		{"nothing since", func() {}, nil},
		{"its end, and another", func() { resume(); suspend("a look") }, []daemon.Trigger{daemon.Asked}},
		{"nothing more", func() {}, nil},
		{"the end", resume, []daemon.Trigger{daemon.Continued}},
		{"one that began and ended", func() { suspend("a slip"); resume() }, nil},
	} {
		woken = nil
		step.does()
		if look(); !slices.Equal(woken, step.want) {
			t.Errorf("%s wakes %q; want %q", step.what, woken, step.want)
		}
	}
}
