// Package leasetest holds every database with states to the same promises: who has an account, who looks after it,
// which commit counts, and what is noticed of a loss. Tests of PostgreSQL and of its twin in memory call it.
//
// It refuses to know how a database keeps what it promises. Its invariant: each part begins with an empty database.
package leasetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"adsync/state"
	"adsync/state/postgres"
)

// World is one database.
type World struct {
	// Open connects to it as a process of its own. The line of the process is cut off, so that no question comes
	// through and no answer, until mend is called.
	Open func(t *testing.T, o postgres.Options) (process state.Database, cut, mend func())
	// Moment returns what has the database go back to what it is now, as a standby does that is promoted.
	Moment func(t *testing.T) (goBack func())
	// Sleep is by the clock of the database.
	Sleep func(d time.Duration)
}

// Conforms runs the suite. Each part asks for a world of its own.
func Conforms(t *testing.T, empty func(t *testing.T) World) {
	for _, part := range []struct {
		name  string
		holds func(t *testing.T, w World)
	}{
		{"one process holds an account", oneHolds},
		{"of many that claim one has it", oneOfMany},
		{"a lease that ends fences its process", fences},
		{"who wakes late begins anew", wakesLate},
		{"heartbeats keep a lease", heartbeats},
		{"who closes gives all back", closes},
		{"a commit follows the one before", follows},
		{"a state is received whole, or not", received},
		{"a state that is removed leaves nothing", removed},
		{"commits that were lost are noticed", lost},
		{"a commit of what was lost is not made", branches},
		{"who did not write last cannot say what was lost", lostByAnother},
		{"a promotion that lost nothing goes on", goesOn},
		{"workers share accounts fairly", shares},
		{"accounts of a worker that is gone are taken over", takenOver},
		{"many that pull at once take each account once", pullAtOnce},
		{"orders are seen", ordered},
		{"a look asks one question", standing},
	} {
		t.Run(part.name, func(t *testing.T) { part.holds(t, empty(t)) })
	}
}

// open connects as a process of its own whose line is never cut.
func (w World) open(t *testing.T, lease time.Duration) state.Database {
	t.Helper()
	d, _, _ := w.Open(t, self(lease))
	return d
}

func self(lease time.Duration) postgres.Options {
	return postgres.Options{Host: "here", PID: 7, Command: "adsync apply", Lease: lease}
}

func fresh() postgres.Head { return postgres.Head{Format: 4, Lineage: "0123", Serial: 1} }

func claim(t *testing.T, d state.Database, name string) state.Claimed {
	t.Helper()
	a, err := d.Claim(t.Context(), name, fresh())
	if err != nil {
		t.Fatalf("Claim(%s) = %v, want the account", name, err)
	}
	return a
}

// next commits one record.
func next(a state.Claimed, value string) error {
	h := a.Head()
	h.Serial++
	return a.Commit(h, []postgres.Write{{Class: "last", Key: "k", Value: value}})
}

