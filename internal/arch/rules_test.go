package arch

import (
	"regexp"
	"strings"
	"testing"
)

var ruleRow = regexp.MustCompile(`(?m)^\| [^-].*\|$`)

// TestEveryRuleIsHeldByATestThatIsThere: each row of docs/develop/rules.md names a test
// or script that exists.
func TestEveryRuleIsHeldByATestThatIsThere(t *testing.T) {
	rows := ruleRow.FindAllString(read(t, "docs/develop/rules.md"), -1)
	held := 0
	for _, row := range rows {
		if strings.HasPrefix(row, "| rule |") {
			continue
		}
		named := heldBy.FindAllStringSubmatch(row, -1)
		if len(named) == 0 {
			t.Errorf("docs/develop/rules.md: no test in the row\n%s", row)
		}
		held += len(named)
		checkNamed(t, "docs/develop/rules.md", named)
	}
	if held < 35 {
		t.Errorf("docs/develop/rules.md names %d tests; want at least 35, a row each", held)
	}
}

// TestEveryPromiseOfThePageIsHeldByATestThatIsThere: each row of the first table of docs/develop/page.md names one.
func TestEveryPromiseOfThePageIsHeldByATestThatIsThere(t *testing.T) {
	promises, _, _ := strings.Cut(read(t, "docs/develop/page.md"), "\n## ")
	rows := ruleRow.FindAllString(promises, -1)
	if len(rows) < 20 {
		t.Errorf("docs/develop/page.md has %d rows; want at least 20", len(rows))
	}
	for _, row := range rows[1:] {
		named := heldBy.FindAllStringSubmatch(row, -1)
		if len(named) == 0 {
			t.Errorf("docs/develop/page.md: no test in the row\n%s", row)
		}
		checkNamed(t, "docs/develop/page.md", named)
	}
}

// TestEveryLineOfTheInterfaceHasARule: each line of parts 2, 3 and 8 that
// docs/develop/service.md holds the emulator to stands in docs/develop/rules.md, once.
func TestEveryLineOfTheInterfaceHasARule(t *testing.T) {
	line := regexp.MustCompile(`\b[238]\.[a-z_0-9.]*[a-z_0-9]`)
	stated, held := map[string]bool{}, map[string]int{}
	for _, row := range ruleRow.FindAllString(read(t, "docs/develop/service.md"), -1) {
		if id := line.FindString(strings.Split(row, "|")[1]); id != "" {
			stated[id] = true
		}
	}
	for _, row := range ruleRow.FindAllString(read(t, "docs/develop/rules.md"), -1) {
		for _, id := range line.FindAllString(strings.Split(row, "|")[1], -1) {
			held[id]++
		}
	}
	if len(stated) < 100 {
		t.Fatalf("docs/develop/service.md states %d lines of parts 2, 3 and 8; want at least 100", len(stated))
	}
	for id := range stated {
		if held[id] != 1 {
			t.Errorf("docs/develop/rules.md has the line %s %d times; want it once", id, held[id])
		}
	}
	for id := range held {
		if !stated[id] {
			t.Errorf("docs/develop/rules.md has the line %s, which docs/develop/service.md does not state", id)
		}
	}
}
