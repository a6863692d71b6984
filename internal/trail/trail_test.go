package trail

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/review"
	"adsync/internal/runview"

	"github.com/google/go-cmp/cmp"
)

func at(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }

// What is written is read back by a reader of CSV that shares nothing with the writer:
// a row for each thing, in time, each cell as it was said, and none a formula.
func TestEachThingThatHappenedIsARow(t *testing.T) {
	exit := 8
	h := Trail{
		History: runview.History{Reviews: []review.Change{
			{Time: at(8), Name: "=Hero", At: "ad/a/b/hero",
				Before: review.Approved, State: review.Rejected, Means: "the page is away"},
		}, Runs: []runview.Head{
			{Run: "run-000002", Command: runview.Apply, Started: at(4), Finished: at(5), By: "anna on host",
				Ended: runview.Finished, Exit: &exit, Summary: map[string]int{"applied": 2, "failed": 1},
				Approved: []runview.Approver{{By: "bert", Link: "https://git.example/1"}}},
			{Run: "decision-1", Started: at(6), Decided: "ad/x as made, by dora"},
			{Run: "run-000001", Command: runview.Revert, Reverts: "run-000000", Started: at(1), Ended: runview.Killed},
		}},
		Approvals: []daemon.Approval{{Time: at(3),
			Allow: []string{"activates=campaign/a"}, By: "bert", Note: "+49 30 1234, \"ask\"\nme",
			Link: "https://git.example/1"}},
		Accepted: []daemon.Acceptance{{Time: at(7), Commit: "abc", By: "carla"}},
		Orders:   []orders.Ordered{{Time: at(2), Order: orders.Suspend, By: "=cmd()", Reason: "prices", Until: at(9)}},
	}
	var out strings.Builder
	if err := h.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(out.String(), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, r := range records[1:] {
		note := r[len(r)-2] + r[len(r)-1] // and the link
		have = append(have, strings.Join([]string{r[0][11:13], r[1], r[2], r[3], r[4], r[5], r[7], note}, "|"))
	}
	want := []string{
		"01|run|run-000001|revert of run-000000||killed||",
		"02|order||suspend|'=cmd()|||prices",
		"03|approval||activates=campaign/a|bert|||'+49 30 1234, \"ask\"\nmehttps://git.example/1",
		"04|run|run-000002|apply|anna on host|applied in part|8|https://git.example/1",
		"06|decision|decision-1|ad/x as made, by dora||||",
		"07|accepted||go on with a rewritten history|carla|||",
		"08|review|ad/a/b/hero|“=Hero”||rejected||the page is away",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("rows (-want +have):\n%s", diff)
	}
}

func TestAWindowHoldsItsFirstMomentAndNotItsLast(t *testing.T) {
	for _, tc := range []struct {
		name   string
		window Window
		at     time.Time
		holds  bool
	}{
		{"without bounds", Window{}, at(1), true},
		{"before it", Window{From: at(2)}, at(1), false},
		{"at its first moment", Window{From: at(2), To: at(3)}, at(2), true},
		{"at its last", Window{From: at(2), To: at(3)}, at(3), false},
	} {
		if have := tc.window.Holds(tc.at); have != tc.holds {
			t.Errorf("%s: Holds = %t, want %t", tc.name, have, tc.holds)
		}
	}
}
