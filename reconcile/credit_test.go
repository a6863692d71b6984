package reconcile_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile/env"
)

// cutAfterLowering is an account of two campaigns under the guards of the default
// policy, in which one was lowered and the other, that is to rise, is left.
func cutAfterLowering(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.tree("low", "active")
	w.tree("high", "active")
	w.clean()
	w.guarded = true
	w.campaign("low", "active", 20_000_000)
	w.campaign("high", "active", 148_000_000)
	w.agent.Superseded = func(a resource.Address) string {
		if a.Key == "high" {
			return "cut off here"
		}
		return ""
	}
	w.apply()
	w.agent.Superseded = nil
	return w
}

// heldOf returns what holds the only change of a plan, and of which run it is the rest.
func heldOf(t *testing.T, p *plan.Plan) (hazards, restOf string) {
	t.Helper()
	if len(p.Changes) != 1 || p.Changes[0].Address.Key != "high" {
		t.Fatalf("the plan has %d changes; want that of campaign/high:%s", len(p.Changes), describe(p))
	}
	var all []string
	for _, h := range p.Changes[0].Holds() {
		all = append(all, string(h.Hazard))
	}
	return strings.Join(all, " "), p.Changes[0].RestOf
}

func TestTheRestOfAnApplyGoesOnAndIsSaidToBeThat(t *testing.T) {
	w := cutAfterLowering(t)
	if hazards, restOf := heldOf(t, w.plan().Plan); hazards != "" || !strings.HasPrefix(restOf, "run-") {
		t.Errorf("the rest is held by %q and the rest of %q; want nothing, and the run that was cut off",
			hazards, restOf)
	}
	w.clean()
}

// diesLowering is cutAfterLowering of a process that dies before an effect, in an account
// with jobs or without; "it" in the name of the effect is the request that lowers.
func diesLowering(t *testing.T, jobs bool, effect string, change ...func(*emulator.Options)) *world {
	t.Helper()
	w := newWorld(t, append(change, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = jobs })...)
	w.tree("low", "active")
	w.tree("high", "active")
	w.clean()
	w.guarded = true
	w.campaign("low", "active", 20_000_000)
	w.campaign("high", "active", 148_000_000)
	request := "POST /bulk_mutation_jobs"
	if !jobs {
		request = "POST /campaigns/" + w.last("campaign/low").ID
	}
	w.diesBefore(strings.ReplaceAll(effect, "it", request))
	return w
}

// lowers sets low at the service to what the files say, with a key, "" for adsync's own.
func (w *world) lowers(key string) {
	w.t.Helper()
	body := map[string]any{"budget": map[string]any{"lifetime_spend_limit_micros": 20_000_000}}
	headers := []string{}
	if key != "" {
		headers = append(headers, "Authorization", "Bearer "+key)
	}
	w.service.Must(w.t, http.MethodPost, "/campaigns/"+w.last("campaign/low").ID, body, headers...)
}

// A decrease that was sent pays once recovery finds that the service has it, by its key or,
// when that is old, by reading back and by the audit log; one that was never sent is still to come, and pays too.
func TestADecreaseThatRecoveryFindsPays(t *testing.T) {
	for _, jobs := range []bool{true, false} {
		for _, effect := range []string{"send it", "answer of it"} {
			for _, later := range []time.Duration{0, env.TrustWindow, 23 * time.Hour} {
				t.Run(fmt.Sprintf("jobs %t, %s, %s later", jobs, effect, later), func(t *testing.T) {
					t.Parallel()
					w := diesLowering(t, jobs, effect)
					if err := w.sleep(t.Context(), later); err != nil {
						t.Fatal(err)
					}
					w.restarted()
					w.clean()
				})
			}
		}
	}
}

// What a stranger lowers pays for nothing of adsync's, while the decrease of adsync's own
// never left: not though it is the very amount of the files, and the record takes it over.
func TestADecreaseByAStrangerPaysNothing(t *testing.T) {
	for _, jobs := range []bool{true, false} {
		w := diesLowering(t, jobs, "move sent")
		low := w.last("campaign/low").ID
		w.service.Must(t, http.MethodPost, "/campaigns/"+low, map[string]any{
			"budget": map[string]any{"lifetime_spend_limit_micros": 20_000_000},
		})
		w.restarted()
		w.apply()
		if recorded := w.last("campaign/low").Value("budget.lifetime"); recorded.String() != "20000000" {
			t.Errorf("jobs %t: %s is recorded; want what the stranger set, as the files say it too", jobs, recorded)
		}
		if hazards, restOf := heldOf(t, w.plan().Plan); hazards != "exposure" || restOf != "" {
			t.Errorf("jobs %t: the rise is held by %q and the rest of %q; want exposure, and of nothing",
				jobs, hazards, restOf)
		}
	}
}

// nameless is a service whose audit log does not say who changed what.
type nameless struct{}

var actorID = regexp.MustCompile(`"actor_id":"[^"]*"`)

func (nameless) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || !strings.HasSuffix(request.URL.Path, "/audit_logs") {
		return answer, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	content = actorID.ReplaceAll(content, []byte(`"actor_id":null`))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
	answer.Header.Del("Content-Length")
	return answer, nil
}

