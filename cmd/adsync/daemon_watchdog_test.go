package main

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
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
		orders := &attendant{}
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

// systemd hears the real binary over its socket, in its words: that it is ready, as
// long as it lives that it moves, and that it ends.
func TestSystemdHearsTheDaemon(t *testing.T) {
	at := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: at, Net: "unixgram"})
	noError(t, err)
	defer socket.Close()
	heard := func() string {
		t.Helper()
		word := make([]byte, 256)
		noError(t, socket.SetReadDeadline(time.Now().Add(time.Minute)))
		n, err := socket.Read(word)
		if err != nil {
			t.Fatalf("nothing is heard: %v", err)
		}
		return string(word[:n])
	}
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	p := startDaemonWith(t, []string{envBaseURL + "=" + s.url, envKey + "=" + canaryKey,
		keysAtOnce, "NOTIFY_SOCKET=" + at, "WATCHDOG_USEC=200000"}, daemonArgs(dir, operator)...)
	if got := heard(); got != "READY=1" {
		t.Fatalf("the first word is %q; want READY=1", got)
	}
	for range 3 {
		if got := heard(); got != "WATCHDOG=1" {
			t.Fatalf("heard %q; want WATCHDOG=1, again and again", got)
		}
	}
	noError(t, p.c.Process.Signal(syscall.SIGTERM))
	for {
		got := heard()
		if got == "STOPPING=1" {
			break
		}
		if got != "WATCHDOG=1" {
			t.Fatalf("heard %q as it ends; want STOPPING=1", got)
		}
	}
	if err := <-p.ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}
