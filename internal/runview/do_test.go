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
	if got, want := Do(state.OutcomeUnknown, string(diag.NeedsDecision), spring),
		"See what is known of it, and decide it: adsync resolve campaign/spring"; got != want {
		t.Errorf("Do = %q; want %q", got, want)
	}
}

// The code of an outcome and the one its words end with stand in one bracket, and none
// stands there twice.
func TestCodesOfAnOutcomeStandTogether(t *testing.T) {
	for _, row := range []struct{ message, code, want string }{
		{"too long.", "title_too_long", "too long (title_too_long)"},
		{"not reached", "", "not reached"},
		{"job_7 is still \"running\" (ADS2011)", "ADS2005", "job_7 is still \"running\" (ADS2011, ADS2005)"},
		{"job_7 gave no result (ADS2005)", "ADS2005", "job_7 gave no result (ADS2005)"},
		{"one of ours (ADS2011) came first", "ADS2005", "one of ours (ADS2011) came first (ADS2005)"},
	} {
		o := Outcome{}
		o.Message, o.Code = row.message, row.code
		if got := o.coded(); got != row.want {
			t.Errorf("coded() of %q with %q = %q, want %q", row.message, row.code, got, row.want)
		}
	}
}
