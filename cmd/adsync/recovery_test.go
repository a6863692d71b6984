package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/reconcile"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestTheTableOfRecoveryIsInStep holds docs/operate/recovery.md to the table recovery
// goes by.
func TestTheTableOfRecoveryIsInStep(t *testing.T) {
	want := "| found | what is done |\n|---|---|\n"
	for _, r := range reconcile.RecoveryRules() {
		want += fmt.Sprintf("| %s | %s |\n", r.Found, r.Does)
	}
	inStep(t, "../../docs/operate/recovery.md", "rules", want)
}

// TestTheTableOfWhatToDoIsInStep holds docs/use/runs.md to what reports say is to be
// done about an outcome.
func TestTheTableOfWhatToDoIsInStep(t *testing.T) {
	want := "| outcome | code | what to do |\n|---|---|---|\n"
	for _, a := range runview.Advices() {
		want += fmt.Sprintf("| %s | %s | %s |\n", a.Outcome, cmp.Or(a.Code, "any other"), a.Do)
	}
	inStep(t, "../../docs/use/runs.md", "do", want)
}

// TestTheListOfCodesIsInStep holds docs/use/problems.md to what adsync explain says.
func TestTheListOfCodesIsInStep(t *testing.T) {
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;")
	want := "| code | what it says | why it comes | what to do | for example |\n|---|---|---|---|---|\n"
	for _, e := range diag.Explanations() {
		want += fmt.Sprintf("| %s | %s | %s | %s | `%s` |\n",
			e.Code, cell.Replace(e.Means), cell.Replace(e.Why), cell.Replace(e.Do), e.Example)
	}
	inStep(t, "../../docs/use/problems.md", "codes", want)
}

// TestTheListOfHoldsIsInStep holds docs/use/policy.md to what adsync explain says.
func TestTheListOfHoldsIsInStep(t *testing.T) {
	want := "| hold | what it says | why it comes | what to do | for example |\n|---|---|---|---|---|\n"
	for _, e := range plan.Explanations() {
		want += fmt.Sprintf("| `%s` | %s | %s | %s | `%s` |\n", e.Hazard, e.Means, e.Why, e.Do, e.Example)
	}
	inStep(t, "../../docs/use/policy.md", "holds", want)
}

// inStep holds what stands between the marks of a page to what it is made of.
func inStep(t *testing.T, name, mark, want string) {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	have, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", name)
	}
	if *update {
		if err := os.WriteFile(name, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, have); diff != "" {
		t.Errorf("%s (-want +got); go test ./cmd/adsync -run InStep -update writes it:\n%s", name, diff)
	}
}
