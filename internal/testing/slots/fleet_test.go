package slots_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/testing/pgtest"
	"adsync/internal/testing/slots"
	"adsync/state"

	"github.com/jackc/pgx/v5"
)

var (
	whole = flag.Bool("slots-whole", false, "21 addresses and 10,000 accounts, and an hour on the twin; "+
		"else 2 addresses and ten minutes")
	minutes = flag.Int("slots-minutes", 0, "how many real minutes a fleet asks through PostgreSQL")
)

// fleet is many accounts, each looked at once a minute and read whole once an hour, by processes that ask from several
// addresses. Its service is the emulator, which enforces the limits of accounts and addresses: one for the accounts of
// each address, as it looks for keys one by one.
type fleet struct {
	addresses, accounts int // in all
	ledger              func(address, process int) adsapi.Ledger
	services            []*emulator.Server // by address
	began               time.Time

	mu      sync.Mutex
	random  *rand.Rand
	arrived map[string][]time.Time // in the last minute, by address, and by address and endpoint
	most    map[bool]int           // requests that arrived from an address in any minute: to all, and to one endpoint
	refused int
	looks   []int
	longest time.Duration // that a look took
	others  time.Duration // that another request took
}

// processes is how many there are of an address, and what part of its accounts each has.
var processes = []int{50, 30, 20}

func newFleet(t *testing.T, addresses, accounts int) *fleet {
	f := &fleet{
		addresses: addresses, accounts: accounts, began: time.Now(), random: rand.New(rand.NewPCG(1, 2)),
		arrived: map[string][]time.Time{}, most: map[bool]int{}, looks: make([]int, accounts),
	}
	for address := range addresses {
		var seeded []emulator.Account
		for i := address; i < accounts; i += addresses {
			seeded = append(seeded, emulator.Account{ID: fmt.Sprintf("adacct_%05d", i), Name: "Fleet", Currency: "USD",
				TimeZone: "UTC", Key: keyOf(i), Features: emulator.AllFeatures()})
		}
		service, err := emulator.Open(emulator.Options{Seed: 1, Accounts: seeded})
		if err != nil {
			t.Fatal(err)
		}
		f.services = append(f.services, service)
	}
	return f
}

func keyOf(i int) string { return fmt.Sprintf("sk-fleet-%05d", i) }

// run has every account looked at for so long.
func (f *fleet) run(t *testing.T, d time.Duration) {
	end := time.Now().Add(d)
	var all sync.WaitGroup
	for address := range f.addresses {
		of := []int{} // this address
		for i := address; i < f.accounts; i += f.addresses {
			of = append(of, i)
		}
		first := 0
		for process, part := range processes {
			next := min(len(of), first+(len(of)*part+99)/100)
			shared := adsapi.NewAddress(adsapi.Limits{}, nil, f.ledger(address, process))
			for _, i := range of[first:next] {
				all.Go(func() { f.account(t, i, address, shared, end) })
			}
			first = next
		}
	}
	all.Wait()
	for _, service := range f.services {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	}
}

// account looks at an account until the end.
func (f *fleet) account(t *testing.T, i, address int, shared *adsapi.Address, end time.Time) {
	client, err := adsapi.New(adsapi.Config{BaseURL: "https://ads.example/v1", Key: adsapi.NewSecret(keyOf(i)),
		Address: shared, Transport: way{f, address}})
	if err != nil {
		t.Error(err)
		return
	}
	time.Sleep(f.upTo(time.Minute))
	for whole := time.Now().Add(f.upTo(time.Hour)); time.Now().Before(end); {
		began := time.Now()
		if _, err := client.Get(t.Context(), "/audit_logs", nil); err != nil {
			t.Errorf("look at account %d: %v", i, err)
			return
		}
		f.looked(i, time.Since(began))
		if time.Now().After(whole) {
			whole = whole.Add(time.Hour)
			for _, list := range []string{"/campaigns", "/ad_groups", "/ads"} {
				asked := time.Now()
				if _, err := client.Get(t.Context(), list, nil); err != nil {
					t.Errorf("read %s of account %d: %v", list, i, err)
				}
				f.waited(time.Since(asked))
			}
		}
		time.Sleep(time.Until(began.Add(time.Minute)))
	}
}

func (f *fleet) upTo(d time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.random.Int64N(int64(d)))
}

func (f *fleet) looked(i int, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks[i]++
	f.longest = max(f.longest, took)
}

func (f *fleet) waited(took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.others = max(f.others, took)
}

// way is the way from a network address to the service, which mostly takes a moment and seldom seconds.
type way struct {
	*fleet
	address int
}

