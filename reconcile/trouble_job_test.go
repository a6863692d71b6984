package reconcile_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/emulator"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/state"
)

// B6: a job that failed as a whole has applied nothing, says so in the service's
// words, and doubles nothing once it goes again.
func TestB6AJobThatFailsAsAWholeIsTold(t *testing.T) {
	w := newWorld(t)
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault {
		if job.ValidateOnly {
			return service.JobFault{}
		}
		return service.JobFault{Error: "the mill stands still"}
	}})
	w.tree("spring", "active")
	report := w.apply()
	told := false
	for _, o := range report.Outcomes {
		told = told || strings.Contains(o.Message, "the mill stands still") && o.Code == string(diag.ServiceUnavailable)
	}
	if n := report.Count(state.OutcomeApplied); n != 0 || !told {
		t.Errorf("%d applied, the service's words told: %t; want none, told: %v", n, told, report.Outcomes)
	}
	w.service.SetHooks(nil)
	w.converge()
	w.once("Group of spring")
}

// B14: what is archived between plan and apply fails alone. It is not made anew.
func TestB14AnUpdateOfWhatIsArchivedFailsAlone(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.tree("autumn", "active")
	w.clean()
	for _, key := range []string{"spring", "autumn"} {
		w.desired.Get(address("ad_group/"+key+"/g")).Set("context_hints", resource.List([]string{"people who swim"}))
	}
	view := w.plan()
	w.service.Must(t, http.MethodPost, "/ad_groups/"+
		view.Live.Snapshot.Get(address("ad_group/spring/g")).ID+"/archive", nil)
	report, err := w.agent.Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	got := outcomes(report)
	if got["ad_group/spring/g"] == state.OutcomeApplied || got["ad_group/autumn/g"] != state.OutcomeApplied {
		t.Errorf("outcomes are %v; want the archived one not applied, the other applied", got)
	}
	w.apply()
	w.once("Group of spring")
}

// B17, B18: what comes beneath a campaign that is there makes no campaign, and
// every ad of a job names the campaign of its ad group.
func TestB17B18NoJobMakesAnAncestorAnew(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	var jobs operations
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) { jobs.note(r); return send(r) }), w.store)
	w.wide("spring", 3) // beneath what is there
	w.wide("autumn", 3)
	w.wide("winter", 3)
	w.clean()
	campaignOf := map[string]string{}
	ads := 0
	for _, op := range jobs.sent {
		switch op.Type {
		case "campaign.create":
			if strings.Contains(op.Input.Name, "spring") {
				t.Errorf("job makes %q, which is there; want its children to go alone", op.Input.Name)
			}
		case "ad_group.create":
			campaignOf[op.Key] = op.Input.Campaign
		case "ad.create":
			ads++
			if campaignOf[op.Input.AdGroup] != op.Input.Campaign {
				t.Errorf("ad %s names campaign %s, its ad group %q; want one",
					op.Key, op.Input.Campaign, campaignOf[op.Input.AdGroup])
			}
		}
	}
	if ads < 8 {
		t.Errorf("jobs made %d ads; want those of two trees", ads)
	}
}

// operations are those of every job that was submitted, in their order.
type operations struct {
	mu   sync.Mutex
	sent []operation
}

type operation struct {
	Type  string `json:"type"`
	Key   string `json:"idempotency_key"`
	Input struct {
		Name     string `json:"name"`
		Campaign string `json:"campaign_idempotency_key"`
		AdGroup  string `json:"ad_group_idempotency_key"`
	} `json:"input"`
}

func (o *operations) note(r *http.Request) {
	if !posts(r, "bulk_mutation_jobs") {
		return
	}
	var job struct {
		Operations []operation `json:"operations"`
	}
	content := peek(r)
	_ = json.Unmarshal(content, &job)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, job.Operations...)
}

// B26: at the limit of the account the rest fails with the service's reason, and
// what was made stays and is not made again.
func TestB26AtTheLimitOfTheAccountTheRestIsTold(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.MaxCampaigns = 2 })
	for _, key := range []string{"a", "b", "c"} {
		w.tree(key, "active")
	}
	report := w.apply()
	whole, refused := 0, 0
	for _, o := range report.Outcomes {
		if o.Address.Kind != "campaign" {
			continue
		}
		if o.Outcome == state.OutcomeApplied {
			whole++
		}
		if o.Outcome == state.OutcomeFailed && strings.Contains(o.Message, "limit") {
			refused++
		}
	}
	if whole != 2 || refused != 1 {
		t.Errorf("%d campaigns applied, %d refused for the limit; want two and one: %v",
			whole, refused, report.Outcomes)
	}
	w.apply()
	w.oneStandsOfEach()
}

// B29: an edit beside a creative leaves the creative out, so no review begins anew.
func TestB29AnEditBesideACreativeDoesNotWriteIt(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	written := 0
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost {
			content := peek(r)
			written++
			if strings.Contains(string(content), "Shoes for mud") {
				t.Errorf("request to %s writes the creative: %s", r.URL.Path, content)
			}
		}
		return send(r)
	}), w.store)
	w.desired.Get(address("ad/spring/g/a")).Set("name", resource.Text("Ad with another name"))
	w.clean()
	if written == 0 {
		t.Error("nothing was written; want the name")
	}
}

// C2: what somebody changes while adsync applies is drift afterwards; the rest of
// the apply goes on.
func TestC2AForeignEditDuringAnApplyIsDrift(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.tree("autumn", "active")
	w.clean()
	view := w.plan()
	id := view.Live.Snapshot.Get(address("ad_group/spring/g")).ID
	edited := false
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if r.Method == http.MethodPost && !edited {
			edited = true
			w.service.Must(t, http.MethodPost, "/ad_groups/"+id, map[string]any{"name": "Theirs"})
		}
		return response, err
	}), w.store)
	for _, key := range []string{"spring", "autumn"} {
		w.desired.Get(address("campaign/"+key)).Set("name", resource.Text("Renamed "+key))
	}
	for _, o := range w.apply().Outcomes {
		if o.Outcome != state.OutcomeApplied {
			t.Errorf("%s is %s: %s; want applied", o.Address, o.Outcome, o.Message)
		}
	}
	again := w.plan().Plan
	if len(again.Changes) != 1 || again.Changes[0].Address != address("ad_group/spring/g") ||
		len(again.Applicable()) != 0 {
		t.Errorf("plan afterwards is %s; want their edit alone, shown and not undone", describe(again))
	}
}

// S16: two agents with a state each, who both planned when nothing was there,
// make one of each resource between them.
func TestS16TwoAgentsWithTwoStatesMakeOneOfEach(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.tree("autumn", "paused")
	other, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, second := w.agent, w.through(http.DefaultTransport, other)
	var views [2]*apply.View
	for i, a := range []*reconcile.Agent{first, second} {
		w.agent = a
		views[i] = w.plan()
	}
	for i, a := range []*reconcile.Agent{first, second} {
		if _, err := a.Apply(t.Context(), views[i]); err != nil {
			t.Errorf("agent %d: %v", i, err)
		}
	}
	w.oneStandsOfEach()
}
