package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "adsync/internal/testing/drawn"
	"adsync/internal/testing/pgtest"
	"adsync/internal/testing/slots"

	"pgregory.net/rapid"
)

// slowly gives the function that permits requests a clock of the test, which each look at it moves on, and no
// randomness.
func slowly(t testing.TB, d *Database) {
	t.Helper()
	for _, sql := range []string{
		`CREATE SCHEMA test`,
		`CREATE SEQUENCE test.clock START 1800000000000`,
		`CREATE FUNCTION test.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
			$$ SELECT to_timestamp(nextval('test.clock') / 1000.0) $$`,
		`CREATE FUNCTION test.random() RETURNS double precision LANGUAGE sql AS $$ SELECT 0.25::double precision $$`,
		`ALTER FUNCTION adsync.take SET search_path = test, pg_catalog`,
	} {
		_, err := d.pool.Exec(t.Context(), sql)
		noError(t, err)
	}
}

// The function in the database answers as its twin in memory does, which the simulations of whole fleets ask.
func TestSlotsAreThoseOfTheirTwin(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	slowly(t, d)
	addresses := 0
	rapid.Check(t, func(t *rapid.T) {
		addresses++
		var now int64 = 1800000000000
		twin := &slots.Ledger{
			Now: func() time.Time { return time.UnixMilli(now) }, Random: func() float64 { return 0.25 },
		}
		ledger := SlotsOf(d, fmt.Sprintf("address-%d", addresses))
		for range rapid.IntRange(1, 60).Draw(t, "takes") {
			now += rapid.SampledFrom([]int64{0, 1, 700, 4_999, 5_000, 10_000, 61_000}).Draw(t, "passed")
			endpoint := rapid.SampledFrom([]string{"GET /campaigns", "GET /ads", "POST /ads/{id}"}).Draw(t, "endpoint")
			waiting := rapid.IntRange(1, 200).Draw(t, "waiting")
			recent := rapid.IntRange(0, 150).Draw(t, "recent")
			_, err := d.pool.Exec(t.Context(), fmt.Sprintf(`SELECT setval('test.clock', %d, false)`, now))
			if err != nil {
				t.Fatal(err)
			}
			permits, lasts, again, err := ledger.Take(t.Context(), endpoint, waiting, recent)
			if err != nil {
				t.Fatal(err)
			}
			wantPermits, wantLasts, wantAgain, _ := twin.Take(t.Context(), endpoint, waiting, recent)
			if permits != wantPermits || lasts != wantLasts || again != wantAgain {
				t.Fatalf("Take(%s, %d, %d) at %d = %d, %s, %s; its twin says %d, %s, %s",
					endpoint, waiting, recent, now, permits, lasts, again, wantPermits, wantLasts, wantAgain)
			}
		}
	})
}

// sent is so many requests that arrive at the service at a moment, in milliseconds.
type sent struct {
	endpoint string
	at       int64
	requests int
}

// taker is one process: what it asks for, and when what it was given arrives.
type taker struct {
	endpoint        string
	waiting, recent int
	late            bool // as late as a permit may be used, and the request under way for five seconds
}

// Whatever many processes take at once, and whenever within their slot they use it, the service never sees more than
// its limits allow in any minute.
func TestProcessesTogetherStayUnderTheLimitsOfTheirAddress(t *testing.T) {
	address := pgtest.Database(t)
	var processes []*Database
	for range 5 {
		processes = append(processes, open(t, address, 0))
	}
	slowly(t, processes[0])
	addresses := 0
	rapid.Check(t, func(t *rapid.T) {
		addresses++
		step := rapid.SampledFrom([]int{20, 150, 600, 2000}).Draw(t, "milliseconds a take")
		if _, err := processes[0].pool.Exec(context.Background(),
			fmt.Sprintf(`ALTER SEQUENCE test.clock INCREMENT %d`, step)); err != nil {
			t.Fatal(err)
		}
		takes := make([][]taker, len(processes))
		for i := range takes {
			takes[i] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) taker {
				return taker{
					endpoint: rapid.SampledFrom([]string{"a", "a", "a", "b", "c"}).Draw(t, "endpoint"),
					waiting:  rapid.IntRange(1, 200).Draw(t, "waiting"),
					recent:   rapid.IntRange(0, 400).Draw(t, "recent"),
					late:     rapid.Bool().Draw(t, "late"),
				}
			}), 40, 40).Draw(t, "takes")
		}
		arrived := make([][]sent, len(processes))
		var all sync.WaitGroup
		for i, d := range processes {
			all.Go(func() { arrived[i] = takeAll(t, d, fmt.Sprintf("address-%d", addresses), takes[i]) })
		}
		all.Wait()
		together := slices.Concat(arrived...)
		for _, endpoint := range []string{"a", "b", "c"} {
			if most := mostInAMinute(together, endpoint); most > 559 {
				t.Fatalf("%d requests to one endpoint arrive in a minute; want 559 at most", most)
			}
		}
		if most := mostInAMinute(together, ""); most > 1119 {
			t.Fatalf("%d requests arrive in a minute; want 1,119 at most", most)
		}
	})
}

