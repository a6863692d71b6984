package journeys

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

var agencySize = flag.Int("agency", 0,
	"how many accounts the agency has, with leases and times as users have them; a small one in a hurry otherwise")

// TestJourneysInADatabase makes those of people whose states are in PostgreSQL, which no profile is needed for.
func TestJourneysInADatabase(t *testing.T) { makeJourneys(t, "testdata/database", "published", "") }

// thisTest is under what a script finds its test.
const thisTest = "test"

func testOf(ts *testscript.TestScript) testing.TB { return ts.Value(thisTest).(testing.TB) }

// servers are the database of a script and its standby.
type servers struct {
	first, standby *pgtest.Server
	logged         int64 // bytes of log that the database had written
}

// now is the one that takes writes.
func (s *servers) now() *pgtest.Server {
	if s.first != nil {
		return s.first
	}
	return s.standby
}

// wrote is how many bytes of log the database wrote since it was asked last.
func (s *servers) wrote(t testing.TB) int64 {
	now := s.now().Number(t, "adsync", "SELECT (pg_current_wal_lsn() - '0/0')::bigint")
	wrote := now - s.logged
	s.logged = now
	return wrote
}

// databases finds those of a script.
var databases sync.Map

// database: PostgreSQL, and a standby that every commit waits for. $ADSYNC_DATABASE is the address of both, and
// $ACCOUNTS, $EVERY and $ADSYNC_DATABASE_LEASE are the size of the agency. $EACH_ITS_ADDRESS has the service take the
// machines for such with addresses of their own, which they are not here.
func startDatabase(ts *testscript.TestScript, _ bool, _ []string) {
	t := testOf(ts)
	first := pgtest.Start(t, "fsync=off")
	first.Exec(t, "postgres", "CREATE DATABASE adsync")
	standby := first.Standby(t, "fsync=off")
	first.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
	first.Exec(t, "postgres", "SELECT pg_reload_conf()")
	of := &servers{first: first, standby: standby}
	of.wrote(t)
	databases.Store(ts, of)
	ts.Setenv("ADSYNC_DATABASE", first.URL("adsync", standby))
	size, every, lease := *agencySize, "1m", "30s"
	if size == 0 {
		size, every, lease = 30, "5s", "4s"
	}
	ts.Setenv("ACCOUNTS", strconv.Itoa(size))
	ts.Setenv("EVERY", every)
	ts.Setenv("ADSYNC_DATABASE_LEASE", lease)
	ts.Setenv("EACH_ITS_ADDRESS", withoutWaits+",rate_limit_per_address=no")
}

// promote: the machine of the database is gone, and its standby takes its place.
func promoteStandby(ts *testscript.TestScript, _ bool, _ []string) {
	of := databaseOf(ts)
	of.first.Kill()
	of.first = nil
	of.standby.Promote(testOf(ts))
	// nobody is left whom its commits would wait for
	of.standby.Exec(testOf(ts), "postgres", "ALTER SYSTEM RESET synchronous_standby_names")
	of.standby.Exec(testOf(ts), "postgres", "SELECT pg_reload_conf()")
}

func databaseOf(ts *testscript.TestScript) *servers {
	found, ok := databases.Load(ts)
	if !ok {
		ts.Fatalf("no database runs")
	}
	return found.(*servers)
}

// worker NAME ARGS...: a daemon on a machine of its own.
func startWorker(ts *testscript.TestScript, _ bool, args []string) {
	p := start(ts, args[0], filepath.Join(bin, "adsync"), append([]string{"daemon"}, args[1:]...)...)
	p.line(ts, "the daemon runs")
}

// says NAME PATTERN: waits for the next such line of a worker.
func awaitSaid(ts *testscript.TestScript, _ bool, args []string) { find(ts, args[0]).line(ts, args[1]) }

// unplug NAME, freeze NAME, thaw NAME: what happens to the process.
func signals(what syscall.Signal) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		p := find(ts, args[0])
		ts.Check(p.command.Process.Signal(what))
		if what == syscall.SIGCONT {
			return
		}
		taken := make(chan time.Duration, 1)
		takeovers.Store(named{ts, args[0]}, taken)
		go awaitTakeover(databaseOf(ts).now().URL("adsync"), p.command.Process.Pid, taken)
	}
}

// takeovers finds how long it took until others had what a machine looked after.
var takeovers sync.Map

// awaitTakeover asks a database until no account is looked after by a process, and tells how long that took. It tells
// nothing where the database cannot be asked.
func awaitTakeover(database string, pid int, taken chan<- time.Duration) {
	defer close(taken)
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return
	}
	defer conn.Close(context.Background())
	for left := 1; err == nil && left > 0; time.Sleep(100 * time.Millisecond) { // a poll of other processes
		err = conn.QueryRow(ctx, `SELECT count(*) FROM adsync.attendance a LEFT JOIN adsync.worker w ON w.id = a.worker
			WHERE w.id IS NULL OR w.pid = $1`, pid).Scan(&left)
	}
	if err == nil {
		taken <- time.Since(began)
	}
}

