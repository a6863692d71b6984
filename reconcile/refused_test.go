package reconcile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"adsync/state"
)

// refusingWhole answers 422 to every job that holds a text, dry runs too, and to
// single requests that hold it.
func (w *world) refusingWhole(j *jobs, status int, held func(body string) bool) {
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		j.note(r)
		if r.Method != http.MethodPost {
			return send(r)
		}
		content := peek(r)
		if held(string(content)) {
			return answer(r, status, refusal)
		}
		return send(r)
	}), w.store)
}

// A tree that is refused whole is parted: the bad ad stands alone, by few
// requests, and everything else of the tree is there, once.
func TestBadOperationOfATreeStandsAlone(t *testing.T) {
	for _, status := range []int{400, 413, 422} {
		w := newWorld(t)
		w.tree("spring", "active")
		for n := range 20 {
			w.write(fmt.Sprintf("ad/spring/g/b%02d", n), map[string]any{
				"name": "Ad of b", "status": "active", "title": fmt.Sprintf("Title %02d", n), "body": "Text.",
				"target_url": "https://shop.example/b", "image": "https://images.shop.example/b.jpg",
			})
		}
		sent := &jobs{}
		w.refusingWhole(sent, status, func(body string) bool { return strings.Contains(body, "Title 07") })
		report := w.apply()
		for _, o := range report.Outcomes {
			address, outcome, want := o.Address.String(), o.Outcome, state.OutcomeApplied
			if address == "ad/spring/g/b07" {
				want = state.OutcomeFailed
			}
			if address == "campaign/spring" {
				continue // it stays paused for want of the ad
			}
			if outcome != want {
				t.Errorf("%d: %s is %s, %s; want %s", status, address, outcome, o.Message, want)
			}
		}
		if n := len(sent.with("create").bodies); n > 5 {
			t.Errorf("%d: %d jobs were sent for a tree of 23; want at most five", status, n)
		}
		w.agent = w.newAgent()
		w.write("ad/spring/g/b07", map[string]any{
			"name": "Ad of b", "status": "active", "title": "Mended",
			"body": "Text.", "target_url": "https://shop.example/b", "image": "https://images.shop.example/b.jpg",
		})
		w.clean()
		if n := w.plan().Live.Snapshot.Len(); n != 23 {
			t.Errorf("%d: %d resources are live; want 23", status, n)
		}
	}
}

// One bad update of many is found with twice as many requests as it can be
// halved; where all are refused, nobody looks for ever, and no row is taken for
// the one that is to blame.
func TestBadUpdateOfManyIsFoundByHalves(t *testing.T) {
	for _, all := range []bool{false, true} {
		w := newWorld(t)
		name := func(n int, prefix string) {
			w.write(fmt.Sprintf("campaign/c%03d", n), map[string]any{
				"name":   fmt.Sprintf("%s %03d", prefix, n),
				"status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
			})
		}
		for n := range 128 {
			name(n, "Campaign")
		}
		w.clean()
		for n := range 128 {
			name(n, "Renamed")
		}
		sent := &jobs{}
		w.refusingWhole(sent, 422, func(body string) bool {
			return strings.Contains(body, "Renamed 077") || all && strings.Contains(body, "Renamed")
		})
		report := w.apply()
		failed, most := report.Count(state.OutcomeFailed), 1+2*7
		blocked, _ := w.store.Blocked(t.Context())
		if !all && (failed != 1 || len(blocked) != 1 || outcomes(report)["campaign/c077"] != state.OutcomeFailed) {
			t.Errorf("%d failed, %d are taken for refused; want the bad one alone", failed, len(blocked))
		}
		if all {
			most = 140
		}
		if all && (failed != 128 || len(blocked) > 64) {
			t.Errorf("%d failed, %d are taken for refused; want all failed, and few of them looked at alone",
				failed, len(blocked))
		}
		if len(sent.bodies) > most {
			t.Errorf("all %v: %d jobs were sent; want at most %d", all, len(sent.bodies), most)
		}
	}
}

// A job is refused whole, and the run ends before all its parts have gone: what is edited
// until the next run goes under another key, as one key never stands for two bodies.
func TestPartsThatNeverWentKeepNoKeyForOtherBytes(t *testing.T) {
	w := newWorld(t)
	budget := func(micros int) {
		for n := range 4 {
			w.write(fmt.Sprintf("campaign/c%d", n), map[string]any{
				"name":   fmt.Sprintf("Campaign %d", n),
				"status": "paused", "bidding_type": "clicks", "budget.lifetime": micros,
			})
		}
	}
	sent := &jobs{}
	answers := []int{http.StatusUnprocessableEntity, http.StatusUnauthorized}
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if sent.note(r) && len(sent.bodies) <= len(answers) {
			return answer(r, answers[len(sent.bodies)-1], refusal)
		}
		return send(r)
	}), w.store)
	budget(20_000_000)
	if _, err := w.agent.Apply(t.Context(), w.plan()); err == nil || len(sent.bodies) != len(answers) {
		t.Fatalf("%d jobs were sent, and the apply ended with %v; want it to end with the second job",
			len(sent.bodies), err)
	}
	budget(30_000_000)
	w.clean()
	inputs := map[string]string{}
	for _, body := range sent.with("create").bodies {
		var job struct {
			Operations []struct {
				Key   string          `json:"idempotency_key"`
				Input json.RawMessage `json:"input"`
			} `json:"operations"`
		}
		if err := json.Unmarshal([]byte(body), &job); err != nil {
			t.Fatal(err)
		}
		for _, o := range job.Operations {
			if before, went := inputs[o.Key]; went && before != string(o.Input) {
				t.Errorf("the key %s went with %s and with %s", o.Key, before, o.Input)
			}
			inputs[o.Key] = string(o.Input)
		}
	}
	if len(inputs) != 8 {
		t.Errorf("%d keys went; want one for each campaign and budget, 8", len(inputs))
	}
}
