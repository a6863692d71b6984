package reconcile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
)

// arm has the emulator misbehave as the document says.
func (w *world) arm(document string) {
	w.t.Helper()
	w.service.Must(w.t, http.MethodPost, "/_emulator/faults", document)
}

// N10: a failure that the service replays under a key for ever is never got round
// with another key. It stays unknown and is told, nothing is doubled, and once the key
// is too old only what is live decides.
func TestN10AFailureReplayedForEverKeepsItsKey(t *testing.T) {
	for _, done := range []bool{true, false} {
		t.Run(fmt.Sprint("done ", done), func(t *testing.T) {
			w := beneath(t)
			keys := map[string]int{}
			once := false
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if !posts(r, "ad_groups") {
					return send(r)
				}
				keys[r.Header.Get("Idempotency-Key")]++
				if done && !once {
					once = true
					if response, err := send(r); err == nil {
						_ = response.Body.Close()
					}
				}
				return answer(r, 500, `{"error":{"message":"stored"}}`)
			}), w.store)
			for range 4 {
				if err := w.run(); err == nil {
					t.Error("a run ended well; want an error, or an unknown outcome")
				}
			}
			if got := w.last("ad_group/spring/new").ID; got != "" {
				t.Errorf("it is bound to %q; want nothing known of it", got)
			}
			if len(keys) != 1 {
				t.Errorf("keys %v; want the one", keys)
			}
			if err := w.sleep(t.Context(), 21*time.Minute); err != nil {
				t.Fatal(err)
			}
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatalf("recover once the key is too old: %v", err)
			}
			if len(keys) != 1 {
				t.Errorf("keys %v once it is too old; want it not to be used any more", keys)
			}
			w.agent = w.newAgent()
			w.converge()
			w.once("New")
		})
	}
}

// N12: once the service has refused the key, no other mutation goes out, what is
// under way is not lost, and the run ends as one without permission.
func TestN12AKeyThatIsRevokedStopsEverything(t *testing.T) {
	for _, status := range []int{401, 403} {
		for at := 1; at <= 7; at += 2 {
			w := mixed(t)
			w.tree("winter", "active")
			sent, after, refused := 0, 0, false
			var mu sync.Mutex
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				mu.Lock()
				if r.Method == http.MethodPost {
					if sent++; refused {
						after++
					}
					refused = refused || sent >= at
				}
				stop := refused
				mu.Unlock()
				if stop {
					return answer(r, status, refusal)
				}
				return send(r)
			}), w.store)
			report, err := w.agent.Apply(t.Context(), w.plan())
			if !errors.Is(err, adsapi.ErrUnauthorized) || after > 8 {
				t.Errorf("%d at mutation %d: %v, %d mutations "+
					"afterwards; want not authorized, and none but those under way", status, at, err, after)
			}
			for _, o := range report.Outcomes { // whole on failure too
				if o.Outcome == state.OutcomeFailed && o.Code != string(diag.Unauthorized) {
					t.Errorf("%d at mutation %d: %s failed with %s, %s; want %s: nothing is wrong with its row",
						status, at, o.Address, o.Code, o.Message, diag.Unauthorized)
				}
			}
			w.agent = w.newAgent()
			w.converge()
			w.once("New")
		}
	}
}

// N17: a proxy that delivers every mutation twice doubles nothing.
func TestN17EveryMutationDeliveredTwiceDoublesNothing(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprint("jobs ", bulk), func(t *testing.T) {
			born := func(twice bool) map[string]int {
				w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk })
				if twice {
					w.arm(`{"faults":[{"match":{"method":"POST"},"action":{"duplicate":{}}}]}`)
				}
				w.tree("spring", "active")
				w.tree("autumn", "active")
				w.clean()
				w.write("campaign/spring", map[string]any{
					"name": "Renamed", "status": "paused", "bidding_type": "clicks",
					"budget.lifetime": 90_000_000, "targeting.countries": []string{"CA", "US"},
				})
				w.clean()
				return w.creates(w.mutations())
			}
			if diff := cmp.Diff(born(false), born(true)); diff != "" {
				t.Errorf("creates (-once +twice):\n%s", diff)
			}
		})
	}
}

// N18: an activation whose caller has given up arrives after the pause that came
// later. In a job its key makes it the job that has ended; alone it takes effect, and
// the next plan shows it as done by others, as adsync does not tell it from a start by hand: who
// allows that has it paused again.
func TestN18AnActivationThatArrivesLateIsSeen(t *testing.T) {
	for _, tc := range []struct {
		name, path string
		bulk, late bool
	}{
		{name: "in a job", path: "/bulk_mutation_jobs", bulk: true},
		{name: "alone", path: "/campaigns/*", late: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = tc.bulk })
			w.tree("spring", "paused")
			w.clean()
			w.desired.Get(address("campaign/spring")).Set("status", resource.Text("active"))
			w.arm(`{"faults":[{"match":{"method":"POST","path":"` +
				tc.path + `","nth":1},"action":{"hold_until":{"step":"later","side":"request"}}}]}`)
			client, err := adsapi.New(adsapi.Config{
				BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key),
				Now: w.now, Sleep: w.sleep, RequestTimeout: 200 * time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			w.agent.Service = client
			w.clean()
			w.desired.Get(address("campaign/spring")).Set("status", resource.Text("paused"))
			w.clean()
			w.service.Must(t, http.MethodPost, "/_emulator/faults/release", `{"step":"later"}`)
			w.arrived(tc.late)
			changes := w.plan().Plan.Changes
			if tc.late != (len(changes) == 1 && changes[0].Address == address("campaign/spring") &&
				changes[0].Holds()[0].Hazard == plan.Drifts) {
				t.Fatalf("the plan has %d changes; want the campaign "+
					"held as drift exactly where the activation took effect: %s", len(changes), describe(w.plan().Plan))
			}
			w.permitAll("drift")
			if w.clean(); w.live("campaign/spring", "status") != `"paused"` {
				t.Error("the campaign runs; want it paused again")
			}
		})
	}
}

