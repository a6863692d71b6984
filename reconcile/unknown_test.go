package reconcile_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/state"
)

// line is a wire that a test can tamper with.
type line func(*http.Request) (*http.Response, error)

func (l line) RoundTrip(r *http.Request) (*http.Response, error) { return l(r) }

func send(r *http.Request) (*http.Response, error) { return http.DefaultTransport.RoundTrip(r) }

// peek returns the body of a request that is still to be sent.
func peek(r *http.Request) []byte {
	if r.Body == nil {
		return nil
	}
	content, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(content))
	return content
}

func answer(r *http.Request, status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

const refusal = `{"error": {"message": "no", "code": "refused"}}`

// posts reports whether a request is a mutation of a collection.
func posts(r *http.Request, collection string) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/"+collection)
}

// beneath has a clean tree and an ad group to come below it: a single request.
func beneath(t *testing.T) *world {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.group("New")
	return w
}

func (w *world) group(name string) {
	w.write("ad_group/spring/new", map[string]any{"name": name, "status": "active", "bid.max": 1_250_000})
}

// once holds that one ad group was ever made at spring/new, and that no key
// stood for two bodies.
func (w *world) once(names ...string) {
	w.t.Helper()
	born := 0
	for name, n := range w.creates(w.mutations()) {
		if slices.Contains(names, strings.TrimPrefix(name, "ad_group ")) {
			born += n
		}
	}
	if born != 1 {
		w.t.Errorf("%d of %q were created; want one: %v", born, names, w.creates(w.mutations()))
	}
}

// bodies remembers what every key stood for on the wire.
type bodies struct {
	mu   sync.Mutex
	sent map[string]string
}

func (b *bodies) hold(t *testing.T, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return
	}
	content := peek(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	if before, sent := b.sent[key]; sent && before != string(content) {
		t.Errorf("key %s was sent with\n%s\nand with\n%s", key, before, content)
	}
	if b.sent == nil {
		b.sent = map[string]string{}
	}
	b.sent[key] = string(content)
}

// N12, B13, invariant 4: whatever refuses or cuts off a create, and whatever is
// edited before the next attempt, no key is used for two bodies and one is made.
func TestEditAfterACreateThatWentWrong(t *testing.T) {
	lost := func(r *http.Request) (*http.Response, error) {
		if response, err := send(r); err == nil {
			_ = response.Body.Close()
		}
		return nil, errors.New("cut off")
	}
	for _, row := range []struct {
		name string
		trip line
	}{
		{"the key is revoked", func(r *http.Request) (*http.Response, error) { return answer(r, 401, refusal) }},
		{"the row is refused", func(r *http.Request) (*http.Response, error) { return answer(r, 422, refusal) }},
		{"there is no such thing", func(r *http.Request) (*http.Response, error) { return answer(r, 404, refusal) }},
		{"a conflict", func(r *http.Request) (*http.Response, error) { return answer(r, 409, refusal) }},
		{"the request is lost", func(*http.Request) (*http.Response, error) { return nil, errors.New("cut off") }},
		{"the answer is lost", lost},
		{"the answer is a page", func(r *http.Request) (*http.Response, error) {
			if response, err := send(r); err == nil {
				_ = response.Body.Close()
			}
			return answer(r, 200, "<html>log in</html>")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := beneath(t)
			w.t = t
			keys := &bodies{}
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				keys.hold(t, r)
				if posts(r, "ad_groups") {
					return row.trip(r)
				}
				return send(r)
			}), w.store)
			_, _ = agent.Apply(t.Context(), w.plan())
			w.group("Edited")
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				keys.hold(t, r)
				return send(r)
			}), w.store)
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatalf("recover: %v", err)
			}
			w.clean()
			w.once("New", "Edited")
			if name := w.live("ad_group/spring/new", "name"); name != `"Edited"` {
				t.Errorf("the ad group is %s; want the edit", name)
			}
		})
	}
}

// A refusal of the repetition says nothing of the request before it.
func TestRevokedKeyInRecoveryLosesNothing(t *testing.T) {
	w := beneath(t)
	lost := w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if posts(r, "ad_groups") && err == nil {
			_ = response.Body.Close()
			return nil, errors.New("cut off")
		}
		return response, err
	}), w.store)
	if _, err := lost.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	revoked := w.through(line(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost {
			return answer(r, 401, refusal)
		}
		return send(r)
	}), w.store)
	if _, err := revoked.Recover(t.Context()); !errors.Is(err, adsapi.ErrUnauthorized) {
		t.Fatalf("recover with a revoked key: %v; want %v", err, adsapi.ErrUnauthorized)
	}
	if open, err := w.store.Open(t.Context()); err != nil || len(open) == 0 {
		t.Fatalf("%d steps are open, %v; want the create still unknown", len(open), err)
	}
	for _, status := range []int{503, 422} { // once more in vain, and then refused: reading back finds it
		again := w.through(line(func(r *http.Request) (*http.Response, error) {
			if posts(r, "ad_groups") {
				return answer(r, status, refusal)
			}
			return send(r)
		}), w.store)
		if _, err := again.Recover(t.Context()); (status == 503) != errors.Is(err, adsapi.ErrUnavailable) {
			t.Fatalf("recover with %d: %v", status, err)
		}
	}
	w.clean()
	w.once("New")
}

