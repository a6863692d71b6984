package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/pgtest"
	"adsync/state"

	"github.com/jackc/pgx/v5"
)

// agency is a service with many accounts, files for each, and a database for their states, as several daemons share
// them.
type agency struct {
	t        *testing.T
	dir      string
	database string
	url      string
	accounts int
	more     []string // of the environment
}

const sharedLease = 2 * time.Second

func newAgency(t *testing.T, accounts int) *agency {
	t.Helper()
	return newAgencyIn(t, pgtest.Database(t), accounts)
}

func newAgencyIn(t *testing.T, database string, accounts int, change ...func(*emulator.Account)) *agency {
	t.Helper()
	a := &agency{t: t, dir: t.TempDir(), database: database, accounts: accounts}
	var seeded []emulator.Account
	var settings strings.Builder
	fmt.Fprint(&settings, "listen: none\nevery: 2s\nsettle: 100ms\nfigures: false\n"+
		"database: {env: TEST_DATABASE}\naccounts:\n")
	for i := range accounts {
		seeded = append(seeded, emulator.Account{ID: a.id(i), Name: "Shop", Currency: "USD", TimeZone: "UTC",
			Key: a.key(i), Features: emulator.AllFeatures()})
		for _, one := range change {
			one(&seeded[i])
		}
		fmt.Fprintf(&settings, "  - {name: shop-%d, folder: shop-%d, operator: operator-%d.yaml}\n", i, i, i)
	}
	server, err := emulator.Open(emulator.Options{Accounts: seeded})
	noError(t, err)
	line := httptest.NewServer(server)
	t.Cleanup(func() { line.CloseClientConnections(); line.Close(); noError(t, server.Close()) })
	a.url = line.URL + "/v1"
	saveFile(t, filepath.Join(a.dir, "daemon.yaml"), settings.String())
	for i := range accounts {
		saveFile(t, filepath.Join(a.dir, fmt.Sprintf("key-%d", i)), a.key(i))
		saveFile(t, filepath.Join(a.dir, fmt.Sprintf("operator-%d.yaml", i)), fmt.Sprintf(
			"base_url: %s\ncredentials: {file: key-%d}\npolicy: {max_daily_exposure: 1000}\n", a.url, i))
		noError(t, os.Mkdir(filepath.Join(a.dir, fmt.Sprintf("shop-%d", i)), 0o755))
		saveFile(t, filepath.Join(a.dir, fmt.Sprintf("shop-%d", i), "adsync.yaml"),
			fmt.Sprintf("account: {id: %s, currency: USD, timezone: UTC}\n", a.id(i)))
	}
	a.edit("Spring")
	return a
}

func (a *agency) id(i int) string  { return fmt.Sprintf("adacct_%03d", i) }
func (a *agency) key(i int) string { return fmt.Sprintf("sk-shop-%03d", i) }

// edit gives the one campaign of each account another name.
func (a *agency) edit(name string) {
	a.t.Helper()
	for i := range a.accounts {
		file := filepath.Join(a.dir, fmt.Sprintf("shop-%d", i), "a.yaml")
		saveFile(a.t, file+".new", fmt.Sprintf("kind: campaign\nkey: spring\nname: %s %d\nstatus: paused\n"+
			"bidding_type: clicks\nbudget: {daily: 10.00}\n", name, i))
		noError(a.t, os.Rename(file+".new", file))
	}
}

// named are the accounts whose one campaign has that name. One with more than one campaign fails the test.
func (a *agency) named(name string) (accounts []int) {
	a.t.Helper()
	for i := range a.accounts {
		request, err := http.NewRequest(http.MethodGet, a.url+"/campaigns?limit=500", nil)
		noError(a.t, err)
		request.Header.Set("Authorization", "Bearer "+a.key(i))
		answer, err := http.DefaultClient.Do(request)
		noError(a.t, err)
		var list struct{ Data []struct{ Name string } }
		noError(a.t, json.NewDecoder(answer.Body).Decode(&list))
		noError(a.t, answer.Body.Close())
		if len(list.Data) > 1 {
			a.t.Fatalf("account %d has %d campaigns; want one", i, len(list.Data))
		}
		if len(list.Data) == 1 && list.Data[0].Name == fmt.Sprintf("%s %d", name, i) {
			accounts = append(accounts, i)
		}
	}
	return accounts
}

