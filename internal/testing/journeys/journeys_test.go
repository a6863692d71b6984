package journeys

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// profiles are those of the emulator (docs/develop/open-points.md).
var profiles = []string{"interface", "published", "hostile"}

// profilesRun are those that the journeys are made in.
var profilesRun = flag.String("profiles", strings.Join(profiles, ","),
	"profiles of the emulator to make the journeys in")

// withoutWaits are the points that only take time: a journey waits by the wall clock.
const withoutWaits = "audience_duration=0s,bulk_duration=0s,bulk_complete_lag=0s,list_visibility_lag=0s," +
	"key_visibility_lag=0s,audit_log_lag=0s,audience_operation_stalls=never"

// bin is the folder of the binary that is built for all journeys.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(built(m))
}

func built(m *testing.M) int {
	os.Unsetenv("GOGC") // processes that tests start collect as a user's do
	var err error
	if bin, err = os.MkdirTemp("", "adsync-journeys-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(bin, "adsync"), "adsync/cmd/adsync")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestJourneys makes every journey of testdata in every profile of the emulator.
func TestJourneys(t *testing.T) {
	for profile := range strings.SplitSeq(*profilesRun, ",") {
		t.Run(profile, func(t *testing.T) { makeJourneys(t, "testdata", profile, "") })
	}
}

// hub is the forge that a journey is made on; "" where it says which.
func makeJourneys(t *testing.T, folder, profile, hub string) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		RequireExplicitExec: true,
		Condition: func(condition string) (bool, error) { // [hostile]: what this profile alone shows
			if known := slices.Concat(profiles, hubNames); !slices.Contains(known, condition) {
				return false, fmt.Errorf("condition is %q; want one of %q", condition, known)
			}
			return condition == profile || condition == hub, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("BIN", bin)
			e.Setenv("ROOT", root)
			e.Setenv("QUICKSTART", root+"/examples/quickstart")
			e.Setenv("NO_COLOR", "1")
			e.Setenv("PROFILE", profile)
			e.Setenv("LIKE", hub)
			e.Setenv("ADSYNC_KEY_LAG", "0s") // the emulator knows a key at once
			e.Values[thisTest] = e.T().(testing.TB)
			return os.Mkdir(e.WorkDir+"/home", 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"adsync": adsync, "exits": exits,
			"service": startService, "theirs": atTheService, "finds": findID,
			"fill": fillRow, "edit": editRow, "reads": rowReads, "listed": textIsListed, "chooses": chooses,
			"replace": replaceText,
			"daemon":  startDaemon, "logs": awaitLog, "end": endProcess,
			"git": git, "sshd": startSSH, "forge": startForge, "job": runJob, "comment": commentReads,
			"hub": startHub, "opens": opensPull, "pushes": pushesBranch, "agrees": agreesToPull, "merges": mergesPull,
			"told": pullIsTold, "judged": headIsJudged,
			"shows": pageShows, "approves": approveOnPage,
			"visits": logInToPage, "downloads": downloadFromPage, "drops": dropInPage, "sees": seesOnPage,
			"sends": sendFromPage,
			"calc":  typeInLibreOffice, "awaits": awaitRow,
			"database": startDatabase, "promote": promoteStandby, "worker": startWorker, "says": awaitSaid,
			"unplug": signals(syscall.SIGKILL), "freeze": signals(syscall.SIGSTOP), "thaw": signals(syscall.SIGCONT),
			"taken": takenOver,
			"all":   allAreNamed, "once": changedOnce, "figures": sayFigures,
			"postbox": openPostbox, "words": putWords, "letter": letterComes, "goes": goTo, "clicks": clickOn,
			"enters": enterText, "seen": comesToRead, "reloads": reloadUntil, "uploads": uploadFile,
			"fetches": fetchFile, "ticked": tickAll,
			"says-of": typeStanding, "single": isThereOnce,
			"browser": startBrowser, "ticks": tickAndApprove, "picture": takePicture,
		},
	})
}

// adsync ARGS...: as somebody types it; it ends with 0.
func adsync(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("say with which code: exits CODE adsync ...")
	}
	ts.Check(ts.Exec("adsync", args...))
}

// exits CODE COMMAND...: the command ends with exactly this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("%s ends with %d; want %d", strings.Join(args[1:], " "), code, want)
	}
}
