package reconcile_test

import (
	"net/http"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"
)

// fieldOf is one field of the plan's change at an address.
func fieldOf(t *testing.T, p *plan.Plan, at, name string) plan.Field {
	t.Helper()
	for _, c := range p.Changes {
		for _, f := range c.Fields {
			if c.Address == address(at) && f.Name == name {
				return f
			}
		}
	}
	t.Fatalf("plan has no %s of %s: %s", name, at, describe(p))
	return plan.Field{}
}

func TestDriftNamesWhoAndWhen(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	w.service.Must(t, http.MethodPost, "/campaigns/"+id, map[string]any{"description": "mine"})
	w.service.Advance(t, 60)
	w.service.Must(t, http.MethodPost, "/campaigns/"+id, map[string]any{
		"budget": map[string]any{"lifetime_spend_limit_micros": 90_000_000},
	})
	before := w.plan().Plan
	f := fieldOf(t, before, "campaign/spring", "budget.lifetime")
	if f.Foreign() == nil || !strings.HasPrefix(f.Foreign().Actor, "api_key ") || f.Foreign().At == 0 {
		t.Fatalf("drift names %+v; want an actor and a time", f.Foreign())
	}
	if f.Cause != plan.Drift {
		t.Errorf("cause is %s; want drift", f.Cause)
	}
	hash := before.Hash()
	for i := range before.Changes {
		for j := range before.Changes[i].Fields {
			before.Changes[i].Fields[j].ChangedBy(nil)
		}
	}
	if before.Hash() != hash {
		t.Error("who changed a value is part of the plan's hash; want what is decided alone")
	}
}

func TestRemovedByHandNamesWho(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	w.service.Must(t, http.MethodPost, "/campaigns/"+id+"/archive", nil)
	for _, c := range w.plan().Plan.Changes {
		if c.Address == address("campaign/spring") && (c.Foreign == nil || c.Foreign.Actor == "") {
			t.Errorf("an archive by hand names %+v; want an actor", c.Foreign)
		}
	}
}

// A service without an audit log changes nothing of the plan.
func TestNoAuditLogIsNoTrouble(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	w.service.Must(t, http.MethodPost, "/campaigns/"+id+"/pause", nil)
	w.agent = w.through(refusing{"/audit_logs"}, w.store)
	f := fieldOf(t, w.plan().Plan, "campaign/spring", "status")
	if f.Foreign() != nil {
		t.Errorf("without a log the pause names %+v", f.Foreign())
	}
}

// refusing answers 404 below a path.
type refusing struct{ path string }

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, r.path) {
		return &http.Response{
			StatusCode: http.StatusNotFound, Header: http.Header{"Content-Type": {"application/json"}},
			Body: http.NoBody, Request: request,
		}, nil
	}
	return http.DefaultTransport.RoundTrip(request)
}

// C5: somebody who changes many resources of the files manages them too.
func TestC5AnotherOwnerIsSaid(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"spring", "summer", "autumn"} {
		w.tree(key, "active")
	}
	w.clean()
	live := w.plan().Live.Snapshot
	for i, key := range []string{"spring", "summer", "autumn"} {
		for _, p := range w.plan().Plan.Problems {
			t.Errorf("after %d changes by hand the plan says %s", i, p)
		}
		w.service.Must(t, http.MethodPost, "/campaigns/"+live.Get(address("campaign/"+key)).ID+"/pause", nil)
	}
	problems := w.plan().Plan.Problems
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "and 2 more of these files' resources") {
		t.Errorf("after 3 changes by hand the plan says %v; want one other owner", problems)
	}
}

// C9: an ad account that somebody paused meanwhile is said in each plan, until it is
// active again.
func TestC9APausedAccountIsSaid(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	for _, order := range []struct {
		path string
		said int
	}{{"/ad_account/pause", 1}, {"/ad_account/activate", 0}} {
		w.service.Must(t, http.MethodPost, order.path, nil)
		for range 2 {
			problems := w.plan().Plan.Problems
			if len(problems) != order.said || len(problems) > 0 &&
				(problems[0].Code != diag.AccountPaused || problems[0].Severity != diag.Warning) {
				t.Errorf("after %s the plan says %v; want %d warnings of it", order.path, problems, order.said)
			}
		}
	}
}

func TestWhatAnApplyLeftIsCarriedOver(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	spring := map[string]any{
		"name": "Campaign spring", "status": "active",
		"bidding_type": "clicks", "budget.lifetime": 900_000_000, "targeting.countries": []string{"CA", "US"},
	}
	w.write("campaign/spring", spring)
	if f := fieldOf(t, w.plan().Plan, "campaign/spring", "budget.lifetime"); f.Cause != plan.Edit {
		t.Errorf("at first the cause is %s; want edit", f.Cause)
	}
	w.apply() // the raise is held
	if f := fieldOf(t, w.plan().Plan, "campaign/spring", "budget.lifetime"); f.Cause != plan.CarryOver ||
		f.Held == nil {
		t.Errorf("after an apply that held it the cause is %s, held %v; want carry-over, held", f.Cause, f.Held)
	}
	spring["budget.lifetime"] = 120_000_000
	w.write("campaign/spring", spring)
	if f := fieldOf(t, w.plan().Plan, "campaign/spring", "budget.lifetime"); f.Cause != plan.Edit {
		t.Errorf("edited again the cause is %s; want edit", f.Cause)
	}
	w.clean()
	waiting, err := w.store.Waiting(t.Context())
	if err != nil || waiting.Len() != 0 {
		t.Errorf("%d edits wait after all was applied, %v; want none", waiting.Len(), err)
	}
}

// C7: what somebody changes back each time is not written for ever.
func TestC7WhatFlapsIsStoppedAfterThreeTimes(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
	revert := func() *plan.Plan {
		policy := plan.DefaultPolicy()
		policy.Drift = plan.Revert
		view, err := w.agent.Plan(t.Context(), reconcile.Desired{Snapshot: w.desired, Policy: policy, Allow: w.allow})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.agent.Apply(t.Context(), view); err != nil {
			t.Fatal(err)
		}
		return view.Plan
	}
	rename := func() {
		w.service.Must(t, http.MethodPost, "/campaigns/"+id, map[string]any{"name": "Somebody else's"})
	}
	for range 3 {
		rename()
		if f := fieldOf(t, revert(), "campaign/spring", "name"); f.Held != nil {
			t.Fatalf("a name changed outside is held: %s; want it written back", f.Held.Message)
		}
	}
	rename()
	if f := fieldOf(t, revert(), "campaign/spring", "name"); f.Held == nil ||
		!strings.Contains(f.Held.Message, "written back 3 times") {
		t.Fatalf("the fourth time it is held by %+v; want it held as it flaps", f.Held)
	}
	allowance, err := plan.ParseAllowance("drift=campaign/spring")
	if err != nil {
		t.Fatal(err)
	}
	w.allow = []plan.Allowance{allowance}
	revert()
	w.allow = nil
	revert() // nobody changed it since: the count begins anew
	rename()
	if f := fieldOf(t, revert(), "campaign/spring", "name"); f.Held != nil {
		t.Errorf("after a quiet apply it is held: %s; want it written back", f.Held.Message)
	}
}