// await waits until the campaigns of so many accounts have a name.
func (a *agency) await(name string, accounts int) {
	a.t.Helper()
	// other processes work; who asks more often than this takes their requests from them
	for began := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		named := a.named(name)
		if len(named) == accounts {
			return
		}
		if time.Since(began) > 3*time.Minute {
			a.t.Fatalf("after 3 minutes %d campaigns are named %s, want %d", len(named), name, accounts)
		}
	}
}

func (a *agency) environment() []string {
	return append([]string{"TEST_DATABASE=" + a.database, keysAtOnce,
		"ADSYNC_DATABASE_LEASE=" + sharedLease.String()}, a.more...)
}

func (a *agency) start() *process {
	a.t.Helper()
	return startDaemonWith(a.t, a.environment(), "--config", filepath.Join(a.dir, "daemon.yaml"))
}

// does runs a command as on another machine.
func (a *agency) does(args ...string) string {
	a.t.Helper()
	said, err := a.tries(args...)
	if err != nil {
		a.t.Fatalf("adsync %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return said
}

func (a *agency) tries(args ...string) (said string, err error) {
	c := asAdsync(args...)
	c.Env = append(append(c.Env, "HOME="+a.t.TempDir()), a.environment()...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// shares waits until as many processes look after the accounts, and returns how many each has.
func (a *agency) shares(server *state.Server, processes int) map[int]int {
	a.t.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // other processes work
		shares := map[int]int{}
		for i := range a.accounts {
			holding, err := server.AttendedBy(a.t.Context(), a.id(i))
			noError(a.t, err)
			if holding.Held {
				shares[holding.Holder.PID]++
			}
		}
		total, most := 0, 0
		for _, n := range shares {
			total, most = total+n, max(most, n)
		}
		if len(shares) == processes && total == a.accounts && most <= (a.accounts+processes-1)/processes {
			return shares
		}
		if time.Since(began) > time.Minute {
			a.t.Fatalf("after a minute the accounts are shared so, by process: %v", shares)
		}
	}
}

// TestDaemonsShareTheAccountsOfADatabase: each takes its part; what one that was killed or froze had goes on at the
// others, and no campaign is made twice; one that wakes late takes its part again.
func TestDaemonsShareTheAccountsOfADatabase(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 6)
	server, err := state.OpenServer(t.Context(), a.database, state.Options{Command: "test"})
	noError(t, err)
	defer server.Close()

	first, second, third := a.start(), a.start(), a.start()
	a.await("Spring", 6)
	a.shares(server, 3)

	noError(t, first.c.Process.Kill())
	a.edit("Summer")
	a.await("Summer", 6)
	a.shares(server, 2)

	noError(t, second.c.Process.Signal(syscall.SIGSTOP))
	a.edit("Autumn")
	a.await("Autumn", 6)
	if shares := a.shares(server, 1); shares[third.c.Process.Pid] != 6 {
		t.Errorf("the accounts are shared so: %v; want all with the one that lives", shares)
	}
	noError(t, second.c.Process.Signal(syscall.SIGCONT))
	a.shares(server, 2)
	a.edit("Winter")
	a.await("Winter", 6)

	second.end()
	if shares := a.shares(server, 1); shares[third.c.Process.Pid] != 6 {
		t.Errorf("the accounts are shared so: %v; want all with the one that is left", shares)
	}
	third.end()
}

// TestDaemonsOutliveTheirDatabase: while it is away nothing is sent, and once it answers again all goes on by itself.
func TestDaemonsOutliveTheirDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	a := newAgencyIn(t, server.Database(t), 4)
	first, second := a.start(), a.start()
	a.await("Spring", 4)
	for _, name := range []string{"Summer", "Autumn"} {
		server.Kill()
		a.edit(name)
		time.Sleep(2 * sharedLease) // other processes find that it is away
		if named := a.named(name); len(named) > 0 {
			t.Errorf("%d accounts were changed while the database is away", len(named))
		}
		server.Run(t)
		a.await(name, 4)
	}
	first.end()
	second.end()
}

// looksWriteNothing waits for looks of every account, and wants no row written by them. Heartbeats write one a process,
// and permits one for many requests; whoever leads the errands of the fleet says so in a table that is not logged.
func (a *agency) looksWriteNothing() {
	a.t.Helper()
	conn, err := pgx.Connect(a.t.Context(), a.database)
	noError(a.t, err)
	defer conn.Close(a.t.Context())
	written := func() (rows int64) {
		a.t.Helper()
		noError(a.t, conn.QueryRow(a.t.Context(), `SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint
			FROM pg_stat_user_tables WHERE relname NOT IN ('worker', 'slot', 'river_leader', 'river_queue')`).Scan(&rows))
		return rows
	}
	const looks = 3
	still := 0
	for began, before := time.Now(), written(); still < looks; {
		if time.Since(began) > time.Minute {
			a.t.Fatalf("after a minute looks still write: %d rows so far", before)
		}
		time.Sleep(2500 * time.Millisecond) // each account is looked at every 2 s, and the server counts within one
		if after := written(); after == before {
			still++
		} else {
			before, still = after, 0
		}
	}
}

// TestLooksWriteNothing: a database of many idle accounts has nothing to write. An account that was taken over is read
// for a minute more, so that nothing was here.
func TestLooksWriteNothing(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 3)
	p := a.start()
	a.await("Spring", 3)
	a.looksWriteNothing()
	p.end()
}

