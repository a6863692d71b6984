package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/daemon"
)

// fromPage gives what somebody sends from the page to the daemon.
type fromPage struct {
	*watchman
}

// looks drops a file, and wants that it may be sent or not.
func (s fromPage) looks(name, text string, sends bool) (commit string) {
	s.Helper()
	var seen struct {
		Problems []string
		Saves    bool
		Commit   string
	}
	at := strings.TrimPrefix(s.root, "http://")
	askDaemon(s.T, at, "POST", "/api/v1/accounts/shoes/look?name="+url.QueryEscape(name), []byte(text), 200, &seen)
	if seen.Saves != sends || (seen.Commit != "") != sends {
		s.Fatalf("a look at %s: %+v; want that it may be sent: %t", name, seen, sends)
	}
	return seen.Commit
}

type wasSent struct {
	Code, Message string
	daemon.Committed
}

func (s fromPage) sends(commit string, status int) (answer wasSent) {
	s.Helper()
	askDaemon(s.T, strings.TrimPrefix(s.root, "http://"), "POST", commit,
		[]byte(`{"by":"Ann Example","note":"the client asked"}`), status, &answer)
	return answer
}

// TestAFileIsSentIntoTheFolder: what was looked at takes the place of its former, which stays; it is planned and
// guarded as whatever is saved there. Nothing is written over what somebody changed since, or has open, and no name
// leads anywhere else.
func TestAFileIsSentIntoTheFolder(t *testing.T) {
	t.Parallel()
	w := hireFor(t, "policy: {max_daily_exposure: 1000}\n", func(dir string) []string {
		config := filepath.Join(filepath.Dir(dir), "daemon.yaml")
		saveFile(t, config, "listen: 127.0.0.1:0\nsettle: 200ms\nevery: 30s\n"+
			"accounts: [{name: shoes, folder: shoes, uploads: folder}]\n")
		return []string{"--config", config}
	})
	s := fromPage{w}
	w.spends(50)
	if answer := s.sends(s.looks("spring.yaml", springAt("40.00"), true), 201); answer.Path != "spring.yaml" ||
		!strings.HasPrefix(answer.Kept, "spring (before ") || answer.Branch != "" || answer.Same {
		t.Errorf("sent: %+v; want it in the folder, and the former beside it", answer)
	}
	w.spends(40)
	if former, err := filepath.Glob(filepath.Join(w.dir, "spring (before *).yaml")); err != nil || len(former) != 1 {
		t.Errorf("beside it: %q %v; want the former file", former, err)
	}
	if answer := s.sends(s.looks("summer.yaml", strings.NewReplacer("spring", "summer", "Spring", "Summer").
		Replace(springAt("5.00")), true), 201); answer.Path != "summer.yaml" || answer.Kept != "" {
		t.Errorf("a new file: %+v", answer)
	}
	w.spends(45)

	second := s.sends(s.looks("spring (1).yaml", springAt("42.00"), true), 201)
	if second.Path != "spring.yaml" {
		t.Errorf("a second download: %+v; want it in the place of the file itself", second)
	}
	w.spends(47)
	s.sends(s.looks("spring.yaml", springAt("40.00"), true), 201)
	w.spends(45)

	s.looks("spring.yaml", springAt("40.00"), false) // as it is
	s.looks("spring.yaml", springAt("a lot"), false)
	for _, name := range []string{"adsync.yaml", "STOP", ".hidden.yaml", "spring (before 2026-11-29 2014).yaml",
		"../../outside.yaml\x00", "~$spring.xlsx", "notes.txt"} {
		s.looks(name, springAt("1.00"), false)
	}
	moved := s.looks("spring.yaml", springAt("41.00"), true)
	made := s.looks("autumn.yaml", strings.NewReplacer("spring", "autumn", "Spring", "Autumn").
		Replace(springAt("5.00")), true)
	w.save("spring.yaml", springAt("39.00"))
	w.save("autumn.yaml", strings.NewReplacer("spring", "other", "Spring", "Other").Replace(springAt("2.00")))
	w.spends(46) // 39, 5 and 2: both are applied
	for _, commit := range []string{moved, made} {
		if said := s.sends(commit, 409); said.Code != "moved" {
			t.Errorf("over what somebody changed: %+v; want it refused", said)
		}
	}
	open := s.looks("spring.yaml", springAt("38.00"), true)
	lock := filepath.Join(w.dir, ".~lock.spring.yaml#")
	noError(t, os.WriteFile(lock, nil, 0o600))
	if said := s.sends(open, 409); said.Code != "not_written" || !strings.Contains(said.Message, "open in an editor") {
		t.Errorf("while the file is open: %+v", said)
	}
	noError(t, os.Remove(lock))
	raise := s.looks("spring.yaml", springAt("300.00"), true)
	s.sends(raise, 201)
	w.until("held", func(now daemon.Status) bool {
		return now.State == daemon.Held && now.Held == 1 && now.Exposure.Daily == 46_000_000
	})
	var activity struct{ Events []activityEvent }
	askDaemon(t, strings.TrimPrefix(w.root, "http://"), "GET", "/api/v1/accounts/shoes/activity", nil, 200, &activity)
	want := activityEvent{"order", "Sent into the folder: summer.yaml", "Ann Example", "the client asked"}
	if !slices.Contains(activity.Events, want) {
		t.Errorf("the activity is %+v; want %+v in it", activity.Events, want)
	}
}

// Without uploads nothing is sent into a folder.
func TestNothingIsSentThatNobodyConfigured(t *testing.T) {
	t.Parallel()
	w := hire(t, allowsRises)
	w.spends(50)
	fromPage{w}.looks("spring.yaml", springAt("40.00"), false)
	askDaemon(t, strings.TrimPrefix(w.root, "http://"), "POST", "/api/v1/accounts/shoes/looks/0000/commit",
		[]byte(`{"by":"ann"}`), http.StatusNotFound, nil)
}
