package daemoncmd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
)

// What an apply does is said by the names that people gave, and how far it is by operations: one whose outcome is
// corrected counts once.
func TestWhatAnApplyDoesIsSaid(t *testing.T) {
	var said []string
	l := &lookedOn{tell: func(_ string, data map[string]any) {
		if text, is := data["says"].(string); is {
			said = append(said, text)
		}
	}}
	settled := func(wave, address, name string) reconcile.Event {
		at, _ := resource.ParseAddress(address)
		return reconcile.Event{
			Kind: reconcile.OpSettled, Wave: wave, Outcome: reconcile.Outcome{Address: at, Name: name},
		}
	}
	for _, e := range []reconcile.Event{
		{Kind: reconcile.RunCounted, Operations: 3},
		{Kind: reconcile.WaveStarted, Wave: "lower"},
		settled("lower", "campaign/boots", "Hiking Boots"),
		settled("lower", "campaign/boots", "Hiking Boots"),
		settled("raise", "campaign/boots", "Hiking Boots"),
		settled("raise", "campaign/hats", ""),
		settled("raise", "campaign/more", "More\x1b[31m"),
	} {
		l.happened(e)
	}
	want := []string{
		"applying 1 of 3: Hiking Boots", "applying 1 of 3: Hiking Boots", "applying 2 of 3: Hiking Boots",
		"applying 3 of 3: campaign/hats", `applying 4 of 4: More\x1b[31m`,
	}
	if diff := gocmp.Diff(want, said); diff != "" {
		t.Errorf("it is said (-want +got):\n%s", diff)
	}
}

// A run that met another process is followed by one soon after that process has let the account go, however long it
// had it. Where nobody is seen to hold it, and once another run has begun, nothing wakes the loop.
func TestARunFollowsSoonAfterAnAccountIsFree(t *testing.T) {
	for _, row := range []struct {
		name  string
		held  time.Duration // from the refusal on
		away  time.Duration // from then on it cannot be asked, for a minute; 0: it always can
		run   time.Duration // when another run begins; 0: none does
		wakes bool
	}{
		{"after a moment", time.Second, 0, 0, true},
		{"after an hour", time.Hour, 0, 0, true},
		{"while nobody can be asked", 90 * time.Second, time.Minute, 0, true},
		{"nobody is seen to hold it", 0, 0, 0, false},
		{"another run began", time.Minute, 0, 50 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			f, began := &freed{held: make(chan isHeld, 1)}, time.Now()
			var woken []time.Duration
			go f.watch(ctx, func(daemon.Trigger) { woken = append(woken, time.Since(began)) })
			f.begins()
			f.refused(func(context.Context) (bool, error) {
				age := time.Since(began)
				if row.away > 0 && age >= row.away && age < row.away+time.Minute {
					return false, errors.New("the database does not answer")
				}
				return age < row.held, nil
			})
			if row.run > 0 {
				time.AfterFunc(row.run, f.begins)
			}
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			free := max(row.held, row.away+time.Minute)
			if row.away == 0 {
				free = row.held
			}
			if (len(woken) == 1) != row.wakes || len(woken) > 1 ||
				row.wakes && (woken[0] < free || woken[0] > free+freedEvery) {
				t.Errorf("%s: free after %s, the loop is woken after %v; want it within %s of that: %t",
					row.name, free, woken, freedEvery, row.wakes)
			}
			stop()
		})
	}
}

// A state that another process has open is looked at until it has closed it.
func TestAStateThatAnotherHasOpenIsTriedOnceItIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		project := config.Project{Home: t.TempDir()}
		other, err := state.Open(ctx, project.StateFolder(), state.Options{})
		noError(t, err)
		w := &worker{env: &session.Env{}, freed: freed{held: make(chan isHeld, 1)}}
		woken := make(chan daemon.Trigger, 10)
		go w.freed.watch(ctx, func(why daemon.Trigger) { woken <- why })
		if _, _, err := w.open(ctx, project); !errors.Is(err, state.ErrLocked) {
			t.Fatalf("open(…) = %v; want the state locked", err)
		}
		time.Sleep(time.Minute)
		if synctest.Wait(); len(woken) != 0 {
			t.Fatalf("the loop is woken while another process has the state")
		}
		noError(t, other.Close())
		time.Sleep(freedEvery)
		if synctest.Wait(); len(woken) != 1 {
			t.Errorf("the loop is woken %d times once the state is closed; want once", len(woken))
		}
	})
}
