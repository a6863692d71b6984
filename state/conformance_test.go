package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/internal/testing/pgtest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

// both runs a test on every store. again gives the store as the next run of
// adsync finds it.
func both(t *testing.T, test func(t *testing.T, s Store, again func() Store)) {
	t.Run("in memory", func(t *testing.T) {
		s, err := NewMemory(options())
		if err != nil {
			t.Fatal(err)
		}
		test(t, s, func() Store { return s })
	})
	t.Run("in a folder", func(t *testing.T) {
		dir := t.TempDir()
		s := openFolder(t, dir)
		test(t, s, func() Store {
			must(t, s.Close())
			s = openFolder(t, dir)
			return s
		})
	})
	t.Run("in a folder that is read", func(t *testing.T) {
		dir := t.TempDir()
		test(t, openFolder(t, dir), func() Store {
			s, err := OpenReadOnly(t.Context(), dir)
			must(t, err)
			return s
		})
	})
	t.Run("on a branch", func(t *testing.T) {
		for _, but := range []struct{ test, why string }{
			{"Mirror", "what the service would say again stays on the machine"},
			{"TestRunsComeNewestFirst", "a thousand runs are a thousand pushes, of the ledger that a folder has, too"},
		} {
			if strings.Contains(t.Name(), but.test) {
				t.Skip(but.why)
			}
		}
		open := openBranch(t, acme, options())
		s := open()
		test(t, s, func() Store {
			must(t, s.Close())
			s = open()
			return s
		})
	})
	bothIn(t, "a database", test, func(t *testing.T) *Server { return openServer(t, pgtest.Database(t)) })
	bothIn(t, "its twin", test, func(t *testing.T) *Server { return openTwin(t) })
}

// bothIn is both for one sort of database.
func bothIn(t *testing.T, what string, test func(t *testing.T, s Store, again func() Store),
	open func(*testing.T) *Server) {
	t.Run("in "+what, func(t *testing.T) {
		server := open(t)
		s := openAccount(t, server)
		test(t, s, func() Store {
			must(t, s.Close())
			s = openAccount(t, server)
			return s
		})
	})
	t.Run("in "+what+" that is read", func(t *testing.T) {
		server := open(t)
		test(t, openAccount(t, server), func() Store {
			s, err := server.OpenReadOnly(t.Context(), acme.ID)
			must(t, err)
			return s
		})
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, call string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s = %v, want %v", call, got, want)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs from what was written (-want +got):\n%s", what, diff)
	}
}

// records returns the snapshot as plain resources, in order.
func records(t *testing.T, s Store) []resource.Resource {
	t.Helper()
	last, err := s.Last(t.Context())
	must(t, err)
	var all []resource.Resource
	for r := range last.All() {
		all = append(all, *r)
	}
	return all
}

func TestAccountIsBoundOnceAndForAll(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		must(t, s.Bind(t.Context(), acme))
		s = again()
		must(t, s.Bind(t.Context(), acme))
		for _, other := range []Account{
			{"act_2", "EUR", "Europe/Berlin"},
			{"act_1", "USD", "Europe/Berlin"},
			{"act_1", "EUR", "Europe/Paris"},
		} {
			wantError(t, fmt.Sprintf("Bind(%s)", other), s.Bind(t.Context(), other), ErrForeign)
		}
		same(t, "account", s.Header().Account, acme)
	})
}

func TestSerialRisesWithEveryCommitAndLineageStays(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		before := s.Header()
		must(t, s.Bind(t.Context(), acme))
		must(t, s.Record(t.Context(), ads(0, 3)))
		must(t, s.Record(t.Context(), nil)) // nothing to write is no commit
		must(t, s.RecordFile(t.Context(), "sha256:1", "file_1"))
		after := again().Header()
		if after.Serial != before.Serial+3 || after.Lineage != before.Lineage || after.Lineage == "" {
			t.Errorf("header went from %+v to %+v, want three commits of one lineage", before, after)
		}
	})
}

