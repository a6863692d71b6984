package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/reconcile/apply"
)

// N23: a run dies right after a request whose key the service knows late, is started
// again at once, and nothing is made twice.
func TestWhatWasSentLastIsGivenTimeToBeKnown(t *testing.T) {
	tree := func(w *world) { w.tree("spring", "paused") }
	group := func(w *world) { w.tree("spring", "paused"); w.clean(); w.group("New") }
	for _, row := range []struct {
		name, diesBefore string
		files            func(*world)
	}{
		{"a job", "answer of POST /bulk_mutation_jobs", tree},
		{"a request", "answer of POST /ad_groups", group},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, points("list_visibility_lag=60s,key_visibility_lag=60s"))
			row.files(w)
			w.diesBefore(row.diesBefore)
			w.agent = w.newAgent()
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.clean()
			w.eachOnce()
		})
	}
}

// All open steps of a run were sent before it ended: they are waited for together.
func TestRecoveryWaitsForKeysOnce(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.clean()
	w.group("New")
	w.write("ad_group/spring/newer", map[string]any{"name": "Newer", "status": "active", "bid.max": 1_250_000})
	w.diesBefore("answer of POST /ad_groups")
	w.agent = w.newAgent()
	if open, err := w.store.Open(t.Context()); err != nil || len(open) < 2 {
		t.Fatalf("%d steps are open, %v; want what was sent", len(open), err)
	}
	began := w.now()
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := w.now().Sub(began); took < time.Minute || took > time.Minute+10*time.Second {
		t.Errorf("recovery took %s; want one wait of a minute", took)
	}
	w.eachOnce()
}

// Who interrupts the wait is told so, and nothing is sent.
func TestAnInterruptEndsTheWaitForKeys(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.diesBefore("send POST /bulk_mutation_jobs")
	w.agent = w.newAgent()
	ctx, interrupt := context.WithCancel(t.Context())
	w.agent.Notice = func(string) { interrupt() }
	sleep := w.agent.Sleep
	w.agent.Sleep = func(ctx context.Context, d time.Duration) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return sleep(ctx, d)
	}
	if _, err := w.agent.Recover(ctx); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("Recover = %v; want that it was interrupted", err)
	}
	if made := w.mutations(); len(made) > 0 {
		t.Errorf("the service was asked for %v; want nothing", made)
	}
}

// A job of which every create surely failed goes again as soon as the service says:
// no key of it is to be known. Where it made something, that must be known by its key,
// or it is made twice.
func TestAJobGoesAgainWhenWhatItMadeIsKnown(t *testing.T) {
	for _, row := range []struct {
		name        string
		fails       string // type of the operation that fails once, retryable after 3 s
		least, most time.Duration
	}{
		{"nothing was made", "campaign.create", 3 * time.Second, 30 * time.Second},
		{"the parents were made", "ad.create", time.Minute, 90 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, points("key_visibility_lag=5s"))
			w.bulk.Preflight = apply.PreflightNever
			w.agent = w.newAgent()
			w.tree("spring", "paused")
			failed, retry, wait, clock := time.Time{}, true, int64(3), w.service.World().Clock
			w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
				next func() world_.JobResult) world_.JobResult {
				if op.ID == "probe" || op.Type != row.fails || !failed.IsZero() {
					return next()
				}
				failed = clock.Now() // the world's own is held while the service works
				return world_.JobResult{
					OperationID: op.ID, Type: op.Type, Status: "failed", Retryable: &retry, RetryAfter: &wait,
				}
			}})
			w.clean()
			if took := clock.Now().Sub(failed); failed.IsZero() || took < row.least || took > row.most {
				t.Errorf("the apply took %s from the failure on; want %s to %s", took, row.least, row.most)
			}
			w.eachOnce()
		})
	}
}
