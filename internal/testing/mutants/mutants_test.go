package mutants

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
)

var every = flag.Bool("every", false, "catch every mistake, not only those whose tests are quick")

// within is how long a test may take to find a mistake once it is built.
const within = time.Minute

// mistakes are the list: the file of each in testdata, and the test that must fail with it.
var mistakes = []struct {
	name, dir, test string
	quick           bool
}{
	{"new_key_on_retry", "internal/adsapi", "TestRepetitionIsTheSameBytesAndKey", false},
	{"key_from_clock", "reconcile/apply", "TestCreateKeysNameAccountAddressAndLife", false},
	{"key_from_content", "reconcile", "TestSeededTwoEqualAdsStayTwo", false},
	{"journal_after_send", "reconcile", "TestSeededEveryRequestIsInTheJournalBeforeItIsSent", false},
	{"no_fsync", "state", "TestPowerCutLosesNothingAcknowledged", false},
	{"rename_without_dir_sync", "state", "TestPowerCutLosesNothingAcknowledged", false},
	{"body_reserialised", "reconcile", "TestCrashAtEveryEffectOfALargeTree", false},
	{"results_before_complete", "reconcile", "TestSeededResultsCountOnceTheyAreComplete", false},
	{"skipped_as_done", "reconcile/send", "TestResultsOfAJob", false},
	{"empty_list_on_error", "internal/adsapi", "TestListThatIsNotWhole", false},
	{"page_two_ignored", "internal/adsapi", "TestListFollowsTheCursor", false},
	{"null_budget_zero", "reconcile/wire", "TestUpdatesSayWhatTheFilesSay", false},
	{"daily_as_lifetime", "reconcile/wire", "TestUpdatesSayWhatTheFilesSay", false},
	{"archived_twin_adopted", "plan/compare", "TestIdentify", false},
	{"activate_unread", "reconcile", "TestSeededNothingIsActivatedBeforeItReadsBackAsSent", false},
	{"increases_first", "reconcile", "TestUnconfirmedDecreaseHoldsRaises", false},
	{"list_decides", "reconcile", "TestUnknownOutcomeBlocksOnlyWhatDependsOnIt", false},
	{"partial_sources", "sources", "TestF14AFileThatFailsToReadHoldsEverything", false},
	{"lock_by_text", "state", "TestSeededTheTextOfALockDecidesNothing", false},
	{"stale_plan", "reconcile", "TestS19PlanThatWaitedTooLongIsNotApplied", false},
	{"retry_after_ignored", "internal/adsapi", "TestRetryAfter", false},
	{"conflict_retried", "internal/adsapi", "TestWhatIsRepeated", true},
	{"float_money", "internal/resource", "TestMoneyIsReadFromTheDigitsAsWritten", true},
	{"redaction_missing", "internal/adsapi", "TestTheKeyIsNeverShown", true},
	{"foreign_pause_undone", "plan/compare", "TestDiff", false},
	{"share_only", "plan/compare", "TestSeededLimitsOnSharesHoldForFewAndForMany", false},
	{"commits_apart", "plan/compare", "TestSeededManySmallCommitsDoNotPassALimit", false},
	{"factor_ignored", "plan/compare", "TestABidIsMeasuredTimesItsLargestFactor", true},
}

// TestEveryMistakeIsCaught builds each mistake in and wants the test that is
// named to fail, by itself and in time.
func TestEveryMistakeIsCaught(t *testing.T) {
	code := program(t)
	for _, m := range mistakes {
		if !*every && !m.quick {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			files := maps.Clone(code)
			list := overlay(t, files, applied(t, m.name, files))
			binary := t.TempDir() + "/mistaken.test"
			if out, err := command(t.Context(), m.dir,
				"go", "test", "-c", "-overlay", list, "-o", binary, "."); err != nil {
				t.Fatalf("build with %s: %v\n%s", m.name, err, out)
			}
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			began := time.Now()
			out, err := command(ctx, m.dir, binary, "-test.failfast", "-test.run", "^"+m.test+"$")
			took := time.Since(began)
			failed := new(exec.ExitError)
			switch {
			case ctx.Err() != nil:
				t.Errorf("%s did not fail within %s", m.test, within)
			case err == nil:
				t.Errorf("%s passes with the mistake in it", m.test)
			case !errors.As(err, &failed) || !bytes.Contains(out, []byte("--- FAIL: "+m.test)):
				t.Errorf("%s = %v; want the test itself to fail\n%s", m.test, err, out)
			}
			t.Logf("%s.%s: %.1f s", m.dir, m.test, took.Seconds())
		})
	}
}

// TestEveryMistakeApplies puts each mistake into the code of today, alone, and builds
// the packages with all of them at once, which takes what a build of one takes.
func TestEveryMistakeApplies(t *testing.T) {
	code := program(t)
	all, changed := maps.Clone(code), []string(nil)
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			applied(t, m.name, maps.Clone(code))
			changed = append(changed, applied(t, m.name, all)...)
		})
	}
	build := []string{"build", "-overlay", overlay(t, all, changed)}
	for _, name := range changed {
		build = append(build, "./"+path.Dir(name))
	}
	if out, err := command(t.Context(), ".", "go", build...); err != nil {
		t.Errorf("build with every mistake: %v\n%s", err, out)
	}
}

// TestEveryMistakeIsInTheList holds the files of testdata to the list, and the list to
// tests that are there and to docs/develop/faults.md.
func TestEveryMistakeIsInTheList(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path.Join(root, "docs/develop/faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	unlisted := map[string]bool{}
	for _, e := range entries {
		unlisted[strings.TrimSuffix(e.Name(), ".txtar")] = true
	}
	for _, m := range mistakes {
		if delete(unlisted, m.name); !declares(t, m.dir, m.test) {
			t.Errorf("%s: %s has no test %s; want the test that finds the mistake", m.name, m.dir, m.test)
		}
		row := regexp.MustCompile("(?m)^\\| `" + m.name + "` \\|.*`" + path.Base(m.dir) + `\.` + m.test + "` \\|$")
		if !row.Match(page) {
			t.Errorf("docs/develop/faults.md has no row of %s and %s.%s", m.name, path.Base(m.dir), m.test)
		}
	}
	for name := range unlisted {
		t.Errorf("testdata/%s.txtar is not in the list; want the test that finds it", name)
	}
	if len(entries) != len(mistakes) || len(mistakes) < 27 {
		t.Errorf("%d files and %d mistakes in the list; want one of each, and at least 27",
			len(entries), len(mistakes))
	}
}

// declares reports whether a package has the test.
func declares(t *testing.T, dir, test string) bool {
	t.Helper()
	names, err := os.ReadDir(path.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), "_test.go") {
			continue
		}
		content, err := os.ReadFile(path.Join(root, dir, n.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte("func "+test+"(t *testing.T)")) {
			return true
		}
	}
	return false
}

// applied puts a mistake of testdata into files.
func applied(t *testing.T, name string, files map[string]string) []string {
	t.Helper()
	m, err := readMutant(name)
	if err != nil {
		t.Fatal(err)
	}
	names, err := m.apply(files)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = path.Join(root, dir)
	return c.CombinedOutput()
}
