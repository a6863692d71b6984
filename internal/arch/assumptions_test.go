package arch

import (
	"strings"
	"testing"
)

// TestEveryAssumptionIsOnThePage: a package that marks an assumption in its
// code has a line in docs/develop/assumptions.md, and no package has one without.
func TestEveryAssumptionIsOnThePage(t *testing.T) {
	page := read(t, "docs/develop/assumptions.md")
	marked := map[string]bool{}
	for _, s := range program(t) {
		for _, group := range s.tree.Comments {
			text := group.Text()
			if strings.Contains(text, "assumption:") || strings.Contains(text, "assumption (") {
				marked[s.dir] = true
			}
		}
	}
	if len(marked) == 0 {
		t.Fatal("no comment says assumption; want the mark that is looked for")
	}
	for dir := range marked {
		if !strings.Contains(page, "| `"+dir+"` |") {
			t.Errorf("docs/develop/assumptions.md has no line for %s, which marks an assumption", dir)
		}
	}
	for line := range strings.Lines(page) {
		name, ok := strings.CutPrefix(line, "| `internal/emulator/")
		dir, _, _ := strings.Cut(name, "`")
		if ok && !marked["internal/emulator/"+dir] {
			t.Errorf("docs/develop/assumptions.md: internal/emulator/%s marks no assumption in its code", dir)
		}
	}
}
