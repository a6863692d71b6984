package runs

import (
	"fmt"
	"os"
	"testing"

	"adsync/state/kv"
)

// TestOnlySoManyResultsWait: of a repository that takes none, the newest stay.
func TestOnlySoManyResultsWait(t *testing.T) {
	u := Unpushed{beside: kv.Folder{Dir: t.TempDir()}}
	for i := range unpushedMost + 2 {
		noError(t, u.beside.Put(fmt.Sprintf("unpushed/run-%06d/message", i+1), nil))
	}
	waiting, err := u.Runs()
	noError(t, err)
	if entries, _ := os.ReadDir(u.beside.Where("unpushed")); len(waiting) != unpushedMost ||
		waiting[0] != "run-000003" || len(entries) != unpushedMost {
		t.Errorf("%d wait, the first %s, and %d lie there; want the newest %d",
			len(waiting), waiting[0], len(entries), unpushedMost)
	}
}

// TestResultsInPartAreNotPushed: those of a process that was killed wait for nothing, and go.
func TestResultsInPartAreNotPushed(t *testing.T) {
	u := Unpushed{beside: kv.Folder{Dir: t.TempDir()}}
	noError(t, u.beside.Put("unpushed/run-000001/files/results/a.csv", []byte("a")))
	noError(t, u.beside.Put("unpushed/run-000002/files/results/b.csv", []byte("b")))
	noError(t, u.beside.Put("unpushed/run-000002/message", []byte("done")))
	waiting, err := u.Runs()
	noError(t, err)
	answer, err := u.answer("run-000002")
	noError(t, err)
	if len(waiting) != 1 || answer.Message != "done" || string(answer.Files["results/b.csv"]) != "b" {
		t.Errorf("%v wait, and %+v is pushed; want run-000002 as it is kept", waiting, answer)
	}
	noError(t, u.dropPartial())
	if names, err := u.beside.Names(""); err != nil || len(names) != 2 {
		t.Errorf("there is %q, %v; want run-000002 alone", names, err)
	}
}
