package sim

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/openpoint"
)

// faults are what the service can be told to do wrong, as documents of
// docs/develop/emulator-faults.md. All of them end by themselves or with heal.
var faults = strings.Split(strings.TrimSpace(`
{"match": {"method": "POST", "times": 2}, "action": {"drop_before_commit": {}}}
{"match": {"method": "POST", "nth": 3}, "action": {"drop_before_commit": {}}}
{"match": {"path": "/bulk_mutation_jobs", "times": 1}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "every": 2, "times": 3}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "probability": 0.2}, "action": {"drop_after_commit": {}}}
{"match": {"method": "GET", "every": 5}, "action": {"drop_after_commit": {}}}
{"match": {"method": "POST", "times": 2}, "action": {"duplicate": {}}}
{"match": {"path": "/bulk_mutation_jobs", "times": 2}, "action": {"delay": {"for": "70s"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"delay": {"for": "90s"}}}
{"match": {"method": "GET", "every": 4, "times": 4}, "action": {"delay": {"for": "5s"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"hold_until": {"step": "s", "side": "request"}}}
{"match": {"method": "POST", "nth": 3}, "action": {"hold_until": {"step": "s", "side": "answer"}}}
{"match": {"path": "/campaigns/{campaign_id}/activate", "nth": 1}, "action": {"hold_until": {"step": "s", "side": "request"}}}
{"match": {"times": 2}, "action": {"status": {"code": 429, "retry_after": 7}}}
{"match": {"method": "POST", "times": 1}, "action": {"status": {"code": 429}}}
{"match": {"times": 3}, "action": {"status": {"code": 503, "retry_after": 30}}}
{"match": {"method": "POST", "times": 8}, "action": {"status": {"code": 503}}}
{"match": {"method": "POST", "nth": 2}, "action": {"status": {"code": 502, "body": "<h1>Bad gateway</h1>", "commit": true}}}
{"match": {"method": "POST", "nth": 2}, "action": {"status": {"code": 500, "commit": true}}}
{"match": {"method": "POST", "nth": 2}, "action": {"status": {"code": 409}}}
{"match": {"method": "POST", "nth": 3}, "action": {"status": {"code": 422}}}
{"match": {"method": "POST", "nth": 2}, "action": {"status": {"code": 401}}}
{"match": {"path": "/bulk_mutation_jobs", "times": 1}, "action": {"status": {"code": 404}}}
{"match": {"method": "POST", "times": 1}, "action": {"status": {"code": 408}}}
{"match": {"method": "POST", "nth": 2}, "action": {"mutate_body": {"how": "truncate"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"mutate_body": {"how": "html"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"mutate_body": {"how": "empty"}}}
{"match": {"method": "GET", "every": 7}, "action": {"mutate_body": {"how": "truncate"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"mutate_body": {"how": "drop_field", "field": "id"}}}
{"match": {"path": "/campaigns", "times": 1}, "action": {"mutate_body": {"how": "unknown_enum", "field": "status", "value": "limited"}}}
{"match": {"path": "/ads", "times": 1}, "action": {"slow": {"bytes_per_second": 20}}}
{"match": {"path": "/bulk_mutation_jobs/{job_id}", "times": 1}, "action": {"slow": {"bytes_per_second": 5}}}
{"action": {"visibility_lag": {"for": "10s"}}}
{"match": {"method": "GET"}, "action": {"visibility_lag": {"for": "60s"}}}
{"action": {"key_ttl": {"for": "30m"}}}
{"action": {"job": {"do": "stuck"}}}
{"match": {"times": 1}, "action": {"job": {"do": "fail_op", "n": 1, "retryable": true, "retry_after": 30}}}
{"match": {"times": 2}, "action": {"job": {"do": "fail_op", "n": 2, "retryable": false, "code": "invalid_value"}}}
{"match": {"times": 1}, "action": {"job": {"do": "fail_op", "retryable": true}}}
{"match": {"times": 1}, "action": {"job": {"do": "skip", "n": 2}}}
{"match": {"times": 1}, "action": {"job": {"do": "job_error", "message": "broken"}}}
{"match": {"times": 2}, "action": {"job": {"do": "incomplete_listing"}}}
{"match": {"times": 1}, "action": {"job": {"do": "lose_result", "n": 1}}}
{"match": {"times": 2}, "action": {"job": {"do": "lose_result", "n": 2}}}
{"match": {"times": 1}, "action": {"job": {"do": "repeat_result", "n": 1}}}
{"match": {"path": "/campaigns/{campaign_id}", "times": 1}, "action": {"foreign_write": {"actor": "person", "patch": {"description": "by hand"}}}}
{"match": {"path": "/campaigns/{campaign_id}", "times": 1}, "action": {"foreign_write": {"actor": "person", "path": "/campaigns/{campaign_id}/pause", "patch": {}, "when": "after"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"flip": {"what": "account"}}}
{"match": {"method": "POST", "nth": 1}, "action": {"flip": {"what": "billing"}}}
{"match": {"method": "POST", "nth": 2}, "action": {"flip": {"what": "feature", "feature": "bulk"}}}
`), "\n")

