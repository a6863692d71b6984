package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/state"
	"adsync/state/kv"
)

// TestWhenAllWasEqualOutlivesADaemon: a restart while something is held does not look as
// if files and account had never been equal.
func TestWhenAllWasEqualOutlivesADaemon(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	folder := orders.Folder(t.TempDir())
	first := &Lease{Place: folder, Say: orders.Daemon{Account: "shop"}}
	noError(t, first.Acquire(func(time.Duration) {}))
	applied := daemon.Revision{Commit: "81d2e0c5a2b3c4d5e6f708192a3b4c5d6e7f8091", Content: "c0ffee"}
	first.Shown(daemon.Status{State: daemon.InSync, Good: now, Applied: applied}, nil)
	noError(t, first.Release())
	if got := folder.Equal(now.Add(time.Hour)); !got.At.Equal(now) || got.Revision != applied {
		t.Errorf("last equal %+v; want %s at %+v", got, now, applied)
	}
	if got := folder.Equal(now.Add(-time.Hour)); got != (orders.Equal{}) {
		t.Errorf("last equal %+v, by a clock that was put back; want nothing known", got)
	}
	noError(t, os.WriteFile(folder.Where("equal.json"), []byte("\"2026-11-23T11:00:00Z\"\n"), 0o600))
	if got := folder.Equal(now); !got.At.Equal(now.Add(-time.Hour)) {
		t.Errorf("last equal %+v, as an earlier adsync wrote it; want an hour ago", got)
	}
}

// Who approves the same twice has approved it once, with the later time; another person, something else, and the same
// after the account has moved on are approvals of their own.
func TestAnApprovalIsKeptOnce(t *testing.T) {
	at := Lease{Place: orders.Folder(t.TempDir())}
	first := time.Date(2026, 11, 22, 17, 0, 0, 0, time.UTC)
	of := func(by, item string, serial int64, minutes int) daemon.Approval {
		return daemon.Approval{By: by, Asks: []planview.Ask{{Item: item}}, Allow: []string{"raises-spend"},
			Lineage: "l", Serial: serial, Time: first.Add(time.Duration(minutes) * time.Minute)}
	}
	for _, a := range []daemon.Approval{of("ann", "x", 1, 0), of("bob", "x", 1, 1), of("ann", "y", 1, 2),
		of("ann", "x", 2, 3), of("ann", "x", 1, 4)} {
		if err := at.Approve(a); err != nil {
			t.Fatal(err)
		}
	}
	all, err := at.Approvals()
	if err != nil || len(all) != 4 {
		t.Fatalf("%d approvals are kept, %v; want 4", len(all), err)
	}
	if last := all[3]; last.By != "ann" || last.Serial != 1 || !last.Time.Equal(first.Add(4*time.Minute)) {
		t.Errorf("the last is %+v; want that of the later time", last)
	}
}

// A look at an account whose state lies in a database asks one question where nobody has ordered anything. Where an
// order stands, or the question is not answered, it asks for each.
func TestALookAsksOneQuestion(t *testing.T) {
	dir := t.TempDir()
	var asked int
	answer, failed := state.Standing{Serial: 7, Approvals: "3"}, error(nil)
	l := &Lease{
		Place: orders.Place{Store: &countedStore{Store: kv.Folder{Dir: dir}, asked: &asked}}, Shared: t.TempDir(),
		Standing: func() (state.Standing, error) { return answer, failed },
	}
	look := func() (suspended, full bool) {
		suspended = l.Suspension(time.Now()) != nil
		return suspended, l.Take().Full
	}
	if suspended, full := look(); suspended || full || asked > 0 || *l.Looked() != answer {
		t.Errorf("a look says %v, %v by %d questions more; want nothing, by none", suspended, full, asked)
	}
	if err := os.WriteFile(filepath.Join(l.Shared, "STOP"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if suspended, _ := look(); !suspended {
		t.Error("a file STOP of this machine is not seen")
	}
	if err := os.Remove(filepath.Join(l.Shared, "STOP")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Place.Ask(orders.Ask{Full: true}); err != nil {
		t.Fatal(err)
	}
	answer.Ordered = true
	if _, full := look(); !full {
		t.Error("a wish for a run is not taken")
	}
	if err := l.Ring(daemon.Approved, orders.Ask{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Place.Ask(orders.Ask{By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if why := l.Take().Why; !slices.Equal(slices.Sorted(slices.Values(why)),
		[]daemon.Trigger{daemon.Approved, daemon.Asked}) {
		t.Errorf("wishes are left for %v; want for an approval, and for who asked", why)
	}
	asked, failed = 0, errors.New("the database is away")
	if look(); asked == 0 || l.Looked() != nil {
		t.Error("a question that is not answered is taken for nothing that stands")
	}
}

// countedStore counts what is asked of a store.
type countedStore struct {
	kv.Store
	asked *int
}

func (c *countedStore) Get(name string, most int) ([]byte, error) {
	*c.asked++
	return c.Store.Get(name, most)
}

func (c *countedStore) Names(prefix string) ([]string, error) {
	*c.asked++
	return c.Store.Names(prefix)
}

// lock is one that another process may take.
type lock struct{ lost bool }

func (l *lock) Take(func(time.Duration)) (orders.Held, error) { return l, nil }
func (l *lock) Taken() (bool, error)                          { return true, nil }
func (l *lock) Stands() bool                                  { return !l.lost }
func (l *lock) End() error                                    { return nil }

// What a daemon keeps beside an account it changes while it has the account, and reads whenever.
func TestWhoLostTheAccountChangesNothingBesideIt(t *testing.T) {
	held := &lock{}
	at := &Lease{Place: orders.Place{Store: kv.Folder{Dir: t.TempDir()}, Lock: held}}
	change := func(content string) error { return at.Kept().Put("ahead.json", []byte(content)) }
	if err := change("early"); !errors.Is(err, state.ErrLocked) {
		t.Errorf("Put() before the account is taken = %v; want ErrLocked", err)
	}
	if err := errors.Join(at.Acquire(nil), change("seven")); err != nil {
		t.Fatal(err)
	}
	held.lost = true
	if err := change("late"); !errors.Is(err, state.ErrLocked) {
		t.Errorf("Put() once it is lost = %v; want ErrLocked", err)
	}
	if err := at.Kept().Delete("ahead.json"); !errors.Is(err, state.ErrLocked) {
		t.Errorf("Delete() once it is lost = %v; want ErrLocked", err)
	}
	if content, err := at.Kept().Get("ahead.json", 100); err != nil || string(content) != "seven" {
		t.Errorf("beside the account is %q, %v; want what was put there while it had it", content, err)
	}
}
