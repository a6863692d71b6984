package reconcile_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/population"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/reconcile/recover"
	"adsync/state"
)

// Merged writes an audience that is made of others.
func (w *world) Merged(key string, sources ...string) {
	w.write("audience/"+key, map[string]any{"name": "Audience " + key, "description": "of others", "merge": sources})
}

// Interface, part 4, custom audiences: a merge makes an independent audience of
// all people of its sources, also of those this very apply makes or changes, and
// leaves them as they are. Unchanged it sends nothing; changed it is held.
func TestMergeMakesAnAudienceOfOthers(t *testing.T) {
	w := newWorld(t)
	w.audience("one", 0, 50)
	w.audience("two", 40, 60)
	w.clean()
	w.audience("two", 40, 80)
	w.audience("three", 100, 110)
	w.Merged("all", "audience/one", "audience/two", "audience/three")
	w.clean()
	if n := w.matched("all"); n != 90 {
		t.Fatalf("%d people are in the merged audience; want 90", n)
	}
	if n := w.matched("one"); n != 50 {
		t.Errorf("%d people are in a source; want the 50 it had", n)
	}
	w.Merged("all", w.last("audience/one").ID, "audience/two", "audience/three") // the same, in other words
	w.clean()
	if n := w.merges(); n != 1 {
		t.Errorf("the service merged %d times; want once", n)
	}
	w.Merged("all", "audience/one", "audience/two")
	if got := outcomes(w.apply())["audience/all"]; got != apply.OutcomeHeld {
		t.Errorf("another merge is %s; want it held", got)
	}
	w.permitAll("replace=audience/all", "archives=audience/all")
	w.clean()
	if n := w.matched("all"); n != 80 || w.merges() != 2 {
		t.Errorf("%d people are in after %d merges; want 80 after two", n, w.merges())
	}
}

// merges counts the merges the service took.
func (w *world) merges() (n int) {
	for _, m := range w.mutations() {
		if m.Action == "merge" {
			n++
		}
	}
	return n
}

// Facts, 8.2: only ready audiences can be merged. The row says which is not, and
// how it is.
func TestMergeOfAnAudienceThatIsNotReadyWaits(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.SmallAudiences = false })
	w.audience("one", 0, 50)
	w.audience("two", 50, 60)
	w.Merged("all", "audience/one", "audience/two")
	report := w.apply()
	if got := outcomes(report); got["audience/one"] != state.OutcomeApplied ||
		got["audience/all"] != state.OutcomeSkipped || w.merges() != 0 {
		t.Errorf("outcomes are %v; want the sources applied and the merge left out", got)
	}
	for _, o := range report.Outcomes {
		if o.Address.Key == "all" && !strings.Contains(o.Message,
			`audience/one is "too_small" at the service; only what is ready can be merged`) {
			t.Errorf("the merge says %q; want which source is how", o.Message)
		}
	}
}

// What is archived is merged no more: its row says so, and the others go on.
func TestMergeOfAnArchivedAudienceIsHeld(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "audience_duration=60s"))
	w.audience("one", 0, 50)
	w.audience("two", 50, 60)
	w.clean()
	w.service.Must(t, "POST", "/custom_audiences/"+w.last("audience/two").ID+"/archive", nil)
	w.Merged("all", "audience/one", w.last("audience/two").ID)
	w.tree("spring", "paused")
	got := outcomes(w.apply())
	if got["audience/all"] != apply.OutcomeHeld || got["campaign/spring"] != state.OutcomeApplied {
		t.Errorf("outcomes are %v; want the merge held and the campaign applied", got)
	}
}

