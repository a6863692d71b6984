package main

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/pgtest"
	"adsync/reconcile"
)

var (
	idleAccounts = flag.Int("idle-accounts", 3, "how many accounts of 150 resources TestIdleCost has")
	idleFor      = flag.Duration("idle", 0, "how long TestIdleCost measures; 0: it counts requests alone")
	idleProfiles = flag.String("idle-profiles", "", "folder for profiles of what idle accounts keep")
	idleDatabase = flag.Bool("idle-database", false, "the states of TestIdleCost lie in a database, not in folders")
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
	f := newIdleFleet(t, accounts, every, *idleDatabase)
	f.looksAlone = true
	f.configure(every)
	p := f.start()
	f.await(p)
	f.changed.Store(0)
	window := 5 * every
	if *idleFor > 0 {
		window = max(*idleFor, 2*every)
		time.Sleep(reconcile.QuietFor + every) // nothing has happened for a while
	}
	before, began, cpu := f.requests.Load(), time.Now(), processorTime(t, p.c.Process.Pid)
	time.Sleep(window) // what is measured is real time
	took := time.Since(began)
	spent, sent := processorTime(t, p.c.Process.Pid)-cpu, f.requests.Load()-before
	looks := float64(accounts) * took.Seconds() / every.Seconds()
	peak := residentMiB(t, p.c.Process.Pid)
	k := p.keeps()
	t.Logf("%d accounts of 150 resources, idle for "+
		"%s, a look every %s: %.3f %% of a core, %d MiB resident, %d requests, %d descriptors",
		accounts, took.Round(time.Second), every, 100*spent.Seconds()/took.Seconds(),
		peak, sent, descriptors(t, p.c.Process.Pid))
	t.Logf("kept after a collection: %d KiB of heap and %d KiB of stacks, %d objects, %d goroutines; %d MiB "+
		"resident, %d of them of files; beside heap and stacks %d KiB of spans used in part, %d KiB of the runtime's "+
		"bookkeeping, %d KiB of this test's profiles", k.Heap>>10, k.Stacks>>10, k.Objects, k.Goroutines,
		residentMiB(t, p.c.Process.Pid), memoryMiB(t, p.c.Process.Pid, "RssFile:"), k.Partly>>10, k.Bookkeeping>>10,
		k.Profiles>>10)
	if float64(sent) > 1.3*looks+float64(accounts) || f.changed.Load() > 0 {
		t.Errorf("%d requests in %.0f looks, %d of which could change something; want one a look that only reads",
			sent, looks, f.changed.Load())
	}
	if *idleFor > 0 && accounts == 100 &&
		(spent.Seconds()/took.Seconds() > 0.01 || peak > 150) {
		t.Error("want under 1 % of a core and under 150 MiB")
	}
	p.end()
}

// TestAnIdleAccountIsSmall: what an account in which nothing happens keeps in the memory of its daemon has a bound. It
// is what many accounts keep more than few, so that what a daemon keeps in any case does not count.
func TestAnIdleAccountIsSmall(t *testing.T) {
	t.Parallel()
	const few, many, most = 10, 40, 100 // KiB
	fewIdle, manyIdle := newIdle(t, few), newIdle(t, many)
	for began := time.Now(); ; time.Sleep(time.Second) { // reviews are read once the accounts are in sync
		base, all := fewIdle.keeps(), manyIdle.keeps()
		kept := (int(all.Heap+all.Stacks) - int(base.Heap+base.Stacks)) / (many - few) >> 10
		if kept > most && time.Since(began) < 5*time.Minute {
			continue
		}
		t.Logf("an idle account of 150 resources keeps %d KiB, %d of them stacks of %d goroutines", kept,
			(int(all.Stacks)-int(base.Stacks))/(many-few)>>10, (all.Goroutines-base.Goroutines)/(many-few))
		if kept > most {
			t.Errorf("an idle account keeps %d KiB; want at most %d", kept, most)
		}
		break
	}
	fewIdle.end()
	manyIdle.end()
}

// newIdle is a daemon that was begun anew, and has found so many accounts to be as their files say.
func newIdle(t *testing.T, accounts int) *process {
	t.Helper()
	f := newIdleFleet(t, accounts, time.Second, *idleDatabase)
	p := f.start()
	f.await(p)
	p.end()
	f.configure(time.Hour)
	p = f.start()
	f.await(p)
	return p
}

// idleFleet is a service with many accounts, and a daemon's configuration of them.
type idleFleet struct {
	t                 *testing.T
	dir, memory       string
	database          string // "" where states lie in folders
	accounts          int
	environment       []string
	requests, changed atomic.Int64
	looksAlone        bool // no figures are read: 42 requests for the first year, and then three an hour
}

