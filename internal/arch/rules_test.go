package arch

import (
	"regexp"
	"strings"
	"testing"
)

var ruleRow = regexp.MustCompile(`(?m)^\| [^-].*\|$`)

// TestEveryRuleIsHeldByATestThatIsThere: each row of docs/rules.md names a test
// or script that exists.
func TestEveryRuleIsHeldByATestThatIsThere(t *testing.T) {
	rows := ruleRow.FindAllString(read(t, "docs/rules.md"), -1)
	held := 0
	for _, row := range rows {
		if strings.HasPrefix(row, "| rule |") {
			continue
		}
		named := heldBy.FindAllStringSubmatch(row, -1)
		if len(named) == 0 {
			t.Errorf("docs/rules.md: no test in the row\n%s", row)
		}
		held += len(named)
		checkNamed(t, "docs/rules.md", named)
	}
	if held < 35 {
		t.Errorf("docs/rules.md names %d tests; want at least 35, a row each", held)
	}
}