// A pause somebody made after an update got lost is not undone by recovery.
func TestLostUpdateIsNotSentAgain(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("ad_group/spring/g")).ID
	w.write("ad_group/spring/g", map[string]any{
		"name": "Renamed", "status": "active", "bid.max": 1_100_000,
		"context_hints": []string{"people who run", "people who hike"},
	})
	sent := 0
	update := func(r *http.Request) bool {
		return r.Method == http.MethodPost && (posts(r, "bulk_mutation_jobs") || strings.HasSuffix(r.URL.Path, id))
	}
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if update(r) {
			sent++
			return nil, errors.New("cut off")
		}
		return send(r)
	}), w.store)
	w.service.SetHooks(nil)
	if err := w.store.RecordCapability(t.Context(), "bulk_jobs", false); err != nil {
		t.Fatal(err)
	}
	_, _ = agent.Apply(t.Context(), w.plan())
	if sent == 0 {
		t.Fatal("nothing was sent")
	}
	w.service.Must(t, http.MethodPost, "/ad_groups/"+id+"/pause", nil)
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if update(r) {
			t.Errorf("recovery sent %s", r.URL.Path)
		}
		return send(r)
	}), w.store)
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.agent = w.newAgent()
	if _, err := w.agent.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	if status := w.live("ad_group/spring/g", "status"); status != `"paused"` {
		t.Errorf("the ad group is %s; want the pause of somebody else", status)
	}
}

// B4, B13: a job whose result for a create is lost leaves it unknown, and the
// next run resolves it with the old bytes before it plans the edit.
func TestLostResultIsResolvedBeforeTheEdit(t *testing.T) {
	for _, found := range []bool{true, false} {
		w := hasty(newWorld(t, points("list_visibility_lag=60s"))) // else the list shows it at once
		hide := true
		w.service.SetHooks(&service.Hooks{Results: func(_ world_.Job, results []world_.JobResult) []world_.JobResult {
			if !hide {
				return results
			}
			return slices.DeleteFunc(slices.Clone(results), func(r world_.JobResult) bool {
				return r.Type != "campaign.create" && r.Status == "created"
			})
		}})
		w.tree("spring", "active")
		report := w.apply()
		if got := outcomes(report)["ad_group/spring/g"]; got != state.OutcomeUnknown {
			t.Fatalf("ad group is %s; want unknown", got)
		}
		if err := w.sleep(t.Context(), 2*time.Minute); err != nil {
			t.Fatal(err)
		}
		if status := w.live("campaign/spring", "status"); status != `"paused"` {
			t.Errorf("campaign above the unknown is %s; want paused", status)
		}
		hide = !found
		w.write("ad_group/spring/g", map[string]any{"name": "Edited", "status": "active", "bid.max": 1_250_000})
		w.agent = w.newAgent()
		recovered, err := w.agent.Recover(t.Context())
		if err != nil || len(recovered.Undecided) > 0 {
			t.Fatalf("recover: %v %v", recovered, err)
		}
		hide = false
		w.clean()
		w.once("Group of spring", "Edited")
	}
}

// N13, B26: bulk jobs that go away in mid-run end the run clearly; the next one
// takes single requests.
func TestBulkJobsThatGoAway(t *testing.T) {
	for _, kept := range []string{"", `"validate_only":true`} {
		w := newWorld(t)
		if kept == "" { // they were there before
			w.tree("older", "active")
			w.clean()
		}
		w.tree("spring", "active")
		w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
			if !posts(r, "bulk_mutation_jobs") {
				return send(r)
			}
			content := peek(r)
			if kept != "" && strings.Contains(string(content), kept) {
				return send(r)
			}
			return answer(r, 404, refusal)
		}), w.store)
		if _, err := w.agent.Apply(t.Context(), w.plan()); (kept != "") != errors.Is(err, adsapi.ErrNotFound) {
			t.Errorf("apply without bulk jobs, kept %q: %v", kept, err)
		}
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.converge()
		w.once("Group of spring")
	}
}

// A job refused whole is split until what is refused stands alone.
func TestJobRefusedWholeIsSplit(t *testing.T) {
	w := newWorld(t)
	keys := &bodies{}
	for _, key := range []string{"a", "b", "bad", "c", "d"} {
		w.tree(key, "active")
	}
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		keys.hold(t, r)
		if posts(r, "bulk_mutation_jobs") {
			content := peek(r)
			if strings.Contains(string(content), "Campaign bad") &&
				!strings.Contains(string(content), `"validate_only":true`) {
				return answer(r, 422, refusal)
			}
		}
		return send(r)
	}), w.store)
	for address, outcome := range outcomes(w.apply()) {
		want := state.OutcomeApplied
		switch {
		case address == "campaign/bad":
			want = state.OutcomeFailed
		case strings.Contains(address, "/bad/"): // no error of its own
			want = state.OutcomeSkipped
		}
		if outcome != want {
			t.Errorf("%s is %s; want %s", address, outcome, want)
		}
	}
	w.tree("bad", "paused")
	w.write("campaign/bad", map[string]any{
		"name": "Good", "status": "paused", "bidding_type": "clicks",
		"budget.lifetime": 100_000_000, "targeting.countries": []string{"US"},
	})
	w.clean()
}