// answered asks again for as long as the line is not what it was: connections of a pool are cut one by one.
func answered(ask func() error) (err error) {
	for range 10 {
		if err = ask(); !postgres.IsAway(err) {
			break
		}
	}
	return err
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func wantHeld(t *testing.T, what string, err error) *postgres.HeldError {
	t.Helper()
	held, is := errors.AsType[*postgres.HeldError](err)
	if !is {
		t.Fatalf("%s = %v, want who holds it", what, err)
	}
	return held
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantRecord(t *testing.T, a state.Claimed, want string) {
	t.Helper()
	if value, _, there, err := a.Read(t.Context(), "last", "k"); err != nil || !there || value != want {
		t.Errorf("the record is %q, %t, %v; want %q", value, there, err, want)
	}
}

func oneHolds(t *testing.T, w World) {
	first, second := w.open(t, 0), w.open(t, 0)
	a := claim(t, first, "act_1")
	_, err := second.Claim(t.Context(), "act_1", fresh())
	held := wantHeld(t, "Claim by a second process", err)
	if text := held.Error(); !strings.Contains(text, "process 7 on here since 20") ||
		!strings.Contains(text, "adsync apply") || held.Holder.Ends.IsZero() {
		t.Errorf("the error is %q, until %s; want who holds it and until when", text, held.Holder.Ends)
	}
	_, err = first.Claim(t.Context(), "act_1", fresh())
	if held = wantHeld(t, "Claim by the same process", err); !held.Holder.Ends.IsZero() {
		t.Errorf("this process holds it until %s; want no time, as nobody need wait", held.Holder.Ends)
	}
	if h, is, err := second.HeldBy(t.Context(), "act_1"); err != nil || !is || h.Host != "here" || h.PID != 7 {
		t.Errorf("HeldBy() = %+v, %t, %v; want the first process", h, is, err)
	}
	claim(t, second, "act_2") // another account is free
	noError(t, a.Close())
	if _, is, err := second.HeldBy(t.Context(), "act_1"); err != nil || is {
		t.Errorf("HeldBy() = %t, %v of an account that was given back; want nobody", is, err)
	}
	if again := claim(t, second, "act_1"); again.TakenOver() {
		t.Error("an account that was given back was taken over")
	}
}

func oneOfMany(t *testing.T, w World) {
	var processes []state.Database
	for range 6 {
		processes = append(processes, w.open(t, 0))
	}
	for round := range 5 {
		name := fmt.Sprintf("act_%d", round)
		var all sync.WaitGroup
		won := make(chan state.Claimed, len(processes))
		for _, d := range processes {
			all.Go(func() {
				a, err := d.Claim(context.Background(), name, fresh())
				if _, held := errors.AsType[*postgres.HeldError](err); err == nil {
					won <- a
				} else if !held {
					t.Errorf("Claim() = %v, want who holds it", err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Errorf("%d processes hold %s; want one", len(won), name)
		}
	}
}

// shortLease is one that ends within a test: the clock of the database runs by itself.
const shortLease = 900 * time.Millisecond

// awaited asks until a lease has ended.
func (w World) awaited(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !done(); w.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: not within a minute after a lease of %s", what, shortLease)
		}
	}
}

func fences(t *testing.T, w World) {
	frozen, cut, mend := w.Open(t, self(shortLease))
	other := w.open(t, 0)
	a := claim(t, frozen, "act_1")
	noError(t, next(a, "before"))
	w.Sleep(shortLease / 2) // so that heartbeats have come
	noError(t, a.Valid())
	cut()
	var b state.Claimed
	w.awaited(t, "take the account over", func() bool {
		valid := a.Valid()
		var err error
		if b, err = other.Claim(t.Context(), "act_1", fresh()); err == nil {
			wantError(t, "Valid() of who lost it", valid, postgres.ErrOver)
			return true
		}
		wantHeld(t, "Claim within the lease", err)
		return false
	})
	if !b.TakenOver() {
		t.Error("the account was taken over, and nobody says so")
	}
	mend()
	wantError(t, "Owned of who lost it", answered(func() error { return a.Owned(t.Context()) }), postgres.ErrFenced)
	wantError(t, "Commit of who lost it", answered(func() error { return next(a, "late") }), postgres.ErrFenced)
	noError(t, next(b, "after"))
	noError(t, b.Owned(t.Context()))
	noError(t, answered(a.Close)) // takes nothing from who has it
	noError(t, next(b, "and on"))
	wantRecord(t, b, "and on")
	noError(t, b.Close())
	if !claim(t, w.open(t, 0), "act_1").TakenOver() { // what the frozen one sent may come late all the same
		t.Error("the account was taken over a moment ago and given back, and nobody says so")
	}
}

func wakesLate(t *testing.T, w World) {
	var slept atomic.Int64
	o := self(time.Minute)
	o.Awake = func() time.Duration { return time.Duration(slept.Load()) }
	d, _, _ := w.Open(t, o)
	a := claim(t, d, "act_1")
	noError(t, a.Valid())
	slept.Store(int64(41 * time.Second)) // two thirds of the lease
	wantError(t, "Valid() after two thirds of a lease", a.Valid(), postgres.ErrOver)
	noError(t, claim(t, d, "act_2").Valid()) // as another worker
	wantError(t, "Valid() of what it held before", a.Valid(), postgres.ErrOver)
	noError(t, next(a, "late")) // nobody has it yet: a record of what was sent in time is welcome
}

func heartbeats(t *testing.T, w World) {
	d, other := w.open(t, shortLease), w.open(t, 0)
	a := claim(t, d, "act_1")
	for began := time.Now(); time.Since(began) < 3*shortLease; w.Sleep(shortLease / 4) {
		_, err := other.Claim(t.Context(), "act_1", fresh())
		wantHeld(t, "Claim while heartbeats come", err)
	}
	noError(t, next(a, "still"))
}

func closes(t *testing.T, w World) {
	d, other := w.open(t, 0), w.open(t, 0)
	claim(t, d, "act_1")
	noError(t, d.Close())
	if claim(t, other, "act_1").TakenOver() {
		t.Error("an account was taken over from a process that ended; want it given back")
	}
}

func follows(t *testing.T, w World) {
	d := w.open(t, 0)
	a := claim(t, d, "act_1")
	noError(t, next(a, "one"))
	h := a.Head()
	h.Serial += 2
	if err := a.Commit(h, nil); err == nil {
		t.Error("a commit that leaves one out is made; want it refused")
	}
	noError(t, next(a, "two"))
	if serial, err := d.Serial(t.Context(), "act_1"); err != nil || serial != 3 {
		t.Errorf("Serial() = %d, %v; want 3", serial, err)
	}
	h = a.Head()
	h.Serial++
	noError(t, a.Commit(h, []postgres.Write{{Class: "last", Key: "k", Remove: true}, {Class: "last", Key: "l"}}))
	all, err := a.All(t.Context(), "last")
	if err != nil || len(all) != 1 || all[0].Key != "l" {
		t.Errorf("All() = %v, %v; want the record that was put", all, err)
	}
}

func received(t *testing.T, w World) {
	d := w.open(t, 0)
	h := fresh()
	h.Serial = 7
	whole := []postgres.Write{{Class: "last", Key: "k", Value: "copied", Sum: 3}}
	noError(t, d.Receive(t.Context(), "act_1", nil, h, whole))
	wantError(t, "Receive where a state is", d.Receive(t.Context(), "act_1", nil, h, whole), postgres.ErrTaken)
	a := claim(t, d, "act_1")
	wantRecord(t, a, "copied")
	h.Serial = 9
	whole[0].Value = "again"
	noError(t, d.Receive(t.Context(), "act_1", a, h, whole))
	noError(t, next(a, "and on"))
	wantRecord(t, a, "and on")
}

func removed(t *testing.T, w World) {
	d := w.open(t, 0)
	a := claim(t, d, "act_1")
	noError(t, next(a, "one"))
	noError(t, d.Beside("act_1").Put("STOP", nil))
	noError(t, a.Remove(t.Context()))
	wantError(t, "Owned of nothing", a.Owned(t.Context()), postgres.ErrFenced)
	wantError(t, "Remove of nothing", a.Remove(t.Context()), postgres.ErrFenced)
	noError(t, a.Close())
	if names, err := d.Beside("act_1").Names(""); err != nil || len(names) > 0 {
		t.Errorf("beside it there is %q, %v; want nothing", names, err)
	}
	if serial, err := d.Serial(t.Context(), "act_1"); err != nil || serial != 0 {
		t.Errorf("Serial() = %d, %v; want 0", serial, err)
	}
	_, err := d.Snapshot(t.Context(), "act_1", nil)
	wantError(t, "Snapshot of nothing", err, postgres.ErrNothing)
	_, err = d.ClaimLost(t.Context(), "act_1")
	wantError(t, "ClaimLost of nothing", err, postgres.ErrNothing)
}

func lost(t *testing.T, w World) {
	d := w.open(t, 0)
	a := claim(t, d, "act_1")
	noError(t, next(a, "one"))
	goBack := w.Moment(t)
	noError(t, next(a, "two"))
	noError(t, next(a, "three"))
	goBack()
	wantError(t, "Owned on a database that forgot", a.Owned(t.Context()), postgres.ErrLost)
	wantError(t, "Commit on a database that forgot", next(a, "four"), postgres.ErrLost)
	noError(t, a.Close())
	_, err := d.Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim by who knows better", err, postgres.ErrLost)
	stranger := w.open(t, 0)
	_, err = stranger.Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim by who cannot know", err, postgres.ErrLost)
	_, err = stranger.Snapshot(t.Context(), "act_1", func(_, _, _ string, _ uint64) error { return nil })
	wantError(t, "Snapshot by who cannot know", err, postgres.ErrLost)
	all, err := stranger.ClaimLost(t.Context(), "act_1")
	noError(t, err)
	wantRecord(t, all, "one")
	noError(t, next(all, "what was decided"))
	noError(t, all.Close())
	_, err = w.open(t, 0).Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim before it is accepted", err, postgres.ErrLost)
	all, err = stranger.ClaimLost(t.Context(), "act_1")
	noError(t, err)
	noError(t, all.Accept(t.Context()))
	noError(t, all.Close())
	noError(t, claim(t, w.open(t, 0), "act_1").Close())
}

// branches is a process that was frozen while its claim was lost. Somebody else goes on, under the token that it had
// and to the serial that it knows: what it writes then is of another state.
func branches(t *testing.T, w World) {
	frozen, other := w.open(t, 0), w.open(t, 0)
	noError(t, claim(t, other, "act_1").Close())
	goBack := w.Moment(t)
	a := claim(t, frozen, "act_1")
	commit := func(a state.Claimed, digest uint64, value string) error {
		h := a.Head()
		h.Serial, h.Records, h.Digest = h.Serial+1, 1, digest
		return a.Commit(h, []postgres.Write{{Class: "last", Key: "k", Value: value, Sum: digest}})
	}
	noError(t, commit(a, 7, "lost"))
	goBack()
	b, err := other.ClaimLost(t.Context(), "act_1")
	noError(t, err)
	noError(t, commit(b, 8, "what was decided"))
	wantError(t, "Owned of another state", a.Owned(t.Context()), postgres.ErrFenced)
	if err := commit(a, 9, "of what was lost"); err == nil {
		t.Error("a commit is made onto another state than the one it follows; want it refused")
	}
	wantRecord(t, b, "what was decided")
	noError(t, commit(b, 10, "and on"))
}

func lostByAnother(t *testing.T, w World) {
	first, second := w.open(t, 0), w.open(t, 0)
	a := claim(t, first, "act_1")
	noError(t, next(a, "one"))
	noError(t, a.Close())
	b := claim(t, second, "act_1")
	noError(t, next(b, "two"))
	goBack := w.Moment(t)
	noError(t, next(b, "three"))
	goBack()
	noError(t, b.Close())
	_, err := first.Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim by who knows an older commit", err, postgres.ErrLost)
}

func goesOn(t *testing.T, w World) {
	d := w.open(t, 0)
	a := claim(t, d, "act_1")
	noError(t, next(a, "one"))
	w.Moment(t)()
	noError(t, next(a, "two"))
	noError(t, a.Close())
	_, err := w.open(t, 0).Claim(t.Context(), "act_1", fresh())
	wantError(t, "Claim by who cannot know that nothing was lost", err, postgres.ErrLost)
	noError(t, claim(t, d, "act_1").Close())
	noError(t, claim(t, w.open(t, 0), "act_1").Close()) // it was claimed there since
}
