package daemoncmd

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/orders"
)

// hanging is a worker whose second run never ends by itself.
type hanging struct{ runs int }

func (h *hanging) Run(ctx context.Context, _ daemon.Request) daemon.Result {
	if h.runs++; h.runs > 1 {
		<-ctx.Done()
	}
	return daemon.Result{Class: daemon.InSync}
}

// The watchdog is fed as long as runs make progress, and no longer once one hangs:
// ten minutes without a request, an effect or a wait that has an end.
func TestTheWatchdogIsFedWhileRunsMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := &daemonRun{
			log: slog.New(slog.NewTextHandler(&log, nil)), hub: daemon.New(daemon.Options{Random: func() float64 {
				return 0
			}}),
		}
		orders := &session.Lease{Place: orders.Folder(t.TempDir())}
		account := daemon.Account{
			Name: "shop", Worker: &hanging{}, Orders: orders,
			Archive: &archive{orders: orders}, Every: time.Minute, Full: 24 * time.Hour,
		}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { defer close(over); d.hub.Run(ctx, []daemon.Account{account}, nil) }()
		var last time.Time
		go d.feed(ctx, time.Minute, func() { last = time.Now() })
		began := time.Now()
		time.Sleep(time.Hour)
		synctest.Wait()
		if fed := last.Sub(began); fed < 10*time.Minute || fed > 12*time.Minute {
			t.Errorf("it was last fed %s after the start; want until ten minutes after the run began that hangs", fed)
		}
		if said := log.String(); !strings.Contains(said, "shop stands still since ") {
			t.Errorf("the log says %q; want the account that stands still", said)
		}
		cancel()
		<-over
	})
}
