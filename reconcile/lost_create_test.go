package reconcile_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/recover"
	"adsync/state"
)

// loses has the connection break at what changes something, for one apply: before
// it arrives, or with the answer on its way back.
func (w *world) loses(arrives bool) {
	w.t.Helper()
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		content := []byte{}
		if r.Body != nil {
			content, _ = io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(content))
		}
		if r.Method != http.MethodPost || bytes.Contains(content, []byte(`"validate_only":true`)) {
			return send(r)
		}
		if arrives {
			if response, err := send(r); err == nil {
				_ = response.Body.Close()
			}
		}
		return nil, errors.New("cut off")
	}), w.store)
	if _, err := agent.Apply(w.t.Context(), w.plan()); err != nil {
		w.t.Fatal(err)
	}
}

// Made returns the id of the newest create of a kind.
func (w *world) Made(kind string) string {
	w.t.Helper()
	id := ""
	for _, m := range w.mutations() {
		if m.Action == "create" && m.Resource == kind {
			id = m.ResourceID
		}
	}
	return id
}

// A create whose answer was lost, and which somebody archives before the next run,
// once its key is old: it is bound as what it was, held as removed by hand, and not
// made a second time.
func TestLostCreateThatSomebodyArchivedIsNotMadeAgain(t *testing.T) {
	for _, ahead := range []time.Duration{0, 10 * time.Minute, -10 * time.Minute} { // of the service's clock
		t.Run(ahead.String(), func(t *testing.T) { archivedAndLost(t, ahead) })
	}
}

func archivedAndLost(t *testing.T, ahead time.Duration) {
	for _, lists := range []string{"yes", "no"} {
		for _, bulk := range []bool{true, false} {
			w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk },
				emulatortest.WithPoints(t, "list_archived="+lists))
			w.slept += ahead
			w.tree("kept", "paused")
			w.clean()
			w.write("campaign/spring", map[string]any{
				"name": "Spring", "status": "active", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
			})
			w.loses(true)
			made := w.Made("campaign")
			w.service.Must(t, http.MethodPost, "/campaigns/"+made+"/archive", nil)
			if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
				t.Fatal(err)
			}
			w.agent = w.newAgent()
			if recovered, err := w.agent.Recover(t.Context()); err != nil || len(recovered.Undecided) != 0 {
				t.Fatalf("lists %s, bulk %v: Recover = %+v, %v; want it decided", lists, bulk, recovered, err)
			}
			if bound := w.last("campaign/spring").ID; bound != made {
				t.Errorf("lists %s, bulk %v: campaign/spring is bound to %q; want %q, which somebody archived",
					lists, bulk, bound, made)
			}
			if got := describe(w.plan().Plan); !strings.Contains(got, "held: removed-by-hand") {
				t.Errorf("lists %s, bulk %v: the plan is %s; want it held as removed by hand", lists, bulk, got)
			}
			w.apply()
			if again := w.Made("campaign"); again != made {
				t.Errorf("lists %s, bulk %v: campaign/spring was made again, as %s", lists, bulk, again)
			}
		}
	}
}

// The same where the audit log cannot be read: what lists do not rule out waits for
// a person, and goes on as soon as one says that nothing was made.
func TestLostCreateWaitsWhereNothingTellsThatItWasArchived(t *testing.T) {
	for _, row := range []struct {
		name, lists string
		archived    []string // campaigns that were there before
		lost        bool     // the create happened, and what it made is archived
		undecided   int
	}{
		{"archived, and lists show it", "yes", nil, true, 1},
		{"archived, and lists hide it", "no", nil, true, 1},
		{"not made, and lists show what is archived", "yes", []string{"old"}, false, 0},
		{"not made, and no list has shown anything archived", "yes", nil, false, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, emulatortest.WithPoints(t, "list_archived="+row.lists))
			for _, key := range row.archived {
				id := w.service.Must(t, http.MethodPost,
					"/campaigns", map[string]any{"name": key + " campaign", "status": "paused",
						"bidding_type": "clicks",
						"budget":       map[string]any{"daily_spend_limit_micros": 5_000_000}}).ID(t)
				w.service.Must(t, http.MethodPost, "/campaigns/"+id+"/archive", nil)
			}
			w.write("campaign/spring", map[string]any{
				"name": "Spring", "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
			})
			w.loses(row.lost)
			if row.lost {
				w.service.Must(t, http.MethodPost, "/campaigns/"+w.Made("campaign")+"/archive", nil)
			}
			if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
				t.Fatal(err)
			}
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.URL.Path, "/audit_logs") {
					return answer(r, http.StatusForbidden, refusal)
				}
				return send(r)
			}), w.store)
			recovered, err := w.agent.Recover(t.Context())
			if err != nil || len(recovered.Undecided) != row.undecided {
				t.Fatalf("Recover = %+v, %v; want %d undecided", recovered, err, row.undecided)
			}
			if row.undecided == 0 {
				w.clean()
				return
			}
			before := w.Made("campaign")
			w.apply()
			if made := w.Made("campaign"); made != before {
				t.Errorf("it was made as %s while nobody had decided", made)
			}
			evidence, err := w.agent.Evidence(t.Context(), address("campaign/spring"))
			if err != nil || evidence.Proves != "" {
				t.Fatalf("Evidence = %+v, %v; want it to prove nothing", evidence, err)
			}
			if err := w.agent.Resolve(t.Context(),
				evidence, recover.Decision{As: state.OutcomeSkipped, Unproven: true, By: "a test"}); err != nil {
				t.Fatal(err)
			}
			w.clean()
		})
	}
}
