package main

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

var limitsFor = flag.Duration("limits", 40*time.Second, "how long daemons ask for more than their address may")

// gate is the one network address from which a service is asked: it counts what passes.
type gate struct {
	mu      sync.Mutex
	passed  map[string][]time.Time // in the last minute, by endpoint; to all of them by ""
	most    map[string]int         // in any minute
	total   int
	refused int // by 429
}

// newGate passes requests on to a service, and returns its own address.
func newGate(t *testing.T, service string) (*gate, string) {
	t.Helper()
	at, err := url.Parse(strings.TrimSuffix(service, "/v1"))
	noError(t, err)
	g := &gate{passed: map[string][]time.Time{}, most: map[string]int{}}
	on := httputil.NewSingleHostReverseProxy(at)
	on.ModifyResponse = func(r *http.Response) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if r.StatusCode == http.StatusTooManyRequests {
			g.refused++
		}
		return nil
	}
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.pass(r)
		on.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { line.CloseClientConnections(); line.Close() })
	return g, line.URL + "/v1"
}

func (g *gate) pass(r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total++
	now := time.Now()
	for _, name := range []string{r.Method + " " + r.URL.Path, ""} {
		times := append(g.passed[name], now)
		for !times[0].After(now.Add(-time.Minute)) {
			times = times[1:]
		}
		g.passed[name], g.most[name] = times, max(g.most[name], len(times))
	}
}

func (g *gate) passedSoFar() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total
}

// TestDaemonsShareTheLimitsOfTheirAddress: three daemons with as many accounts as would ask 1,440 times a minute send
// as many requests as their one address may, and the service refuses none.
func TestDaemonsShareTheLimitsOfTheirAddress(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	server := pgtest.Start(t)
	a := newAgencyIn(t, server.Database(t), 24)
	g, through := newGate(t, a.url)
	settings := filepath.Join(a.dir, "daemon.yaml")
	saveFile(t, settings, strings.Replace(contentOf(t, settings), "every: 2s", "every: 1s\naddress: gateway-1", 1))
	var daemons []*process
	for range 3 {
		p := startDaemonWith(t, append(a.environment(), "ADSYNC_BASE_URL="+through), "--config", settings)
		daemons = append(daemons, p)
	}
	conn, err := pgx.Connect(t.Context(), a.database)
	noError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	for began := time.Now(); g.passedSoFar() < 3*a.accounts; time.Sleep(100 * time.Millisecond) { // they begin
		if time.Since(began) > 3*time.Minute {
			t.Fatal("after three minutes the daemons have sent next to nothing")
		}
	}
	before, began := slotRows(t, conn), time.Now()
	time.Sleep(*limitsFor) // other processes ask
	took := time.Since(began)
	written := slotRows(t, conn) - before
	for _, p := range daemons {
		p.end()
	}
	if named := a.named("Spring"); len(named) != a.accounts {
		t.Errorf("%d accounts have their campaign; want %d", len(named), a.accounts)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	endpoint := ""
	for name, n := range g.most {
		if name != "" && (endpoint == "" || n > g.most[endpoint]) {
			endpoint = name
		}
	}
	t.Logf("%d requests; at most %d in a minute to %s, %d in all; %d refused; %.0f rows of slots written a minute",
		g.total, g.most[endpoint], endpoint, g.most[""], g.refused, float64(written)/took.Minutes())
	if g.refused > 0 || g.most[endpoint] >= 560 || g.most[""] >= 1120 {
		t.Error("want none refused, and less than 560 and 1,120 in a minute")
	}
	if g.most[endpoint] < 400 {
		t.Error("want as many requests as the address may send: 400 in a minute at least")
	}
	if addresses := slotAddresses(t, conn); !slices.Equal(addresses, []string{"gateway-1 to " + hostOf(t, through)}) {
		t.Errorf("requests were counted for %q; want the address of daemon.yaml", addresses)
	}
}

func contentOf(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	noError(t, err)
	return string(content)
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	noError(t, err)
	return u.Host
}

// slotRows is how many rows were written to count requests, once the server has counted them.
func slotRows(t *testing.T, conn *pgx.Conn) (rows int64) {
	t.Helper()
	time.Sleep(2 * time.Second)
	noError(t, conn.QueryRow(t.Context(), `SELECT n_tup_ins + n_tup_upd + n_tup_del
		FROM pg_stat_user_tables WHERE relname = 'slot'`).Scan(&rows))
	return rows
}

// slotAddresses are those that requests were counted for.
func slotAddresses(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT DISTINCT address FROM adsync.slot ORDER BY address`)
	noError(t, err)
	addresses, err := pgx.CollectRows(rows, pgx.RowTo[string])
	noError(t, err)
	return addresses
}

// TestWhichAddressACommandAsksFrom: commands with a database count what they send, for the address they name; the
// emulator of their own process counts for nobody.
func TestWhichAddressACommandAsksFrom(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 1)
	conn, err := pgx.Connect(t.Context(), a.database)
	noError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	shop := filepath.Join(a.dir, "shop-0")
	run := func(extra ...string) (said string, code int) {
		c := asAdsync("plan", shop)
		c.Env = append(append(c.Env, "HOME="+t.TempDir(), "ADSYNC_DATABASE="+a.database,
			"ADSYNC_OPERATOR="+filepath.Join(a.dir, "operator-0.yaml")), extra...)
		out, _ := c.CombinedOutput()
		return string(out), c.ProcessState.ExitCode()
	}
	wants := func(what string, addresses ...string) {
		t.Helper()
		for i, address := range addresses {
			addresses[i] = address + " to " + hostOf(t, a.url)
		}
		if got := slotAddresses(t, conn); !slices.Equal(got, addresses) {
			t.Errorf("%s: requests were counted for %q; want %q", what, got, addresses)
		}
	}
	if said, code := run("ADSYNC_ADDRESS=a b"); code != 4 || !strings.Contains(said, `is "a b"; want a name`) {
		t.Errorf("with a wrong name it ends with %d:\n%s", code, said)
	}
	wants("a wrong name")
	if said, code := run("ADSYNC_ADDRESS=gateway-2"); code != 0 {
		t.Errorf("it ends with %d:\n%s", code, said)
	}
	wants("a name", "gateway-2")
	if said, code := run(); code != 0 {
		t.Errorf("it ends with %d:\n%s", code, said)
	}
	wants("no name", "gateway-2", "shared")
	project := filepath.Join(shop, "adsync.yaml")
	saveFile(t, project, contentOf(t, project)+"service: emulator\n")
	if said, code := run("ADSYNC_OPERATOR=", "ADSYNC_ADDRESS=gateway-3"); code != 0 {
		t.Errorf("with the emulator it ends with %d:\n%s", code, said)
	}
	wants("the emulator", "gateway-2", "shared")
}
