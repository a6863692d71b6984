package runview

import (
	"strings"
	"testing"

	"adsync/internal/words"
)

// TestWhatBecameOfARowSaysWhatToDo: of every outcome, for people who have no command line.
func TestWhatBecameOfARowSaysWhatToDo(t *testing.T) {
	for _, a := range Advices() {
		if a.Outcome == Held {
			continue
		}
		if do := words.Do(string(a.Outcome), a.Code); do == "" || strings.Contains(do, "adsync ") &&
			!strings.Contains(do, "after adsync") || strings.Contains(do, "ply again") {
			t.Errorf("%s %s says %q; want what to do without a command", a.Outcome, a.Code, do)
		}
	}
}
