package conformance

import (
	"testing"

	"adsync/internal/testing/conformance/rules"
	"adsync/internal/testing/emulatortest"
	"adsync/internal/testing/golden"

	"github.com/google/go-cmp/cmp"
)

func TestEveryRuleHasARow(t *testing.T) {
	c := Cover(Rows)
	for _, r := range rules.All {
		if n := len(c.OfRule[r.ID]); (n == 0) != (r.Silent != "") {
			t.Errorf("rule %s (%s) has %d rows; silent: %q", r.ID, r.Text, n, r.Silent)
		}
	}
	for _, id := range c.Unknown {
		t.Errorf("a row is about %s, which is no rule", id)
	}
}

func TestEveryEndpointHasARowThatSucceeds(t *testing.T) {
	c := Cover(Rows)
	for _, e := range rules.Endpoints {
		if len(c.OfEndpoint[e.Name()]) == 0 {
			t.Errorf("%s has no row that wants a success", e.Name())
		}
	}
}

// TestEndpointsAreThoseOfTheEmulator holds the list of endpoints to what is served.
func TestEndpointsAreThoseOfTheEmulator(t *testing.T) {
	listed := map[string]string{}
	for _, e := range rules.Endpoints {
		listed[e.Name()] = e.Point
	}
	served := map[string]string{}
	for _, rt := range emulatortest.Start(t).Routes() {
		served[rt.Method+" "+rt.Pattern] = string(rt.Point)
	}
	if diff := cmp.Diff(listed, served); diff != "" {
		t.Errorf("endpoints, and the points of additions (-listed +served):\n%s", diff)
	}
}

func TestNamesOfRowsAndRulesAreTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range Rows {
		if seen[row.Name] {
			t.Errorf("two rows are called %q", row.Name)
		}
		seen[row.Name] = true
	}
	for _, r := range rules.All {
		if seen[r.ID] {
			t.Errorf("two rules are called %q", r.ID)
		}
		seen[r.ID] = true
	}
}

func TestPageShowsTheCoverage(t *testing.T) {
	golden.File(t, "../../../docs/develop/service.md", []byte(Page(Rows)))
}
