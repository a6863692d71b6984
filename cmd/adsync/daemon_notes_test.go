package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

// TestProblemsStandAtTheirLines: what is wrong in a pull request, and not on the branch, stands at its line as long as
// it is wrong there.
func TestProblemsStandAtTheirLines(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	q.save("bid: {max: 0.90}", "bid: {max: dear}", "Break")
	push(t, q.at, "refs/heads/main")
	lineOf := func(text string) int {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(q.work, "spring.yaml"))
		noError(t, err)
		before, _, is := strings.Cut(string(content), text)
		if !is {
			t.Fatalf("spring.yaml has no %q", text)
		}
		return 1 + strings.Count(before, "\n")
	}
	// stands waits until notes stand at lines, each with a text, and at no others.
	stands := func(want map[int]string) {
		t.Helper()
		var all []githubtest.Note
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			all = q.forge.Notes(7)
			right := len(all) == len(want)
			for _, n := range all {
				right = right && n.Path == "spring.yaml" && want[n.Line] != "" && strings.Contains(n.Body, want[n.Line])
			}
			if right {
				return
			}
		}
		t.Fatalf("there stands %+v; want %v\n%s", all, want, q.p.said())
	}
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: cheap}")
	q.forge.Set(pull)
	q.git("checkout", "-q", pull.Head)
	line := lineOf("cheap")
	q.says(7, "cheap", "dear")
	stands(map[int]string{line: "`amount is \"cheap\"; want"})

	q.git("checkout", "-q", "-B", "again", pull.Head)
	saveEdit(t, q.work, "name: Spring launch\n", "name: Spring launch\n# one more line\nstatus_: active\n")
	q.git("commit", "-q", "-a", "-m", "Edit")
	pull.Head = q.publishes(7)
	q.forge.Set(pull)
	stands(map[int]string{line + 2: "cheap", lineOf("status_"): "status_"})

	q.git("checkout", "-q", "main")
	pull = q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	stands(nil)
	q.judged(pull.Head, "failure", "1 problem")
	q.p.end()
}
