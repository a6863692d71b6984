package postgres_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"adsync/internal/testing/kvtest"
	"adsync/internal/testing/pgtest"
	"adsync/state/kv"
	"adsync/state/postgres"
)

// What is kept beside a state is kept in a database as in a folder.
func TestBesideConforms(t *testing.T) {
	d, err := postgres.Open(t.Context(), pgtest.Database(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	var accounts atomic.Int32
	kvtest.Conforms(t, func(*testing.T) kv.Store {
		return d.Beside(fmt.Sprintf("act_%d", accounts.Add(1)))
	})
}
