package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/orders"
)

// typed runs a command in this process.
func typed(ctx context.Context, args ...string) (code int, out, err string) {
	var stdout, stderr bytes.Buffer
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: &stdout, Err: &stderr, Getenv: func(string) string {
			return ""
		}}}
	code = execute(ctx, env, args)
	return code, stdout.String(), stderr.String()
}

// project is a folder with an adsync.yaml alone, and where its orders lie.
func project(t *testing.T) (dir string, at orders.Place) {
	t.Helper()
	dir = t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, "adsync.yaml"),
		[]byte("account: {id: a, currency: USD, timezone: UTC}\n"), 0o600))
	return dir, orders.Folder(filepath.Join(dir, ".adsync"))
}

func TestReconcileNeedsADaemon(t *testing.T) {
	dir, at := project(t)
	code, _, said := typed(t.Context(), "reconcile", dir)
	if code != console.ExitUsage || !strings.Contains(said, "adsync apply") || len(at.Asks()) != 0 {
		t.Errorf("code %d, %d asked: %s; want 4, none, and adsync apply", code, len(at.Asks()), said)
	}
}

func TestReconcileAsksAndWaits(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  orders.Daemon
		code int
		out  string
	}{
		{"a run that applied", orders.Daemon{State: "applied", Message: "3 changes", Exit: console.ExitDone},
			console.ExitDone, "applied: 3 changes\n"},
		{"a run that is held", orders.Daemon{State: "held", Exit: console.ExitRefused}, console.ExitRefused, "held\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir, at := project(t)
				one, err := at.Attend(time.Sleep)
				noError(t, err)
				noError(t, one.Say(orders.Daemon{PID: 7, Host: "here"}))
				go func() {
					time.Sleep(time.Minute)
					asks := at.Asks()
					if len(asks) != 1 || !asks[0].Full {
						t.Errorf("asked %+v; want one, full", asks)
					}
					noError(t, at.Take(asks))
					time.Sleep(time.Minute)
					tc.end.Answer(asks)
					noError(t, one.Say(tc.end))
				}()
				began := time.Now()
				code, out, said := typed(t.Context(), "reconcile", "--full", "--wait", dir)
				if code != tc.code || out != tc.out {
					t.Errorf("code %d, %q, %q; want %d, %q", code, out, said, tc.code, tc.out)
				}
				if took := time.Since(began); took < 2*time.Minute || took > 2*time.Minute+time.Second {
					t.Errorf("it took %s; want the two minutes of the run", took)
				}
				noError(t, one.End())
			})
		})
	}
}

func TestReconcileTellsOfADaemonThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, at := project(t)
		one, err := at.Attend(time.Sleep)
		noError(t, err)
		noError(t, one.Say(orders.Daemon{PID: 7, Host: "here"}))
		ended := make(chan error)
		go func() {
			time.Sleep(time.Minute)
			ended <- one.End()
		}()
		code, _, said := typed(t.Context(), "reconcile", "--wait", "--state", at.Where(""))
		if code != console.ExitUnavailable || !strings.Contains(said, "ended before it ran") {
			t.Errorf("code %d: %s; want 11", code, said)
		}
		noError(t, <-ended)
	})
}

func TestReconcileDoesNotWaitUnasked(t *testing.T) {
	dir, at := project(t)
	one, err := at.Attend(time.Sleep)
	noError(t, err)
	defer one.End()
	noError(t, one.Say(orders.Daemon{PID: 7, Host: "here", Exit: console.ExitPartial}))
	code, out, said := typed(t.Context(), "reconcile", dir)
	if code != console.ExitDone || out != "asked the daemon (process 7 on here)\n" || len(at.Asks()) != 1 {
		t.Errorf("code %d, %q, %q, %d asked; want 0 and one", code, out, said, len(at.Asks()))
	}
	if code, out, _ := typed(t.Context(), "resume", dir); code != console.ExitDone ||
		!strings.Contains(out, "goes on, and ends what is open") || len(at.Asks()) != 2 {
		t.Errorf("resume: code %d, %q, %d asked; want the daemon to be told", code, out, len(at.Asks()))
	}
	if _, out, _ := typed(t.Context(), "status", dir); !strings.Contains(out, "daemon       process 7 on here") {
		t.Errorf("status does not name the daemon:\n%s", out)
	}
}