func TestLastHoldsWhatWasRecorded(t *testing.T) {
	runner := address("ad/spring/runners")
	rows := []struct {
		name string
		then Applied
		want resource.Resource
	}{
		{
			"a merge changes what it names",
			Applied{Address: runner, Attributes: with("bid", 7, "hints", nil)},
			resource.Resource{
				ID: "ad_1", ParentID: "grp_1", Attributes: with("bid", 7, "hints", nil, "name", "Runners"),
				Normal: with("name", "runners"),
			},
		}, {
			"an attribute given anew loses its normal form",
			Applied{Address: runner, Attributes: with("name", "Walkers")},
			resource.Resource{
				ID: "ad_1", ParentID: "grp_1",
				Attributes: with("bid", 5, "hints", []string{"shoes"}, "name", "Walkers"),
			},
		}, {
			"a read-back adds a normal form",
			Applied{Address: runner, Normal: with("bid", 6)},
			resource.Resource{
				ID: "ad_1", ParentID: "grp_1", Attributes: with("bid",
					5, "hints", []string{"shoes"}, "name", "Runners"), Normal: with("bid", 6, "name", "runners"),
			},
		}, {
			"a replacement keeps nothing but the ids it leaves out",
			Applied{Address: runner, ID: "ad_2", Attributes: with("status", "paused"), Replace: true},
			resource.Resource{ID: "ad_2", ParentID: "grp_1", Attributes: with("status", "paused")},
		}, {
			"another address changes nothing here",
			Applied{Address: address("ad/spring"), Attributes: with("bid", 9)},
			resource.Resource{
				ID: "ad_1", ParentID: "grp_1", Attributes: with("bid",
					5, "hints", []string{"shoes"}, "name", "Runners"), Normal: with("name", "runners"),
			},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			both(t, func(t *testing.T, s Store, again func() Store) {
				must(t, s.Record(t.Context(), []Applied{{
					Address: runner, ID: "ad_1", ParentID: "grp_1",
					Attributes: with("name", "Runners", "bid", 5, "hints", []string{"shoes"}),
					Normal:     with("name", "runners"),
				}}))
				must(t, s.Record(t.Context(), []Applied{row.then}))
				last, err := again().Last(t.Context())
				must(t, err)
				row.want.Address = runner
				same(t, "record", *last.Get(runner), row.want)
			})
		})
	}
}

func TestBindingsAreThoseThatWereAskedFor(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		must(t, s.Record(t.Context(), ads(0, 3)))
		must(t, s.Record(t.Context(), []Applied{{Address: address("ad/unbound"), Attributes: with("bid", 5)}}))
		all := ads(0, 3)
		got, err := again().Bindings(t.Context(), []resource.Address{all[2].Address,
			address("ad/unbound"), address("ad/nobody"), all[0].Address, all[2].Address})
		must(t, err)
		same(t, "bindings", got, map[resource.Address]string{all[0].Address: all[0].ID, all[2].Address: all[2].ID})
	})
}

func TestForgettingARecordEndsItsLife(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		shoes, boots := address("campaign/shoes"), address("campaign/boots")
		must(t, s.Record(t.Context(), []Applied{{Address: shoes, ID: "1"}, {Address: boots, ID: "2"}}))
		must(t, s.Advance(t.Context(), []resource.Address{shoes, shoes}))
		never := address("campaign/never-there")
		must(t, s.Forget(t.Context(), []resource.Address{shoes, never}))
		s = again()
		same(t, "last", records(t, s), []resource.Resource{{Address: boots, ID: "2"}})
		for a, want := range map[resource.Address]int{shoes: 4, boots: 1, never: 1} {
			if got, err := s.Generation(t.Context(), a); got != want || err != nil {
				t.Errorf("Generation(%s) = %d, %v, want %d", a, got, err, want)
			}
		}
	})
}

func TestCreatesThatMadeNothingAreOfOneLife(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		var unmade []NotCreated
		for _, key := range []string{"stays", "advanced", "bound", "forgotten", "renamed"} {
			unmade = append(unmade, NotCreated{address("campaign/" + key), "key of " + key, "sum"})
		}
		must(t, s.Record(ctx, []Applied{{Address: address("campaign/forgotten"), ID: "1"}}))
		must(t, s.RecordNotCreated(ctx, unmade))
		must(t, s.RecordNotCreated(ctx, []NotCreated{{address("campaign/stays"), "key of stays", "another sum"}}))
		must(t, s.Advance(ctx, []resource.Address{address("campaign/advanced")}))
		must(t, s.Record(ctx, []Applied{{Address: address("campaign/bound"), ID: "2"}}))
		must(t, s.Forget(ctx, []resource.Address{address("campaign/forgotten")}))
		must(t, s.Rename(ctx, []Renamed{{address("campaign/renamed"), address("campaign/elsewhere")}}))
		got, err := again().NotCreated(ctx)
		must(t, err)
		stays := address("campaign/stays")
		same(t, "unmade", got, map[resource.Address]NotCreated{stays: {stays, "key of stays", "another sum"}})
	})
}