// A8: a source that somebody else is changing is not merged half changed: the
// service refuses it, and the next plan holds it with its source.
func TestA8MergeWhileSomebodyChangesASource(t *testing.T) {
	w := newWorld(t)
	w.audience("one", 0, 50)
	w.audience("two", 50, 60)
	w.clean()
	w.Merged("all", "audience/one", "audience/two")
	view := w.plan()
	id := w.last("audience/two").ID
	body := map[string]any{
		"identifiers": []map[string]string{{"identifier_type": "email",
			"identifier": population.Identifier(population.Email, 700)}},
	}
	w.service.Must(t, "POST", "/custom_audiences/"+id+"/add", body, "Idempotency-Key", "somebody")
	report, err := w.agent.Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	o := report.Outcomes[0]
	if o.Outcome != state.OutcomeFailed || !strings.Contains(o.Message, "somebody else is changing who is in it") ||
		w.merges() != 0 {
		t.Errorf("outcome is %s %q after %d merges; want it failed with the reason, and none",
			o.Outcome, o.Message, w.merges())
	}
	if err := w.sleep(t.Context(), 2*env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	w.service.Must(t, "GET", "/custom_audiences/"+id, nil)
	if got := outcomes(w.apply()); got["audience/all"] != apply.OutcomeHeld ||
		got["audience/two"] != apply.OutcomeHeld {
		t.Errorf("outcomes are %v; want both held: what is in the source is not what the files say", got)
	}
	w.permitAll("drift=audience/two")
	w.clean()
	if n := w.matched("all"); n != 60 {
		t.Errorf("%d people are in; want 60", n)
	}
}

// A7: an operation that somebody left standing on a source is made to go on by the merge
// that it stops, whatever the refusal says; the next plan shows who is in by then.
func TestA7StoppedOperationOnASourceIsResumed(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "audience_operation_stalls=half_way"))
	w.audience("one", 0, 50)
	w.audience("two", 50, 60)
	w.clean()
	w.addByHand("two", 700)
	w.Merged("all", "audience/one", "audience/two")
	if o := w.apply().Outcomes[0]; o.Outcome != state.OutcomeFailed ||
		!strings.Contains(o.Message, "mutation_conflict") {
		t.Fatalf("the merge is %s %q; want it refused, as a source has an operation that stands", o.Outcome, o.Message)
	}
	if err := w.sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	w.service.Must(t, "GET", "/custom_audiences/"+w.last("audience/two").ID, nil)
	w.permitAll("drift=audience/two")
	w.clean()
	if n := w.matched("all"); n != 60 {
		t.Errorf("%d people are in; want 60", n)
	}
}

// A6, N3: a merge whose answer was lost goes again under its key while that is
// young; later it is looked for by its name and by the merge that made it.
func TestA6LostAnswerOfAMergeMakesOneAudience(t *testing.T) {
	for _, tt := range []struct {
		name string
		line http.RoundTripper
		late bool
		want recover.Recovered
	}{
		{"young", &lost{suffix: "/merge"}, false, recover.Recovered{Finished: 1}},
		{"old", &lost{suffix: "/merge"}, true, recover.Recovered{Finished: 1}},
		{"old, and it never arrived", &unsent{suffix: "/merge"}, true, recover.Recovered{Abandoned: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.audience("one", 0, 50)
			w.audience("two", 50, 60)
			w.clean()
			w.Merged("all", "audience/one", "audience/two")
			report, err := w.through(tt.line, w.store).Apply(t.Context(), w.plan())
			if err != nil || outcomes(report)["audience/all"] != state.OutcomeUnknown {
				t.Fatalf("apply: %v, %v; want unknown", outcomes(report), err)
			}
			if tt.late {
				if err := w.sleep(t.Context(), 2*env.TrustWindow); err != nil {
					t.Fatal(err)
				}
			}
			w.agent = w.newAgent()
			recovered, err := w.agent.Recover(t.Context())
			if err != nil || recovered.Finished != tt.want.Finished ||
				recovered.Abandoned != tt.want.Abandoned || len(recovered.Undecided) != 0 {
				t.Fatalf("Recover = %+v, %v; want %+v", recovered, err, tt.want)
			}
			w.clean()
			if n := w.matched("all"); n != 60 || w.merges() != 1 {
				t.Errorf("%d people are in after %d merges; want 60 after one", n, w.merges())
			}
		})
	}
}

// unsent loses requests before the service has seen them.
type unsent struct{ suffix string }

func (u *unsent) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, u.suffix) {
		return nil, errCrash
	}
	return http.DefaultTransport.RoundTrip(r)
}
