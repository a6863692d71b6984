package main

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
)

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
	p := startDaemonWith(t, []string{session.EnvBaseURL + "=" + s.url, session.EnvKey + "=" + canaryKey,
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
