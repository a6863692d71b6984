package planning

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
)

// A pull request says no more than a forge takes, and how much it leaves out; a name stays in its cell.
func TestAPullRequestOfMuchDriftFits(t *testing.T) {
	var d DriftDocument
	var left []diag.Problem
	for i := range 3000 {
		name := fmt.Sprintf("ad/%d | @acme/all `<img>`\n%s", i, strings.Repeat("é", 500))
		d.Resources = append(d.Resources, DriftResource{Address: name, Removed: "archived"})
		left = append(left, diag.Problem{Message: name})
	}
	text := d.markdown(nil, left)
	if n := len([]rune(text)); n > 60_000 || n < 20_000 {
		t.Errorf("%d characters; want as much as a forge takes, and no more", n)
	}
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| `") {
			if rows++; strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 6 {
				t.Fatalf("the row is %q; want five cells", line)
			}
		}
	}
	if want := fmt.Sprintf("… and %d more.", 3000-rows); rows == 0 || !strings.Contains(text, want) {
		t.Errorf("%d rows in\n%.3000s\nwant %q", rows, text, want)
	}
}
