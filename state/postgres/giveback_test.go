package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

// TestAClaimThatIsBrokenOffHoldsNothing: whoever breaks a claim off, at whatever moment, leaves the account to others,
// although this process lives on.
func TestAClaimThatIsBrokenOffHoldsNothing(t *testing.T) {
	address := pgtest.Database(t)
	d, other := open(t, address, time.Minute), open(t, address, time.Minute)
	claim(t, d, "shop").Close()
	began := time.Now()
	const sample = 20
	for range sample {
		noError(t, claim(t, d, "shop").Close())
	}
	usual := time.Since(began) / sample
	broken := 0
	for range 400 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(rand.N(usual), cancel)
		a, err := d.Claim(ctx, "shop", fresh())
		cancel()
		if err == nil {
			noError(t, a.Close())
			continue
		}
		broken++
		if a, err = other.Claim(t.Context(), "shop", fresh()); err != nil {
			t.Fatalf("another process's claim after the %dth that was broken off = %v; want the account", broken, err)
		}
		noError(t, a.Close())
	}
	if broken == 0 {
		t.Error("no claim was broken off")
	}
}

// TestAnAccountIsGivenBackOnceTheDatabaseAnswers: what could not be given back at once is others' with a heartbeat.
func TestAnAccountIsGivenBackOnceTheDatabaseAnswers(t *testing.T) {
	address := pgtest.Database(t)
	impatient := address + "&lock_timeout=100ms"
	d, other := open(t, impatient, 6*time.Second), open(t, address, time.Minute)
	a := claim(t, d, "shop")
	lock, err := pgx.Connect(t.Context(), address) // the row of the account, so that no question about it is answered
	noError(t, err)
	defer lock.Close(context.WithoutCancel(t.Context()))
	tx, err := lock.Begin(t.Context())
	noError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM adsync.head WHERE account = 'shop' FOR UPDATE`)
	noError(t, err)
	if err := a.Close(); err == nil {
		t.Fatal("Close() = nil while the account is locked, want an error")
	}
	noError(t, tx.Rollback(t.Context()))
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // until the heartbeat gives it back
		a, err := other.Claim(t.Context(), "shop", fresh())
		if err == nil {
			noError(t, a.Close())
			return
		}
		if !errors.Is(err, errHeld) || time.Since(began) > time.Minute {
			t.Fatalf("another process's claim = %v; want the account after a heartbeat", err)
		}
	}
}

// TestGivingBackRefusesNoClaim: a claim of this process waits while what it owes is given back, and what it has open
// stays its own.
func TestGivingBackRefusesNoClaim(t *testing.T) {
	address := pgtest.Database(t)
	d, other := open(t, address, time.Minute), open(t, address, time.Minute)
	first := claim(t, d, "shop")
	noError(t, first.Close())
	lock, err := pgx.Connect(t.Context(), address)
	noError(t, err)
	defer lock.Close(context.WithoutCancel(t.Context()))
	tx, err := lock.Begin(t.Context())
	noError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM adsync.head WHERE account = 'shop' FOR UPDATE`)
	noError(t, err)

	d.holds.owe("shop", first.worker, errors.New("no answer"))
	repaid := make(chan struct{})
	go func() { d.holds.repay(t.Context()); close(repaid) }()
	for waits, began := false, time.Now(); !waits; {
		noError(t, other.pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		if time.Since(began) > time.Minute {
			t.Fatal("nothing is given back")
		}
	}
	claimed := make(chan error, 1)
	go func() {
		_, err := d.Claim(t.Context(), "shop", fresh())
		claimed <- err
	}()
	select {
	case err := <-claimed:
		t.Fatalf("Claim() while the account is given back = %v, want that it waits", err)
	case <-time.After(200 * time.Millisecond):
	}
	noError(t, tx.Rollback(t.Context()))
	noError(t, <-claimed)
	<-repaid
	d.holds.owe("shop", first.worker, errors.New("no answer"))
	d.holds.repay(t.Context())
	_, err = other.Claim(t.Context(), "shop", fresh())
	wantError(t, "another process's claim of what is open", err, errHeld)
}