// arrived waits until what was held back has come, and holds whether it did
// anything.
func (w *world) arrived(effect bool) {
	w.t.Helper()
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
		active := w.live("campaign/spring", "status") == `"active"`
		var faults struct{ Data []struct{ Held int } }
		body := w.service.Must(w.t, http.MethodGet, "/_emulator/faults", nil).Body
		if err := json.Unmarshal(body, &faults); err != nil {
			w.t.Fatal(err)
		}
		if len(faults.Data) > 0 && faults.Data[0].Held == 0 && active == effect {
			return
		}
	}
	w.t.Fatalf("what was held back has not had effect %t", effect)
}

// apart watches that no two mutations of one resource are under way at once.
type apart struct {
	t    *testing.T
	mu   sync.Mutex
	busy map[string]bool
	most int
}

func (a *apart) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost {
		return send(r)
	}
	content := peek(r)
	var job struct {
		Operations []struct {
			Target string `json:"target_resource_id"`
			Key    string `json:"idempotency_key"`
		}
	}
	_ = json.Unmarshal(content, &job) // what is no job has no operations
	var touched []string
	for _, o := range job.Operations {
		touched = append(touched, o.Target+o.Key)
	}
	if len(touched) == 0 {
		segments := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
		touched = []string{segments[min(1, len(segments)-1)] + r.Header.Get("Idempotency-Key")}
	}
	a.take(touched, true)
	defer a.take(touched, false)
	return send(r)
}

func (a *apart) take(touched []string, begins bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range touched {
		if begins && a.busy[name] {
			a.t.Errorf("two mutations of %s are under way at once", name)
		}
		a.busy[name] = begins
		if !begins {
			delete(a.busy, name)
		}
	}
	a.most = max(a.most, len(a.busy))
}

// N19: requests may overtake each other on the way, so what concerns one resource
// is never under way twice.
func TestN19OneResourceIsChangedByOneRequestAtATime(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprint("jobs ", bulk), func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk })
			watch := &apart{t: t, busy: map[string]bool{}}
			w.agent = w.through(watch, w.store)
			w.allow = []plan.Allowance{{Hazard: "raises-spend"}}
			for i := range 12 {
				w.tree(fmt.Sprint("t", i), "active")
			}
			w.clean()
			for i := range 12 { // a name, a lower bid, and a pause of each
				key := fmt.Sprint("t", i)
				w.desired.Get(address("campaign/"+key)).Set("name", resource.Text("Renamed "+key))
				w.desired.Get(address("campaign/"+key)).Set("status", resource.Text("paused"))
				w.desired.Get(address("ad_group/"+key+"/g")).Set("bid.max", resource.Number(1_000_000))
			}
			w.clean()
			if watch.most < 2 {
				t.Errorf("at most %d mutations were under way at once; want a crowd", watch.most)
			}
		})
	}
}

// N25: what a later service adds, leaves out or writes otherwise is read, is no
// drift where it means the same, and is never written back as something else.
func TestN25OddRecordsAreReadAndNotOverwritten(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(row map[string]any)
		changes int // of the plan
	}{
		{name: "a field nobody knows", change: func(row map[string]any) {
			row["mood"] = map[string]any{"of": []any{1, nil}}
		}},
		{name: "a status nobody knows", change: func(row map[string]any) { row["status"] = "resting" }, changes: 1},
		{name: "a null that was not there", change: func(row map[string]any) { row["description"] = nil }},
		{name: "a name that is null", change: func(row map[string]any) { row["name"] = nil }, changes: 1},
		{name: "a name that is not there", change: func(row map[string]any) { delete(row, "name") }, changes: 1},
		{name: "a number as text", change: func(row map[string]any) {
			row["budget"] = map[string]any{"lifetime_spend_limit_micros": "100000000"}
		}},
		{name: "a number with a fraction of nothing", change: func(row map[string]any) {
			row["budget"] = map[string]any{"lifetime_spend_limit_micros": json.Number("100000000.0")}
		}},
		{name: "a number in thousands", change: func(row map[string]any) {
			row["budget"] = map[string]any{"lifetime_spend_limit_micros": json.Number("1e8")}
		}},
		{name: "a budget that is no object", change: func(row map[string]any) { row["budget"] = "100000000" },
			changes: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newShelf(1)
			row := s.One("campaigns", "c0")
			row["budget"] = map[string]any{"lifetime_spend_limit_micros": json.Number("100000000")}
			store, desired := s.bound(t)
			c := desired.Get(address("campaign/k0"))
			c.Set("budget.lifetime", resource.Number(100_000_000))
			if err := store.Record(t.Context(),
				[]state.Applied{{Address: c.Address, ID: "c0", Attributes: c.Attributes}}); err != nil {
				t.Fatal(err)
			}
			a := s.agent(t, store, s)
			if n := len(s.planned(t, a, desired).Plan.Changes); n != 0 {
				t.Fatalf("%d changes before; want none", n)
			}
			tc.change(row)
			p := s.planned(t, a, desired).Plan
			if len(p.Changes) != tc.changes || len(p.Applicable()) != 0 {
				t.Errorf("%d changes, %d applicable; want %d, none: %s",
					len(p.Changes), len(p.Applicable()), tc.changes, describe(p))
			}
		})
	}
}