// taken NAME: others had what a machine looked after within the time of a lease and ten seconds.
func takenOver(ts *testscript.TestScript, _ bool, args []string) {
	waits, ok := takeovers.Load(named{ts, args[0]})
	if !ok {
		ts.Fatalf("%s was neither unplugged nor frozen", args[0])
	}
	took, ok := <-waits.(chan time.Duration)
	lease, err := time.ParseDuration(ts.Getenv("ADSYNC_DATABASE_LEASE"))
	ts.Check(err)
	testOf(ts).Logf("%s: others had its accounts after %.1f s", args[0], took.Seconds())
	if most := lease + 10*time.Second; !ok || took > most {
		ts.Fatalf("others had the accounts of %s after %s; want at most %s", args[0], took, most)
	}
}

// all NAME: waits until the one campaign of every account has that name, with the account's number. It says when half
// of them and when all had it.
func allAreNamed(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.Atoi(ts.Getenv("ACCOUNTS"))
	ts.Check(err)
	waits := make(map[int]bool, size)
	for n := range size {
		waits[n+1] = true
	}
	look := time.NewTicker(time.Duration(250+5*size) * time.Millisecond)
	defer look.Stop()
	var half time.Duration
	began := time.Now()
	for ; len(waits) > 0; <-look.C {
		for n := range waits {
			if names := campaignsOf(ts, n); len(names) == 1 && names[0] == fmt.Sprintf("%s %03d", args[0], n) {
				delete(waits, n)
			}
		}
		if half == 0 && len(waits) <= size/2 {
			half = time.Since(began)
		}
		if time.Since(began) > 2*patience+time.Duration(size)*2*time.Second {
			ts.Fatalf("%d of %d campaigns are not named %s\n%s",
				len(waits), size, args[0], said(ts, "level=WARN", "level=ERROR"))
		}
	}
	testOf(ts).Logf("%s: half of %d accounts after %.1f s, all after %.1f s; %.1f kB of the database's log an account",
		args[0], size, half.Seconds(), time.Since(began).Seconds(),
		float64(databaseOf(ts).wrote(testOf(ts)))/1000/float64(size))
}

// figures says what the machines and the database have by now, and fails nothing.
func sayFigures(ts *testscript.TestScript, _ bool, _ []string) {
	t, database := testOf(ts), databaseOf(ts).now()
	for _, table := range []string{"head", "record", "beside", "attendance", "worker", "view", "slot", "river_job"} {
		t.Logf("adsync.%s: %d rows, %d bytes", table,
			database.Number(t, "adsync", "SELECT count(*) FROM adsync."+table),
			database.Number(t, "adsync", "SELECT pg_total_relation_size('adsync."+table+"')"))
	}
	processes.Range(func(key, p any) bool {
		if of := key.(named); of.script == ts {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.(*running).command.Process.Pid)) // of Linux alone
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.(*running).command.Process.Pid))
			t.Logf("%s: %q, hundredths of a second of user and system: %q", of.name,
				regexp.MustCompile(`Vm(?:HWM|RSS):\s+\d+ kB`).FindAllString(string(status), -1),
				append(strings.Fields(string(stat)), make([]string, 15)...)[13:15])
		}
		return true
	})
}

// said are the lines of the processes of a script that have one of these texts.
func said(ts *testscript.TestScript, texts ...string) string {
	var lines strings.Builder
	processes.Range(func(key, p any) bool {
		of := key.(named)
		for line := range strings.Lines(p.(*running).said.String()) {
			has := func(text string) bool { return strings.Contains(line, text) }
			if of.script == ts && slices.ContainsFunc(texts, has) {
				lines.WriteString(of.name + ": " + line)
			}
		}
		return true
	})
	return lines.String()
}

// once EDITS: the service wrote down one create in every account and so many changes of a name, and no other write.
func changedOnce(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.Atoi(ts.Getenv("ACCOUNTS"))
	ts.Check(err)
	for n := range size {
		var log struct {
			Data []struct {
				Type    string `json:"audit_log_type"`
				Changes any
			}
		}
		ask(ts, n+1, "/audit_logs?limit=100", &log)
		writes := map[string]int{}
		for _, entry := range log.Data {
			writes[entry.Type]++
		}
		if want := "map[create_campaign:1 update_campaign:" + args[0] + "]"; fmt.Sprint(writes) != want {
			ts.Fatalf("the writes of account %d are %v; want %s\n%v\n%s",
				n+1, writes, want, log, said(ts, fmt.Sprintf("account=client-%03d ", n+1)))
		}
	}
}

// campaignsOf are the names of the campaigns of an account.
func campaignsOf(ts *testscript.TestScript, n int) (names []string) {
	var list struct{ Data []struct{ Name string } }
	ask(ts, n, "/campaigns?limit=100", &list)
	for _, one := range list.Data {
		names = append(names, one.Name)
	}
	return names
}

// ask asks the service with the key of an account.
func ask(ts *testscript.TestScript, n int, path string, into any) {
	r, err := http.NewRequest(http.MethodGet, ts.Getenv("ADSYNC_BASE_URL")+path, nil)
	ts.Check(err)
	r.Header.Set("Authorization", fmt.Sprintf("Bearer sk-client-%03d", n))
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("%s of account %d: %s", path, n, answer.Status)
	}
	ts.Check(json.NewDecoder(answer.Body).Decode(into))
}
