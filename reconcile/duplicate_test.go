package reconcile_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/env"
)

// onResultsOfRepeat has something happen once the results of the first job that
// repeats a parent have been read, and counts the mutations sent after it.
func onResultsOfRepeat(then func(), after *int) line {
	jobs, happened := 0, false
	return func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost && happened {
			*after++
		}
		if posts(r, "bulk_mutation_jobs") && !validates(r) {
			jobs++
		}
		response, err := send(r)
		if jobs == 2 && !happened && strings.HasSuffix(r.URL.Path, "/operations") {
			happened = true
			then()
		}
		return response, err
	}
}

// S19, S21: the archive of a second parent is a mutation like any other: after an
// interrupt, and by a process that stood still, it is not sent. The next run
// archives it.
func TestS21StrayIsNotArchivedAfterAnInterrupt(t *testing.T) {
	for _, row := range []struct {
		name string
		stop func(w *world, interrupt func())
		want error
	}{
		{"interrupted", func(_ *world, interrupt func()) { interrupt() }, context.Canceled},
		{"stood still", func(w *world, _ func()) { w.slept += 3 * time.Hour }, env.ErrStale},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := small(newWorld(t, emulatortest.WithPoints(t, "bulk_parent_repeat=stray")))
			w.wide("spring", 6)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			after := 0
			agent := w.through(onResultsOfRepeat(func() { row.stop(w, interrupt) }, &after), w.store)
			agent.InFlight = &env.InFlight{}
			agent.Sleep = func(ctx context.Context, d time.Duration) error {
				if d == 30*time.Second { // the grace does not end
					<-ctx.Done()
					return ctx.Err()
				}
				return w.sleep(ctx, d)
			}
			if _, err := agent.Apply(ctx, w.plan()); !errors.Is(err, row.want) {
				t.Errorf("Apply = %v; want %v", err, row.want)
			}
			if after != 0 {
				t.Errorf("%d mutations were sent after it; want none", after)
			}
			w.agent = w.newAgent()
			if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
				t.Fatalf("Recover = %+v, %v; want nothing left open", recovered.Undecided, err)
			}
			w.clean()
			w.strays(1)
		})
	}
}

// What reading back shows of a job whose answer is lost says nothing of whether
// its account makes a second parent: that is not recorded, and is found out the
// next time.
func TestRepeatedParentThatWasOnlyReadBackTeachesNothing(t *testing.T) {
	w := small(newWorld(t, emulatortest.WithPoints(t, "bulk_parent_repeat=stray")))
	w.wide("spring", 6)
	jobs := 0
	lost := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "bulk_mutation_jobs") && !validates(r) {
			jobs++
		}
		response, err := send(r)
		if jobs >= 2 && posts(r, "bulk_mutation_jobs") && err == nil {
			_ = response.Body.Close()
			return nil, errors.New("cut off")
		}
		return response, err
	}), w.store)
	_, _ = lost.Apply(t.Context(), w.plan())
	if err := w.sleep(t.Context(), 2*env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	known, err := w.store.Capabilities(t.Context())
	if reused, recorded := known[resource.RepeatParent]; err != nil || recorded {
		t.Errorf("recorded that parents can be repeated: %v (%v); want nothing, as no result said so", reused, err)
	}
}