// A request that was sent and never arrived pays for nothing where somebody else has set
// the very amount: the audit log names who did. What arrived pays.
func TestAStrangerWhoSetsTheVeryAmountPaysNothing(t *testing.T) {
	const stranger = "sk-a-stranger"
	for _, row := range []struct {
		name   string
		key    string            // who sets it; adsync's own stands for a request that arrived after all
		points string            // of the service
		log    http.RoundTripper // nil: the audit log is there
		ours   bool
	}{
		{name: "stranger", key: stranger},
		{name: "stranger, log that is late", key: stranger, points: "audit_log_lag=60s"},
		{name: "ours", ours: true},
		{name: "ours, log that is late", points: "audit_log_lag=60s", ours: true},
		{name: "ours, no log", log: refusing{"/audit_logs"}},
		{name: "stranger, no log", key: stranger, log: refusing{"/audit_logs"}},
		{name: "ours, log that names nobody", log: nameless{}},
	} {
		for _, jobs := range []bool{true, false} {
			for _, later := range []time.Duration{0, env.TrustWindow, 23 * time.Hour} {
				t.Run(fmt.Sprintf("%s, jobs %t, %s later", row.name, jobs, later), func(t *testing.T) {
					t.Parallel()
					w := diesLowering(t, jobs, "send it", func(o *emulator.Options) {
						o.Accounts[0].Keys = append(o.Accounts[0].Keys,
							emulator.APIKey{Name: "stranger", Key: stranger})
					}, emulatortest.WithPoints(t, row.points))
					w.lowers(row.key)
					if err := w.sleep(t.Context(), later); err != nil {
						t.Fatal(err)
					}
					w.agent = w.newAgent()
					if row.log != nil {
						w.agent = w.through(row.log, w.store)
					}
					w.recovered()
					hazards, restOf := heldOf(t, w.plan().Plan)
					if row.ours != (hazards == "" && restOf != "") || row.ours == (hazards == "exposure") {
						t.Errorf("the rise is held by %q and the rest of %q; want that it goes: %t",
							hazards, restOf, row.ours)
					}
				})
			}
		}
	}
}

// Content that goes A, B, A: whoever saw B ended the credit, as the row was another one.
func TestARowThatChangedAndCameBackHasNoCredit(t *testing.T) {
	w := cutAfterLowering(t)
	w.campaign("high", "active", 100_000_000)
	if err := w.agent.RecordSeen(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	w.campaign("high", "active", 148_000_000)
	if hazards, restOf := heldOf(t, w.plan().Plan); hazards != "exposure" || restOf != "" {
		t.Errorf("the row that came back is held by %q and the rest of %q; want exposure, and of nothing",
			hazards, restOf)
	}
}

// A, B, A of the row that paid: what it takes the second time is for the second plan.
func TestARowThatPaidAndCameBackPaysNoMore(t *testing.T) {
	w := cutAfterLowering(t)
	for _, budget := range []int{25_000_000, 20_000_000} {
		w.campaign("low", "active", budget)
		w.agent.Superseded = func(a resource.Address) string {
			if a.Key == "high" {
				return "cut off again"
			}
			return ""
		}
		w.apply()
	}
	if hazards, _ := heldOf(t, w.plan().Plan); hazards != "exposure" {
		t.Errorf("the rest is held by %q; want exposure", hazards)
	}
}

func TestACreditIsUsedOnce(t *testing.T) {
	w := cutAfterLowering(t)
	w.clean()
	w.campaign("high", "active", 100_000_000)
	w.clean()
	w.campaign("high", "active", 148_000_000)
	if hazards, restOf := heldOf(t, w.plan().Plan); hazards != "exposure" || restOf != "" {
		t.Errorf("the second rise is held by %q and the rest of %q; want exposure, and of nothing", hazards, restOf)
	}
}

func TestACreditEndsAfterADay(t *testing.T) {
	for after, want := range map[time.Duration]string{23 * time.Hour: "", 25 * time.Hour: "exposure"} {
		w := cutAfterLowering(t)
		if err := w.sleep(t.Context(), after); err != nil {
			t.Fatal(err)
		}
		if hazards, _ := heldOf(t, w.plan().Plan); hazards != want {
			t.Errorf("%s later the rest is held by %q; want %q", after, hazards, want)
		}
	}
}

// What waits for an audience of its own plan was shown with that plan.
func TestANewAccountWithAudiencesNeedsNoAllowance(t *testing.T) {
	w := newWorld(t)
	w.guarded = true
	w.audience("fans", 0, 50)
	w.tree("small", "active")
	w.campaign("small", "active", 20_000_000)
	w.tree("large", "active")
	w.campaign("large", "active", 900_000_000, "targeting.audiences", "")
	r := w.desired.Get(mustAddress(t, "campaign/large"))
	r.Set("targeting.audiences", resource.List([]string{"audience/fans"}))
	w.apply()
	w.clean()
}

func mustAddress(t *testing.T, text string) resource.Address {
	t.Helper()
	a, ok := resource.ParseAddress(text)
	if !ok {
		t.Fatalf("address is %q", text)
	}
	return a
}
