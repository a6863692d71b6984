package session

import (
	"os"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/planview"
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