// A repetition that is refused takes nothing back of the job before it.
func TestRefusedRepetitionTakesNothingBack(t *testing.T) {
	w := newWorld(t)
	failed := false
	w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
		next func() world_.JobResult) world_.JobResult {
		if op.Type != "ad.create" || strings.HasPrefix(op.Key, "check-") || failed {
			return next()
		}
		failed = true
		yes, wait := true, int64(1)
		return world_.JobResult{
			OperationID: op.ID, Type: op.Type, Status: "failed",
			ErrorCode: "later", Error: "try again", Retryable: &yes, RetryAfter: &wait,
		}
	}})
	w.tree("spring", "active")
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "bulk_mutation_jobs") && failed {
			return answer(r, 401, refusal)
		}
		return send(r)
	}), w.store)
	report, err := w.agent.Apply(t.Context(), w.plan())
	if !errors.Is(err, adsapi.ErrUnauthorized) {
		t.Errorf("apply: %v; want %v", err, adsapi.ErrUnauthorized)
	}
	if got := outcomes(report); got["ad/spring/g/a"] != state.OutcomeFailed ||
		got["ad_group/spring/g"] != state.OutcomeApplied {
		t.Errorf("outcomes are %v; want the ad failed and what is above it applied", got)
	}
	w.agent = w.newAgent()
	w.converge()
	w.once("Group of spring")
}

// B2: a stuck job is not sent again; the next run asks for it.
func TestStuckJobIsAskedForNotSentAgain(t *testing.T) {
	w := newWorld(t)
	hold := true
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault {
		return service.JobFault{Hold: hold && !job.ValidateOnly}
	}})
	w.tree("spring", "active")
	report := w.apply()
	if n := report.Count(state.OutcomeUnknown); n != 3 {
		t.Errorf("%d outcomes are unknown; want the whole tree: %v", n, outcomes(report))
	}
	hold = false
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "bulk_mutation_jobs") {
			t.Error("a job was submitted by recovery")
		}
		return send(r)
	}), w.store)
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.agent = w.newAgent()
	w.converge()
	w.once("Group of spring")
}

// B22: a key older than the trust window is not believed. What reads back once
// is bound; several are for a person, whose id in the files decides.
func TestOldKeyIsReadBack(t *testing.T) {
	w := beneath(t)
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if posts(r, "ad_groups") && err == nil {
			_ = response.Body.Close()
			return nil, errors.New("cut off")
		}
		return response, err
	}), w.store)
	if _, err := agent.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	campaign := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	twin := w.service.Must(t, http.MethodPost, "/ad_groups", map[string]any{
		"campaign_id": campaign, "name": "New", "status": "paused", "bidding_config": map[string]any{
			"billing_event_type": "click", "strategy": "fixed_bid", "max_bid_micros": 1_250_000,
		},
	}).ID(t)
	if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
		t.Fatal(err)
	}
	w.agent = w.newAgent()
	for range 2 {
		recovered, err := w.agent.Recover(t.Context())
		if err != nil || len(recovered.Undecided) != 1 {
			t.Fatalf("recover: %+v, %v; want one undecided", recovered, err)
		}
	}
	w.service.Must(t, http.MethodPost, "/ad_groups/"+twin+"/archive", nil)
	if recovered, err := w.agent.Recover(t.Context()); err != nil || recovered.Finished != 1 {
		t.Fatalf("recover once the other is archived: %+v, %v; want it finished", recovered, err)
	}
	w.converge()
}

// Ctrl-C in the middle: nothing is sent after it, and an edit afterwards works.
func TestInterruptThenEdit(t *testing.T) {
	w := beneath(t)
	for _, key := range []string{"b", "c", "d", "e", "f", "h", "i", "j", "k", "l", "m"} {
		w.write("ad_group/spring/"+key, map[string]any{
			"name": "Group " + key, "status": "active", "bid.max": 1_250_000,
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	keys := &bodies{}
	agent := w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "ad_groups") {
			cancel()
		}
		return send(r)
	}), w.store)
	report, err := agent.Apply(ctx, w.plan())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("apply: %v; want %v", err, context.Canceled)
	}
	if n := report.Count(state.OutcomeFailed); n != 0 {
		t.Errorf("%d changes failed by an interrupt; want none: %+v", n, report.Outcomes)
	}
	w.group("Edited")
	for _, key := range []string{"b", "c", "d", "e", "f", "h", "i", "j", "k", "l", "m"} {
		w.write("ad_group/spring/"+key, map[string]any{
			"name": "Edited " + key, "status": "active", "bid.max": 1_250_000,
		})
	}
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		keys.hold(t, r)
		return send(r)
	}), w.store)
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.clean()
	if n := w.plan().Live.Snapshot.Len(); n != 3+12 {
		t.Errorf("%d resources are live; want 15", n)
	}
}