// accountsAnAddress is how many accounts ask one address: as many as a look a second of each leaves within its limits.
const accountsAnAddress = 5

func newIdleFleet(t *testing.T, accounts int, every time.Duration, inDatabase bool) *idleFleet {
	t.Helper()
	f := &idleFleet{t: t, dir: t.TempDir(), accounts: accounts}
	if inDatabase {
		f.database = pgtest.Database(t)
	}
	f.set(every, accountsAnAddress)
	return f
}

// set writes the files of all accounts, of which so many ask at each address of the service.
func (f *idleFleet) set(every time.Duration, atAnAddress int) {
	t := f.t
	t.Helper()
	f.memory = filepath.Join(cmp.Or(*idleProfiles, f.dir), "memory")
	f.environment = []string{memoryInto + "=" + f.memory, keysAtOnce}
	if f.database != "" {
		f.environment = append(f.environment, "TEST_DATABASE="+f.database)
	}
	f.configure(every)
	var seeded []emulator.Account
	for i := range f.accounts {
		seeded = append(seeded, emulator.Account{
			ID: "adacct_" + idleName(i), Name: idleName(i), Currency: "USD",
			TimeZone: "UTC", Key: "sk-idle-key-" + idleName(i), Features: emulator.AllFeatures(),
		})
	}
	server, err := emulator.Open(emulator.Options{Accounts: seeded})
	noError(t, err)
	t.Cleanup(func() { noError(t, server.Close()) })
	url := ""
	for i := range f.accounts {
		if i%atAnAddress == 0 {
			url = f.serve(server)
		}
		name := idleName(i)
		folder := filepath.Join(f.dir, name)
		saveFile(t, filepath.Join(folder, "adsync.yaml"),
			"account: {id: adacct_"+name+", currency: USD, timezone: UTC}\n")
		saveFile(t, filepath.Join(folder, "ads.yaml"), idleCampaigns())
		saveFile(t, folder+".key", "sk-idle-key-"+name)
		saveFile(t, folder+".operator.yaml", fmt.Sprintf("base_url: %s/v1\n"+
			"credentials: {file: %s.key}\npolicy: {max_daily_exposure: 1000.00}\n", url, folder))
	}
}

// configure has a daemon look at each account so often.
func (f *idleFleet) configure(every time.Duration) {
	config := fmt.Sprintf("listen: none\nsettle: 500ms\nevery: %s\n", every)
	if f.database != "" {
		config += "database: {env: TEST_DATABASE}\n"
	}
	if f.looksAlone {
		config += "figures: false\n"
	}
	config += "accounts:\n"
	for i := range f.accounts {
		name := idleName(i)
		config += fmt.Sprintf("- {name: %s, folder: %s, operator: %s.operator.yaml}\n", name, name, name)
	}
	saveFile(f.t, filepath.Join(f.dir, "daemon.yaml"), config)
}

func idleName(i int) string { return fmt.Sprintf("account-%04d", i) }

// serve has the service listen at one more address, and returns it. Each account asks from an address of its own, so
// that adsync alone keeps the limits of one.
func (f *idleFleet) serve(server http.Handler) string {
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.requests.Add(1)
		if r.Method != http.MethodGet {
			f.changed.Add(1)
		}
		sum := fnv.New32()
		_, _ = io.WriteString(sum, r.Header.Get("Authorization"))
		r.RemoteAddr = fmt.Sprintf("[2001:db8::%x]:1", sum.Sum32()>>16)
		server.ServeHTTP(w, r)
	}))
	f.t.Cleanup(func() { line.CloseClientConnections(); line.Close() })
	return line.URL
}

func (f *idleFleet) start(more ...string) *process {
	p := startDaemonWith(
		f.t, append(slices.Clone(f.environment), more...), "--config", filepath.Join(f.dir, "daemon.yaml"))
	p.patience = 10*time.Minute + time.Duration(f.accounts)*time.Second
	return p
}

// await waits until each account has been found as its files say.
func (f *idleFleet) await(p *process) {
	for synced := map[string]bool{}; len(synced) < f.accounts; {
		synced[fmt.Sprint(p.until("msg", "run ended", "class", "in_sync")["account"])] = true
	}
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

func residentMiB(t *testing.T, pid int) int { t.Helper(); return memoryMiB(t, pid, "VmRSS:") }

// memoryMiB is a line of what the system says of the memory of a process.
func memoryMiB(t *testing.T, pid int, line string) int {
	t.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	noError(t, err)
	_, rest, _ := strings.Cut(string(content), line)
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
