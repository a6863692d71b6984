package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/kinds"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/state"

	"pgregory.net/rapid"
)

var accountsDrawn = flag.Int("accounts", 12, "how many accounts are drawn, applied, edited and applied again")

// TestNothingThatIsLetThroughIsRefused draws files of an account, of all kinds
// and with what they name of each other, applies them by the real client, edits
// them and applies again. Where adsync finds no problem, the service refuses
// nothing: it has nothing to say that the interface does not state. With -accounts
// 2000 it runs for half an hour; a draw is found again by its number.
func TestNothingThatIsLetThroughIsRefused(t *testing.T) {
	taken, applied, problems := 0, 0, map[string]int{}
	draws := rapid.Custom(drawRounds)
	for number := range *accountsDrawn {
		s := newStranger(t)
		for round, files := range draws.Example(number) {
			problem, done, refusals := s.apply(files)
			if problem != "" {
				problems[problem]++
				continue
			}
			taken, applied = taken+1, applied+done
			if len(refusals) > 0 {
				t.Errorf("account %d, round %d: adsync lets through what the service refuses:\n%s\nof\n%s",
					number, round, strings.Join(refusals, "\n"), shortLines(files))
			}
		}
		s.close()
	}
	t.Logf("%d rounds of %d accounts were taken, %d changes applied; the others have problems: %v",
		taken, *accountsDrawn, applied, problems)
	if taken < *accountsDrawn || applied < 4**accountsDrawn {
		t.Errorf("%d rounds of %d accounts were taken and %d changes applied; want a good part",
			taken, *accountsDrawn, applied)
	}
}

// stranger is an account of its own, with a state and a folder.
type stranger struct {
	t     *testing.T
	dir   string
	line  *httptest.Server
	inner *emulator.Server
	agent *reconcile.Agent
	mu    sync.Mutex
	made  time.Time
	slept time.Duration
}

// drawnDay is the day on which drawn accounts are made, and drawnHour a moment in it that
// is of that day in every zone of these tests: a draw is the same on each day of the calendar.
const drawnDay = "2026-03-02"

var drawnHour = time.Date(2026, 3, 2, 17, 0, 0, 0, time.UTC)

func newStranger(t *testing.T) *stranger {
	t.Helper()
	s := &stranger{t: t, dir: t.TempDir(), made: time.Now()}
	inner, err := emulator.Open(emulator.Options{
		Seed: 1, Accounts: []emulator.Account{emulatortest.Account(emulatortest.AccountID, emulatortest.Key)},
		Now:    s.now,
		Limits: emulator.RateLimits{EndpointPerMinute: -1, OverallPerMinute: -1, BulkPer10Seconds: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.inner, s.line = inner, httptest.NewServer(inner)
	client, err := adsapi.New(adsapi.Config{
		BaseURL: s.line.URL + "/v1", Key: adsapi.NewSecret(emulatortest.Key), UserAgent: "test",
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6}, Now: s.now, Sleep: s.sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.agent = &reconcile.Agent{Env: reconcile.Env{
		Service: client, Store: store, Schemas: kinds.All(),
		Logger: slog.New(slog.DiscardHandler), Now: s.now, Sleep: s.sleep,
	}}
	return s
}

func (s *stranger) close() {
	s.line.Close()
	if err := s.inner.Close(); err != nil {
		s.t.Error(err)
	}
}

// now and sleep are one clock for agent and service.
func (s *stranger) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return drawnHour.Add(time.Since(s.made) + s.slept)
}

func (s *stranger) sleep(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	s.slept += d
	s.mu.Unlock()
	if err := s.inner.World().Clock.Idle(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// apply returns the sort of the first problem, or how many changes were applied and
// what the service refused.
func (s *stranger) apply(files string) (problem string, applied int, refusals []string) {
	s.t.Helper()
	project := "account: {id: " + emulatortest.AccountID +
		", currency: USD, timezone: America/New_York}\nsources: [all.yaml]\n"
	for name, content := range map[string]string{"adsync.yaml": project, "all.yaml": files} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	p, problems := config.ReadProject(s.dir)
	desired := sources.Load(s.t.Context(), p, kinds.All())
	if said := firstError(append(problems, desired.Problems...)); said != "" {
		return said, 0, nil
	}
	view := s.plan(desired)
	if said := firstError(view.Plan.Problems); said != "" {
		return "plan: " + said, 0, nil
	}
	report, err := s.agent.Apply(s.t.Context(), view)
	if err != nil {
		refusals = append(refusals, err.Error())
	}
	for _, o := range report.Outcomes {
		if o.Outcome != reconcile.OutcomeHeld && o.Outcome != state.OutcomeApplied {
			refusals = append(refusals,
				fmt.Sprintf("%s %s: %s %s %s", o.Action, o.Address, o.Outcome, o.Code, o.Message))
		}
	}
	return "", report.Count(state.OutcomeApplied), refusals
}

// plan plans with every allowance the plan asks for.
func (s *stranger) plan(desired sources.Desired) *reconcile.View {
	s.t.Helper()
	asks := reconcile.Desired{Snapshot: desired.Snapshot, Policy: plan.DefaultPolicy()}
	for {
		view, err := s.agent.Plan(s.t.Context(), asks)
		if err != nil {
			s.t.Fatalf("plan: %v", err)
		}
		before := len(asks.Allow)
		for _, c := range view.Plan.Changes {
			for _, h := range c.Holds() {
				if a, err := plan.ParseAllowance(h.Allow); err == nil && !slices.Contains(asks.Allow, a) {
					asks.Allow = append(asks.Allow, a)
				}
			}
		}
		if len(asks.Allow) == before {
			return view
		}
	}
}
