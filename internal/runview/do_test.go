package runview

import (
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// Every outcome but a clean one says what to do, whatever its code is, and no row
// of the table is hidden by one before it.
func TestEveryOutcomeSaysWhatToDo(t *testing.T) {
	spring := resource.Address{Kind: "campaign", Key: "spring"}
	for _, o := range outcomes {
		if got := Do(o, "a code of tomorrow", spring); (got == "") != (o == state.OutcomeApplied) {
			t.Errorf("Do(%s) = %q; want words for all but applied", o, got)
		}
	}
	general := map[state.Outcome]bool{}
	for _, a := range Advices() {
		if general[a.Outcome] {
			t.Errorf("%s %s stands after the row of any other code", a.Outcome, a.Code)
		}
		general[a.Outcome] = general[a.Outcome] || a.Code == ""
	}
	if got, want := Do(state.OutcomeUnknown, string(diag.NeedsDecision), spring), "See what is known of it, and decide it: adsync resolve campaign/spring"; got != want {
		t.Errorf("Do = %q; want %q", got, want)
	}
}
