package daemoncmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/resultcopy"
	"adsync/sources/config"

	"github.com/xuri/excelize/v2"
)

// bookWith is a workbook with one campaign of a daily budget.
func bookWith(t *testing.T, budget any) string {
	t.Helper()
	f := excelize.NewFile()
	noError(t, f.SetSheetName("Sheet1", "Campaigns"))
	noError(t, f.SetSheetRow("Campaigns", "A1", &[]any{"Campaign", "Status", "Bidding", "Daily budget (USD)"}))
	noError(t, f.SetSheetRow("Campaigns", "A2", &[]any{"Winter", "paused", "clicks", budget}))
	var b bytes.Buffer
	noError(t, f.Write(&b))
	return b.String()
}

// resultIn is the Result of the campaign in a workbook.
func resultIn(t *testing.T, name string) string {
	t.Helper()
	f, err := excelize.OpenFile(name)
	noError(t, err)
	defer f.Close()
	rows, err := f.GetRows("Campaigns")
	noError(t, err)
	for i, title := range rows[0] {
		if title == "Result" && i < len(rows[1]) {
			return rows[1][i]
		}
	}
	return ""
}

// TestWhatTheDaemonWritesWakesNoRun: a save is one run, whatever that leaves beside the
// files or in them, and however often they are looked at.
func TestWhatTheDaemonWritesWakesNoRun(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for name, own := range map[string]config.DaemonAccount{
		"copies beside the files":       {},
		"and results in the files, too": {WriteBack: true},
	} {
		own.Every = 24 * time.Hour
		t.Run(name, func(t *testing.T) {
			followAs(t, false, own, func(f *followed) {
				for _, save := range []struct {
					budget any
					result string
				}{{5, "created"}, {4, "updated"}, {"4 or 5", "waits"}} {
					f.forget()
					f.save("winter.xlsx", bookWith(t, save.budget))
					f.emit()
					f.pass(followedSettle + 5*time.Second)
					if n := len(f.runs); n != 1 {
						t.Fatalf("%d runs after a save; want one", n)
					}
					for range 5 {
						f.emit() // of what the run wrote
						f.pass(time.Minute)
					}
					if n := len(f.runs); n != 1 {
						t.Errorf("%d runs in the minutes after a save; want one", n)
					}
					if result := resultIn(t, f.path("winter (adsync results).xlsx")); result != save.result {
						t.Errorf("the copy says %q of a budget of %v; want %q", result, save.budget, save.result)
					}
					if result := resultIn(t, f.path("winter.xlsx")); own.WriteBack != (result == save.result) {
						t.Errorf("the workbook says %q; want %q: %v", result, save.result, own.WriteBack)
					}
				}
			})
		})
	}
}

// TestASaveBesideAWriteOfOursIsSeen: what adsync writes hides nothing that somebody saves
// in the same moment.
func TestASaveBesideAWriteOfOursIsSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	followAs(t, false, config.DaemonAccount{Every: 24 * time.Hour, WriteBack: true}, func(f *followed) {
		f.save("winter.xlsx", bookWith(t, 5))
		f.emit()
		f.pass(followedSettle + 500*time.Millisecond)
		f.save("autumn.yaml", strings.Replace(followedFiles["autumn.yaml"], "10.00", "9.00", 1))
		f.emit()
		f.pass(followedSettle + 5*time.Second)
		f.pass(time.Minute)
		if r := f.last(); r.Class != daemon.Applied || len(f.runs) != 2 {
			t.Errorf("%d runs, the last %s %s; want the second save applied by a second run",
				len(f.runs), r.Class, r.Message)
		}
	})
}

// TestCopiesInAWorkTreeAreNotCommittedNorCounted: nobody has to think of them.
func TestCopiesInAWorkTreeAreNotCommittedNorCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	follow(t, false, 24*time.Hour, func(f *followed) {
		git := func(args ...string) string {
			t.Helper()
			as := []string{"-C", f.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}
			out, err := exec.Command("git", append(as, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
			return strings.TrimSpace(string(out))
		}
		saveFile(t, f.path(".gitignore"), ".adsync/\n")
		f.save("winter.xlsx", bookWith(t, 5))
		git("init", "-q", "-b", "main")
		git("add", "-A")
		git("commit", "-q", "-m", "The campaigns")
		f.forget()
		f.emit()
		f.pass(followedSettle + 5*time.Second)
		r := f.last()
		if at := r.Revision; r.Class != daemon.Applied || at.Uncommitted != 0 || at.Commit != git("rev-parse", "HEAD") {
			t.Errorf("the run is %s of %q, %d files not committed; want it applied of HEAD",
				r.Class, at.Commit, at.Uncommitted)
		}
		copied := filepath.Join(f.dir, resultcopy.NameOf("winter.xlsx"))
		if _, err := os.Stat(copied); err != nil {
			t.Fatal(err)
		}
		if left := git("status", "--porcelain"); left != "" {
			t.Errorf("git sees %q; want nothing", left)
		}
	})
}