func (w way) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(20*time.Millisecond + w.upTo(200*time.Millisecond))
	if w.upTo(1000) == 0 {
		time.Sleep(4 * time.Second)
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.RemoteAddr = fmt.Sprintf("10.0.0.%d:1", w.address)
	w.arrive(r)
	answer := httptest.NewRecorder()
	w.services[w.address].ServeHTTP(answer, r)
	if answer.Code == http.StatusTooManyRequests {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.refused++
	}
	return answer.Result(), nil
}

// arrive counts a request among those of the minute that ends with it.
func (w way) arrive(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, name := range []string{r.RemoteAddr, r.RemoteAddr + r.URL.Path} {
		times := append(w.arrived[name], now)
		for !times[0].After(now.Add(-time.Minute)) {
			times = times[1:]
		}
		w.arrived[name] = times
		ofOne := strings.Contains(name, "/")
		w.most[ofOne] = max(w.most[ofOne], len(times))
	}
}

// judge wants that nothing was refused, and every account looked at nearly every minute.
func (f *fleet) judge(t *testing.T, d time.Duration) {
	t.Helper()
	looks := 0
	for _, n := range f.looks {
		looks += n
	}
	least, whole := slices.Min(f.looks), int(d/time.Minute)
	t.Logf("%d addresses, %d processes, %d accounts, %s: %d looks, %d to %d an account, the longest took %s; other "+
		"requests at most %s; at most %d to an endpoint of an address in a minute, %d in all; %d refused",
		f.addresses, f.addresses*len(processes), f.accounts, d, looks, least, slices.Max(f.looks),
		f.longest.Round(time.Second), f.others.Round(time.Second), f.most[true], f.most[false], f.refused)
	if f.refused > 0 || f.most[true] >= 560 || f.most[false] >= 1120 {
		t.Error("want none refused, and less than 560 and 1,120 in a minute")
	}
	if least < whole*9/10-1 || f.longest > 90*time.Second { // who read lists before waits for a round of the others
		t.Errorf("want %d looks an account at least, and 90 s at most for one", whole*9/10-1)
	}
}

// An hour of accounts at as many a minute as their addresses may be asked for, on the twin of the ledger.
func TestAFleetOfProcessesIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		addresses, accounts, d := 2, 2*476, 10*time.Minute
		if *whole {
			addresses, accounts, d = 21, 10_000, time.Hour
		}
		f := newFleet(t, addresses, accounts)
		twins := map[int]*slots.Ledger{}
		f.ledger = func(address, _ int) adsapi.Ledger {
			if twins[address] == nil {
				twins[address] = &slots.Ledger{Now: time.Now, Random: func() float64 {
					return float64(f.upTo(time.Second)) / float64(time.Second)
				}}
			}
			return twins[address]
		}
		f.run(t, d)
		f.judge(t, d)
	})
}

func TestMain(m *testing.M) { flag.Parse(); os.Exit(pgtest.Main(m)) }

// The same in real minutes, each process with a connection to PostgreSQL.
func TestAFleetIsNotRefusedThroughPostgreSQL(t *testing.T) {
	if *minutes == 0 {
		t.Skip("takes real minutes: make limits-shared runs it")
	}
	server := pgtest.Start(t, "max_connections=300")
	f := newFleet(t, 21, 10_000)
	f.ledger = func(address, process int) adsapi.Ledger {
		s, err := state.OpenServer(t.Context(), server.URL("postgres")+"&pool_max_conns=1",
			state.Options{Command: fmt.Sprintf("process %d of %d", process, address)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s.Slots(fmt.Sprintf("address-%d", address))
	}
	f.ledger(0, 0) // migrates
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	before := written(t, conn)
	d := time.Duration(*minutes) * time.Minute
	f.run(t, d)
	f.judge(t, d)
	after := written(t, conn)
	t.Logf("a minute: %d rows written, %d kB of log, %d transactions", (after.rows-before.rows)/int64(*minutes),
		(after.log-before.log)/1000/int64(*minutes), (after.transactions-before.transactions)/int64(*minutes))
}

// wrote is what a server has written so far.
type wrote struct{ rows, log, transactions int64 }

func written(t *testing.T, conn *pgx.Conn) (w wrote) {
	t.Helper()
	time.Sleep(2 * time.Second) // the server counts within one
	err := conn.QueryRow(t.Context(), `SELECT (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_user_tables),
		pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint,
		(SELECT sum(xact_commit)::bigint FROM pg_stat_database)`).Scan(&w.rows, &w.log, &w.transactions)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
