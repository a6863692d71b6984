package main

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/runview"
	"adsync/internal/testing/golden"
	"adsync/plan"
	"adsync/reconcile"
)

// TestTheTableOfRecoveryIsInStep holds docs/operate/recovery.md to the table recovery
// goes by.
func TestTheTableOfRecoveryIsInStep(t *testing.T) {
	want := "| found | what is done |\n|---|---|\n"
	for _, r := range reconcile.RecoveryRules() {
		want += fmt.Sprintf("| %s | %s |\n", r.Found, r.Does)
	}
	golden.Part(t, "../../docs/operate/recovery.md", "rules", want)
}

// TestTheTableOfWhatToDoIsInStep holds docs/use/runs.md to what reports say is to be
// done about an outcome.
func TestTheTableOfWhatToDoIsInStep(t *testing.T) {
	want := "| outcome | code | what to do |\n|---|---|---|\n"
	for _, a := range runview.Advices() {
		want += fmt.Sprintf("| %s | %s | %s |\n", a.Outcome, cmp.Or(a.Code, "any other"), a.Do)
	}
	golden.Part(t, "../../docs/use/runs.md", "do", want)
}

// TestTheListOfCodesIsInStep holds docs/use/problems.md to what adsync explain says.
func TestTheListOfCodesIsInStep(t *testing.T) {
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;")
	want := "| code | what it says | why it comes | what to do | for example |\n|---|---|---|---|---|\n"
	for _, e := range diag.Explanations() {
		want += fmt.Sprintf("| %s | %s | %s | %s | `%s` |\n",
			e.Code, cell.Replace(e.Means), cell.Replace(e.Why), cell.Replace(e.Do), e.Example)
	}
	golden.Part(t, "../../docs/use/problems.md", "codes", want)
}

// TestTheListOfHoldsIsInStep holds docs/use/policy.md to what adsync explain says.
func TestTheListOfHoldsIsInStep(t *testing.T) {
	want := "| hold | what it says | why it comes | what to do | for example |\n|---|---|---|---|---|\n"
	for _, e := range plan.Explanations() {
		want += fmt.Sprintf("| `%s` | %s | %s | %s | `%s` |\n", e.Hazard, e.Means, e.Why, e.Do, e.Example)
	}
	golden.Part(t, "../../docs/use/policy.md", "holds", want)
}
