package reconcile_test

import (
	"net/http"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/state"
)

// unattended plans as a daemon does: nobody looks.
func (w *world) unattended() *apply.View {
	w.t.Helper()
	policy := plan.DefaultPolicy()
	policy.Unattended, policy.MaxDailyExposure, policy.ExposurePercent, policy.UpdatePercent = true,
		1e15, 1_000_000, 100
	view, err := w.agent.Plan(w.t.Context(), reconcile.Desired{Snapshot: w.desired, Policy: policy})
	if err != nil {
		w.t.Fatalf("plan: %v", err)
	}
	return view
}

// refusing has the service refuse operations on a type of resource, for good or
// until later.
func (w *world) refusing(opType string, retryable *bool) (times *int) {
	times = new(int)
	w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
		next func() world_.JobResult) world_.JobResult {
		if op.Type != opType || strings.HasPrefix(op.Key, "check-") {
			return next()
		}
		*times++
		return world_.JobResult{
			OperationID: op.ID, Type: op.Type, Status: "failed",
			ErrorCode: "policy_violation", Error: "title may not shout", Retryable: retryable,
		}
	}})
	return times
}

// B10: what the service refuses for good is not sent again while nobody looks,
// until its row or the resource at the service is another. Somebody who looks is
// told, and asks again. A success ends it.
func TestRefusalIsQuarantined(t *testing.T) {
	w := newWorld(t)
	no := false
	sent := w.refusing("ad.create", &no)
	w.tree("spring", "active")
	if got := outcomes(w.apply())["ad/spring/g/a"]; got != state.OutcomeFailed || *sent != 1 {
		t.Fatalf("ad is %s, sent %d times; want failed, once", got, *sent)
	}
	view := w.unattended()
	for _, c := range view.Plan.Changes {
		holds := c.Holds()
		if c.Address != address("ad/spring/g/a") {
			continue
		}
		if len(holds) == 0 || holds[0].Hazard != plan.WasRefused ||
			!strings.Contains(holds[0].Message, "title may not shout") {
			t.Errorf("the ad is held by %v; want by its refusal, in the service's words", holds)
		}
	}
	if _, err := w.agent.Apply(t.Context(), view); err != nil || *sent != 1 {
		t.Errorf("sent %d times, %v; want no second time while nobody looks", *sent, err)
	}
	if status := w.live("campaign/spring", "status"); status != `"paused"` {
		t.Errorf("the campaign above it is %s; want paused", status)
	}
	attended := w.plan().Plan
	if len(attended.Problems) != 1 || attended.Problems[0].Code != diag.RefusedBefore {
		t.Errorf("problems are %v; want word of the refusal", attended.Problems)
	}
	blocked, _ := w.store.Blocked(t.Context())
	since := blocked[address("ad/spring/g/a")].Since
	if err := w.sleep(t.Context(), 3600e9); err != nil {
		t.Fatal(err)
	}
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "ads") { // its parent is there by now
			*sent++
			return answer(r, 422, `{"error": {"message": "title may not shout", "code": "policy_violation"}}`)
		}
		return send(r)
	}), w.store)
	w.apply() // somebody looks
	if blocked, _ = w.store.Blocked(t.Context()); *sent != 2 || !blocked[address("ad/spring/g/a")].Since.Equal(since) {
		t.Errorf("sent %d times, refused since %v; want twice, since %v", *sent, blocked, since)
	}
	w.write("ad/spring/g/a", map[string]any{
		"name": "Ad of spring", "status": "active", "title": "Shoes", "body": "Light shoes.",
		"target_url": "https://shop.example/a", "image": "https://images.shop.example/a.jpg",
	})
	w.agent = w.newAgent()
	if _, err := w.agent.Apply(t.Context(), w.unattended()); err != nil {
		t.Fatal(err)
	}
	if blocked, _ = w.store.Blocked(t.Context()); len(blocked) != 0 || w.live("ad/spring/g/a", "title") != `"Shoes"` {
		t.Errorf("blocked is %v, title %s; want the edited ad applied and nothing left",
			blocked, w.live("ad/spring/g/a", "title"))
	}
}

// What was refused because of its parent is asked for again while nobody looks, once
// its parent's row is another or somebody changes the parent; else it is not, whatever
// happens elsewhere.
func TestRefusalBeneathAParentIsAskedAgainWithTheParent(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(w *world)
		again  int
	}{
		{"nothing happens", func(*world) {}, 0},
		{"another tree changes", func(w *world) { w.tree("summer", "paused") }, 0},
		{"the parent's row is another", func(w *world) {
			w.write("ad_group/spring/g", map[string]any{
				"name": "Renamed", "status": "active",
				"bid.max": 1_250_000, "context_hints": []string{"people who run", "people who hike"},
			})
		}, 1},
		{"somebody changes the parent", func(w *world) {
			w.service.Must(t, http.MethodPost, "/ad_groups/"+w.last("ad_group/spring/g").ID+"/pause", nil)
		}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			no := false
			w.refusing("ad.create", &no)
			w.tree("spring", "active")
			w.apply()
			sent := 0
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if posts(r, "ads") {
					sent++
					return answer(r, 422, `{"error": {"message": "title may not shout", "code": "policy_violation"}}`)
				}
				return send(r)
			}), w.store)
			daemon := func() {
				t.Helper()
				if _, err := w.agent.Apply(t.Context(), w.unattended()); err != nil {
					t.Fatal(err)
				}
			}
			daemon()
			daemon()
			if sent != 0 {
				t.Fatalf("the ad is sent %d times more while nothing happens; want 0", sent)
			}
			row.change(w)
			daemon()
			if got := sent; got != row.again {
				t.Fatalf("the ad is sent %d times; want %d", got, row.again)
			}
			daemon()
			if got := sent; got != row.again {
				t.Errorf("the ad is sent %d times after another pass; want %d", got, row.again)
			}
		})
	}
}