// arm arms a fault against an agent.
func (w *world) arm(document string, agent int) {
	var f map[string]map[string]any
	if err := json.Unmarshal([]byte(document), &f); err != nil {
		panic(document + ": " + err.Error())
	}
	if f["match"] == nil {
		f["match"] = map[string]any{}
	}
	f["match"]["actor"] = w.history.Actors[agent]
	text, err := json.Marshal(map[string]any{"seed": w.seed%1000 + 1, "faults": []any{f}})
	if err != nil {
		panic(err)
	}
	armed, err := fault.Parse(text)
	if err != nil {
		panic(document + ": " + err.Error())
	}
	if err := w.service.Faults().Arm(armed...); err != nil {
		panic(err)
	}
}

// disarm takes all faults away and counts those that fired.
func (w *world) disarm() {
	w.race = false
	for _, s := range w.service.Faults().States() {
		w.tally.fault(s)
	}
	w.service.Faults().Disarm("")
}

// keysHold reports whether the service knows every create key from the moment of the
// create on: no open point and no fault has it forget one within the trust window.
func (s script) keysHold() bool {
	drawn := s.drawnPoints()
	return !s.lags() && drawn[openpoint.KeyLag] == "0s" && drawn[openpoint.BulkParentRepeat] == "reuse" &&
		drawn[openpoint.KeyScopeBulk] == "shared" && drawn[openpoint.KeyArchived] == "returned"
}

// keyLag is how long after a create its key is not known.
func (s script) keyLag() time.Duration {
	lag, err := time.ParseDuration(s.drawnPoints()[openpoint.KeyLag])
	if err != nil {
		panic(err)
	}
	return lag
}

// listsHold reports whether lists show a create at once.
func (s script) listsHold() bool { return !s.lags() && s.drawnPoints()[openpoint.ListLag] == "0s" }

func (s script) lags() bool {
	return slices.ContainsFunc(s.Actions, func(a action) bool { return strings.Contains(a.Fault, "visibility_lag") })
}

func (s script) drawnPoints() map[openpoint.Name]string {
	if s.Points == 0 {
		return openpoint.Defaults().Chosen()
	}
	return openpoint.Draw(s.Points)
}

// Every other history meets a cut listing in the place of a lost result; all else that is
// drawn stays, and the faults that are named so are those of the list.
func TestEveryOtherHistoryMeetsACutListing(t *testing.T) {
	if !slices.Contains(faults, loseTwo) || !slices.Contains(faults, cutShort) {
		t.Fatal("a fault that is evened out is not one of the list")
	}
	for seed, want := range []string{cutShort, loseTwo} {
		s := script{
			Seed: uint64(seed), Actions: []action{{Do: "fault", Fault: loseTwo}, {Do: "fault", Fault: faults[0]}},
		}
		if s.evenOut(); s.Actions[0].Fault != want || s.Actions[1].Fault != faults[0] {
			t.Errorf("history %d meets %v; want %s, and the other as it was", seed, s.Actions, want)
		}
	}
}
