package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/daemoncmd"
)

// TestADaemonTellsOnceWhoElseWrites: once somebody has changed three of its resources, by
// the name that the audit log has, and not again after a restart.
func TestADaemonTellsOnceWhoElseWrites(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	p := startDaemon(t, s, daemonArgs(dir, operator)...)
	p.until("msg", "run ended", "class", "applied")
	p.until("msg", "run ended", "class", "in_sync")
	var groups struct{ Data []adGroup }
	askService(t, s, http.MethodGet, "/ad_groups?limit=100", "", &groups)
	rename := func(words string) {
		for i, g := range groups.Data {
			askServiceAs(t, s, strangerKey, http.MethodPost,
				"/ad_groups/"+g.ID, fmt.Sprintf(`{"name": "%s %d"}`, words, i), nil)
		}
	}
	rename("A stranger's")
	line := p.until("msg", "somebody else writes to this account")
	if who := fmt.Sprint(line["who"]); line["level"] != "WARN" || !strings.HasPrefix(who, "api_key ") ||
		!strings.Contains(who, fmt.Sprintf("changed %d resources", len(groups.Data))) {
		t.Errorf("it says %v; want who the log names, and how many", line)
	}
	p.end()
	about, err := os.Stat(filepath.Join(dir, ".adsync", daemoncmd.WritersName))
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("what was told is kept as %v, %v; want it for its owner alone", about, err)
	}
	p = startDaemon(t, s, daemonArgs(dir, operator)...)
	p.until("msg", "run ended", "class", "held")
	rename("Another time a stranger's")
	p.until("msg", "run ended", "class", "held")
	p.end()
	if strings.Contains(p.said(), "somebody else writes") {
		t.Errorf("it is told once more after a restart:\n%s", p.said())
	}
}
