package reconcile_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
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
	const (
		stranger = "sk-a-stranger"
		late     = "an adsync that was killed or froze had sent that, and it came late; "
	)
	with := func(status string) func(int) map[string]any {
		return func(budget int) map[string]any {
			return map[string]any{
				"name": "Campaign spring", "status": status, "bidding_type": "clicks",
				"budget.lifetime": budget * 1_000_000, "targeting.countries": []string{"CA", "US"},
			}
		}
	}
	running, paused := with("active"), with("paused")
	described := func(text string) map[string]any {
		said := running(100)
		said["description"] = text
		return said
	}
	for _, row := range []struct {
		name          string
		before        map[string]any // what the files say first; nil is running(100)
		first, second map[string]any // as one freezes, and when another goes on
		third         map[string]any // once it has come; nil is second
		wakes         bool
		jobs          bool   // the change goes in one, whose key the service has forgotten by then
		by            string // key of whoever sets the same meanwhile; "" is nobody
		log           http.RoundTripper
		held          bool
		stays         bool   // the files say nothing of it
		says          string // how the message goes on behind the value; "" is not looked at
	}{
		{name: "over a decrease", first: running(120), second: running(90), wakes: true,
			says: "in place of 90.00: " + late + "the files are followed, as nobody else set it"},
		{name: "under a raise", first: running(95), second: running(110), wakes: true},
		{name: "a job", first: running(120), second: running(90), wakes: true, jobs: true},
		{name: "a start", before: paused(100), first: running(100), second: paused(105), wakes: true},
		{name: "where nothing was", first: described("Late."), second: running(100), third: described("Now."),
			wakes: true, says: "where nothing is recorded: " + late + "the files are followed, as nobody else set it"},
		{name: "what the files do not name", first: described("Late."), second: running(100), wakes: true, stays: true,
			says: "where nothing is recorded: " + late + "the files do not say what it is to be, and it stays"},
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
			if row.third != nil {
				w.write("campaign/spring", row.third)
			}
			if row.log != nil {
				w.agent = w.through(row.log, w.store)
			}
			p := w.plan().Plan
			said, changes := cameLate(p), 1
			if row.stays {
				changes = 0
			}
			held := changes == 1 && len(p.Changes) == 1 && len(p.Changes[0].Holds()) > 0
			if len(p.Changes) != changes || (said == "") != row.held || held != row.held {
				t.Fatalf("the plan says that it came late: %q; want it to: %t%s", said, !row.held, describe(p))
			}
			if !strings.HasSuffix(said, row.says) {
				t.Errorf("the plan says %q; want it to end with %q", said, row.says)
			}
			if !row.held {
				w.clean()
				w.clean()
				if again := cameLate(w.plan().Plan); again != "" {
					t.Errorf("said once more: %q", again)
				}
			}
		})
	}
}

// cameLate is what a plan says of what came late, "" where it says nothing.
func cameLate(p *plan.Plan) string {
	i := slices.IndexFunc(p.Problems, func(p diag.Problem) bool { return p.Code == diag.CameLate })
	if i < 0 {
		return ""
	}
	return p.Problems[i].Message
}
