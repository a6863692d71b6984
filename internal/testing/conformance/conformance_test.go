package conformance

import (
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/testing/conformance/rules"
	"adsync/internal/testing/emulatortest"
)

var (
	baseURL = flag.String("conformance.url", "", "base address of a service to hold to the rows, ending with /v1")
	key     = flag.String("conformance.key", "", "API key for it")
	mutate  = flag.Bool("conformance.mutate", false, "also run rows that make campaigns, ad groups and ads there")
	account = flag.Bool("conformance.account", false, "also run rows that change the account itself")
)

// start is an emulator for one row: two accounts, and a clock that stands still.
func start(t *testing.T, row Row, points string, known map[string]string) Target {
	t.Helper()
	s := emulatortest.Start(t, emulatortest.WithPoints(t, points+","+waits()), func(o *emulator.Options) {
		o.Now = func() time.Time { return time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC) }
		o.Accounts = append(o.Accounts, emulatortest.Account("adacct_other", "sk-other"))
		if row.Limited {
			o.Limits = emulator.RateLimits{}
		}
	})
	return Target{
		BaseURL: s.BaseURL, Client: s.Client, Emulator: true,
		Pause: 2 * time.Millisecond, RunID: "run-1", Points: known,
		Keys: map[string]string{"": s.Key, other: "sk-other", stranger: "sk-stranger"},
	}
}

// timed are the points that only take time.
var timed = []openpoint.Name{
	openpoint.BulkDuration, openpoint.BulkCompleteLag, openpoint.ListLag, openpoint.KeyLag,
	openpoint.AuditLogLag, openpoint.AudienceDuration, openpoint.AudienceStall,
}

// waits are the timed points as they are by default: the clock of a row stands
// still, and a row that is about time sets them itself.
func waits() string {
	var list []string
	for _, name := range timed {
		list = append(list, string(name)+"="+openpoint.Defaults().Of(name))
	}
	return strings.Join(list, ",")
}

// TestEmulatorKeepsEveryRow in each profile, but for the rows that say that they do
// not hold there.
func TestEmulatorKeepsEveryRow(t *testing.T) {
	for _, profile := range openpoint.Profiles {
		points, ran := pointsOf(t, profile), 0
		for _, row := range Rows {
			if held, _ := row.Holds(points); !held {
				continue
			}
			ran++
			t.Run(profile+"/"+row.Name, func(t *testing.T) {
				t.Parallel()
				hold(t, start(t, row, "profile:"+profile, points), row)
			})
		}
		t.Logf("%s: %d of %d rows hold", profile, ran, len(Rows))
	}
}

func hold(t *testing.T, target Target, row Row) {
	t.Helper()
	problems, err := target.Run(t.Context(), row)
	for _, problem := range problems {
		t.Errorf("%s: %s", row.Rules, problem)
	}
	if err != nil {
		t.Errorf("%s: %v", row.Rules, err)
	}
}

// TestServiceKeepsTheRows holds a service elsewhere to the rows that need no
// emulator. Rows are run one after another.
func TestServiceKeepsTheRows(t *testing.T) {
	if *baseURL == "" {
		return
	}
	runAll(t, Target{
		BaseURL: *baseURL, Client: http.DefaultClient, Pause: time.Second, Tidy: true,
		Keys: map[string]string{"": *key, stranger: "sk-stranger"},
	}, func(row Row) bool {
		return (*mutate || !row.Mutates()) && (*account || !row.ChangesAccount())
	})
}

// TestRowsCanShareAnAccount runs the rows for a service elsewhere twice against
// one emulator as if it were one.
func TestRowsCanShareAnAccount(t *testing.T) {
	s := emulatortest.Start(t)
	for range 2 {
		runAll(t, Target{
			BaseURL: s.BaseURL, Client: s.Client, Pause: 2 * time.Millisecond, Tidy: true,
			Keys: map[string]string{"": s.Key, stranger: "sk-stranger"},
		}, func(row Row) bool { return !row.ChangesAccount() })
	}
}

func runAll(t *testing.T, target Target, wanted func(Row) bool) {
	t.Helper()
	ran := 0
	for i, row := range Rows {
		if row.Controlled() || row.Alone || !wanted(row) {
			continue
		}
		ran++
		target.RunID = fmt.Sprintf("%05x", (uint64(time.Now().UnixNano())>>10+uint64(i))&0xfffff)
		t.Run(row.Name, func(t *testing.T) { hold(t, target, row) })
	}
	t.Logf("%d of %d rows were run", ran, len(Rows))
}

func TestInterfaceOnlyHasNoAdditions(t *testing.T) {
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "profile:interface"))
	for _, e := range rules.Endpoints {
		got := s.Do(t, e.Method, e.Sample(), nil)
		absent := got.Status == http.StatusNotFound && strings.Contains(string(got.Body), "Invalid URL")
		if absent != e.Addition() {
			t.Errorf("%s = %d %s, want it absent: %v", e.Name(), got.Status, got.Body, e.Addition())
		}
	}
}
