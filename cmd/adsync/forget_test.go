package main

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/orders"
	"adsync/internal/resource"
	"adsync/state"

	"github.com/rogpeppe/go-internal/testscript"
)

// unpack FILE FOLDER: what a zip file holds.
func unpack(ts *testscript.TestScript, _ bool, args []string) {
	z, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer z.Close()
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), z))
}

// An account is forgotten without a request, whatever a request would find: what is live
// is as it was.
func TestForgetAsksTheServiceNothing(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	if out, err := s.command("apply", "--yes", "--operator", operator, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := s.requests.Load()
	if before == 0 {
		t.Fatal("the service counts no requests")
	}
	record := filepath.Join(t.TempDir(), "record.zip")
	out, err := s.command("forget", "--yes", "--operator",
		operator, "--out", record, "adacct_quickstart", dir).CombinedOutput()
	if err != nil || s.requests.Load() != before {
		t.Errorf("%v, and %d requests; want none:\n%s", err, s.requests.Load()-before, out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".adsync")); !os.IsNotExist(err) {
		t.Errorf("the state folder is there: %v", err)
	}
	if strings.Contains(string(out), canaryKey) {
		t.Error("the key is shown")
	}
}

// While another adsync has the account, or something of it is open, it is not forgotten:
// nothing is written and nothing removed.
func TestWhatKeepsAnAccountFromBeingForgotten(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		hold func(t *testing.T, dir string)
		code int
		want string
	}{
		{"another process has the state", func(t *testing.T, folder string) {
			store, err := state.Open(t.Context(), folder, state.Options{Command: "adsync apply"})
			noError(t, err)
			t.Cleanup(func() { noError(t, store.Close()) })
		}, console.ExitLocked, "wait until it has ended"},
		{"a daemon looks after it", func(t *testing.T, folder string) {
			at := &session.Lease{Place: orders.Folder(folder)}
			noError(t, at.Acquire(time.Sleep))
			t.Cleanup(func() { noError(t, at.Release()) })
		}, console.ExitLocked, "take the account out of its configuration first"},
		{"a step is open", func(t *testing.T, folder string) {
			store, err := state.Open(t.Context(), folder, state.Options{})
			noError(t, err)
			noError(t, store.Begin(t.Context(), state.Step{
				ID: "run-000009/0", Run: "run-000009", Key: "k", Path: "/campaigns", Body: []byte("{}"),
				Operations: []state.Operation{{ID: "op-1", Address: resource.Address{Kind: "campaign", Key: "x"}}},
			}))
			noError(t, store.Close())
		}, console.ExitUnknown, "end it with adsync resume"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serveAccount(t)
			dir, operator := ownQuickstart(t)
			if out, err := s.command("apply", "--yes", "--operator", operator, dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			tc.hold(t, filepath.Join(dir, ".adsync"))
			record := filepath.Join(t.TempDir(), "record.zip")
			c := s.command("forget", "--yes", "--out", record, "adacct_quickstart", dir)
			out, _ := c.CombinedOutput()
			if c.ProcessState.ExitCode() != tc.code || !strings.Contains(string(out), tc.want) {
				t.Errorf("it ends with %d and says:\n%s\nwant %d and %q",
					c.ProcessState.ExitCode(), out, tc.code, tc.want)
			}
			if _, err := os.Stat(record); !os.IsNotExist(err) {
				t.Errorf("a record is written: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, ".adsync", "state.db")); err != nil {
				t.Error(err)
			}
		})
	}
}

// An account from git is forgotten by its name in the daemon's configuration, with the
// copy of its repository; those beside it stay.
func TestForgetAnAccountFromGit(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "The campaigns"}} {
		if out, err := exec.Command("git", append([]string{"-C", work}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	conf := t.TempDir()
	file := filepath.Join(conf, "daemon.yaml")
	saveFile(t, file, fmt.Sprintf("listen: none\n"+
		"operator: %s\nstate: states\naccounts:\n- {name: shop, git: {url: %s, ref: main}}\n", operator, work))
	if out, err := s.command("daemon", "--once", "--config", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	noError(t, os.MkdirAll(filepath.Join(conf, "states", "books", "source"), 0o700))
	saveFile(t, filepath.Join(conf, "states", "books", "source", "theirs"), "another account's")
	before := s.requests.Load()
	record := filepath.Join(conf, "record.zip")
	if out, err := s.command("forget", "--yes", "--config",
		file, "--out", record, "shop").CombinedOutput(); err != nil || s.requests.Load() != before {
		t.Fatalf("%v, after %d requests:\n%s", err, s.requests.Load()-before, out)
	}
	left, err := os.ReadDir(filepath.Join(conf, "states", "shop"))
	noError(t, err)
	if _, err := os.Stat(record); err != nil || len(left) > 0 {
		t.Errorf("the record: %v; of the account are left: %v", err, left)
	}
	if _, err := os.Stat(filepath.Join(conf, "states", "books", "source", "theirs")); err != nil {
		t.Error(err)
	}
	out, err := s.command("forget", "--yes", "--config", file, "nobody").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `has no account "nobody"`) {
		t.Errorf("forget of nobody = %v:\n%s", err, out)
	}
}
