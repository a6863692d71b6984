package session

import (
	"os"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
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
