package runs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
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

// How a run ended is one text of the catalogue, which somebody translates; what failed is said before it.
func TestHowARunEndedIsInTheCatalogue(t *testing.T) {
	english, err := os.ReadFile("../../../../internal/words/catalogue/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	other, err := catalogue.Read("brackets.txt", strings.Replace(regexp.MustCompile(`(?m)^([a-z][^#=\n]*) = (.*)$`).
		ReplaceAllString(regexp.MustCompile(`\n +`).ReplaceAllString(string(english), " "), "$1 = ⟦$2⟧"),
		"language = ⟦en⟧", "language = en", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer catalogue.Use(other)()
	of := func(outcome state.Outcome, n int) *reconcile.Report {
		return &reconcile.Report{Outcomes: slices.Repeat([]reconcile.Outcome{{Outcome: outcome}}, n)}
	}
	open := reconcile.Undecided{Operation: state.Operation{Address: resource.Address{Kind: "pixel", Key: "shop"}}}
	moved := of(state.OutcomeApplied, 1)
	moved.Saved = &plan.SavedDocument{Stale: make([]plan.StaleDocument, 2)}
	for name, r := range map[string]*reconcile.Report{
		"undecided": {Undecided: []reconcile.Undecided{open, open}}, "unknown": of(state.OutcomeUnknown, 1),
		"failed": of(state.OutcomeFailed, 2), "held": of("held", 2), "moved": moved,
	} {
		said := verdict(r, nil).Error()
		if !strings.HasPrefix(said, "⟦") || !strings.HasSuffix(said, "⟧") {
			t.Errorf("%s: %s; want one text of the catalogue", name, said)
		}
	}
}
