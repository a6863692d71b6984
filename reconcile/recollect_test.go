package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/google/go-cmp/cmp"
)

// What adsync's key did that the record has lost is taken into it, by the audit log: what it set, and what it made of
// the files. What another did is left, and a pause is nobody's.
func TestWhatARecordLostIsFoundInTheAuditLog(t *testing.T) {
	for name, ahead := range map[string]time.Duration{
		"": 0, "by a clock that is ahead": 10 * time.Minute, "by a clock that is behind": -10 * time.Minute,
	} {
		t.Run(name, func(t *testing.T) { findsInTheAuditLog(t, ahead) })
	}
}

func findsInTheAuditLog(t *testing.T, ahead time.Duration) {
	const stranger = "sk-a-stranger"
	w := newWorld(t, func(o *emulator.Options) {
		o.Accounts[0].Keys = append(o.Accounts[0].Keys, emulator.APIKey{Name: "stranger", Key: stranger})
	})
	w.slept += ahead
	for _, key := range []string{"ours", "theirs", "paused"} {
		w.tree(key, "active")
	}
	w.clean()
	shown := w.plan().Live.Snapshot
	does := func(path string, body any, headers ...string) {
		t.Helper()
		w.service.Must(t, http.MethodPost, path, body, headers...)
	}
	of := func(key string) string { return "/campaigns/" + shown.Get(address("campaign/"+key)).ID }
	by := []string{"Authorization", "Bearer " + stranger}
	does(of("ours"), map[string]any{"description": "ours"})
	does(of("ours"), map[string]any{"budget": map[string]any{"lifetime_spend_limit_micros": 90_000_000}})
	does(of("theirs"), map[string]any{"budget": map[string]any{"lifetime_spend_limit_micros": 80_000_000}}, by...)
	does(of("paused")+"/pause", nil)
	made := func(name string, headers ...string) {
		does("/campaigns", map[string]any{"name": name, "status": "paused", "bidding_type": "clicks",
			"budget":    map[string]any{"lifetime_spend_limit_micros": 100_000_000},
			"targeting": map[string]any{"locations": map[string]any{"countries": []string{"CA", "US"}}}}, headers...)
	}
	made("Campaign fresh")
	made("Campaign foreign", by...)
	for _, key := range []string{"fresh", "foreign"} {
		w.write("campaign/"+key, map[string]any{"name": "Campaign " + key, "status": "paused", "bidding_type": "clicks",
			"budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"}})
	}

	r, err := reconcile.Recollect(t.Context(), w.agent, w.desired)
	noErr(t, err)
	said := func(all []reconcile.Recollection) (texts []string) {
		for _, one := range all {
			texts = append(texts, one.Address.String()+" "+one.Attribute+" "+one.Value)
		}
		return texts
	}
	taken, left := []string{"campaign/ours budget.lifetime 90.00", "campaign/fresh  "},
		[]string{"campaign/theirs budget.lifetime 80.00", "campaign/foreign  "}
	if diff := cmp.Diff(taken, said(r.Taken)); diff != "" {
		t.Errorf("taken (-want +have):\n%s", diff)
	}
	if diff := cmp.Diff(left, said(r.Left)); diff != "" {
		t.Errorf("left (-want +have):\n%s", diff)
	}
	last, err := w.store.Last(t.Context())
	noErr(t, err)
	if fresh := last.Get(address("campaign/fresh")); fresh == nil || fresh.ID == "" {
		t.Errorf("what was made is recorded as %v; want it bound", fresh)
	}
	if last.Get(address("campaign/foreign")) != nil {
		t.Error("what somebody else made is bound")
	}
	if is := last.Get(address("campaign/paused")).Value("status").Text(); is != "active" {
		t.Errorf("the pause is recorded as %q; want that nobody takes it for adsync's", is)
	}
}

// What adsync made and the files start goes on after a loss. Where the audit log says that it has been started or
// paused since, a person may have paused it: it is not started without a yes.
func TestWhatWasMadeAndIsPausedIsStartedAfterALossUnlessSomebodyMayHavePausedIt(t *testing.T) {
	for _, row := range []struct {
		name  string
		moves []string // since it was made
		held  bool
	}{
		{"nothing since", nil, false},
		{"started and paused since", []string{"activate", "pause"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.guarded = true
			w.tree("other", "paused")
			w.clean()
			made := w.service.Must(t, http.MethodPost, "/campaigns", map[string]any{
				"name": "Campaign fresh", "status": "paused", "bidding_type": "clicks",
				"budget":    map[string]any{"lifetime_spend_limit_micros": 100_000_000},
				"targeting": map[string]any{"locations": map[string]any{"countries": []string{"CA", "US"}}}})
			for _, move := range row.moves {
				w.service.Must(t, http.MethodPost, "/campaigns/"+made.ID(t)+"/"+move, nil)
			}
			w.write("campaign/fresh", map[string]any{"name": "Campaign fresh", "status": "active",
				"bidding_type": "clicks", "budget.lifetime": 100_000_000,
				"targeting.countries": []string{"CA", "US"}})
			_, err := reconcile.Recollect(t.Context(), w.agent, w.desired)
			noErr(t, err)
			w.allow = []plan.Allowance{{Hazard: plan.Activates}, {Hazard: plan.RaisesSpend}}
			p := w.plan().Plan
			if len(p.Changes) != 1 || (len(p.Changes[0].Holds()) > 0) != row.held {
				t.Errorf("the start is held: %v; want %v%s", !row.held, row.held, describe(p))
			}
		})
	}
}
