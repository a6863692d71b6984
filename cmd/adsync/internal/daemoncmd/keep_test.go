package daemoncmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/orders"
	"adsync/internal/runview"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

// Names of people go from runs, decisions, approvals and orders that are old enough, and
// reports go; what was done stays in the history, and what is younger stays whole.
func TestWhatIsKeptAndForHowLong(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	for _, tc := range []struct {
		name string
		keep config.Keep
		// each run with its age in days, who ran it, and whether there is a report; each decision, approval and order
		want []string
	}{
		{"nothing is said", config.Keep{}, []string{
			"run of 500: by ann, report by ann", "run of 100: by ann, report by ann", "run of 1: by ann, report by ann",
			"decision of 500: ad/x decided as applied by bob on desk, 2025-07-12T12:00:00Z",
			"approval of 500: by carla",
			"approval of 1: by carla", "suspend of 500: by dora", "suspend of 1: by dora",
		}},
		{"names for 400 days", config.Keep{People: 400 * day}, []string{
			"run of 500: by nobody, report by nobody",
			"run of 100: by ann, report by ann", "run of 1: by ann, report by ann",
			"decision of 500: ad/x decided as applied, 2025-07-12T12:00:00Z", "approval of 500: by nobody",
			"approval of 1: by carla", "suspend of 500: by nobody", "suspend of 1: by dora",
		}},
		{"reports for 90 days", config.Keep{Results: 90 * day}, []string{
			"run of 500: by ann, no report", "run of 100: by ann, no report", "run of 1: by ann, report by ann",
			"decision of 500: ad/x decided as applied by bob on desk, 2025-07-12T12:00:00Z",
			"approval of 500: by carla",
			"approval of 1: by carla", "suspend of 500: by dora", "suspend of 1: by dora",
		}},
		{"both", config.Keep{People: 400 * day, Results: 90 * day}, []string{
			"run of 500: by nobody, no report", "run of 100: by ann, no report", "run of 1: by ann, report by ann",
			"decision of 500: ad/x decided as applied, 2025-07-12T12:00:00Z", "approval of 500: by nobody",
			"approval of 1: by carla", "suspend of 500: by nobody", "suspend of 1: by dora",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "state")
			store, err := state.Open(t.Context(), folder, state.Options{})
			noError(t, err)
			defer func() { noError(t, store.Close()) }()
			for i, days := range []int{500, 100, 1} {
				at := now.AddDate(0, 0, -days)
				run := state.Run{
					ID: fmt.Sprintf("run-%06d", i+1), Started: at, Finished: at.Add(time.Minute), Summary: "1 applied",
				}
				noError(t, store.RecordRun(t.Context(), run))
				text := fmt.Sprintf(`{"run":%q,"by":"ann","started":%q,"summary":{"applied":1}}`,
					run.ID, at.Format(time.RFC3339))
				noError(t, store.RecordReport(t.Context(), run.ID, []byte(text), func(w io.Writer) error {
					_, err := io.WriteString(w, text)
					return err
				}))
			}
			then := now.AddDate(0, 0, -500)
			noError(t, store.RecordRun(t.Context(), state.Run{
				ID: "resolve-000004", Started: then,
				Finished: then, Summary: "ad/x decided as applied by bob on desk, " + then.Format(time.RFC3339),
			}))
			for _, days := range []int{500, 1} {
				at := now.AddDate(0, 0, -days)
				noError(t, kv.AppendJSON(kv.Folder{Dir: folder}, session.ApprovalsName, map[string]any{
					"allow": []string{"activates"}, "by": "carla", "note": "call me", "time": at,
				}))
				noError(t, orders.Folder(folder).Suspend(orders.Suspension{By: "dora",
					Reason: "dora is away", Since: at}))
			}
			k := keeping{keep: tc.keep}
			_, err = k.age(t.Context(), kv.Folder{Dir: folder}, store, now)
			noError(t, err)
			if diff := cmp.Diff(tc.want, keptOf(t, store, folder, now)); diff != "" {
				t.Errorf("what is kept (-want +have):\n%s", diff)
			}
			again, err := k.age(t.Context(), kv.Folder{Dir: folder}, store, now)
			if err != nil || again != (aged{}) {
				t.Errorf("once more = %+v, %v; want nothing to do", again, err)
			}
			if content, err := os.ReadFile(filepath.Join(folder, session.ApprovalsName)); err != nil ||
				tc.keep.People > 0 && strings.Count(string(content), "call me") != 1 {
				t.Errorf("what people noted is kept as\n%s%v", content, err)
			}
		})
	}
}

// keptOf is what a state keeps of people and runs, in words.
func keptOf(t *testing.T, store state.Store, folder string, now time.Time) (all []string) {
	t.Helper()
	age := func(at time.Time) int { return int(now.Sub(at) / (24 * time.Hour)) }
	by := func(name string) string { return "by " + map[bool]string{true: "nobody", false: name}[name == ""] }
	kept, err := store.Runs(context.Background(), 0)
	noError(t, err)
	k := &runs.KeptRuns{Store: store}
	var decisions []string
	for i := len(kept) - 1; i >= 0; i-- {
		head, err := k.Head(kept[i])
		noError(t, err)
		if head.Decided != "" {
			decisions = append(decisions, fmt.Sprintf("decision of %d: %s", age(kept[i].Started), head.Decided))
			continue
		}
		report := "no report"
		content, err := store.Report(context.Background(), kept[i].ID)
		if !errors.Is(err, state.ErrNoReport) {
			noError(t, err)
			d, err := runview.Decode(content)
			noError(t, err)
			report = "report " + by(d.By)
		}
		all = append(all, fmt.Sprintf("run of %d: %s, %s", age(kept[i].Started), by(head.By), report))
	}
	all = append(all, decisions...)
	approvals, err := (&session.Lease{Place: orders.Folder(folder)}).Approvals()
	noError(t, err)
	for _, a := range approvals {
		all = append(all, fmt.Sprintf("approval of %d: %s", age(a.Time), by(a.By)))
	}
	ordered, err := orders.Folder(folder).Ordered()
	noError(t, err)
	for _, o := range ordered {
		all = append(all, fmt.Sprintf("%s of %d: %s", o.Order, age(o.Time), by(o.By)))
	}
	return all
}
