package seeded

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os/exec"
	"strings"
	"testing"
	"time"
)

var every = flag.Bool("every", false, "catch every mistake, not only those whose tests are quick")

// within is how long a test may take to find a mistake once it is built.
const within = time.Minute

// mistakes are the list: the tag of each, and the test that must fail with it.
var mistakes = []struct {
	tag, dir, test string
	quick          bool
}{
	{"bug_new_key_on_retry", "internal/adsapi", "TestRepetitionIsTheSameBytesAndKey", false},
	{"bug_key_from_clock", "reconcile", "TestCreateKeysNameAccountAddressAndLife", false},
	{"bug_key_from_content", "reconcile", "TestSeededTwoEqualAdsStayTwo", false},
	{"bug_journal_after_send", "reconcile", "TestSeededEveryRequestIsInTheJournalBeforeItIsSent", false},
	{"bug_no_fsync", "state", "TestPowerCutLosesNothingAcknowledged", false},
	{"bug_rename_without_dir_sync", "state", "TestPowerCutLosesNothingAcknowledged", false},
	{"bug_body_reserialised", "reconcile", "TestCrashAtEveryEffectOfALargeTree", false},
	{"bug_results_before_complete", "reconcile", "TestSeededResultsCountOnceTheyAreComplete", false},
	{"bug_skipped_as_done", "reconcile", "TestResultsOfAJob", false},
	{"bug_empty_list_on_error", "internal/adsapi", "TestListThatIsNotWhole", false},
	{"bug_page_two_ignored", "internal/adsapi", "TestListFollowsTheCursor", false},
	{"bug_null_budget_zero", "reconcile", "TestUpdatesSayWhatTheFilesSay", false},
	{"bug_daily_as_lifetime", "reconcile", "TestUpdatesSayWhatTheFilesSay", false},
	{"bug_archived_twin_adopted", "plan", "TestIdentify", false},
	{"bug_activate_unread", "reconcile", "TestSeededNothingIsActivatedBeforeItReadsBackAsSent", false},
	{"bug_increases_first", "reconcile", "TestUnconfirmedDecreaseHoldsRaises", false},
	{"bug_list_decides", "reconcile", "TestUnknownOutcomeBlocksOnlyWhatDependsOnIt", false},
	{"bug_partial_sources", "sources", "TestF14AFileThatFailsToReadHoldsEverything", false},
	{"bug_lock_by_text", "state", "TestSeededTheTextOfALockDecidesNothing", false},
	{"bug_stale_plan", "reconcile", "TestS19PlanThatWaitedTooLongIsNotApplied", false},
	{"bug_retry_after_ignored", "internal/adsapi", "TestRetryAfter", false},
	{"bug_conflict_retried", "internal/adsapi", "TestWhatIsRepeated", true},
	{"bug_float_money", "internal/resource", "TestMoneyIsReadFromTheDigitsAsWritten", true},
	{"bug_redaction_missing", "internal/adsapi", "TestTheKeyIsNeverShown", true},
	{"bug_foreign_pause_undone", "plan", "TestDiff", false},
	{"bug_share_only", "plan", "TestSeededLimitsOnSharesHoldForFewAndForMany", false},
	{"bug_commits_apart", "plan", "TestSeededManySmallCommitsDoNotPassALimit", false},
}

// TestEveryMistakeIsCaught builds each mistake in and wants the test that is
// named to fail, by itself and in time.
func TestEveryMistakeIsCaught(t *testing.T) {
	for _, m := range mistakes {
		if !*every && !m.quick {
			continue
		}
		t.Run(strings.TrimPrefix(m.tag, "bug_"), func(t *testing.T) {
			binary := t.TempDir() + "/mistaken.test"
			if out, err := command(t.Context(), m.dir,
				"go", "test", "-c", "-tags", m.tag, "-o", binary, "."); err != nil {
				t.Fatalf("build with %s: %v\n%s", m.tag, err, out)
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

func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = "../../" + dir
	return c.CombinedOutput()
}
