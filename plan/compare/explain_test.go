package compare_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/plan"
)

// Every hazard is explained, and what can be allowed says how, in words --allow reads.
func TestEveryHazardIsExplained(t *testing.T) {
	source, err := os.ReadFile("../words.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`Hazard += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if all := plan.Explanations(); len(declared) != len(all) || len(all) == 0 {
		t.Errorf("%d hazards are declared and %d explained", len(declared), len(all))
	}
	for _, d := range declared {
		e, known := plan.Explain(plan.Hazard(d[1]))
		if !known || e.Means == "" || e.Why == "" || e.Do == "" || e.Example == "" {
			t.Errorf("%s is explained as %+v", d[1], e)
		}
		given, allows := strings.CutPrefix(e.Example, "--allow ")
		if allows != slices.Contains(plan.Allowable(), d[1]) {
			t.Errorf("%s has the example %q; want an allowance exactly where there is one", d[1], e.Example)
		}
		if a, err := plan.ParseAllowance(given); allows && (err != nil || string(a.Hazard) != d[1]) {
			t.Errorf("%q is read as %+v, %v", given, a, err)
		}
	}
}
