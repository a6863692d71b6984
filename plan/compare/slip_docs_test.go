package compare_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"adsync/plan"
)

func TestThePageOfAccidentsNamesEveryHazardOfOne(t *testing.T) {
	page, err := os.ReadFile("../../docs/use/accidents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []plan.Hazard{plan.Shifted, plan.Series, plan.Scale, plan.MassEdit, plan.Twins, plan.Activates} {
		if !strings.Contains(string(page), fmt.Sprintf("`%s`", h)) {
			t.Errorf("docs/use/accidents.md does not name %s", h)
		}
	}
}