// TestOrdersReachTheDaemonOfAnotherMachine: who suspends an account, asks for a run or lets a file STOP lie does so
// wherever the daemon runs.
func TestOrdersReachTheDaemonOfAnotherMachine(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 2)
	p := a.start()
	a.await("Spring", 2)
	settings := filepath.Join(a.dir, "daemon.yaml")

	a.does("suspend", "--account", "shop-0", "--config", settings, "--reason", "the page is down")
	p.until("msg", "run ended", "account", "shop-0", "class", "suspended")
	a.edit("Summer")
	a.await("Summer", 1)
	said := a.does("status", "--account", "shop-0", "--config", settings)
	if !strings.Contains(said, "the page is down") {
		t.Errorf("status says:\n%s\nwant why the account is suspended", said)
	}
	a.does("resume", "--account", "shop-0", "--config", settings)
	a.await("Summer", 2)
	a.does("reconcile", "--account", "shop-1", "--config", settings, "--wait")

	other := t.TempDir() // the same configuration on another machine
	noError(t, os.CopyFS(other, os.DirFS(a.dir)))
	saveFile(t, filepath.Join(other, "STOP"), "")
	q := startDaemonWith(t, a.environment(), "--config", filepath.Join(other, "daemon.yaml"))
	server, err := state.OpenServer(t.Context(), a.database, state.Options{Command: "test"})
	noError(t, err)
	defer server.Close()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if _, err := server.Beside("").Get("STOP", 1000); err == nil { // the other process has told
			break
		}
	}
	a.edit("Autumn")
	for range len(p.lines) { // of before
		<-p.lines
	}
	p.until("msg", "run ended", "class", "suspended")
	if named := a.named("Autumn"); len(named) > 0 {
		t.Errorf("%d accounts were changed while STOP lies on another machine", len(named))
	}
	noError(t, os.Remove(filepath.Join(other, "STOP")))
	for i := range 2 {
		noError(t, os.CopyFS(filepath.Join(other, "again"), os.DirFS(filepath.Join(a.dir, fmt.Sprintf("shop-%d", i)))))
		noError(t, os.Rename(filepath.Join(other, "again", "a.yaml"),
			filepath.Join(other, fmt.Sprintf("shop-%d", i), "a.yaml")))
		noError(t, os.RemoveAll(filepath.Join(other, "again")))
	}
	a.await("Autumn", 2)
	q.end()
	p.end()
}
