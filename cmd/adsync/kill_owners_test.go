package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/pgtest"
)

var forcedOwners = flag.Int("forced-owners", 4, "how many times somebody makes a database give an account to two")

// force is SQL by which a database gives an account away that a process holds, and knows nothing of.
var force = []struct{ name, sql string }{
	{"the account is nobody's", `UPDATE adsync.head SET worker = NULL WHERE account = '%s'`},
	{"its lease is over", `UPDATE adsync.worker SET ends = clock_timestamp() - interval '1 second'
		WHERE id = (SELECT worker FROM adsync.head WHERE account = '%s')`},
}

// TestTwoOwnersForced has somebody change the tables while a process applies, so that others take its account at once,
// with edited files. All of them think that it is theirs, and send. In the end the account is as the files say, with
// one of everything.
func TestTwoOwnersForced(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 28)
	forced, rounds, start := map[string]int{}, 0, time.Now()
	for n := 0; n < *forcedOwners; {
		if rounds%roundsOfAFleet == 0 {
			f.populate(3000 + rounds)
		}
		if rounds++; rounds > 10**forcedOwners+20 {
			t.Fatalf("%d of %d applies had a second owner; want more", n, rounds)
		}
		var mu sync.Mutex
		var applies sync.WaitGroup
		for i, h := range f.accounts {
			h.edit()
			how, random := force[(rounds+i)%len(force)], rand.New(rand.NewPCG(f.random.Uint64(), 0))
			applies.Go(func() {
				if f.giveAway(h, how.sql, random) {
					mu.Lock()
					defer mu.Unlock()
					n++
					forced[how.name]++
				}
			})
		}
		applies.Wait()
		f.judge()
	}
	t.Logf("seed %d, %.0f s: two owners: %s; %d doubled, %d lost, second plan empty %d times\n  %s\n  %s",
		*killSeed, time.Since(start).Seconds(), perKind(forced), f.sum.doubled, f.sum.lost, f.sum.empty,
		&f.late, perKind(f.codes))
	if f.sum.doubled+f.sum.lost+f.late.left > 0 || f.sum.empty == 0 {
		t.Errorf("want none doubled, none lost, none left, and empty second plans")
	}
}

// giveAway runs an apply, and at one of its requests the database gives the account away; two others apply at once.
// False where the apply ended before.
func (f *fleet) giveAway(h *history, sql string, random *rand.Rand) bool {
	given := make(chan struct{})
	before := &executioner{strike: func(*os.Process) error {
		defer close(given)
		f.edit(h)
		if err := pgtest.Exec(f.server.URL("adsync"), fmt.Sprintf(sql, h.account)); err != nil {
			f.t.Errorf("%s: %v", sql, err)
		}
		return nil
	}}
	before.emulator = &sender{h, before}
	at := moment{n: random.IntN(4), changing: true, edge: afterAnswer}
	if random.IntN(3) > 0 {
		at.edge, at.afterward = onItsWay, testLease/2+time.Duration(random.Int64N(int64(testLease*9/2)))
	}
	line := httptest.NewServer(before)
	defer line.Close()
	c, said := f.command(h, "apply", "--yes")
	c.Env = append(c.Env, session.EnvBaseURL+"="+line.URL+"/v1")
	if err := before.start(c, at); err != nil {
		f.t.Errorf("start apply: %v", err)
		return false
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // its code is looked at
		f.ended(c, said.String())
		close(ended)
	}()
	select {
	case <-given:
		var others sync.WaitGroup
		for range workersOfAccount {
			others.Go(func() { f.others(h, time.After(testLease/10)) })
		}
		others.Wait()
		<-ended
		return true
	case <-ended:
		return false
	}
}