func TestTheLastSubmissionsAreRemembered(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		var want []time.Time
		for i := range keptSubmissions + 3 {
			at := morning.Add(time.Duration(i) * 100 * time.Millisecond)
			must(t, s.RecordSubmitted(t.Context(), at))
			want = append(want, at.Local())
		}
		got, err := again().Submitted(t.Context())
		must(t, err)
		same(t, "submissions", got, want[3:])
	})
}

func TestFactsAreRemembered(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		must(t, s.RecordFile(ctx, "sha256:a", "file_1"))
		must(t, s.RecordFile(ctx, "https://x.example/a.png", "file_2"))
		must(t, s.RecordCapability(ctx, resource.BulkJobs, true))
		must(t, s.RecordCapability(ctx, resource.BulkDailyBudget, false))
		must(t, s.Block(ctx, []Blocked{
			{Address: address("campaign/shoes"), InputHash: "hash",
				Code: "invalid_budget", Message: "budget is too low", Run: "run-000001", Asked: "run-000002"},
			{Address: address("campaign/boots"), InputHash: "hash", Code: "x", Message: "y"},
			{Address: address("ad/old"), InputHash: "hash", Since: morning.AddDate(-1, 0, 0)},
		}))
		must(t, s.Unblock(ctx, []resource.Address{address("campaign/boots")}))
		s = again()
		files, err := s.Files(ctx)
		must(t, err)
		same(t, "files", files, map[string]string{"sha256:a": "file_1", "https://x.example/a.png": "file_2"})
		capabilities, err := s.Capabilities(ctx)
		must(t, err)
		same(t, "capabilities", capabilities, map[resource.Capability]bool{
			resource.BulkJobs: true, resource.BulkDailyBudget: false,
		})
		blocked, err := s.Blocked(ctx)
		must(t, err)
		shoes := address("campaign/shoes")
		same(t, "blocked", blocked, map[resource.Address]Blocked{
			shoes: {shoes, "hash", "invalid_budget",
				"budget is too low", morning, "run-000001", "run-000002"},
			address("ad/old"): {Address: address("ad/old"), InputHash: "hash", Since: morning.AddDate(-1, 0, 0)},
		})
	})
}

func TestWhatWaitsIsReplacedWhole(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		waits := func(key string) *resource.Snapshot {
			waiting := &resource.Snapshot{}
			waiting.Add(&resource.Resource{
				Address: address("campaign/" + key), Attributes: resource.Attributes{{Name: "budget.daily",
					Value: resource.Number(5)}, {Name: "end", Value: resource.Null()}},
			})
			return waiting
		}
		must(t, s.RecordWaiting(ctx, waits("shoes")))
		must(t, s.RecordWaiting(ctx, waits("boots")))
		must(t, s.RecordReverted(ctx, waits("shoes")))
		s = again()
		got, err := s.Waiting(ctx)
		must(t, err)
		same(t, "addresses", got.Addresses(), []resource.Address{address("campaign/boots")})
		boots := got.Get(address("campaign/boots"))
		same(t, "budget", boots.Value("budget.daily").Equal(resource.Number(5)), true)
		same(t, "end", boots.Value("end").IsNull(), true)
		reverted, err := s.Reverted(ctx)
		must(t, err)
		same(t, "addresses", reverted.Addresses(), []resource.Address{address("campaign/shoes")})
	})
}

func TestSequenceGivesEachNumberOnce(t *testing.T) {
	dir := t.TempDir()
	for want := int64(1); want <= 6; want++ {
		s := openFolder(t, dir)
		if got, err := s.NextSequence(t.Context()); got != want || err != nil {
			t.Fatalf("NextSequence() = %d, %v, want %d", got, err, want)
		}
		must(t, s.Close())
	}
}

func TestRunsComeNewestFirstAndTheOldestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		first := job("run-0/1/0", 1)
		first.Run = "run-0"
		must(t, s.Begin(ctx, first))
		must(t, s.Move(ctx, first.ID, Abandoned, Update{}))
		for i := range keptRuns + 2 {
			must(t, s.RecordRun(ctx, Run{
				ID: fmt.Sprintf("run-%d", i), Started: morning.Add(time.Duration(i) * time.Minute),
			}))
		}
		newest := Run{
			ID: fmt.Sprintf("run-%d", keptRuns+1), Started: morning.Add((keptRuns + 1) * time.Minute),
			Finished: morning.Add(48 * time.Hour), PlanHash: "sha256:p", Summary: "1 applied",
		}
		must(t, s.RecordRun(ctx, newest))
		wantError(t, "Begin of a step whose run is kept no longer", s.Begin(ctx, first), nil)
		s = again()
		all, err := s.Runs(ctx, 0)
		must(t, err)
		if len(all) != keptRuns || all[len(all)-1].ID != "run-2" {
			t.Errorf("Runs(0) = %d runs back to %s, want %d back to run-2", len(all), all[len(all)-1].ID, keptRuns)
		}
		two, err := s.Runs(ctx, 2)
		must(t, err)
		same(t, "newest runs", two,
			[]Run{newest, {ID: fmt.Sprintf("run-%d", keptRuns), Started: morning.Add(keptRuns * time.Minute)}})
	})
}

func TestWhatHasHappenedIsRecordedWhenTheRunIsCancelled(t *testing.T) {
	both(t, func(t *testing.T, s Store, _ func() Store) {
		cancelled, cancel := context.WithCancel(t.Context())
		must(t, s.Begin(cancelled, job("a", 1)))
		cancel()
		must(t, s.Move(cancelled, "a", Sent, Update{SentAt: morning}))
		must(t, s.Finish(cancelled, "a", ads(0, 1), nil))
		wantError(t, "Begin after cancel", s.Begin(cancelled, job("b", 1)), context.Canceled)
		wantError(t, "Bind after cancel", s.Bind(cancelled, acme), context.Canceled)
	})
}

func TestClosedStoreRefuses(t *testing.T) {
	both(t, func(t *testing.T, s Store, _ func() Store) {
		must(t, s.Close())
		must(t, s.Close())
		wantError(t, "Record", s.Record(t.Context(), ads(0, 1)), errClosed)
		_, err := s.Last(t.Context())
		wantError(t, "Last", err, errClosed)
	})
}

func TestRecordRefusesWhatCannotBeReadBack(t *testing.T) {
	for name, applied := range map[string]Applied{
		"no address":    {ID: "1"},
		"no key":        {Address: resource.Address{Kind: "ad"}},
		"slash in kind": {Address: resource.Address{Kind: "a/b", Key: "c"}},
		"absent value":  {Address: address("ad/a"), Attributes: resource.Attributes{{Name: "x"}}},
		"unsorted": {Address: address("ad/a"),
			Attributes: resource.Attributes{{Name: "b", Value: resource.Null()}, {Name: "a", Value: resource.Null()}}},
		"one name twice": {Address: address("ad/a"),
			Attributes: resource.Attributes{{Name: "b", Value: resource.Null()}, {Name: "b", Value: resource.Null()}}},
		"unsorted normally": {Address: address("ad/a"),
			Normal: resource.Attributes{{Name: "b", Value: resource.Null()}, {Name: "a", Value: resource.Null()}}},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, s Store, again func() Store) {
				if err := s.Record(t.Context(), append(ads(0, 1), applied)); err == nil {
					t.Errorf("Record(%+v) = nil, want an error", applied)
				}
				same(t, "last", records(t, again()), []resource.Resource(nil))
			})
		})
	}
}

func TestManyStepsAtOnce(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		const workers, steps = 8, 5
		var group errgroup.Group
		for w := range workers {
			group.Go(func() error {
				for i := range steps {
					n := w*steps + i
					id := fmt.Sprintf("run/%d/%d", w, i)
					_, lastErr := s.Last(t.Context())
					if err := errors.Join(
						s.Begin(t.Context(), job(id, 1)),
						s.Move(t.Context(), id, Sent, Update{}),
						s.Finish(t.Context(), id, ads(n, 1), nil),
						lastErr,
					); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, group.Wait())
		s = again()
		open, err := s.Open(t.Context())
		must(t, err)
		if len(open) != workers*steps || len(records(t, s)) != workers*steps {
			t.Errorf("%d open steps and %d records, want %d of each", len(open), len(records(t, s)), workers*steps)
		}
	})
}
