package sources_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/sources/marked"
)

const updatesAlone = "ADSYNC_TEST_UPDATES_ALONE"

// An update that is killed at any moment leaves the workbook as it was or as it is to be, and nothing that is read. The
// next update ends what it began.
func TestAnUpdateThatIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	update := func(dir string) error {
		_, err := updated(t, dir, marked.Update{Known: knowsSpans(twoSpans()), Windows: spans})
		return err
	}
	if dir := os.Getenv(updatesAlone); dir != "" {
		must(t, update(dir))
		return
	}
	before := withFigures(t, oneSpan())
	whole := performanceFolder(t, before)
	begun := time.Now()
	must(t, alone(t, whole).Run())
	took := time.Since(begun)
	after := readFile(t, whole, "q4.xlsx")
	if bytes.Equal(before, after) {
		t.Fatal("the update changed nothing")
	}
	const times = 20
	for n := range times {
		dir := performanceFolder(t, before)
		child := alone(t, dir)
		must(t, child.Start())
		kill := time.AfterFunc(took*time.Duration(n+1)/times, func() { _ = child.Process.Kill() })
		_ = child.Wait() // it was killed, or was faster
		kill.Stop()
		left := readFile(t, dir, "q4.xlsx")
		if !bytes.Equal(left, before) && !bytes.Equal(left, after) {
			t.Fatalf("after %d/%d of its time the workbook is neither that of before nor that of after", n+1, times)
		}
		if d := load(t, dir); len(d.Sources) != 1 {
			t.Errorf("%d files are read; want the workbook alone", len(d.Sources))
		}
		must(t, update(dir))
		if !bytes.Equal(readFile(t, dir, "q4.xlsx"), after) {
			t.Error("the next update did not end what the killed one began")
		}
	}
}

// alone is the update of a folder by a process of its own.
func alone(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), updatesAlone+"="+dir)
	return child
}

// A sheet of 15,000 ads is brought up to date in seconds. Where each row looked through all cells it was nine minutes.
func TestAnUpdateOfManyAds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	many := oneSpan()
	week := &many.Windows[0]
	for n := range 15_000 {
		id := fmt.Sprintf("ad_%d", n)
		week.ByID[id] = resource.Measured{"12345", "67", "89.10", "0.005427", "1.329851", "7.217497"}
		week.Rows = append(week.Rows, resource.FigureRow{Kind: "ad", Path: []string{"Spring", "Runners", id}, ID: id})
	}
	dir := performanceFolder(t, withFigures(t, oneSpan()))
	begun := time.Now()
	done, err := updated(t, dir, marked.Update{Known: knowsOne(many)})
	must(t, err)
	if took := time.Since(begun); took > 2*time.Minute || done.Cells < 15_000*10 {
		t.Errorf("%d cells took %v; want those of 15,000 ads in less than two minutes", done.Cells, took)
	}
}
