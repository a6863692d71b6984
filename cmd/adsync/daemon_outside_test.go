package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/outside"
	"adsync/internal/testing/pgtest"
)

// TestADaemonKeepsWhatOthersDid: a stranger changes a name and changes it back, and both are kept, though no plan shows
// them any more; nothing is kept of what adsync did. A quiet account has the log read on
// as ever, and nothing is written.
func TestADaemonKeepsWhatOthersDid(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	p := startDaemon(t, s, daemonArgs(dir, operator)...)
	p.until("msg", "run ended", "class", "applied")
	p.until("msg", "run ended", "class", "in_sync")
	file := filepath.Join(dir, ".adsync", outside.Name)
	looks := make(chan string, 1000)
	note := func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/audit_logs") {
			looks <- r.URL.Query().Get("order")
		}
		return false
	}
	s.before.Store(&note)
	for range 3 { // who reads on asks for what came after
		select {
		case order := <-looks:
			if order != "asc" {
				t.Errorf("a quiet account has the audit log read in the order %q", order)
			}
		case <-time.After(p.patience):
			t.Fatal("nobody looks at the audit log")
		}
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("nobody else did anything, and %s is there: %v", file, err)
	}
	group := groupOf(t, s, "Trail runners")
	for _, step := range []struct{ name, class string }{{"A stranger's", "held"}, {"Trail runners", "in_sync"}} {
		askServiceAs(t, s, strangerKey, http.MethodPost, "/ad_groups/"+group.ID,
			fmt.Sprintf(`{"name": %q}`, step.name), nil)
		p.until("msg", "run ended", "class", step.class, "skipped", "false")
	}
	p.end()
	content, err := os.ReadFile(file)
	noError(t, err)
	about, err := os.Stat(file)
	noError(t, err)
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != 2 || about.Mode().Perm() != 0o600 {
		t.Fatalf("%s has\n%s\nwith %v; want both changes, for its owner alone", file, content, about.Mode())
	}
	for _, line := range lines {
		var e outside.Entry
		noError(t, json.Unmarshal([]byte(line), &e))
		if e.Of != group.ID || !strings.HasPrefix(e.Address, "ad_group/") || !strings.HasPrefix(e.By, "api_key ") ||
			e.Action != "update_ad_group" || fmt.Sprint(e.Fields) != "[name]" || e.Time.IsZero() {
			t.Errorf("it is %+v; want what was done to %s, and by whom", e, group.ID)
		}
	}
}

// TestDaemonsOfADatabaseShareWhatOthersDid: it is in the Activity of a daemon that started after it was changed back.
func TestDaemonsOfADatabaseShareWhatOthersDid(t *testing.T) {
	t.Parallel()
	a := newAgencyIn(t, pgtest.Database(t), 1, func(account *emulator.Account) {
		account.Particulars.Keys = []emulator.APIKey{{Name: "stranger", Key: strangerKey}}
	})
	first := a.start()
	first.until("msg", "run ended", "class", "applied")
	first.until("msg", "run ended", "class", "in_sync")
	s := &service{t: t, url: a.url}
	var list struct{ Data []struct{ ID, Name string } }
	askServiceAs(t, s, strangerKey, http.MethodGet, "/campaigns?limit=10", "", &list)
	campaign := list.Data[0]
	for _, step := range []struct{ name, class string }{{"<b>A stranger's", "held"}, {campaign.Name, "in_sync"}} {
		askServiceAs(t, s, strangerKey, http.MethodPost, "/campaigns/"+campaign.ID,
			fmt.Sprintf(`{"name": %q}`, step.name), nil)
		first.until("msg", "run ended", "class", step.class, "skipped", "false")
	}
	first.end()
	p, v := a.serve()
	// adsync's own create, of the second in which it was first looked, is not among them
	for _, of := range []string{"", "?of=" + campaign.ID, "?of=campaign/spring"} {
		status, answer, _ := v.asks("GET", "/api/v1/accounts/shop-0/activity"+of, "")
		if n := strings.Count(answer, `"kind":"outside"`); status != http.StatusOK || n != 2 {
			t.Errorf("activity%s: %d, with %d things that others did; want 2:\n%s", of, status, n, answer)
		}
	}
	p.end()
}
