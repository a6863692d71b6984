package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/testing/syscalls"
)

// momentOfAWrite is a call of the system at which a daemon is killed that writes a file of the folder.
type momentOfAWrite struct {
	name    string
	inject  string
	of      func(dir, name string) string // what the call is about
	written bool
}

var momentsOfAWrite = []momentOfAWrite{
	{"before the former file is kept", "linkat", func(_, name string) string { return name }, false},
	{"before the new file has its name", "renameat,renameat2",
		func(_, name string) string { return "." + name + ".adsync.tmp" }, false},
	{"before the name is durable", "fsync", func(dir, _ string) string { return dir }, true},
}

// kills are the options with which strace kills the daemon then.
func (m momentOfAWrite) kills(dir, name string) []string {
	return []string{"-P", m.of(dir, name), "-e", "trace=" + m.inject,
		"-e", "inject=" + m.inject + ":signal=KILL:error=EINTR"}
}

// TestAWriteOfThePageIsKilled: a daemon is killed in the middle of writing what somebody ordered at the page. The file
// is whole then, what it was or what it was to be. The next daemon finds what is left of the order, which can be given
// again; at the service it happens once.
func TestAWriteOfThePageIsKilled(t *testing.T) {
	t.Parallel()
	if !syscalls.Available() {
		return
	}
	for _, order := range []struct {
		name string
		give func(q *pausing, name, run string) (left bool) // whether anything was left to order
	}{{"Undo", (*pausing).undoes}, {"Send", (*pausing).sendsBefore}} {
		for _, row := range momentsOfAWrite {
			t.Run(order.name+" "+row.name, func(t *testing.T) {
				t.Parallel()
				q := newPausing(t, "uploads: folder")
				before, name := fileWith(t, q.dir, "bid: {max: 1.25}")
				saveEdit(t, q.dir, "bid: {max: 1.25}", "bid: {max: 1.10}")
				run := fmt.Sprint(q.p.until("msg", "run ended", "class", "applied")["run"])
				edited, err := os.ReadFile(filepath.Join(q.dir, name))
				noError(t, err)
				q.p.end()
				sent := len(q.asked())

				q.startUnder(row.kills(q.dir, name)...)
				order.give(q, name, run)
				select {
				case <-q.p.ended:
				case <-time.After(patience):
					t.Fatal("the daemon was not killed")
				}
				is, err := os.ReadFile(filepath.Join(q.dir, name))
				noError(t, err)
				if want := map[bool][]byte{true: before, false: edited}[row.written]; !bytes.Equal(is, want) {
					t.Fatalf("the file is\n%s\nwant it as it was, or as it was to be:\n%s", is, want)
				}

				q.start()
				if row.written {
					q.p.until("msg", "run ended", "class", "applied")
				} else {
					q.p.until("msg", "run ended", "class", "in_sync")
				}
				if left := order.give(q, name, run); left == row.written {
					t.Errorf("something was left to order: %t; want %t", left, !row.written)
				}
				if !row.written {
					q.p.until("msg", "run ended", "class", "applied")
				}
				if bid := bidOf(t, q.service, "Trail runners"); bid != 1_250_000 {
					t.Errorf("the bid is %d; want that of before", bid)
				}
				if is, err = os.ReadFile(filepath.Join(q.dir, name)); err != nil || !bytes.Equal(is, before) {
					t.Errorf("%v; in the end the file is\n%s", err, is)
				}
				if all := q.asked()[sent:]; len(all) != 1 {
					t.Errorf("%v was sent; want the bid alone, once", all)
				}
				kept, err := filepath.Glob(filepath.Join(q.dir, strings.TrimSuffix(name, ".yaml")+" (before *).yaml"))
				noError(t, err)
				for _, one := range kept { // two, where a minute began between the orders
					if former, err := os.ReadFile(one); err != nil || !bytes.Equal(former, edited) {
						t.Errorf("%s is\n%s\n%v; want the former file", one, former, err)
					}
				}
				if left, _ := filepath.Glob(filepath.Join(q.dir, ".*.tmp")); len(kept) == 0 || len(left) > 0 {
					t.Errorf("beside it are %q and %q; want the former file alone", kept, left)
				}
				q.p.end()
			})
		}
	}
}

// underStrace is a program that starts the daemon under strace, with its options.
func underStrace(t *testing.T, options ...string) (program string) {
	t.Helper()
	quoted := []string{}
	for _, option := range append(options, asAdsync().Path) {
		quoted = append(quoted, "'"+option+"'")
	}
	program = filepath.Join(t.TempDir(), "under-strace")
	noError(t, os.WriteFile(program, []byte("#!/bin/sh\nexec strace -D -f -qq -e signal=none -o '"+
		filepath.Join(t.TempDir(), "calls")+"' "+strings.Join(quoted, " ")+" \"$@\"\n"), 0o700))
	return program
}

// startUnder starts the daemon under strace, with its options.
func (q *pausing) startUnder(options ...string) {
	q.Helper()
	q.p = startDaemonOf(q.T, underStrace(q.T, options...), q.environment(), q.arguments()...)
	q.at = fmt.Sprint(q.p.until("msg", "the daemon answers")["address"])
	q.p.until("msg", "run ended", "class", "in_sync")
}

// gives sends an order that the daemon may not outlive, and returns what it answers.
func (q *pausing) gives(path string, body []byte, answer any) (status int) {
	q.Helper()
	r, err := http.NewRequest("POST", "http://"+q.at+path, bytes.NewReader(body))
	noError(q.T, err)
	r.Header.Set("Authorization", "Bearer "+watchmansToken)
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer got.Body.Close()
	if answer != nil {
		noError(q.T, json.NewDecoder(got.Body).Decode(answer))
	}
	return got.StatusCode
}

// undoes takes a run back.
func (q *pausing) undoes(_, run string) (left bool) {
	q.Helper()
	path := "/api/v1/accounts/shop/runs/" + run + "/undo"
	var d daemon.Draft
	askDaemon(q.T, q.at, "GET", path, nil, 200, &d)
	if len(d.Values) > 0 {
		q.gives(path, []byte(`{"digest":"`+d.Digest+`","by":"Ann","reason":"too low"}`), nil)
	}
	return len(d.Values) > 0
}

// sendsBefore sends the file as it was before its edit.
func (q *pausing) sendsBefore(name, _ string) (left bool) {
	q.Helper()
	content, err := os.ReadFile(filepath.Join(q.dir, name))
	noError(q.T, err)
	content = bytes.ReplaceAll(content, []byte("bid: {max: 1.10}"), []byte("bid: {max: 1.25}"))
	var seen struct{ Commit string }
	askDaemon(q.T, q.at, "POST", "/api/v1/accounts/shop/look?"+url.Values{"name": {name}}.Encode(), content, 200, &seen)
	if seen.Commit != "" {
		q.gives(seen.Commit, []byte(`{"by":"Ann","note":"too low"}`), nil)
	}
	return seen.Commit != ""
}
