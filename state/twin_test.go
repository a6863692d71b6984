package state_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/branchtest"
	"adsync/internal/testing/leasetest"
	"adsync/internal/testing/pgtest"
	"adsync/internal/testing/twin"
	"adsync/state"
	"adsync/state/postgres"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) {
	state.Main(m, func(t testing.TB) *state.Server {
		s := state.NewServer(twin.New(time.Now).Open(context.Background(), postgres.Options{}, nil))
		t.Cleanup(func() { s.Close() })
		return s
	}, branchtest.Runner)
}

// PostgreSQL is held to what its twin is.
func TestLeasesInADatabaseConform(t *testing.T) {
	leasetest.Conforms(t, func(t *testing.T) leasetest.World {
		address := pgtest.Database(t)
		return leasetest.World{
			Open: func(t *testing.T, o postgres.Options) (state.Database, func(), func()) {
				through, cut, mend := line(t, address)
				d, err := postgres.Open(t.Context(), through, o)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { mend(); d.Close() })
				return state.InPostgres{Database: d}, cut, mend
			},
			Sleep:  time.Sleep,
			Moment: func(t *testing.T) func() { return moment(t, address) },
		}
	})
}

// line returns an address that leads to a database, until it is cut: then it carries nothing.
func line(t *testing.T, address string) (through string, cut, mend func()) {
	before, rest, _ := strings.Cut(address, "@")
	server, after, _ := strings.Cut(rest, "/")
	proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		"database", "127.0.0.1:0", server)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	cut = func() {
		for _, stream := range []string{"upstream", "downstream"} {
			toxic := fmt.Sprintf(`{"name": %q, "type": "timeout", "stream": %q}`, stream, stream)
			if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
				t.Error(err)
			}
		}
	}
	return before + "@" + proxy.Listen + "/" + after, cut, func() { proxy.Toxics.ResetToxics(context.Background()) }
}

// moment keeps what a database has. To go back to it looks like a promotion that lost what came later.
func moment(t *testing.T, address string) (goBack func()) {
	sql := func(text string) {
		t.Helper()
		if err := pgtest.Exec(address, text); err != nil {
			t.Fatal(err)
		}
	}
	sql(`CREATE SCHEMA moment; CREATE TABLE moment.head AS TABLE adsync.head;
		CREATE TABLE moment.record AS TABLE adsync.record; CREATE TABLE moment.beside AS TABLE adsync.beside`)
	return func() {
		sql(`DELETE FROM adsync.head; INSERT INTO adsync.head TABLE moment.head; UPDATE adsync.head SET timeline = timeline - 1;
			DELETE FROM adsync.record; INSERT INTO adsync.record TABLE moment.record; DELETE FROM adsync.beside;
			INSERT INTO adsync.beside OVERRIDING SYSTEM VALUE TABLE moment.beside; DROP SCHEMA moment CASCADE`)
	}
}
