package runs

import (
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/state"
)

// What earlier runs left unknown is no success, whatever became of the rest.
func TestVerdictNamesWhatIsUndecided(t *testing.T) {
	open := reconcile.Undecided{Operation: state.Operation{Address: resource.Address{Kind: "pixel", Key: "shop"}}}
	for name, r := range map[string]*reconcile.Report{
		"nothing to do": {Undecided: []reconcile.Undecided{open}},
		"all of it applied": {Undecided: []reconcile.Undecided{open},
			Outcomes: []reconcile.Outcome{{Outcome: state.OutcomeApplied}}},
		"some of it refused": {Undecided: []reconcile.Undecided{open},
			Outcomes: []reconcile.Outcome{{Outcome: state.OutcomeFailed}}},
	} {
		err := verdict(r, nil)
		if codeOfExit(err) != console.ExitUnknown || !strings.Contains(err.Error(), "adsync resolve pixel/shop") {
			t.Errorf("%s: %v; want code %d and the command that decides it", name, err, console.ExitUnknown)
		}
	}
	if err := verdict(&reconcile.Report{}, nil); err != nil {
		t.Errorf("nothing undecided: %v; want none", err)
	}
}
