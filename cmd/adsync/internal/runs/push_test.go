package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestOnlySoManyResultsWait: of a repository that takes none, the newest stay.
func TestOnlySoManyResultsWait(t *testing.T) {
	u := Unpushed(t.TempDir())
	for i := range unpushedMost + 2 {
		noError(t, os.Mkdir(filepath.Join(string(u), fmt.Sprintf("run-%06d", i+1)), 0o700))
	}
	waiting, err := u.Runs()
	noError(t, err)
	if entries, _ := os.ReadDir(string(u)); len(waiting) != unpushedMost ||
		waiting[0] != "run-000003" || len(entries) != unpushedMost {
		t.Errorf("%d wait, the first %s, and %d lie there; want the newest %d",
			len(waiting), waiting[0], len(entries), unpushedMost)
	}
}
