package words_test

import (
	"strings"
	"testing"

	"adsync/internal/runview"
	"adsync/internal/words"
)

// TestWhatBecameOfARowSaysWhatToDo: of every outcome, for people who have no command line.
func TestWhatBecameOfARowSaysWhatToDo(t *testing.T) {
	for _, a := range runview.Advices() {
		if a.Outcome == runview.Held {
			continue
		}
		if do := words.Do(a.Outcome, a.Code); do == "" || strings.Contains(do, "adsync ") && !strings.Contains(do, "after adsync") || strings.Contains(do, "ply again") {
			t.Errorf("%s %s says %q; want what to do without a command", a.Outcome, a.Code, do)
		}
	}
}
