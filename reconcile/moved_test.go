package reconcile_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// A key changes while nobody knows what became of its resource: under the new key
// nothing is made a second time and nothing newer is sent, and all else goes on.
func TestAKeyThatChangesWhileItsOutcomeIsUnknown(t *testing.T) {
	moves := map[string]struct {
		edit     func(w *world)
		from, to string
	}{
		"of a create": {func(w *world) { w.group("New") }, "ad_group/spring/new", "ad_group/spring/renewed"},
		"of an update": {func(w *world) {
			w.write("ad_group/spring/g", map[string]any{
				"name": "Other", "status": "active",
				"bid.max": 1_300_000, "context_hints": []string{"people who run", "people who hike"},
			})
		}, "ad_group/spring/g", "ad_group/spring/h"},
	}
	for name, tt := range moves {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("spring", "active")
			w.clean()
			tt.edit(w)
			_, _ = w.through(line(func(r *http.Request) (*http.Response, error) {
				if body := contentOf(r); r.Method == http.MethodPost &&
					!bytes.Contains(body, []byte(`"validate_only":true`)) {
					return nil, errors.New("cut off")
				}
				return send(r)
			}), w.store).Apply(t.Context(), w.plan())
			from, to := address(tt.from), address(tt.to)
			w.rekey(from, to)
			w.campaign("spring", "active", 90_000_000)
			w.also = func(d *reconcile.Desired) { d.Moves = []plan.Move{{From: from, To: to}} }
			before := len(w.mutations())
			view := w.plan() // without recovery: nothing is decided
			if got := undecidedIn(view)[tt.to]; !strings.HasSuffix(got,
				"nothing newer is sent to it; to decide it: adsync resolve "+tt.from) {
				t.Errorf("the plan says %q of %s; want it to wait for %s", got, tt.to, tt.from)
			}
			if _, err := w.agent.Apply(t.Context(), view); err != nil {
				t.Errorf("Apply = %v; want all else to go on", err)
			}
			if done := w.mutations()[before:]; len(done) != 1 || done[0].Resource != "campaign" {
				t.Errorf("%d mutations, %+v; want the campaign's alone", len(done), done)
			}
		})
	}
}

// What was to make room for another and did not stays managed, with all beneath it.
func TestAReplacementThatIsRefusedLosesNothing(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.campaign("spring", "active", 100_000_000, "product_feed", "fd_test")
	w.permitAll("replace", "archives", "activates", "raises-spend")
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/archive") || bytes.Contains(contentOf(r), []byte(`"archived"`)) {
			return answer(r, 422, refusal)
		}
		return send(r)
	}), w.store)
	report, err := agent.Apply(t.Context(), w.plan())
	if err != nil || report.Count(state.OutcomeApplied) > 0 {
		t.Fatalf("Apply = %+v, %v; want nothing applied", report, err)
	}
	for _, c := range w.plan().Plan.Changes {
		if c.Action != plan.Replace {
			t.Errorf("the next plan wants to %s %s; want to replace it still", c.Action, c.Address)
		}
	}
	w.clean()
}

// contentOf reads a request's body and leaves it as it was.
func contentOf(r *http.Request) []byte {
	if r.Body == nil {
		return nil
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

// rekey gives a resource of the files, and all beneath it, another key.
func (w *world) rekey(from, to resource.Address) {
	rekeyed := &resource.Snapshot{}
	for r := range w.desired.All() {
		moved := *r
		if key, beneath := strings.CutPrefix(r.Address.Key, from.Key); beneath &&
			(key == "" && r.Address.Kind == from.Kind || strings.HasPrefix(key, "/")) {
			moved.Address.Key = to.Key + key
		}
		rekeyed.Add(&moved)
	}
	w.desired = rekeyed
}
