package coverage

import (
	"maps"
	"os"
	"slices"
	"testing"

	"adsync/internal/testing/golden"
)

func theInputs(t *testing.T) map[string][]string {
	document, err := os.ReadFile("../../../docs/develop/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := Inputs(document)
	if err != nil {
		t.Fatal(err)
	}
	return inputs
}

// TestEveryInputIsReachedAndShown wants a row whole for each input: how a user reaches it, and a
// script that shows it; or else a reason why it is never sent.
func TestEveryInputIsReachedAndShown(t *testing.T) {
	shown, seen := Shown(), map[string]bool{}
	for endpoint, names := range theInputs(t) {
		for _, name := range names {
			in := Input{endpoint, name}
			seen[row(in)], seen["* "+name] = true, true
			how, why := by(in, shown[in] != "")
			sent := shown[in] != "" || elsewhere[name] != ""
			switch {
			case unsent[row(in)] != "" && shown[in] != "":
				t.Errorf("%s is never sent, and script %s sends it", row(in), shown[in])
			case instead[row(in)] != Input{} && (shown[in] != "" || shown[instead[row(in)]] == ""):
				t.Errorf("%s is sent by script %q, and what does the same by script %q; want the second alone",
					row(in), shown[in], shown[instead[row(in)]])
			case why == "" && (how == "" || !sent):
				t.Errorf("%s: reached by %q, shown by %q; want both", row(in), how, shown[in])
			}
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(unsent)), slices.Collect(maps.Keys(instead))) {
		if !seen[name] {
			t.Errorf("%s is among what is never sent, and the emulator does not take it", name)
		}
	}
}

func TestThePageIsInStep(t *testing.T) {
	golden.File(t, "../../../docs/develop/coverage.md", Page(theInputs(t), Shown()))
}

// What another program of a script sends shows nothing of adsync.
func TestOnlyWhatAdsyncSendsIsNoted(t *testing.T) {
	status := Input{"POST /ads/{ad_id}", "body status=archived"}
	for agent, want := range map[string]bool{"adsync/1.0": true, "curl/8": false, "": false} {
		watch := NewWatch(map[string][]string{status.Endpoint: {"", "body status"}})
		watch.Started("s")
		watch.Note("s", Request{Method: "POST", Path: "/v1/ads/ad_1", Body: []byte(`{"status":"archived"}`),
			Header: map[string][]string{"User-Agent": {agent}}})
		if missed := watch.Missed(map[Input]string{status: "s"}); (len(missed) == 0) != want {
			t.Errorf("%q: missed %q; want it noted: %v", agent, missed, want)
		}
	}
}

func TestAPathFitsItsPattern(t *testing.T) {
	for _, row := range []struct {
		pattern, path string
		want          bool
	}{
		{"/ads/{ad_id}", "/ads/ad_1", true},
		{"/ads/{ad_id}", "/ads/", false},
		{"/ads/{ad_id}", "/ads/ad_1/pause", false},
		{"/ads/{ad_id}/pause", "/ads/ad_1/pause", true},
		{"/ads/{ad_id}/pause", "/ads/ad_1/archive", false},
	} {
		if got := fits(row.pattern, row.path); got != row.want {
			t.Errorf("fits(%q, %q) is %v; want %v", row.pattern, row.path, got, row.want)
		}
	}
}
