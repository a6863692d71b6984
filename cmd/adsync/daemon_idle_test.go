package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/reconcile"
)

var (
	idleAccounts = flag.Int("idle-accounts", 3, "how many accounts of 150 resources TestIdleCost has")
	idleFor      = flag.Duration("idle", 0, "how long TestIdleCost measures; 0: it counts requests alone")
)

// TestIdleCost has accounts that are as their files say. Each look is one request;
// with -idle what they cost a daemon is measured: goal under 1 % of a core and
// under 150 MiB for 100 of them (make idle).
func TestIdleCost(t *testing.T) {
	accounts := *idleAccounts
	every := time.Second
	if *idleFor > 0 {
		every = time.Minute
	}
	dir := t.TempDir()
	var seeded []emulator.Account
	config := fmt.Sprintf("listen: none\nsettle: 500ms\nevery: %s\naccounts:\n", every)
	for i := range accounts {
		name := fmt.Sprintf("account-%03d", i)
		key := "sk-idle-key-" + name
		seeded = append(seeded, emulator.Account{
			ID: "adacct_" + name, Name: name, Currency: "USD",
			TimeZone: "UTC", Key: key, Features: emulator.AllFeatures(),
		})
		saveFile(t, filepath.Join(dir, name, "adsync.yaml"),
			"account: {id: adacct_"+name+", currency: USD, timezone: UTC}\n")
		saveFile(t, filepath.Join(dir, name, "ads.yaml"), idleCampaigns())
		saveFile(t, filepath.Join(dir, name+".key"), key)
		config += fmt.Sprintf("- {name: %s, folder: %s, operator: %s.operator.yaml}\n", name, name, name)
	}
	server, err := emulator.Open(emulator.Options{Accounts: seeded})
	noError(t, err)
	var requests, changed atomic.Int64
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Method != http.MethodGet {
			changed.Add(1)
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { line.CloseClientConnections(); line.Close(); noError(t, server.Close()) })
	s := &service{t: t, url: line.URL + "/v1", server: server}
	for i := range accounts {
		name := fmt.Sprintf("account-%03d", i)
		saveFile(t, filepath.Join(dir, name+".operator.yaml"), fmt.Sprintf("base_url: %s\n"+
			"credentials: {file: %s.key}\npolicy: {max_daily_exposure: 1000.00}\n", s.url, filepath.Join(dir, name)))
	}
	saveFile(t, filepath.Join(dir, "daemon.yaml"), config)
	p := startDaemonWith(t, nil, "--config", filepath.Join(dir, "daemon.yaml"))
	p.patience += 3 * every
	for synced := map[string]bool{}; len(synced) < accounts; {
		synced[fmt.Sprint(p.until("msg", "run ended", "class", "in_sync")["account"])] = true
	}
	changed.Store(0)
	window := 5 * every
	if *idleFor > 0 {
		window = max(*idleFor, 2*every)
		time.Sleep(reconcile.QuietFor + every) // nothing has happened for a while
	}
	before, began, cpu := requests.Load(), time.Now(), processorTime(t, p.c.Process.Pid)
	time.Sleep(window) // what is measured is real time
	took := time.Since(began)
	spent, sent := processorTime(t, p.c.Process.Pid)-cpu, requests.Load()-before
	looks := float64(accounts) * took.Seconds() / every.Seconds()
	t.Logf("%d accounts of 150 resources, idle for "+
		"%s, a look every %s: %.3f %% of a core, %d MiB resident, %d requests, %d descriptors",
		accounts, took.Round(time.Second), every, 100*spent.Seconds()/took.Seconds(),
		residentMiB(t, p.c.Process.Pid), sent, descriptors(t, p.c.Process.Pid))
	if float64(sent) > 1.3*looks+float64(accounts) || changed.Load() > 0 {
		t.Errorf("%d requests in %.0f looks, %d of which could change something; want one a look that only reads",
			sent, looks, changed.Load())
	}
	if *idleFor > 0 && accounts >= 100 &&
		(spent.Seconds()/took.Seconds() > 0.01 || residentMiB(t, p.c.Process.Pid) > 150) {
		t.Error("want under 1 % of a core and under 150 MiB")
	}
	p.end()
}

// idleCampaigns are 150 resources.
func idleCampaigns() string {
	var b strings.Builder
	for c := range 15 {
		fmt.Fprintf(&b, "---\nkind: campaign\nkey: c%d\n"+
			"name: Campaign %d\nstatus: paused\nbidding_type: clicks\nbudget: {daily: 10.00}\nad_groups:\n", c, c)
		for g := range 9 {
			fmt.Fprintf(&b, "  - {key: g%d, name: Group "+
				"%d, status: paused, bid: {max: 0.50}, context_hints: [hint %d]}\n", g, g, g)
		}
	}
	return b.String()
}

// processorTime is what a process has used so far.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	noError(t, err)
	_, rest, _ := strings.Cut(string(content), ") ")
	fields := strings.Fields(rest)
	total := 0
	for _, field := range fields[11:13] { // user and system, in hundredths of a second
		n, err := strconv.Atoi(field)
		noError(t, err)
		total += n
	}
	return time.Duration(total) * 10 * time.Millisecond
}

func residentMiB(t *testing.T, pid int) int {
	t.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	noError(t, err)
	_, rest, _ := strings.Cut(string(content), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	noError(t, err)
	return n / 1024
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	noError(t, err)
	return len(entries)
}