// A refusal that may pass, and one about the key or the moment, is no quarantine.
func TestWhatMayPassIsNotQuarantined(t *testing.T) {
	w := newWorld(t)
	yes := true
	w.refusing("ad_group.create", &yes)
	w.tree("spring", "active")
	w.apply()
	if blocked, _ := w.store.Blocked(t.Context()); len(blocked) != 0 {
		t.Errorf("blocked is %v after a failure that may pass; want nothing", blocked)
	}
	for status, want := range map[int]int{401: 0, 403: 0, 404: 0, 409: 0, 422: 1} {
		w := beneath(t)
		w.t = t
		agent := w.through(line(func(r *http.Request) (*http.Response, error) {
			if posts(r, "ad_groups") {
				return answer(r, status, refusal)
			}
			return send(r)
		}), w.store)
		_, _ = agent.Apply(t.Context(), w.plan())
		if blocked, _ := w.store.Blocked(t.Context()); len(blocked) != want {
			t.Errorf("%d are blocked after a %d; want %d: %v", len(blocked), status, want, blocked)
		}
	}
}

// What was made is read back although what was to follow was refused: the form the
// service gave it is known, and none of it is held as somebody else's doing.
func TestWhatWasMadeIsSeenThoughTheRestWasRefused(t *testing.T) {
	w := newWorld(t)
	no := false
	sent := w.refusing("ad.update", &no)
	w.tree("spring", "active") // the picture is an address, and the name follows the create
	report := w.apply()
	if got := outcomes(report)["ad/spring/g/a"]; got != state.OutcomeFailed ||
		*sent != 1 || report.Verified != report.Touched {
		t.Fatalf("ad is %s, its name sent %d times, %d of %d verified; want failed, once, and all of it",
			got, *sent, report.Verified, report.Touched)
	}
	for _, c := range w.plan().Plan.Changes {
		for _, f := range c.Fields {
			if c.Address == address("ad/spring/g/a") && (f.Name != "name" || f.Held != nil) {
				t.Errorf("%s of the ad is %s, held %v; want its name alone, held by nothing", f.Name, f.Cause, f.Held)
			}
		}
	}
}

// An archive that was refused has no row to edit: it is asked about again where
// somebody allows that, once, whatever else the plan holds, and by name.
func TestARefusedArchiveIsAskedAgainOnce(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.write("ad/spring/g/a", map[string]any{
		"name": "Ad of spring", "status": "archived", "title": "Shoes for mud", "body": "Light shoes.",
		"target_url": "https://shop.example/spring", "image": "https://images.shop.example/spring.jpg",
	})
	no := false
	sent := w.refusing("ad.update", &no)
	w.permitAll("archives")
	w.apply()
	ad := address("ad/spring/g/a")
	offered := func(bound ...reconcile.Bound) (view *apply.View, allow string) {
		t.Helper()
		policy := plan.DefaultPolicy()
		policy.Unattended, policy.UpdatePercent = true, 100
		view, err := w.agent.Plan(t.Context(), reconcile.Desired{
			Snapshot: w.desired, Policy: policy, Allow: w.allow, Bound: bound,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range view.Plan.Changes {
			for _, h := range c.Holds() {
				if h.Hazard == plan.WasRefused && c.Address == ad {
					allow = h.Allow
				}
			}
		}
		return view, allow
	}
	_, first := offered()
	if *sent != 1 || first == "" {
		t.Fatalf("sent %d times, offered %q; want once, and a way to ask again", *sent, first)
	}
	allowance, err := plan.ParseAllowance(first)
	if err != nil {
		t.Fatal(err)
	}
	given := reconcile.Bound{Allow: allowance, By: "ann"}
	for range 2 { // the second run has the same approval, and another refusal
		view, _ := offered(given)
		if *sent == 1 && (len(view.Approved) != 1 || view.Approved[0] != "ann") {
			t.Errorf("approved by %v; want ann", view.Approved)
		}
		if _, err := w.agent.Apply(t.Context(), view); err != nil {
			t.Fatal(err)
		}
	}
	_, second := offered(given)
	if *sent != 2 || second == "" || second == first {
		t.Fatalf("sent %d times, offered %q after %q; want once more, and another way", *sent, second, first)
	}
	w.service.SetHooks(nil)
	if allowance, err = plan.ParseAllowance(second); err != nil {
		t.Fatal(err)
	}
	view, _ := offered(reconcile.Bound{Allow: allowance})
	if _, err := w.agent.Apply(t.Context(), view); err != nil {
		t.Fatal(err)
	}
	if blocked, _ := w.store.Blocked(t.Context()); len(blocked) != 0 ||
		w.live("ad/spring/g/a", "status") != `"archived"` {
		t.Errorf("refused %v, the ad is %s; want it archived", blocked, w.live("ad/spring/g/a", "status"))
	}
}
