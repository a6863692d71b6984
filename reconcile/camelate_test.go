package reconcile_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/emulator"
	"adsync/plan"
)

// frozen keeps back the first request that changes a campaign, as a process does that is stopped in the middle of
// writing it, and does nothing more until it wakes.
type frozen struct {
	request *http.Request
	body    []byte
}

func (f *frozen) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.request != nil {
		return nil, errCrash
	}
	if r.Method == http.MethodGet {
		return http.DefaultTransport.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	f.request, f.body = r, body
	if err != nil {
		return nil, err
	}
	return nil, errCrash
}

// wakes has the request go out, however late that is.
func (f *frozen) wakes(t *testing.T) {
	t.Helper()
	again, err := http.NewRequestWithContext(t.Context(), f.request.Method, f.request.URL.String(),
		bytes.NewReader(f.body))
	noErr(t, err)
	again.Header = f.request.Header
	response, err := http.DefaultTransport.RoundTrip(again)
	noErr(t, err)
	noErr(t, response.Body.Close())
	if response.StatusCode >= 300 {
		t.Fatalf("what came late was answered with %d; want it to be done", response.StatusCode)
	}
}

// What an adsync that froze had sent comes after another has gone on in its place, and after what that one sent since:
// the journal and the audit log say whose it is, and the files are followed without a word of a person. What somebody
// else set, and what the log does not tell of, is held as ever; and no pause is undone.
func TestWhatCameLateIsPutRight(t *testing.T) {
	const stranger = "sk-a-stranger"
	with := func(status string) func(int) map[string]any {
		return func(budget int) map[string]any {
			return map[string]any{
				"name": "Campaign spring", "status": status, "bidding_type": "clicks",
				"budget.lifetime": budget * 1_000_000, "targeting.countries": []string{"CA", "US"},
			}
		}
	}
	running, paused := with("active"), with("paused")
	for _, row := range []struct {
		name          string
		before        map[string]any // what the files say first; nil is running(100)
		first, second map[string]any // as one freezes, and when another goes on
		wakes         bool
		jobs          bool   // the change goes in one, whose key the service has forgotten by then
		by            string // key of whoever sets the same meanwhile; "" is nobody
		log           http.RoundTripper
		held          bool
	}{
		{name: "over a decrease", first: running(120), second: running(90), wakes: true},
		{name: "under a raise", first: running(95), second: running(110), wakes: true},
		{name: "a job", first: running(120), second: running(90), wakes: true, jobs: true},
		{name: "a start", before: paused(100), first: running(100), second: paused(105), wakes: true},
		{name: "a pause", first: paused(100), second: running(100), wakes: true, held: true},
		{name: "somebody else's", first: running(120), second: running(90), by: stranger, held: true},
		{name: "no log", first: running(120), second: running(90), wakes: true,
			log: refusing{"/audit_logs"}, held: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, points("key_ttl=30m"), func(o *emulator.Options) {
				o.Accounts[0].Features.Bulk = row.jobs
				o.Accounts[0].Keys = append(o.Accounts[0].Keys, emulator.APIKey{Name: "stranger", Key: stranger})
			})
			w.guarded = true
			w.tree("spring", "paused")
			w.allow = []plan.Allowance{{Hazard: plan.Activates}}
			w.clean()
			if row.before == nil {
				row.before = running(100)
			}
			w.write("campaign/spring", row.before)
			w.clean()

			w.write("campaign/spring", row.first)
			first := &frozen{}
			view := w.plan()
			_, err := w.through(first, w.store).Apply(t.Context(), view)
			if first.request == nil {
				t.Fatalf("apply = %v; want it to freeze as it sends%s", err, describe(view.Plan))
			}
			w.agent = w.newAgent()
			_, err = w.agent.Recover(t.Context())
			noErr(t, err)
			w.write("campaign/spring", row.second)
			w.clean()

			noErr(t, w.sleep(t.Context(), 40*time.Minute))
			if row.by != "" {
				id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
				w.service.Must(t, http.MethodPost, "/campaigns/"+id, map[string]any{"budget": map[string]any{
					"lifetime_spend_limit_micros": 120_000_000}}, "Authorization", "Bearer "+row.by)
			}
			if row.wakes {
				first.wakes(t)
				noErr(t, w.sleep(t.Context(), time.Minute)) // a job takes its time
			}
			if row.log != nil {
				w.agent = w.through(row.log, w.store)
			}
			p := w.plan().Plan
			said := slices.ContainsFunc(p.Problems, func(p diag.Problem) bool { return p.Code == diag.CameLate })
			if len(p.Changes) != 1 || said == row.held || (len(p.Changes[0].Holds()) > 0) != row.held {
				t.Fatalf("the plan says that it came late: %t; want %t%s", said, !row.held, describe(p))
			}
			if !row.held {
				w.clean()
				w.clean() // and it is not said twice
			}
		})
	}
}
