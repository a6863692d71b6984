package send

import (
	"encoding/json"
	"testing"

	"adsync/internal/resource"
	"adsync/reconcile/live"
)

// An amount of the audit log is compared to the micro, also beyond what a float tells apart.
func TestAnAmountOfTheLogIsComparedToTheMicro(t *testing.T) {
	const path, sent = "budget.lifetime_spend_limit_micros", 9_007_199_254_740_993
	for logged, want := range map[string]bool{
		"9007199254740993": false,
		"9007199254740992": true,
		"20000000":         true,
		"2.5":              true,
	} {
		change := json.RawMessage(`{"after":{"lifetime_spend_limit_micros":` + logged + `}}`)
		if got := live.Contradicts(change, path, resource.Number(sent)); got != want {
			t.Errorf("live.Contradicts(%s, %d) = %t; want %t", logged, int64(sent), got, want)
		}
	}
	if live.Contradicts(json.RawMessage(`{"after":{}}`), path, resource.Number(sent)) {
		t.Error("a log that does not show the amount contradicts it; want that it does not")
	}
}