// takeAll takes what one process asks for, one after the other.
func takeAll(t *rapid.T, d *Database, address string, takes []taker) (arrived []sent) {
	for _, take := range takes {
		var permits int
		var lasts time.Duration
		var at int64
		err := d.pool.QueryRow(context.Background(),
			`SELECT permits, lasts, currval('test.clock') FROM adsync.take($1, $2, $3, $4)`,
			address, take.endpoint, take.waiting, take.recent).Scan(&permits, &lasts, &at)
		if err != nil {
			t.Errorf("take() = %v, want permits", err)
			return arrived
		}
		if take.late {
			at += lasts.Milliseconds() - 1 + 5_000
		}
		arrived = append(arrived, sent{take.endpoint, at, permits})
	}
	return arrived
}

// mostInAMinute is how many requests to an endpoint, or to all, arrive in the minute that has most.
func mostInAMinute(all []sent, endpoint string) (most int) {
	for _, first := range all {
		requests := 0
		for _, s := range all {
			if (endpoint == "" || s.endpoint == endpoint) && s.at >= first.at && s.at < first.at+60_000 {
				requests += s.requests
			}
		}
		most = max(most, requests)
	}
	return most
}

// A clock that is put back, as by a new server, permits no more in a minute, and holds nothing back for longer.
func TestAClockThatIsPutBackHoldsNothingBack(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	slowly(t, d)
	take := func(at time.Duration) (permits int) {
		t.Helper()
		_, err := d.pool.Exec(t.Context(), fmt.Sprintf(`SELECT setval('test.clock', %d)`, 1800000000000+at.Milliseconds()))
		noError(t, err)
		for range 100 {
			n, _, _, err := SlotsOf(d, "here").Take(t.Context(), "GET /ads", 64, 0)
			noError(t, err)
			permits += n
		}
		return permits
	}
	for _, row := range []struct {
		at          time.Duration
		least, most int
	}{
		{at: 2 * time.Hour, least: 500, most: 559},
		{at: time.Hour}, // put back
		{at: time.Hour + time.Minute, most: 56},
		{at: time.Hour + 75*time.Second, least: 400, most: 559},
	} {
		if permits := take(row.at); permits < row.least || permits > row.most {
			t.Errorf("at %s there are %d permits; want %d to %d", row.at, permits, row.least, row.most)
		}
	}
}

// Who may use the schema and no more may take permits; who reads what was there before is refused.
func TestWhoMayTakePermits(t *testing.T) {
	address := pgtest.Database(t)
	d := open(t, address, 0)
	_, err := d.pool.Exec(t.Context(), `CREATE ROLE taker LOGIN; GRANT USAGE ON SCHEMA adsync TO taker;
		GRANT SELECT ON adsync.migration TO taker`)
	noError(t, err)
	least := open(t, strings.Replace(address, "adsync@", "taker@", 1), 0)
	if permits, _, _, err := SlotsOf(least, "here").Take(t.Context(), "GET /ads", 3, 0); permits != 3 || err != nil {
		t.Errorf("Take() of a role without rights to the table = %d, %v; want 3", permits, err)
	}
	stale := open(t, address+"&default_transaction_isolation=serializable", 0)
	if _, _, _, err := SlotsOf(stale, "here").Take(t.Context(), "GET /ads", 3, 0); err == nil {
		t.Error("Take() in serializable transactions is done; want it refused")
	}
}

// What was used at an address that nobody asks from any more is forgotten, and an address has a bounded number of rows.
func TestSlotsOfLongAgoAreForgotten(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	slowly(t, d)
	rows := func() (n int) {
		noError(t, d.pool.QueryRow(t.Context(), `SELECT count(*) FROM adsync.slot`).Scan(&n))
		return n
	}
	for i := range 100 {
		_, err := d.pool.Exec(t.Context(), fmt.Sprintf(`SELECT setval('test.clock', %d)`, 1800000000000+i*7_000))
		noError(t, err)
		_, _, _, err = SlotsOf(d, "gone").Take(t.Context(), "GET /ads", 5, 0)
		noError(t, err)
	}
	if n := rows(); n != 8 {
		t.Errorf("after 100 takes there are %d rows; want 8", n)
	}
	_, err := d.pool.Exec(t.Context(), `SELECT setval('test.clock', 1800000000000 + 2 * 24 * 3600 * 1000)`)
	noError(t, err)
	_, _, _, err = SlotsOf(d, "here").Take(t.Context(), "GET /ads", 5, 0)
	noError(t, err)
	if n := rows(); n != 1 {
		t.Errorf("after two days there are %d rows; want that of the one take", n)
	}
}
