package state

import (
	"fmt"
	"sync/atomic"
	"testing"

	"adsync/internal/testing/kvtest"
	"adsync/internal/testing/pgtest"
	"adsync/state/kv"
)

// What is kept beside a state is kept in a database as in a folder.
func TestBesideInADatabaseConforms(t *testing.T) {
	server := openServer(t, pgtest.Database(t))
	var accounts atomic.Int32
	kvtest.Conforms(t, func(*testing.T) kv.Store {
		return server.Beside(fmt.Sprintf("act_%d", accounts.Add(1)))
	})
}
